"""The window as the command line sees it: what it answers to options, which needs no display; and starting it."""

import signal
import subprocess
import sys
from collections.abc import Sequence

import click

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output
from webrag_desktop.version import VERSION

NAME = "webrag-desktop"
OPEN_WINDOW = "open-window"  # the first argument of a process that is to be the window


@click.command(NAME, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("given", nargs=-1, metavar="[LINK|FILE|FOLDER]…")
@click.version_option(VERSION, prog_name=NAME, message="%(prog)s %(version)s")
def _window(given: tuple[str, ...]) -> tuple[str, ...]:
    """Open the window, and add the links, files and folders given; a webrag:// link opens the place that it names.

    One window is open for each data folder, which WEBRAG_HOME names; a second start brings it to the front. `webrag
    --help` tells what can be done without a window.
    """
    return given


def read_arguments(arguments: Sequence[str]) -> list[str]:
    """The links and files among the arguments; ends the process after ``--help``, or where an option is unknown."""
    try:
        given = _window.main(list(arguments), prog_name=NAME, standalone_mode=False)
    except click.UsageError as error:
        Output().error(error.format_message(), f"Try: {NAME} --help", ExitCode.USAGE)
        sys.exit(ExitCode.USAGE)
    if not isinstance(given, tuple):  # help or the version was printed
        sys.exit(ExitCode.OK)
    return list(given)


def run_window(link: str) -> int:
    """Start the window at a place of the library; it ends at once where another one takes the link over.

    Returns its exit code. ``-P`` keeps modules of the current folder from being run.
    """
    process = subprocess.Popen([sys.executable, "-P", "-m", "webrag_desktop", OPEN_WINDOW, link])
    before = signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl+C reaches the window, too, which ends in order
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else ExitCode.FAILED


def report_missing_library(error: ImportError) -> ExitCode:
    """Say that Qt does not load, as where the system has no desktop at all."""
    Output().error(
        f"No window can be opened here: Qt cannot be loaded ({error.msg}).",
        "Install the system's libraries for windows (on Linux: X11 or Wayland, EGL and xkbcommon). `webrag --help` "
        "tells what can be done without a window.",
        ExitCode.UNAVAILABLE,
    )
    return ExitCode.UNAVAILABLE
