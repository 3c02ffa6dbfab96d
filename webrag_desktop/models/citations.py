"""Citations as they are stored, cite ids (which name a span of one stored text), and ``webrag://`` links."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, Self
from uuid import UUID

from webrag_desktop.errors import InputError

AnchorState = Literal["exact", "moved", "lost"]


@dataclass(frozen=True, slots=True)
class CitationRecord:
    """A stored quote: ``verbatim`` is ``[char_start, char_end)`` of the version's markdown, ``quote`` as it is read.

    ``document_id`` and ``version_id`` are None once the document was deleted.
    """

    id: UUID
    document_id: UUID | None
    version_id: UUID | None
    char_start: int
    char_end: int
    verbatim: str
    quote: str
    prefix: str
    suffix: str
    title: str | None
    section_heading: str | None
    heading: str | None
    anchor: str | None
    page: int | None
    source_url: str
    added_at: datetime


@dataclass(frozen=True, slots=True)
class StoredCitation(CitationRecord):
    """A citation and its place in the text that its document shows now.

    ``position`` counts from 1. ``exact``: the same words are at the same place. ``moved``: they are
    ``moved_by`` characters further on. ``lost``: the text no longer holds them, or the document was deleted.
    ``in_bin``: the document was removed and can be restored; the rest is as it was then.
    ``active_version`` is what the document shows now, None where there is none, ``[active_start, active_end)`` where
    the words stand in it, ``as_rendered``: in other markup or spacing. Of lost words the nearest
    stand there, if any do, and share ``similarity`` of them: never to be shown as verified. ``is_new``: the
    words were not cited before. ``authors`` and ``published_time`` are those of the document now; a guessed
    time is none.
    """

    position: int
    active_version: UUID | None
    state: AnchorState
    moved_by: int | None
    is_new: bool = field(default=False, compare=False)
    active_start: int | None = None
    active_end: int | None = None
    as_rendered: bool = False
    similarity: float = 0.0
    in_bin: bool = False
    authors: Sequence[str] = ()
    published_time: str | None = None


SCHEME: Final = "webrag"
LONGEST_LINK: Final = 200  # code points, white space and brackets around included
MOST_CHARACTERS: Final = 2**31  # an offset is below it
_DIGITS: Final = 16  # of a version's id; 60 of their bits are random
_HINT = (
    "A cite id looks like 0f3a91b20d4c7e18.1200-1352, its link like webrag://cite/0f3a91b20d4c7e18.1200-1352. "
    "“Copy WebRAG link” in the window copies one, `webrag search --links` prints them."
)
_CITE_ID = re.compile(
    r"(?:webrag://cite/)?"
    r"(?P<version>[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"(?:\.(?P<start>[0-9]{1,10})-(?P<end>[0-9]{1,10}))?/?",
    re.IGNORECASE | re.ASCII,
)
# A link within other text; a full stop or a bracket behind it does not belong to it.
_IN_TEXT = re.compile(
    r"\bwebrag://(?:cite/[0-9a-f]{16}(?:\.[0-9]{1,10}-[0-9]{1,10})?"
    r"|document/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w-])",
    re.IGNORECASE | re.ASCII,
)
_DOCUMENT_LINK = re.compile(
    r"webrag://document/(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/?", re.IGNORECASE | re.ASCII
)


@dataclass(frozen=True, slots=True)
class CiteId:
    """A span of a stored text, or all of it.

    ``version`` is how the version's id begins, in 16 hexadecimal digits. ``[char_start, char_end)`` are code points of
    its Markdown; both are None for the whole text. It names the same characters for as long as the version is kept.
    """

    version: str
    char_start: int | None = None
    char_end: int | None = None

    def __post_init__(self) -> None:
        """Refuse what names nothing.

        Raises:
            InputError: ``version`` is not of 16 lower-case hexadecimal digits, or the range is empty, inverted,
                negative, half given or reaches beyond 2^31.
        """
        if not re.fullmatch(r"[0-9a-f]{16}", self.version):
            raise _no_cite_id(self.version)
        if self.char_start is None and self.char_end is None:
            return
        if self.char_start is None or self.char_end is None:
            raise InputError("A cite id has both ends of its range, or neither.", _HINT)
        if not 0 <= self.char_start < self.char_end <= MOST_CHARACTERS:
            raise InputError(
                f"There is no text from character {self.char_start} to {self.char_end}.",
                "A range begins at 0 or later, and ends behind its beginning.",
            )

    @classmethod
    def of(cls, version_id: UUID, char_start: int | None = None, char_end: int | None = None) -> Self:
        """The cite id of ``[char_start, char_end)`` of a version, or of all of it.

        Raises:
            InputError: the range is empty, inverted, negative, half given or reaches beyond 2^31.
        """
        return cls(version_id.hex[:_DIGITS], char_start, char_end)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a cite id or its link, in either case, with white space or brackets around; a version's whole id, too.

        Raises:
            InputError: it is none.
        """
        found = _CITE_ID.fullmatch(_bare(text))
        if found is None:
            raise _no_cite_id(text)
        version = found["version"].replace("-", "").lower()[:_DIGITS]
        if found["start"] is None:
            return cls(version)
        return cls(version, int(found["start"]), int(found["end"]))

    def __str__(self) -> str:
        """The id as it is written."""
        return (
            self.version if self.char_start is None else f"{self.version}.{self.char_start}-{self.char_end}"
        )

    @property
    def link(self) -> str:
        """The address that opens the place in WebRAG Desktop."""
        return f"{SCHEME}://cite/{self}"

    @property
    def version_range(self) -> tuple[UUID, UUID]:
        """The lowest and the highest id that a version of this cite id can have."""
        missing = 32 - _DIGITS
        return UUID(self.version + "0" * missing), UUID(self.version + "f" * missing)


