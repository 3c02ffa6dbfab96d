"""What the window knows of links: those of a page and to it, and one that the user follows."""

from dataclasses import dataclass
from uuid import UUID

from webrag_desktop.gui.data.view_data import SpanReference


@dataclass(frozen=True, slots=True)
class FollowedLink:
    """A link that the user wants to follow: its address, and where it stands if it stands in the reader.

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
    is the one that it stands in.
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
