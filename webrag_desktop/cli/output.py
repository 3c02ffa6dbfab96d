"""What commands print: text for people, or exactly one JSON document, and errors in both."""

import io
import json
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import click

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.text.links import file_path
from webrag_desktop.text.printable import one_line as one_line  # noqa: PLC0414 - commands print with these
from webrag_desktop.text.printable import printable
from webrag_desktop.text.printable import sentences as sentences  # noqa: PLC0414

if TYPE_CHECKING:
    from uuid import UUID

    from pydantic import TypeAdapter

STANDARD_INPUT = "-"  # as an argument
SHOWN_ID = 8  # characters that name a document or a citation to any command
Command = TypeVar("Command", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Styled:
    """Text with weight or colour, which only terminals show."""

    text: str
    bold: bool = False
    dim: bool = False
    colour: str | None = None


def readable_address(address: str) -> str:
    """An address as people write it: the path of a file, a web address as it is."""
    if not address.startswith("file://"):
        return address
    bare, hash_sign, fragment = address.partition("#")
    return str(file_path(bare)) + hash_sign + fragment


INDENT = "    "
SHORTEST_LINE = 40  # a narrower terminal breaks lines itself


class Output:
    """Where a command prints. ``as_json`` is set by ``--json`` before the command runs.

    ``as_lines`` makes each JSON document one line, where there are several. ``reported`` are documents whose end
    a line has reported already, so that a report need not.
    """

    def __init__(self) -> None:
        """Print to this process's standard output and standard error."""
        self.as_json = False
        self.as_lines = False
        self.reported: set[UUID] = set()

    def say(self, *segments: str | Styled) -> None:
        """Print one line of text to standard output."""
        self._print(segments, to_stderr=False)

    def write(self, text: str) -> None:
        """Print text to standard output at once, without an end of line."""
        click.echo(printable(text), nl=False)
        sys.stdout.flush()

    def indented(self, text: Styled) -> None:
        """Print a paragraph set in from the left; on a terminal its lines break between words.

        What has several lines, or begins with blanks, as code does, is printed line by line as it is.
        """
        if "\n" in text.text or text.text.startswith(" "):
            for line in text.text.split("\n"):
                self.say(INDENT, replace(text, text=line))
            return
        if not sys.stdout.isatty():
            self.say(INDENT, text)
            return
        room = shutil.get_terminal_size().columns - len(INDENT)
        lines = textwrap.wrap(printable(text.text), max(room, SHORTEST_LINE), break_long_words=False)
        for line in lines:
            self.say(INDENT, replace(text, text=line))

    def note(self, *segments: str | Styled) -> None:
        """Print one line to standard error."""
        self._print(segments, to_stderr=True)

    def document(self, document: object, then: Callable[[Any], Any] | None = None) -> None:
        """Print the one JSON document of a command, always in UTF-8; ``then`` adds to its plain data."""
        plain = plain_data(document)
        self._write_json(plain if then is None else then(plain))

    def documents(self, documents: Sequence[object], then: Callable[[Any], Any] | None = None) -> None:
        """Print the one JSON document of a command, a list, always in UTF-8; ``then`` adds to its plain data."""
        plain = list(map(plain_data, documents))
        self._write_json(plain if then is None else then(plain))

    def error(self, message: str, hint: str, code: ExitCode) -> None:
        """Tell what went wrong on standard error, and as the JSON document where one is expected."""
        self.note(Styled(message, bold=True))
        if hint:
            self.note(hint)
        if self.as_json:
            self._write_json({"error": {"message": message, "hint": hint, "exit_code": int(code)}})

    @staticmethod
    def _print(segments: Sequence[str | Styled], *, to_stderr: bool) -> None:
        click.echo("".join(map(_rendered, segments)), err=to_stderr, color=_colour())

    def _write_json(self, plain: object) -> None:
        text = json.dumps(plain, ensure_ascii=False, indent=None if self.as_lines else 2)
        # Bytes, since a code page could not hold every character; a lone surrogate becomes a JSON escape.
        click.echo(text.encode("utf-8", "backslashreplace"))


def plain_data(document: object) -> Any:
    """A pydantic model or a dataclass as JSON has it."""
    return _adapter(type(document)).dump_python(document, mode="json")  # type: ignore[arg-type]


@cache
def _adapter(kind: type) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter  # slow to import, and many commands print no JSON

    return TypeAdapter(kind)


def _rendered(segment: str | Styled) -> str:
    if isinstance(segment, str):
        return printable(segment)
    # Not False: that would print the code that ends bold, and dim and bold share it.
    return click.style(
        printable(segment.text), bold=segment.bold or None, dim=segment.dim or None, fg=segment.colour
    )


def _colour() -> bool | None:
    return False if os.environ.get("NO_COLOR") else None


def tolerate_any_character() -> None:
    """Print a mark, rather than fail, where the terminal's character set lacks a character."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


pass_output = click.make_pass_decorator(Output)


def json_option(command: Command) -> Command:
    """Give a command the option ``--json``."""
    return click.option(
        "--json",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_choose_json,
        help="Print one JSON document (UTF-8) instead of text; its shape is in docs/cli.md.",
    )(command)


def _choose_json(ctx: click.Context, _parameter: click.Parameter, chosen: bool) -> None:
    if chosen:
        ctx.ensure_object(Output).as_json = True
