"""Links, wherever they come from: what is in the library is read, all else is offered. Nothing is fetched unasked."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Signal

from webrag_desktop.gui.data.links import FollowedLink, LinkTarget
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.reader.commands import offered_menu
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH, MainWindow
from webrag_desktop.models.citations import CitedPlace, is_link


class LinkConnections(QObject):
    """Has links looked up. One into the library leads to its place, or says why not; it can do nothing else.

    One to a page leads to the library's document of it, or a menu at the link offers what can be done about it.
    """

    followed = Signal(object, object)  # SpanReferences: of the link in the reader, and of what it leads to
    place_wanted = Signal(object)  # SpanReference: what a link leads to that stands elsewhere

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._reader, self._do = window, window.research.reader, operations
        self._wanted: tuple[FollowedLink, QPoint] | None = None  # in the reader
        self._reader.links.requested.connect(self._look_up)
        self._connect_inspector()
        window.research.answer.text.link_followed.connect(self._open)
        self._do.links.found.connect(self._follow)
        self._do.links.place.connect(self._show)
        self._do.links.failed.connect(window.errors.report)

    def _connect_inspector(self) -> None:
        library, page_links = self._window.library, self._do.page_links
        library.document_selected.connect(page_links.fetch)
        library.inspector.links.followed.connect(self._look_up)
        page_links.links.connect(library.inspector.show_links)
        page_links.failed.connect(self._window.errors.report)

    def open_among(self, given: Sequence[str]) -> tuple[str, ...]:
        """Open the last link into the library of what was given; returns all that is none."""
        links = [one for one in given if is_link(one)]
        if links:
            self._open(links[-1])
        return tuple(one for one in given if not is_link(one))

    def _open(self, link: str) -> None:
        self._wanted = None
        self._do.links.resolve_place(link)

    def _look_up(self, link: FollowedLink, at: QPoint) -> None:
        self._wanted = link, at
        if is_link(link.address):
            self._do.links.resolve_place(link.address)
        else:
            self._do.links.resolve(link)

    def _show(self, place: CitedPlace) -> None:
        wanted, self._wanted = self._wanted, None
        end = place.char_start if place.cite_id.char_start is None else place.char_end
        span = SpanReference(place.document_id, place.version_id, place.char_start, end)
        if wanted is None:
            self.place_wanted.emit(span)
        elif self._is_in_front(wanted[0]):
            self._go(wanted[0], span)

    def _follow(self, target: LinkTarget) -> None:
        """Go there, unless the user went on to something else while it was looked up."""
        wanted, self._wanted = self._wanted, None
        if wanted is None or wanted[0] != target.link or not self._is_in_front(target.link):
            return
        if target.span is not None:
            self._go(target.link, target.span)
        else:
            self._offer(target, wanted[1])

    def _go(self, link: FollowedLink, target: SpanReference) -> None:
        if link.span is not None:
            self.followed.emit(link.span, target)
        else:
            self.place_wanted.emit(target)

    def _is_in_front(self, link: FollowedLink) -> bool:
        """Whether the link is still in front of the user: in the text that is read, or beside the library's list."""
        if link.span is None:
            return self._window.view == LIBRARY
        return self._window.view == RESEARCH and self._reader.links.stands_in(link.span)

    def _offer(self, target: LinkTarget, at: QPoint) -> None:
        menu = offered_menu(
            self._reader if target.link.span is not None else self._window.library.inspector,
            target,
            lambda: self._do.documents.add((target.address,)),
            lambda: self._do.browsing.open(target.address),
        )
        menu.popup(at)
