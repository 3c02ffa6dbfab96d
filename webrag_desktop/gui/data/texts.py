"""What views show of the texts of documents: versions, differences, history, and places of quotations. Frozen data."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from webrag_desktop.gui.data.view_data import SpanReference

VersionReason = Literal["first", "changed", "reread"]
ChangeKind = Literal["added", "removed", "changed", "moved"]
PieceKind = Literal["same", "removed", "added"]
EventKind = Literal[
    "added", "given", "retried", "refreshed", "reread", "joined", "repaired",
    "captured", "text", "ready", "unchanged", "failed", "cancelled", "waiting",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class TextVersion:
    """A stored text. ``number`` counts from 1, ``shown`` is the one that the document shows and searches look into."""

    id: UUID
    number: int
    reason: VersionReason
    shown: bool
    fetched_at: datetime
    citations: int = 0


@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """The texts of a document, the oldest first, and how often it is checked for changes.

    ``own`` is None where it is looked at as often as the ``library``'s documents, :data:`NEVER` where never; of the
    library None says never.
    """

    document_id: UUID
    versions: tuple[TextVersion, ...]
    own: timedelta | None = None
    library: timedelta | None = None

    @property
    def shown(self) -> TextVersion | None:
        """The text that the document shows."""
        return next((one for one in self.versions if one.shown), None)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a paragraph as it is read: the same in both texts, or in one of them only."""

    kind: PieceKind
    text: str


def piece_text(text: str) -> str:
    """Text for a piece: on one line, with a blank at either end where the text has white space there."""
    words = " ".join(text.split())
    if not words:
        return " " if text else ""
    return f"{' ' if text[0].isspace() else ''}{words}{' ' if text[-1].isspace() else ''}"


@dataclass(frozen=True, slots=True)
class TextChange:
    """A paragraph that is not as it was: what it said ``before`` and says ``after``, one of them empty where it is
    not there. What ``moved`` has its words in ``after``.
    """

    kind: ChangeKind
    heading: str
    before: tuple[Piece, ...] = ()
    after: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDifference:
    """What changed from one text of a document to another; ``versions`` are all that can be compared.

    ``coarse``: the texts are too different for a comparison word by word.
    """

    document_id: UUID
    title: str
    versions: tuple[TextVersion, ...]
    before: TextVersion
    after: TextVersion
    changes: tuple[TextChange, ...]
    coarse: bool = False


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One thing that happened to a document; ``number`` and ``size`` are of a copy (bytes) or a text (characters)."""

    at: datetime
    kind: EventKind
    reason: str = ""
    hint: str = ""
    until: datetime | None = None
    number: int | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentHistory:
    """What is known to have happened to a document, the oldest first."""

    document_id: UUID
    title: str
    entries: tuple[HistoryEntry, ...]


QuoteGrade = Literal["exact", "exact_as_rendered", "near", "none"]


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """A place where a quotation was found. ``text`` is how the source reads there.

    ``pieces`` are the quotation corrected by it: what is only in the quotation is removed, what is only there is
    added. ``shown``: its document shows this text now; ``fetched_at`` is when the text was fetched.
    """

    span: SpanReference
    grade: QuoteGrade
    title: str
    section: str | None
    page: int | None
    text: str
    pieces: tuple[Piece, ...]
    version_number: int
    shown: bool
    fetched_at: datetime | None

    @property
    def is_verified(self) -> bool:
        """Whether it may be cited."""
        return self.grade in {"exact", "exact_as_rendered"}


@dataclass(frozen=True, slots=True)
class FoundQuote:
    """The places of a quotation. ``more`` counts places that are not listed, all of them where that is ``complete``.

    ``older``: texts that documents do not show any more were searched, too.
    """

    quote: str
    grade: QuoteGrade
    places: tuple[FoundPlace, ...] = ()
    more: int = 0
    complete: bool = True
    older: bool = False
