"""The group of all commands, and the one place where errors become messages and exit codes."""

import errno
import importlib
import logging
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import click

from webrag_desktop.cli.exit_codes import ExitCode, code_of
from webrag_desktop.cli.output import Output, tolerate_any_character
from webrag_desktop.errors import WebragError
from webrag_desktop.version import VERSION

READER_WENT_AWAY = 141  # what a shell reports for a program that a closed pipe ended


class Entry(NamedTuple):
    """A command by the module and name it is found under, loaded when it is used."""

    module: str
    attribute: str
    summary: str


COMMANDS: Mapping[str, Entry] = {
    "add": Entry("add", "add", "Add pages, files and folders and wait until they can be searched."),
    "work": Entry("queue", "work", "Continue with everything that is still queued."),
    "pause": Entry("queue", "pause", "Pause indexing, for every program and over restarts."),
    "resume": Entry("queue", "resume", "Continue indexing that was paused."),
    "cancel": Entry("queue", "cancel", "Stop the work on documents; what was given is kept."),
    "retry": Entry("queue", "retry", "Try again what failed or was stopped."),
    "search": Entry("search", "search", "Find passages that answer a question."),
    "related": Entry("search", "related", "Find what other documents say about the same."),
    "searches": Entry("searches", "searches", "List, save and forget searches."),
    "context": Entry("context", "context", "Collect what a model answers a question from."),
    "ground": Entry("ground", "ground", "Print what a model needs to answer from the library alone."),
    "verify": Entry("verify", "verify", "Check whether quotations are in the library, and where."),
    "ask": Entry("answering", "ask", "Answer a question from the library, with its sources."),
    "answers": Entry("answering", "answers", "List what was asked and answered, show or forget it."),
    "expand": Entry("expand", "expand", "Follow links until the library covers a question."),
    "capture": Entry("capture", "capture", "Capture a whole site, or a section of it."),
    "list": Entry("listing", "list_documents", "List the documents in the library."),
    "open": Entry("citing", "open_link", "Open the place that a link names in the window, or print it."),
    "show": Entry("show", "show", "Show a document's facts and its text."),
    "chunks": Entry("show", "chunks", "Show how a document was cut for searching."),
    "history": Entry("documents", "history", "Show what happened to a document."),
    "reextract": Entry("reextract", "reextract", "Read kept copies again, without the network."),
    "refresh": Entry("refresh", "refresh", "Check whether documents changed at their source."),
    "versions": Entry("versions", "versions", "List the texts that a document had."),
    "diff": Entry("versions", "diff", "Show what changed from one text of a document to another."),
    "citations": Entry("citing", "citations", "List what is cited, and whether its pages still say so."),
    "tag": Entry("tag", "tag", "Tag documents, or take tags off them."),
    "describe": Entry("show", "describe", "Say who wrote a document, and where it appeared."),
    "collection": Entry("tag", "collection", "List collections, and put documents into them."),
    "cite": Entry("citing", "cite", "Cite words of a document."),
    "uncite": Entry("citing", "uncite", "Take a citation out of the list."),
    "remove": Entry("documents", "remove", "Put documents into the bin, or delete them."),
    "bin": Entry("documents", "bin_", "List what was removed, restore it, or delete it for good."),
    "status": Entry("status", "status", "Show what runs, what is missing, and how much there is."),
    "settings": Entry("settings", "settings", "List the settings, and change them."),
    "backup": Entry("backup", "backup", "Save the whole library to one file."),
    "restore": Entry("backup", "restore", "Replace this library with a saved one."),
    "space": Entry("space", "space", "Show the embedding space, or move to another one."),
    "doctor": Entry("doctor", "doctor", "Check the library for damage."),
    "stack": Entry("stack", "stack", "Start, stop or check the local database."),
    "mcp": Entry("stack", "mcp", "Serve the library to AI clients (Model Context Protocol)."),
    "demo": Entry("demo", "demo", "Try it: add a sample, search it, tidy up."),
}


class LazyGroup(click.Group):
    """Loads a command's module when the command is used, so that help and errors come at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module = importlib.import_module(f"webrag_desktop.cli.commands.{entry.module}")
        command: click.Command = getattr(module, entry.attribute)
        command.short_help = entry.summary
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What the exit codes mean."""
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(int(code)), code.meaning) for code in ExitCode])

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the command line (``--help`` prints already here)."""
        with _reader_may_leave():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        with _reader_may_leave():
            result: object = super().invoke(ctx)
            sys.stdout.flush()
            return result


@contextmanager
def _reader_may_leave() -> Iterator[None]:
    """A closed pipe ends the program without words: `webrag list | head` is no error."""
    try:
        yield
    except OSError as error:
        # Windows says EINVAL where others say EPIPE.
        if not isinstance(error, BrokenPipeError) and (os.name != "nt" or error.errno != errno.EINVAL):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(READER_WENT_AWAY) from None


@click.group(
    cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(VERSION, prog_name="webrag", message="%(prog)s %(version)s")
@click.pass_context
def commands(ctx: click.Context) -> None:
    """Keep web pages and files on this computer, and find passages in them without the network.

    Everything lies in one data folder; WEBRAG_HOME names another one. ID stands for a document's id, the
    first characters of it (at least four), its address, or the path of its file.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
        click.echo("\nBegin with:  webrag add https://docs.python.org/3/glossary.html")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (this process's own by default) and return its exit code."""
    output = Output()
    tolerate_any_character()
    given = sys.argv[1:] if arguments is None else arguments
    try:
        with _warnings_as_notes(output):
            result = commands.main(arguments, prog_name="webrag", standalone_mode=False, obj=output)
    except click.UsageError as error:
        output.as_json = "--json" in given  # the command line was not understood as far as that option
        hint = f"Try: {error.ctx.command_path} --help" if error.ctx else "Try: webrag --help"
        return _failed(output, error.format_message(), hint, ExitCode.USAGE)
    except click.ClickException as error:
        return _failed(output, error.format_message(), "", ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt):
        return _failed(output, "Stopped. What was accepted before is kept.", "", ExitCode.INTERRUPTED)
    except WebragError as error:
        return _failed(output, error.message, error.hint, code_of(error))
    except OSError as error:
        return _failed(
            output, _refusal(error), "Nothing that was saved before is affected.", ExitCode.UNAVAILABLE
        )
    return int(result) if isinstance(result, int) else ExitCode.OK


def _failed(output: Output, message: str, hint: str, code: ExitCode) -> ExitCode:
    output.error(message, hint, code)
    return code


def _refusal(error: OSError) -> str:
    about = f" ({error.filename})" if error.filename else ""
    return f"The system refused: {error.strerror or error}{about}."


@contextmanager
def _warnings_as_notes(output: Output) -> Iterator[None]:
    """Show warnings, and what the program itself logs as one, as a line each; keep other libraries quiet."""

    def note(message: Warning | str, *_place: object) -> None:
        output.note(f"Note: {message}")

    handler = _NoteHandler(output)
    logging.getLogger().addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = note  # type: ignore[assignment]
            yield
    finally:
        logging.getLogger().removeHandler(handler)


class _NoteHandler(logging.Handler):
    def __init__(self, output: Output) -> None:
        super().__init__(logging.WARNING)
        self._output = output

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("webrag_desktop"):
            self._output.note(f"Note: {record.getMessage()}")
