"""What serves: ``webrag stack``, the local database, and ``mcp``, the library for AI clients."""

import click

from webrag_desktop import DataFolder
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output, Styled, json_option, pass_output
from webrag_desktop.cli.session import showing_steps
from webrag_desktop.cli.shapes.reports import StackReport
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.models.stack import ChatStatus, StackStatus

_COLOURS = {
    "running": "green",
    "ready": "green",
    "stopped": None,
    "not set up": None,
    "missing": "red",
    "failing": "red",
}


@click.group()
def stack() -> None:
    """Start, stop or check the local database.

    There is no need to: every command starts the embedded database when it needs it, and half a minute after
    the last one it stops by itself.
    """


@stack.command()
@json_option
@pass_output
def start(output: Output) -> ExitCode:
    """Start the database and leave it running until `webrag stack stop`."""
    folder = DataFolder.at()
    with showing_steps() as show:
        folder.start_stack(show)
    return _print(output, folder)


@stack.command()
@json_option
@pass_output
def stop(output: Output) -> ExitCode:
    """Stop the database; fails while the window or another command uses it."""
    folder = DataFolder.at()
    folder.stop_stack()
    return _print(output, folder)


@stack.command()
@json_option
@pass_output
def status(output: Output) -> ExitCode:
    """Show which parts run, without starting any."""
    folder = DataFolder.at()
    return _print(output, folder, folder.chat_status())


def stack_report(
    folder: DataFolder, status: StackStatus | None = None, chat: ChatStatus | None = None
) -> StackReport:
    """The stack as it is now, or was found to be; with the chat model where that was looked at."""
    found = status or folder.stack_status()
    return StackReport.of(
        found, kept_running=folder.is_kept_running(), warning=folder.privacy_warning(), chat=chat
    )


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


def say_chat(output: Output, chat: ChatStatus) -> None:
    """Print how the chat model does."""
    state = Styled(chat.state, colour=_COLOURS.get(chat.state, "yellow"), bold=True)
    output.say(f"{'chat':<11}", state, f" {' '.join(filter(None, (chat.model, chat.size)))}".rstrip())
    for sentence in filter(None, (chat.detail, chat.remedy)):
        output.say(" " * 11, sentence)


def _print(output: Output, folder: DataFolder, chat: ChatStatus | None = None) -> ExitCode:
    report = stack_report(folder, chat=chat)
    if output.as_json:
        output.document(report)
    else:
        say_stack(output, report)
        if report.chat is not None:
            say_chat(output, report.chat)
    return ExitCode.OK if report.well else ExitCode.UNAVAILABLE


@click.command()
def mcp() -> ExitCode:
    """Serve the library to an AI client that starts this command and speaks the Model Context Protocol with it.

    Standard input and output carry the protocol and nothing else; no port is opened. The client may search, read and
    verify quotations; it may add pages and follow their links only where MCP_ALLOW_WRITES is set. docs/mcp.md says how
    usual clients are set up.
    """
    try:
        from webrag_desktop.mcp.server import serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        raise ConfigurationError(
            "The Model Context Protocol needs a package that is not installed.",
            "Install it with: pip install 'webrag-desktop[mcp]'",
        ) from error
    serve(DataFolder.at())
    return ExitCode.OK
