"""Links and quotations, connected: what is in the library is read, all else is offered. Nothing is fetched unasked."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Signal

from webrag_desktop.gui.citations.quote_dialog import QuoteDialog
from webrag_desktop.gui.data.library import FollowedLink, LinkTarget
from webrag_desktop.gui.data.versions import FoundPlace
from webrag_desktop.gui.data.view_data import CitationRow, SpanReference
from webrag_desktop.gui.reader.commands import offered_menu
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.library import COPIED_TIME
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH, MainWindow
from webrag_desktop.models.citations import CitedPlace, is_link


class LinkConnections(QObject):
    """Has links looked up. One into the library leads to its place, or says why not; it can do nothing else.

    One to a page leads to the library's document of it, or a menu at the link offers what can be done about it.
    """

    followed = Signal(object, object)  # SpanReferences: of the link in the reader, and of what it leads to
    place_wanted = Signal(object)  # SpanReference: the target of a link outside of the reader

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


class QuoteConnections(QObject):
    """One dialog, made when it is first asked for."""

    place_wanted = Signal(object)  # SpanReference: the reader is to show it

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        self._dialog: QuoteDialog | None = None
        self._cited: dict[SpanReference, CitationRow] = {}
        operations.citing.citations.connect(self._note_citations)

    def ask(self) -> None:
        """Open the dialog with what is on the clipboard, and look for that."""
        if self._dialog is None:
            self._dialog = self._made()
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()
        self._dialog.paste()

    def _made(self) -> QuoteDialog:
        dialog, quotes = QuoteDialog(self._window), self._do.quotes
        dialog.search_requested.connect(lambda quote, older: quotes.find(quote, older=older))
        dialog.stop_requested.connect(quotes.stop)
        dialog.place_shown.connect(lambda place: self.place_wanted.emit(place.span))
        dialog.place_opened.connect(self._open)
        dialog.cite_toggled.connect(self._toggle)
        dialog.copied.connect(
            lambda sentence: self._window.toasts.show_notice(sentence, milliseconds=COPIED_TIME)
        )
        quotes.found.connect(dialog.show_found)
        quotes.step.connect(dialog.show_step)
        quotes.failed.connect(dialog.show_failure)
        quotes.stopped.connect(dialog.show_stopped)
        dialog.finished.connect(self._forget)
        self._tell_cited(dialog)
        return dialog

    def _open(self, place: FoundPlace) -> None:
        self.place_wanted.emit(place.span)
        self._window.activateWindow()

    def _toggle(self, place: FoundPlace) -> None:
        cited = self._cited.get(place.span)
        if cited is None:
            self._do.citing.cite(place.span)
        else:
            self._do.citing.uncite(cited.id)

    def _note_citations(self, rows: tuple[CitationRow, ...]) -> None:
        self._cited = {
            SpanReference(row.document_id, row.version_id, row.char_start, row.char_end): row
            for row in rows
            if row.document_id is not None and row.version_id is not None
        }
        if self._dialog is not None:
            self._tell_cited(self._dialog)

    def _tell_cited(self, dialog: QuoteDialog) -> None:
        dialog.set_cited({span: row.number for span, row in self._cited.items()})

    def _forget(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None
