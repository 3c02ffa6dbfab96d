"""Where texts lead: the Map, links that are followed, and the places a quotation is from. Nothing is fetched."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QTimer, Signal

from webrag_desktop.gui.data.library import FollowedLink, LinkTarget
from webrag_desktop.gui.data.map import NO_EXPANSION, ShownExpansion, SiteRule
from webrag_desktop.gui.data.view_data import CitationRow, SearchResults, SpanReference
from webrag_desktop.gui.reader.commands import offered_menu
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.library import COPIED_TIME
from webrag_desktop.gui.shell.main_window import LIBRARY, MAP, RESEARCH, MainWindow
from webrag_desktop.gui.shell.one_dialog import OneDialog
from webrag_desktop.models.citations import CitedPlace, is_link

if TYPE_CHECKING:
    from webrag_desktop.gui.citations.quote_dialog import QuoteDialog
    from webrag_desktop.gui.data.texts import FoundPlace
    from webrag_desktop.gui.map.map_view import MapView

_PREVIEW_AFTER = 400  # ms after the passages of a question: they and further typing come first


class MapConnections(QObject):
    """Where the pages found lead is looked at after each question; nothing is fetched but by the Map's own button."""

    document_wanted = Signal(object)  # UUID: it is to be read
    shown = Signal()  # the Map is to come to the front

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        self._view: MapView | None = None
        self._question = ""  # the last one
        self._shown: ShownExpansion = NO_EXPANSION
        self._rules: Mapping[str, SiteRule] = {}
        self._preview_timer = QTimer(self)
        self._preview_timer.setSingleShot(True)
        self._preview_timer.setInterval(_PREVIEW_AFTER)
        self._preview_timer.timeout.connect(self._preview)
        self._connect_operations()
        window.once_map_is_made(self._connect_view)

    def _connect_operations(self) -> None:
        searching, expanding = self._do.searching, self._do.expanding
        searching.started.connect(self._note_question)
        searching.results.connect(self._preview_soon)
        expanding.expansion.connect(self._show)
        expanding.rules.connect(self._show_rules)
        expanding.coverage.connect(self._window.research.results.show_coverage)
        expanding.ended.connect(self._search_again)
        self._window.research.results.further_requested.connect(self._expand_for)

    def _connect_view(self, view: "MapView") -> None:
        """Connect the Map once it is made, and show in it what is known by then."""
        self._view, pane = view, view.fetching
        expanding, link_map = self._do.expanding, self._do.link_map
        expanding.earlier.connect(view.open_earlier)
        link_map.links.connect(view.show_links)
        link_map.failed.connect(view.show_links_failure)
        pane.fetch_requested.connect(expanding.fetch)
        pane.skip_requested.connect(expanding.skip)
        pane.stop_requested.connect(expanding.stop)
        pane.resume_requested.connect(expanding.resume)
        pane.rule_chosen.connect(expanding.set_rule)
        view.mode_chosen.connect(self._show_mode)
        view.links_wanted.connect(link_map.fetch)
        view.document_requested.connect(self.document_wanted)
        view.browser_requested.connect(self._do.browsing.open)
        view.earlier_requested.connect(expanding.fetch_earlier)
        view.earlier_chosen.connect(expanding.show_kept)
        view.show_expansion(self._shown, self._rules)

    def start(self) -> None:
        """Know the rules of sites from the beginning."""
        self._do.expanding.emit_rules()

    # -- A question -------------------------------------------------------------------------------------------

    def _note_question(self, question: str) -> None:
        self._preview_timer.stop()
        self._question = question

    def _preview_soon(self, _found: SearchResults) -> None:
        self._preview_timer.start()

    def _preview(self) -> None:
        """Preview the links of the question, unless the Map shows it: a run that ended stays there."""
        self._preview_timer.stop()
        if self._question and (self._question != self._shown.question or self._shown.run_id is None):
            self._do.expanding.preview(self._question)

    def _expand_for(self, question: str) -> None:
        """Show the Map of a question, with what may be fetched."""
        if self._shown.question == question and self._shown.stage == "ended":
            self._do.expanding.preview(question)
        self.shown.emit()

    def enter(self) -> None:
        """The Map comes to the front: preview the last question now."""
        if self._window.map.mode == "links":
            self._fetch_links()
        elif self._question != self._shown.question:
            self._preview()

    def escape(self) -> None:
        """Stop what is being fetched; what came in stays."""
        if self._shown.is_running:
            self._do.expanding.stop()
        self._window.map.focus_first()

    def _show(self, shown: ShownExpansion) -> None:
        self._shown = shown
        if (view := self._view) is None:
            return
        had_keyboard = self._window.view == MAP and view.fetching.has_keyboard
        view.show_expansion(shown, self._rules)
        if had_keyboard and not view.fetching.has_keyboard:
            view.focus_first()  # what had it is not there any more

    def _show_rules(self, rules: Mapping[str, SiteRule]) -> None:
        self._rules = rules
        if self._view is not None:
            self._view.show_expansion(self._shown, rules)

    def _search_again(self, question: str) -> None:
        """Search again with the pages that were fetched, if this is still the last question."""
        if question == self._question:
            self._do.searching.again()

    # -- Links ------------------------------------------------------------------------------------------------

    def _show_mode(self, mode: str) -> None:
        view = self._window.map
        view.show_mode("links" if mode == "links" else "question")
        if mode == "links":
            view.show_reading_links()
            self._fetch_links()
        view.focus_first()

    def _fetch_links(self) -> None:
        self._do.link_map.fetch(self._window.map.linking.navigation.isChecked())


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
    """One dialog, made when it is first used."""

    place_wanted = Signal(object)  # SpanReference: the reader is to show it

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        self._dialog: OneDialog[QuoteDialog] = OneDialog()
        self._cited: dict[SpanReference, CitationRow] = {}
        operations.citing.citations.connect(self._note_citations)

    def ask(self) -> None:
        """Open the dialog with what is on the clipboard, and look for that."""
        dialog = self._dialog.shown or self._dialog.hold(self._made())
        self._dialog.bring_forward()
        dialog.paste()

    def _made(self) -> "QuoteDialog":
        from webrag_desktop.gui.citations.quote_dialog import QuoteDialog

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
        self._tell_cited(dialog)
        return dialog

    def _open(self, place: "FoundPlace") -> None:
        self.place_wanted.emit(place.span)
        self._window.activateWindow()

    def _toggle(self, place: "FoundPlace") -> None:
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
        if self._dialog.shown is not None:
            self._tell_cited(self._dialog.shown)

    def _tell_cited(self, dialog: "QuoteDialog") -> None:
        dialog.set_cited({span: row.number for span, row in self._cited.items()})
