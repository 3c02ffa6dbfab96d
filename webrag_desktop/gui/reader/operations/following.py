"""Looks in the library for what a link leads to, be it to a page or into the library. Nothing is fetched."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin, urlsplit
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.links import FollowedLink, LinkTarget
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.models.cite_ids import CitedPlace

_READABLE = frozenset(("http", "https", "file"))


class LinkOperations(QObject):
    """Finds what links lead to in the session's library; of several asked for, only the newest."""

    found = Signal(object)  # LinkTarget: where a link to a page leads
    place = Signal(object)  # CitedPlace: what a link into the library names
    failed = Signal(object)  # Failure: among others that a link into the library names nothing

    def __init__(self, session: LibrarySession, parent: QObject | None = None) -> None:
        """Ask the library of ``session``."""
        super().__init__(parent)
        self._session = session

    def look_up(self, link: FollowedLink) -> None:
        """Tell where a link to a page leads."""
        self._call(partial(_looked_up, link), self.found.emit)

    def look_up_place(self, link: str) -> None:
        """Tell what a link into the library names, whoever made it."""
        self._call(partial(_named, link), self.place.emit)

    def _call(self, work: Callable[["Library", Task], Any], on_success: Callable[[Any], None]) -> None:
        self._session.call(
            work,
            on_success=on_success,
            on_error=lambda error: self.failed.emit(failure_of(error)),
            replaces="link",
            repeat=True,
            asked_for=True,
        )


def _named(link: str, library: "Library", _task: Task) -> "CitedPlace":
    return library.cited.place(link)


def _looked_up(link: FollowedLink, library: "Library", task: Task) -> LinkTarget:
    from webrag_desktop.gui.library.operations.document_rows import title_of

    address = _absolute(link, library)
    document_id = library.links.at(address) if urlsplit(address).scheme in _READABLE else None
    task.cancel.raise_if_cancelled()
    source = library.documents.rows([document_id]).get(document_id) if document_id else None
    if source is None or document_id is None:
        return LinkTarget(link, address)
    place = _place(document_id, address, link.char_start, library)
    return LinkTarget(link, address, document_id, title_of(source), place)


def _absolute(link: FollowedLink, library: "Library") -> str:
    """The whole address; what a file of the user's names beside it is a file, too."""
    try:
        if urlsplit(link.address).scheme or link.span is None:
            return link.address
        source = library.documents.rows([link.span.document_id]).get(link.span.document_id)
        return urljoin(source.source_url or source.url, link.address) if source else link.address
    except ValueError:  # not an address
        return ""


def _place(
    document_id: UUID, address: str, char_start: int | None, library: "Library"
) -> SpanReference | None:
    """Where the text that is shown now begins, or the part of it that the address or the link names."""
    version = library.documents.text(document_id)
    if version is None:
        return None
    wanted = unquote(address.partition("#")[2].partition(":~:")[0])
    block = next((block for block in version.blocks if wanted and block.anchor == wanted), None)
    if block is not None:
        char_start = block.char_start
    is_there = char_start is not None and char_start < len(version.markdown)  # it may have changed meanwhile
    start, end = _line_at(char_start, version.markdown) if char_start is not None and is_there else (0, 0)
    return SpanReference(document_id, version.id, start, end)


def _line_at(start: int, markdown: str) -> tuple[int, int]:
    """From a place to the end of its line."""
    end = markdown.find("\n", start)
    return start, len(markdown) if end < 0 else end
