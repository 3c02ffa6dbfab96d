"""What ``webrag-desktop`` answers to options, which needs no display."""

import sys
from collections.abc import Sequence

import click

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output
from webrag_desktop.version import VERSION

NAME = "webrag-desktop"


@click.command(NAME, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("given", nargs=-1, metavar="[LINK|FILE|FOLDER]…")
@click.version_option(VERSION, prog_name=NAME, message="%(prog)s %(version)s")
def _window(given: tuple[str, ...]) -> tuple[str, ...]:
    """Open the window, and add the links, files and folders given.

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


def tell_of_missing_library(error: ImportError) -> ExitCode:
    """Say that Qt does not load, as where the system has no desktop at all."""
    Output().error(
        f"No window can be opened here: Qt cannot be loaded ({error.msg}).",
        "Install the system's libraries for windows (on Linux: X11 or Wayland, EGL and xkbcommon). `webrag --help` "
        "tells what can be done without a window.",
        ExitCode.UNAVAILABLE,
    )
    return ExitCode.UNAVAILABLE
