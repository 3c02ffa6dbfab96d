"""The links of a document and those to it, as the inspector lists them."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QCoreApplication, QObject, Signal

from webrag_desktop.gui.data.library import DocumentLinks, FollowedLink, LinkList, ListedLink
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.text.printable import title_line

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.models.links import PageLink

MOST_LISTED = 60  # of each kind; the others are on the page itself


class PageLinkOperations(QObject):
    """Reads the links around one document of the session's library; nothing is fetched."""

    links = Signal(object)  # DocumentLinks: of the document asked for last
    failed = Signal(object)  # Failure

    def __init__(self, session: LibrarySession, parent: QObject | None = None) -> None:
        """Ask the library of ``session``."""
        super().__init__(parent)
        self._session = session
        self._wanted: UUID | None = None

    def fetch(self, document_id: UUID | None) -> None:
        """Load the links of a document; None: of none any more."""
        self._wanted = document_id
        if document_id is not None:
            self._session.call(
                partial(_links_of, document_id),
                on_success=self._show,
                on_error=lambda error: self.failed.emit(failure_of(error)),
                replaces="links of a document",
                repeat=True,
            )

    def _show(self, links: DocumentLinks) -> None:
        if links.document_id == self._wanted:
            self.links.emit(links)


def _links_of(document_id: UUID, library: "Library", task: Task) -> DocumentLinks:
    onwards = [link for link in library.links.of(document_id) if link.document_id != document_id]
    task.cancel.raise_if_cancelled()
    pages = _first_of_each(library.links.to(document_id), lambda link: link.source_id)
    task.cancel.raise_if_cancelled()
    lists = []
    for place in ("content", "navigation"):
        there = _first_of_each((link for link in onwards if link.place == place), lambda link: link.url_key)
        lists.append(LinkList(tuple(map(_onwards, there[:MOST_LISTED])), len(there)))
    return DocumentLinks(document_id, lists[0], lists[1], _back(pages, library))


def _first_of_each(links: "Iterable[PageLink]", key: "Callable[[PageLink], Hashable]") -> "list[PageLink]":
    """One link to, or of, each page: the first."""
    found: dict[Hashable, PageLink] = {}
    for link in links:
        found.setdefault(key(link), link)
    return list(found.values())


def _onwards(link: "PageLink") -> ListedLink:
    from webrag_desktop.gui.library.operations.document_rows import place_of_address

    address = title_line(link.url)
    detail = _tr("in your library") if link.document_id is not None else place_of_address(link.url)
    return ListedLink(
        FollowedLink(link.url), title_line(link.text) or address, detail, title_line(link.sentence)
    )


def _back(links: "Sequence[PageLink]", library: "Library") -> LinkList:
    """The pages that link here, each to be read where it does."""
    from webrag_desktop.gui.library.operations.document_rows import address_of, place_of, title_of

    rows = library.documents.rows([link.source_id for link in links[:MOST_LISTED]])
    listed = tuple(
        ListedLink(
            FollowedLink(address_of(row), char_start=link.char_start),
            title_of(row),
            place_of(row),
            title_line(link.sentence),
        )
        for link in links[:MOST_LISTED]
        if (row := rows.get(link.source_id)) is not None
    )
    return LinkList(listed, len(links))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Links", text)
