"""The Map connected with searching, following links, and reading."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, QTimer, Signal

from webrag_desktop.gui.data.map import NO_EXPANSION, ShownExpansion, SiteRule
from webrag_desktop.gui.data.view_data import SearchResults
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import MAP, MainWindow

_LOOK_AFTER = 400  # ms after the passages of a question: they and further typing come first


class MapConnections(QObject):
    """Where the pages found lead is looked at after each question; nothing is fetched but by the Map's own button."""

    document_wanted = Signal(object)  # UUID: it is to be read
    shown = Signal()  # the Map is to come to the front

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do, self._view = window, operations, window.map
        self._question = ""  # asked last
        self._shown: ShownExpansion = NO_EXPANSION
        self._rules: Mapping[str, SiteRule] = {}
        self._looking = QTimer(self)
        self._looking.setSingleShot(True)
        self._looking.setInterval(_LOOK_AFTER)
        self._looking.timeout.connect(self._look)
        self._connect_operations()
        self._connect_view()

    def _connect_operations(self) -> None:
        searching, expanding, link_map = self._do.searching, self._do.expanding, self._do.link_map
        searching.started.connect(self._note_question)
        searching.results.connect(self._look_soon)
        expanding.expansion.connect(self._show)
        expanding.rules.connect(self._show_rules)
        expanding.coverage.connect(self._window.research.results.show_coverage)
        expanding.earlier.connect(self._view.open_earlier)
        expanding.ended.connect(self._search_again)
        link_map.links.connect(self._view.show_links)
        link_map.failed.connect(self._view.show_links_failure)

    def _connect_view(self) -> None:
        view, pane, expanding = self._view, self._view.fetching, self._do.expanding
        pane.fetch_requested.connect(expanding.fetch)
        pane.skip_requested.connect(expanding.skip)
        pane.stop_requested.connect(expanding.stop)
        pane.resume_requested.connect(expanding.resume)
        pane.rule_chosen.connect(expanding.set_rule)
        view.mode_chosen.connect(self._show_mode)
        view.links_wanted.connect(self._do.link_map.fetch)
        view.document_requested.connect(self.document_wanted)
        view.browser_requested.connect(self._do.browsing.open)
        view.earlier_requested.connect(expanding.fetch_earlier)
        view.earlier_chosen.connect(expanding.show_kept)
        self._window.research.results.further_requested.connect(self._look_further)

    def start(self) -> None:
        """Know the rules of sites from the beginning."""
        self._do.expanding.emit_rules()

    # -- A question -------------------------------------------------------------------------------------------

    def _note_question(self, question: str) -> None:
        self._looking.stop()
        self._question = question

    def _look_soon(self, _found: SearchResults) -> None:
        self._looking.start()

    def _look(self) -> None:
        """Preview the links of the question, unless the Map shows it: a run that ended stays there."""
        self._looking.stop()
        if self._question and (self._question != self._shown.question or self._shown.run_id is None):
            self._do.expanding.preview(self._question)

    def _look_further(self, question: str) -> None:
        """Show the Map of a question, with what may be fetched."""
        if self._shown.question == question and self._shown.stage == "ended":
            self._do.expanding.preview(question)
        self.shown.emit()

    def enter(self) -> None:
        """The Map comes to the front: preview the last question now."""
        if self._view.mode == "links":
            self._do.link_map.fetch(self._view.linking.navigation.isChecked())
        elif self._question != self._shown.question:
            self._look()

    def escape(self) -> None:
        """Stop what is being fetched; what came in stays."""
        if self._shown.is_running:
            self._do.expanding.stop()
        self._view.focus_first()

    def _show(self, shown: ShownExpansion) -> None:
        had_keyboard = self._window.view == MAP and self._view.fetching.has_keyboard
        self._shown = shown
        self._view.show_expansion(shown, self._rules)
        if had_keyboard and not self._view.fetching.has_keyboard:
            self._view.focus_first()  # what had it is not there any more

    def _show_rules(self, rules: Mapping[str, SiteRule]) -> None:
        self._rules = rules
        self._view.show_expansion(self._shown, rules)

    def _search_again(self, question: str) -> None:
        """Search again with the pages that were fetched, if this is still the last question."""
        if question == self._question:
            self._do.searching.again()

    # -- Links ------------------------------------------------------------------------------------------------

    def _show_mode(self, mode: str) -> None:
        self._view.show_mode("links" if mode == "links" else "question")
        if mode == "links":
            self._view.show_reading_links()
            self._do.link_map.fetch(self._view.linking.navigation.isChecked())
        self._view.focus_first()
