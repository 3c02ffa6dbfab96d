"""The selected text that a question may be about: its options, and reading it."""

import sys
from pathlib import Path

import click

from webrag_desktop.cli.commands.add import STANDARD_INPUT
from webrag_desktop.cli.filtering import Command, GivenFilters
from webrag_desktop.errors import InputError
from webrag_desktop.errors.opening import FileTooLargeError, NotAFileError, file_content, why

MOST_SELECTED = 4 * 1024 * 1024  # bytes; no model reads more

_OPTIONS = (
    click.option(
        "--selected-text",
        type=click.Path(allow_dash=True, path_type=Path),
        metavar="FILE",
        help="Answer from this text alone and search nothing; - reads standard input.",
    ),
    click.option("--source-path", metavar="P", help="With --selected-text: the address or file it is from."),
    click.option("--source-section", metavar="S", help="With --selected-text: the heading it stands under."),
)


def selection_options(command: Command) -> Command:
    """Give a command the options that tell of a selected text."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def only_with_selection(*about: str | None) -> None:
    """Refuse what tells of a selected text where there is none."""
    if any(about):
        raise click.UsageError("--source-path, --source-section and --source-base tell of a --selected-text.")


def not_with_selection(given: GivenFilters, limit: int | None) -> None:
    """Refuse what restricts a search where there is none."""
    if limit is not None or any(value not in (None, ()) for value in given.values()):
        raise click.UsageError("With --selected-text nothing is searched, so nothing can be restricted.")


def read_selection(selected: Path) -> str:
    """The selected text that a file, or standard input, holds.

    Raises:
        InputError: it cannot be read, is no text, or is longer than any model reads.
    """
    content = _content(selected)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("The selected text is not in UTF-8.", "Save it as plain text in UTF-8.") from error


def _content(selected: Path) -> bytes:
    too_long = InputError("The selected text is longer than 4 MB.", "Select what the question is about.")
    if str(selected) == STANDARD_INPUT:
        content = sys.stdin.buffer.read(MOST_SELECTED + 1)
        if len(content) > MOST_SELECTED:
            raise too_long
        return content
    try:
        return file_content(selected, MOST_SELECTED)
    except FileTooLargeError as error:
        raise too_long from error
    except NotAFileError as error:
        raise InputError(
            f"The selected text cannot be read from {selected}: {why(error)}.",
            "Give a file, or pipe the text in with --selected-text -.",
        ) from error
    except (OSError, ValueError) as error:
        reason = why(error) if isinstance(error, OSError) else "its name is not valid"
        raise InputError(
            f"The selected text cannot be read from {selected}: {reason}.", "Give the path of a file."
        ) from error


def source_address(source: str | None) -> str | None:
    """A file that is there as an address; anything else as it was given."""
    if not source:
        return source
    try:
        return Path(source).resolve().as_uri() if Path(source).is_file() else source
    except OSError:  # longer than the name of any file, or where nobody may look
        return source
