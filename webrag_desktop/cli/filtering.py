"""The options of questions: what is searched, or the selected text that is answered from instead."""

import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import click

from webrag_desktop import Library
from webrag_desktop.cli.output import STANDARD_INPUT, one_line
from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.errors.opening import FileTooLargeError, NotAFileError, file_content, why
from webrag_desktop.models.formats import DOC_TYPES, DocType
from webrag_desktop.retrieval.contracts.filters import CONTENT_FLAGS, ContentFlag, SearchFilters
from webrag_desktop.text.dates import read_date

Command = TypeVar("Command", bound=Callable[..., object])

_NAMES = {flag.removeprefix("has_").replace("_", "-"): flag for flag in CONTENT_FLAGS}
_WORDS = {
    "sites": "site",
    "collections": "collection",
    "tags": "tag",
    "authors": "author",
    "doc_types": "type",
    "content_flags": "with",
    "languages": "language",
    "sections": "section",
    "published_from": "published from",
    "published_to": "published to",
    "fetched_from": "fetched from",
    "fetched_to": "fetched to",
    "max_depth": "depth at most",
    "documents": "document",
}


class GivenFilters(TypedDict):
    """The options as click gives them."""

    sites: tuple[str, ...]
    collections: tuple[str, ...]
    tags: tuple[str, ...]
    authors: tuple[str, ...]
    doc_types: tuple[DocType, ...]
    content_flags: tuple[ContentFlag, ...]
    languages: tuple[str, ...]
    sections: tuple[str, ...]
    published_from: date | None
    published_to: date | None
    fetched_from: date | None
    fetched_to: date | None
    max_depth: int | None
    documents: tuple[str, ...]


class _Flag(click.Choice):  # type: ignore[type-arg, unused-ignore]
    """What a passage holds, by its name without "has"."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return _NAMES[super().convert(value, param, ctx)]


class _Date(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A year, month or day of the user's, or a moment; ``last`` gives the last day of a year or month."""

    name = "date"

    def __init__(self, *, last: bool) -> None:
        self._last = last

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return read_date(value, last=self._last)
        except ValueError:
            self.fail(f"“{one_line(value)}” is not a date such as 2024, 2024-05 or 2024-05-31.", param, ctx)


_OPTIONS: Sequence[Callable[[Any], Any]] = (
    click.option("--site", "sites", multiple=True, metavar="HOST", help="This site, and those below it."),
    click.option("--collection", "collections", multiple=True, metavar="NAME", help="This collection."),
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="What has this tag."),
    click.option(
        "--author",
        "authors",
        multiple=True,
        metavar="NAME",
        help="What this author wrote, or one of this name.",
    ),
    click.option(
        "--type", "doc_types", multiple=True, type=click.Choice(DOC_TYPES), help="Documents of this type."
    ),
    click.option(
        "--has",
        "content_flags",
        multiple=True,
        type=_Flag([*_NAMES]),
        help="Passages that hold such a thing.",
    ),
    click.option("--language", "languages", multiple=True, metavar="CODE", help="This language, such as en."),
    click.option(
        "--section",
        "sections",
        multiple=True,
        metavar="HEADING",
        help="Passages under, or with, this heading.",
    ),
    click.option(
        "--published-from", type=_Date(last=False), metavar="DATE", help="Published on this day or later."
    ),
    click.option(
        "--published-to", type=_Date(last=True), metavar="DATE", help="Published on this day or earlier."
    ),
    click.option(
        "--fetched-from", type=_Date(last=False), metavar="DATE", help="Fetched on this day or later."
    ),
    click.option(
        "--fetched-to", type=_Date(last=True), metavar="DATE", help="Fetched on this day or earlier."
    ),
    click.option(
        "--max-depth", type=int, metavar="N", help="At most N links away from what was given (0: none)."
    ),
    click.option(
        "--document", "--source", "documents", multiple=True, metavar="ID", help="Only this document."
    ),
)


def filter_options(command: Command) -> Command:
    """Give a command the options that say what is searched."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def filters_of(library: Library, given: GivenFilters) -> SearchFilters:
    """The filters that were given.

    Raises:
        NotFoundError: a document that is not there.
        InputError: a value that nothing can meet.
    """
    ids = [library.documents.find(reference).id for reference in given["documents"]]
    return SearchFilters(**{**given, "documents": ids})  # type: ignore[arg-type]


def nothing_left(given: GivenFilters) -> NotFoundError:
    """The error where no text meets the filters."""
    return NotFoundError(
        f"There is no text in the library that meets this: {', '.join(_described(given))}.",
        "`webrag list` shows what is there, `webrag tag` and `webrag collection` how it is ordered.",
    )


def _described(given: GivenFilters) -> Iterator[str]:
    for name, value in given.items():
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        if values:
            yield f"{_WORDS[name]} {one_line(' or '.join(map(_said, values)))}"


def _said(value: object) -> str:
    text = str(value)
    return text.removeprefix("has_").replace("_", " ") if text in CONTENT_FLAGS else text


MOST_SELECTED = 4 * 1024 * 1024  # bytes; no model reads more

_SELECTION_OPTIONS = (
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
    for option in reversed(_SELECTION_OPTIONS):
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
