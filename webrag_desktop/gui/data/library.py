"""What views show of documents besides their rows: labels, links, folder previews, versions, history. Frozen data."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.view_data import DocumentKind, DocumentRow, SpanReference
from webrag_desktop.models.formats import DOC_TYPE_LOOKS
from webrag_desktop.models.metadata import DocumentMetadata
from webrag_desktop.models.sources import Grouping


@dataclass(frozen=True, slots=True)
class DocumentDetails:
    """What the inspector shows of one document.

    ``metadata`` is what the document states about itself; ``saved_from`` is where a saved page claims to be from,
    ``canonical`` where a page says it belongs. ``received_bytes`` is the size of the page or file as it was received,
    ``kept_bytes`` what all that is kept of it takes up; ``embedded``: its text can be found by meaning, too.
    """

    row: DocumentRow
    kept_bytes: int
    tokens: int
    fetched_at: datetime | None
    metadata: DocumentMetadata
    first_words: str
    canonical: str | None = None
    checked_at: datetime | None = None
    received_bytes: int = 0
    embedded: bool = False
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListGroup:
    """A group of a list: what its documents have in common, and how many they are."""

    grouping: Grouping
    value: str
    count: int


@dataclass(frozen=True, slots=True)
class LabelUse:
    """A tag or collection: how many of the chosen documents have it, and how many of the library."""

    name: str
    chosen: int
    documents: int


@dataclass(frozen=True, slots=True)
class DocumentLabels:
    """The labels of some documents, beside all others that there are. ``title`` is of a single document."""

    ids: tuple[UUID, ...]
    title: str
    tags: tuple[LabelUse, ...]
    collections: tuple[LabelUse, ...]


@dataclass(frozen=True, slots=True)
class LabelNames:
    """Names of tags and of collections."""

    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.tags or self.collections)


NO_NAMES: Final = LabelNames()


@dataclass(frozen=True, slots=True)
class LabelChange:
    """What the user wants these documents to have, and not to have any more."""

    ids: tuple[UUID, ...]
    add: LabelNames = NO_NAMES
    remove: LabelNames = NO_NAMES

    def __bool__(self) -> bool:
        """Whether anything is to be changed."""
        return bool(self.add or self.remove)


@dataclass(frozen=True, slots=True)
class FolderKind:
    """The files of one kind in a folder that would be added: their paths, and their bytes together."""

    kind: DocumentKind
    paths: tuple[str, ...]
    size: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What of a folder is left out for one reason, with some of the paths, and endings of names with how often."""

    reason: str
    files: int
    folders: int
    examples: tuple[str, ...] = ()
    endings: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class FolderContents:
    """What is in folders. ``present`` are here already, ``changed`` were read with another content, or not at all.

    ``cut_short``: there is more than was looked at.
    """

    folders: tuple[str, ...]
    kinds: tuple[FolderKind, ...]
    present: int = 0
    changed: int = 0
    left_out: tuple[LeftOut, ...] = ()
    cut_short: bool = False

    @property
    def to_add(self) -> int:
        """How many files would be added."""
        return sum(len(kind.paths) for kind in self.kinds)


@dataclass(frozen=True, slots=True)
class FollowedLink:
    """A link that the user wants to follow: its address, and its span if it is in the reader.

    ``char_start`` is a place of the page it leads to, where that is what is wanted to be seen of it.
    """

    address: str
    span: SpanReference | None = None
    char_start: int | None = None


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """Where a link leads. ``title`` is that of the library's document at the address, empty where there is none.

    ``span`` is the place to read: the part that the address names, else the beginning; None while there is no text.
    """

    link: FollowedLink
    address: str
    document_id: UUID | None = None
    title: str = ""
    span: SpanReference | None = None


@dataclass(frozen=True, slots=True)
class ListedLink:
    """A link as it is listed beside its page: of several to one page, the first.

    ``label`` is its text, or what the page is called; ``detail`` says in a word or two where that is. ``sentence``
    is the one that it is in.
    """

    followed: FollowedLink
    label: str
    detail: str
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class LinkList:
    """The first of some links, and how many there are in all."""

    links: tuple[ListedLink, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class DocumentLinks:
    """The links of a document's text, those of its page's menus and footers, and those of other documents to it."""

    document_id: UUID
    content: LinkList = LinkList()
    navigation: LinkList = LinkList()
    back: LinkList = LinkList()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.content.count or self.navigation.count or self.back.count)


KIND_ICONS: Final[dict[DocumentKind, str]] = {
    **{kind: look.icon for kind, look in DOC_TYPE_LOOKS.items()},
    "unknown": "file",
}


def kind_word(kind: DocumentKind) -> str:
    """The kind in a word or two, for people."""
    word = "File" if kind == "unknown" else DOC_TYPE_LOOKS[kind].word
    return QCoreApplication.translate("DocumentKind", word)


VersionReason = Literal["first", "changed", "reread"]
ChangeKind = Literal["added", "removed", "changed", "moved"]
PieceKind = Literal["same", "removed", "added"]
EventKind = Literal[
    "added", "given", "retried", "refreshed", "reread", "joined", "repaired",
    "captured", "text", "ready", "unchanged", "failed", "cancelled", "waiting",
]  # fmt: skip
NEVER = timedelta(0)


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


RemovalKind = Literal["remove", "delete", "empty"]


@dataclass(frozen=True, slots=True)
class Doomed:
    """Documents that are to be removed, or deleted for good (``delete`` some of the bin, ``empty`` all of it).

    ``title`` is that of a single one. So many of them are ``cited``, by so many ``citations`` in all; they have so many
    ``tags``, are ``filed`` in collections so many times, and of so many it is known how far they were read
    (``places``). What is removed rests in the bin for so many ``days``.
    """

    kind: RemovalKind
    ids: tuple[UUID, ...]
    title: str
    cited: int
    citations: int
    days: int
    tags: int = 0
    filed: int = 0
    places: int = 0