@dataclass(frozen=True, slots=True)
class DocumentLink:
    """A whole document, as it is shown when the link is opened."""

    document_id: UUID

    @property
    def link(self) -> str:
        """The address that opens the document in WebRAG Desktop."""
        return f"{SCHEME}://document/{self.document_id}"


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """What a cite id names: ``text`` is ``markdown[char_start:char_end]`` of the version, all of it for a whole text.

    ``version_number`` counts from 1; ``is_current``: the document shows this version, or did before it was removed,
    while it is ``in_bin``. ``heading_path`` holds the headings above the beginning, outermost first, ``page`` is the
    one it begins on, where the document has pages.
    """

    cite_id: CiteId
    document_id: UUID
    version_id: UUID
    version_number: int
    is_current: bool
    title: str | None
    source_url: str
    char_start: int
    char_end: int
    text: str
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    in_bin: bool = False


def parse_link(text: str) -> CiteId | DocumentLink:
    """Read whatever :meth:`CiteId.parse` takes, or a link to a document.

    Raises:
        InputError: it is neither.
    """
    found = _DOCUMENT_LINK.fullmatch(_bare(text))
    return CiteId.parse(text) if found is None else DocumentLink(UUID(found["id"]))


def is_link(text: str) -> bool:
    """Whether this is meant as a link into the library, also where it names nothing."""
    return text.lstrip()[: len(SCHEME) + 1].lower() == f"{SCHEME}:"


def links_in(text: str) -> Iterator[tuple[int, int]]:
    """Where links into the library occur in a text, ``[start, end)`` in code points, in order."""
    if "://" in text:
        yield from (found.span() for found in _IN_TEXT.finditer(text))


def _bare(text: str) -> str:
    if len(text) > LONGEST_LINK:
        raise InputError(f"A link has at most {LONGEST_LINK} characters; this has {len(text):,}.", _HINT)
    bare = text.strip()
    return bare[1:-1].strip() if bare[:1] + bare[-1:] in ("<>", "[]") else bare


def _no_cite_id(text: str) -> InputError:
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text[:60])
    return InputError(f"“{shown}” is no cite id and no link into the library.", _HINT)
