"""What views show of documents besides their rows: labels, links, folder previews. Frozen data."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.view_data import DocumentKind, DocumentRow, SpanReference
from webrag_desktop.models.formats import DOC_TYPE_LOOKS
from webrag_desktop.models.metadata import DocumentMetadata, FactName
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
class DocumentFacts:
    """Who wrote a document and where it appeared, each fact as its texts: what counts, and what the document says.

    Authors are several texts, every other fact is at most one. ``by_user`` are the facts that the user set.
    ``title`` is what the document is called, ``stated_title`` its own title, and ``user_title`` the one that the user
    gave it; each empty where there is none.
    """

    id: UUID
    title: str
    known: Mapping[FactName, tuple[str, ...]]
    stated: Mapping[FactName, tuple[str, ...]]
    by_user: frozenset[FactName]
    stated_title: str = ""
    user_title: str = ""


@dataclass(frozen=True, slots=True)
class FactChange:
    """Facts of a document to be set, and those of which what the document says itself is to count again.

    ``title`` is to be its title, None: the one it has, empty: its own.
    """

    id: UUID
    facts: Mapping[FactName, tuple[str, ...]]
    forget: tuple[FactName, ...] = ()
    title: str | None = None

    def __bool__(self) -> bool:
        """Whether anything is to change."""
        return bool(self.facts or self.forget) or self.title is not None


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


NEVER = timedelta(0)  # how often what is never checked for changes is


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
