"""``webrag stack``: start, stop or look at the local database."""

import click

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output, Styled, json_option, pass_output
from webrag_desktop.cli.shapes import StackReport
from webrag_desktop.cli.steps import showing_steps
from webrag_desktop.config import Settings, load_settings
from webrag_desktop.errors import ReadOnlyLibraryError
from webrag_desktop.stack.base import Stack
from webrag_desktop.stack.choice import choose_stack
from webrag_desktop.stack.keeper import Keeper
from webrag_desktop.stack.place import privacy_warning

_COLOURS = {"running": "green", "stopped": None, "missing": "red", "failing": "red"}


@click.group(short_help="Start, stop or look at the local database.")
def stack() -> None:
    """Start, stop or look at the local database.

    There is no need to: every command starts the embedded database when it needs it, and half a minute after
    the last one it stops by itself.
    """


@stack.command()
@json_option
@pass_output
def start(output: Output) -> ExitCode:
    """Start the database and leave it running until `webrag stack stop`."""
    settings = load_settings()
    chosen = choose_stack(settings.stack_options())
    if chosen.read_only:
        raise ReadOnlyLibraryError(
            "The data folder cannot be written to, so no database can be started in it. Commands that only read work."
        )
    try:
        with showing_steps() as show:
            chosen.open(show)
        if chosen.kind == "embedded":
            Keeper(settings.webrag_home).start()
    finally:
        chosen.close()
    return _tell(output, settings, chosen)


@stack.command()
@json_option
@pass_output
def stop(output: Output) -> ExitCode:
    """Stop the database; fails while the window or another command uses it."""
    settings = load_settings()
    chosen = choose_stack(settings.stack_options())
    if chosen.kind == "embedded":
        Keeper(settings.webrag_home).stop()
    chosen.stop()
    return _tell(output, settings, chosen)


@stack.command()
@json_option
@pass_output
def status(output: Output) -> ExitCode:
    """Tell which parts run, without starting any."""
    settings = load_settings()
    return _tell(output, settings, choose_stack(settings.stack_options()))


def stack_report(settings: Settings, chosen: Stack) -> StackReport:
    """The stack as it is now."""
    kept = chosen.kind == "embedded" and Keeper(settings.webrag_home).running()
    warning = privacy_warning(settings.webrag_home)
    return StackReport.of(chosen.status(), kept_running=kept, warning=warning)


def say_stack(output: Output, report: StackReport) -> None:
    """Print the stack's parts as text."""
    for part in report.parts:
        state = Styled(part.state, colour=_COLOURS[part.state], bold=True)
        version = f"  {part.version}" if part.version else ""
        output.say(f"{part.name:<11}", state, f" ({report.kind}){version}")
        output.say(" " * 11, part.detail)
        if part.remedy:
            output.say(" " * 11, part.remedy)
    if report.kept_running:
        output.say(" " * 11, "It is kept running until `webrag stack stop`.")
    if report.warning:
        output.say(f"{'warning':<11}", Styled(report.warning, colour="yellow"))


def _tell(output: Output, settings: Settings, chosen: Stack) -> ExitCode:
    report = stack_report(settings, chosen)
    if output.as_json:
        output.document(report)
    else:
        say_stack(output, report)
    return ExitCode.OK if report.well else ExitCode.UNAVAILABLE
