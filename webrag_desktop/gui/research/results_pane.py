"""The results pane: a question's passages, or what there is to say when there are none."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton, QStackedWidget, QWidget

from webrag_desktop.gui.data.filters import FilterCosts
from webrag_desktop.gui.data.map import ThinCoverage
from webrag_desktop.gui.data.view_data import CitationRow, Failure, SearchResults
from webrag_desktop.gui.kit.quantities import documents, number, passages
from webrag_desktop.gui.kit.theme.fonts import MEDIUM
from webrag_desktop.gui.kit.theme.tokens import (
    DIM_AFTER,
    PANE_INSET,
    SKELETON_AFTER,
    SPACE_M,
    SPACE_S,
    SPACE_XS,
    Role,
)
from webrag_desktop.gui.kit.widgets.buttons import push_button, tool_button
from webrag_desktop.gui.kit.widgets.labels import IconLabel, Label
from webrag_desktop.gui.kit.widgets.messages import EmptyState
from webrag_desktop.gui.kit.widgets.panes import PaneHeader, Panel, column, row
from webrag_desktop.gui.kit.widgets.popups import open_below
from webrag_desktop.gui.research.filter_strip import cost_words, filters_on, helping
from webrag_desktop.gui.research.result_list import ResultList
from webrag_desktop.gui.research.result_pages import IdlePage, Skeleton
from webrag_desktop.gui.research.results_model import Order


class ResultBanner(Panel):
    """Hidden until there is something to say."""

    acted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("warn_soft", bottom_line=True, parent=parent)
        self._sign = IconLabel("triangle-alert", "warn")
        self._sign.setContentsMargins(0, 2, 0, 0)  # beside the first line
        self._title = Label("", "body", "text", MEDIUM, wrap=True)
        self._text = Label("", "small", "text2", wrap=True)
        self.button = push_button("", "mini")
        self.button.clicked.connect(self.acted)
        words = column(spacing=2)
        words.addWidget(self._title)
        words.addWidget(self._text)
        line = row(self, (PANE_INSET, SPACE_S, SPACE_M, SPACE_S + 1), SPACE_S + SPACE_XS)
        line.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(words, 1)
        line.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.hide()

    def show_warning(self, sentence: str) -> None:
        """Say why the search was less than it can be."""
        self._show("warn_soft", "triangle-alert", "warn", "", sentence, "")

    def show_failure(self, failure: Failure, action: str) -> None:
        """Say what happened and what to do, with a button."""
        self._show("bad_soft", "circle-alert", "bad", failure.message, failure.hint, action)

    def show_note(self, sentence: str) -> None:
        """Say something that is no fault, and that nothing needs to be done about."""
        self._show("sunken", "info", "text2", "", sentence, "")

    def show_offer(self, sentence: str, action: str) -> None:
        """Say something that is no fault, and what can be done about it."""
        self._show("sunken", "waypoints", "text2", "", sentence, action)

    def _show(self, ground: Role, icon: str, ink: Role, title: str, text: str, action: str) -> None:
        self._role = ground
        self._sign.show_icon(icon, ink)
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self.button.setText(action)
        self.button.setVisible(bool(action))
        self.setAccessibleName(" ".join(part for part in (title, text) if part))
        self.show()
        self.update()


class ResultsView(Panel):
    """Shows the results of one query. During the next search they stay, dimmed; a failure leaves them readable."""

    passage_selected = Signal(object)  # Passage
    preview_requested = Signal(object)  # Passage: show it while the keyboard stays here
    open_requested = Signal(object)  # Passage
    cite_toggled = Signal(object)  # Passage
    browser_requested = Signal(object)  # Passage
    other_requested = Signal(object, object)  # Passage, and the AlsoIn of it to open
    ask_requested = Signal(object)  # SelectedText: a question is to be about this passage alone
    copied = Signal(str)  # a sentence that says what was copied
    failure_acted = Signal()
    keyboard_left = Signal()  # it was in the passages, and there are none
    filters_cleared = Signal()
    filter_left_out = Signal(object)  # Field
    further_requested = Signal(str)  # the question: where the pages found lead is to be shown

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("surface", parent=parent)
        self._results: SearchResults | None = None
        self._open_documents = 0
        self.list = ResultList()
        self._idle, self._skeleton = IdlePage(), Skeleton()
        self._empty = EmptyState("search", "", "")
        self._banner, self.spelling, self.further = ResultBanner(), ResultBanner(), ResultBanner()
        self._order = push_button("", "bare", "chevrons-up-down")
        self._reasons = tool_button("gauge", self.tr("Show reasons for every passage"), checkable=True)
        self._header = PaneHeader(self.tr("Results"), [self._order, self._reasons])
        self._pages = QStackedWidget()
        self._waiting = self._timer(SKELETON_AFTER)
        self._dimming = self._timer(DIM_AFTER)
        self._offers_clearing = False
        self._costs: FilterCosts | None = None
        self._arrange()
        self._connect()
        self._name_order("best")
        self.show_idle()

    def _timer(self, milliseconds: int) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        return timer

    def _arrange(self) -> None:
        layout = column(self)
        layout.addWidget(self._header)
        layout.addWidget(self._banner)
        layout.addWidget(self.spelling)
        layout.addWidget(self.further)
        layout.addWidget(self._pages, 1)
        for page in (self.list, self._idle, self._skeleton, self._empty):
            self._pages.addWidget(page)

    def _connect(self) -> None:
        for name in (
            "passage_selected",
            "preview_requested",
            "open_requested",
            "cite_toggled",
            "browser_requested",
            "other_requested",
            "ask_requested",
            "copied",
        ):
            getattr(self.list, name).connect(getattr(self, name))
        self.list.reasons_toggled.connect(self._reasons.setChecked)
        self._reasons.toggled.connect(self.list.set_shows_reasons)
        self._order.clicked.connect(self._choose_order)
        self._empty.acted.connect(self._act)
        self._empty.link_chosen.connect(self._leave_out)
        self._banner.acted.connect(self.failure_acted)
        self.further.acted.connect(self._request_further)
        self._waiting.timeout.connect(self._show_skeleton)
        self._dimming.timeout.connect(lambda: self.list.set_dimmed(True))

    # -- States ---------------------------------------------------------------------------------------------------

    def show_below_answer(self, below: bool) -> None:
        """Title the pane Passages below an answer, else Results."""
        self._header.set_title(self.tr("Passages") if below else self.tr("Results"))

    def show_idle(self) -> None:
        """Nothing was asked yet."""
        self._results = None
        self.list.show_results(None)
        self._show_page(self._idle, "")

    def show_searching(self, query: str) -> None:
        """A question is being answered: if that takes a moment, what is shown dims and then gives way to shapes."""
        self._waiting.start()
        self._dimming.start()
        self._banner.hide()
        self.spelling.hide()
        self.further.hide()
        self._header.set_detail(self.tr("Searching for “{0}”").format(query))

    def measure(self, results: SearchResults) -> Iterator[None]:
        """Measure the rows of an answer that is to be shown next, one a step: many at once would be felt."""
        return self.list.delegate.measure(results)

    def show_results(self, results: SearchResults, selected: UUID | None = None) -> None:
        """Show an answer. A question that is typed on, or asked again, keeps the passage that was ``selected``."""
        again = self._results is not None and (results.as_typed or self._results.query == results.query)
        passage = self.list.passage() if again else None
        self._results, self._costs = results, None
        if results.groups:
            self._show_page(self.list, self._summary(results))
        self.list.show_results(results, passage.chunk_id if passage else selected)
        if not results.groups:
            self._show_nothing_found(results)
        if results.degraded:
            self._banner.show_warning(results.degraded)
        if results.spelling:
            self.spelling.show_note(results.spelling)

    def show_coverage(self, thin: ThinCoverage | None) -> None:
        """Offer to follow links where the library covers the question badly."""
        is_shown = thin is not None and self._results is not None and thin.question == self._results.query
        if thin is not None and is_shown:
            self.further.show_offer(thin.explanation, self.tr("Look further"))
        else:
            self.further.hide()

    def _request_further(self) -> None:
        if self._results is not None:
            self.further_requested.emit(self._results.query)

    def show_cancelled(self) -> None:
        """Nothing is searched for any more: what was found before is shown again."""
        self.list.set_dimmed(False)
        if self._results is None:
            self.show_idle()
        elif self._results.groups:
            self._show_page(self.list, self._summary(self._results))
        else:
            self._show_nothing_found(self._results)

    def show_failure(self, failure: Failure, action: str) -> None:
        """The question was not answered; what was found before is shown again below the reason."""
        self._dimming.stop()
        self.list.set_dimmed(False)
        if self._results is not None and self._results.groups:
            self._show_page(self.list, self.tr("Still those for “{0}”").format(self._results.query))
            self._banner.show_failure(failure, action)
        else:
            self._offers_clearing = False
            self._empty.show_state("circle-alert", failure.message, failure.hint, action)
            self._show_page(self._empty, "")
        self._announce(failure.message)

    def set_open_documents(self, count: int) -> None:
        """Set how many documents are still being read; shown when nothing is found."""
        self._open_documents = count
        results = self._results
        if results is not None and not results.groups and self._pages.currentWidget() is self._empty:
            self._show_nothing_state(results)

    def _show_nothing_found(self, results: SearchResults) -> None:
        self._show_nothing_state(results)
        self._show_page(self._empty, self._timing(results))
        self._announce(self._empty.accessibleName())

    def _show_nothing_state(self, results: SearchResults) -> None:
        self._offers_clearing = bool(results.filters)
        clear = self.tr("Clear filters") if results.filters else ""
        self._empty.show_state("search", *self._nothing_found(results), clear)
        if self._costs is not None:
            self._empty.show_links(cost_words(self._costs))

    def show_costs(self, costs: FilterCosts) -> None:
        """Say which filter, removed, gives how many; a click on it removes it."""
        results, asked = self._results, (costs.query, costs.filters)
        if results is None or results.groups or (results.query, results.filters) != asked:
            return  # something else was asked meanwhile
        self._costs = costs
        if self._pages.currentWidget() is self._empty and self._offers_clearing:
            self._show_nothing_state(results)
            self._announce(" ".join(cost_words(costs)) or self._empty.accessibleDescription())

    def _leave_out(self, at: int) -> None:
        if self._costs is not None:
            self.filter_left_out.emit(helping(self._costs)[at][0])

    def _act(self) -> None:
        """Do what the empty page offers."""
        (self.filters_cleared if self._offers_clearing else self.failure_acted).emit()

    def _nothing_found(self, results: SearchResults) -> tuple[str, str]:
        if results.removed:
            return self.tr("What was found is removed."), self.tr("It may still be in the bin.")
        if results.filters:
            title, text = self._nothing_left(results)
        elif not results.corpus_documents:
            title = self.tr("There is nothing to search yet.")
            text = self.tr("Drop links or files anywhere in this window. Then ask again.")
        else:
            title = self.tr("No passage mentions “{0}”.").format(results.query)
            text = self.tr("Other words may help, or fewer of them.")
        if self._open_documents:
            one = self.tr("One document is still being read; what it says is found once that is done.")
            many = self.tr("{0} documents are still being read; what they say is found once that is done.")
            still = one if self._open_documents == 1 else many.format(number(self._open_documents))
            text = f"{text} {still}"
        return title, text

    def _nothing_left(self, results: SearchResults) -> tuple[str, str]:
        """What the filters have to do with it."""
        on = filters_on(len(results.filters.fields))
        if not results.corpus_documents:
            title = self.tr("Nothing in your library meets the filters.")
        else:
            title = self.tr("No passage mentions “{0}”.").format(results.query)
        if self._costs is not None:
            return title, f"{on} {self._without_all(self._costs)}".strip()
        return title, on if not results.corpus_documents else self.tr(
            "{0} Without filters there may be more."
        ).format(on)

    def _without_all(self, costs: FilterCosts) -> str:
        """What is left to say where no single filter is the reason."""
        if helping(costs):
            return ""
        if not costs.without_all:
            return self.tr("Without filters there are none either.")
        return self.tr("Without all of them there are {0}.").format(passages(costs.without_all))

    def _show_page(self, page: QWidget, detail: str) -> None:
        self._waiting.stop()
        self._dimming.stop()
        self._banner.hide()
        self.spelling.hide()
        self._header.set_detail(detail)
        for control in (self._order, self._reasons):
            control.setVisible(page is self.list)
        had_keyboard = self.list.hasFocus() or self._skeleton.hasFocus()
        self._pages.setCurrentWidget(page)
        if had_keyboard:
            self.list.setFocus() if page is self.list else self.keyboard_left.emit()

    def _show_skeleton(self) -> None:
        had_keyboard = self.list.hasFocus()
        self._pages.setCurrentWidget(self._skeleton)
        if had_keyboard:
            self._skeleton.setFocus()

    def _summary(self, results: SearchResults) -> str:
        sentence = self.tr("{0} in {1}").format(passages(results.passages), documents(len(results.groups)))
        self._announce(sentence)
        return f"{sentence}, {self._timing(results)}"

    def _timing(self, results: SearchResults) -> str:
        if results.milliseconds < 1000:
            return self.tr("{0} ms").format(round(results.milliseconds))
        return self.tr("{0} s").format(f"{results.milliseconds / 1000:.1f}")

    def _announce(self, sentence: str) -> None:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))

    # -- Order ----------------------------------------------------------------------------------------------------

    def _order_words(self) -> dict[Order, str]:
        return {"best": self.tr("Best first"), "reading": self.tr("Reading order")}

    def _name_order(self, order: Order) -> None:
        words = self._order_words()[order]
        self._order.setText(words)
        self._order.setAccessibleName(self.tr("Order of passages: {0}").format(words))

    def set_order(self, order: Order) -> None:
        """Order the passages of each document by score, or in reading order."""
        self.list.set_order(order)
        self._name_order(order)

    def order_menu(self) -> QMenu:
        """The orders to choose from."""
        menu = QMenu(self.tr("Order of passages"), self)
        group = QActionGroup(menu)
        for order, words in self._order_words().items():
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(order == self.list.results.order)
            action.triggered.connect(lambda _checked, chosen=order: self.set_order(chosen))
            group.addAction(action)
        return menu

    def _choose_order(self) -> None:
        menu = self.order_menu()
        open_below(menu, self._order)

    # -- From outside ---------------------------------------------------------------------------------------------

    def set_citations(self, citations: Sequence[CitationRow]) -> None:
        """Number the passages that are cited."""
        self.list.set_citations(citations)

    @property
    def is_idle(self) -> bool:
        """Whether nothing was asked yet, so that there is nothing to walk through."""
        return self._pages.currentWidget() is self._idle

    def focus_list(self) -> None:
        """Focus the passages, or the only button where there are none."""
        action = self._empty.findChild(QPushButton)
        if self._pages.currentWidget() is self._empty and action is not None and action.isVisible():
            action.setFocus()
        else:
            self.list.setFocus()

    def select_passage(self, chunk_id: UUID) -> None:
        """Select a passage without emitting a signal."""
        self.list.select_passage(chunk_id)
