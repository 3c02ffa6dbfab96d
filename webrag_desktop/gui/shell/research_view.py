"""The Research view: results on the left; citations above, the reader below on the right."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QMenu, QTabWidget, QVBoxLayout, QWidget

from webrag_desktop.gui.citations.citation_list import CitationsView
from webrag_desktop.gui.data.filters import ChosenFilters
from webrag_desktop.gui.data.view_data import SearchResults
from webrag_desktop.gui.kit.quantities import documents, number
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.tokens import (
    CHIP_HEIGHT,
    EVIDENCE_LEAST,
    EVIDENCE_WIDTH,
    FILTER_HEIGHT,
    PANE_HEADER_HEIGHT,
    RESULTS_LEAST,
    RESULTS_WIDTH,
    SPACE_M,
    SPACE_S,
    TABS_BELOW,
    WIDE_CITATIONS,
    WIDE_EMPTY,
    WIDE_FROM,
    WIDE_RESULTS,
)
from webrag_desktop.gui.kit.widgets.panes import Panel, Splitter, column, row
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.gui.research.answer.view import AnswerView
from webrag_desktop.gui.research.filter_strip import FilterStrip
from webrag_desktop.gui.research.query_box import ModeBadge
from webrag_desktop.gui.research.related_list import RelatedPane
from webrag_desktop.gui.research.results_pane import ResultsView

if TYPE_CHECKING:
    from webrag_desktop.gui.data.answers import ShownAnswer


_CITATIONS_SHARE = 0.58  # of the right column, at most
_ROWS_MEASURED = 12  # more do not fit anyway
_YES, _NO = b"yes", b"no"
_RELATED, _RELATED_FROM = "research-related", 1080  # pixels of the view that leave the text its measure


class _FoundColumn(QWidget):
    """The answer above the passages; it gets half of the height at most."""

    def __init__(self, answer: AnswerView, results: ResultsView) -> None:
        super().__init__()
        self._answer = answer
        layout = column(self)
        layout.addWidget(answer)
        layout.addWidget(results, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._answer.set_room(event.size().height())


class ResearchView(QWidget):
    """Arranges the three panes; a full reader takes the whole view, a narrow window turns the column into tabs.

    In a wide window they stand side by side: lines stay short enough to be read, and the reader gets the height.
    """

    full_changed = Signal(bool)
    related_changed = Signal(bool)  # whether related passages are shown

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.answer = AnswerView()
        self.results = ResultsView()
        self.citations = CitationsView()
        self.reader = ReaderView()
        self.related = RelatedPane()
        self.mode = ModeBadge()
        self.filters = FilterStrip()
        self._found = _FoundColumn(self.answer, self.results)
        self._found.setMinimumWidth(RESULTS_LEAST)
        self._mode_row = self._made_mode_row()
        self._column = Splitter(Qt.Orientation.Vertical, [300, 420])
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._evidence = QWidget()
        self._evidence.setMinimumWidth(EVIDENCE_LEAST)
        self._evidence_layout = column(self._evidence)
        self._panes = Splitter(Qt.Orientation.Horizontal, [RESULTS_WIDTH, EVIDENCE_WIDTH])
        self._panes.addWidget(self._found)
        self._panes.addWidget(self._evidence)
        self._panes.setStretchFactor(0, 53)
        self._panes.setStretchFactor(1, 47)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._mode_row)
        beside = row()
        beside.addWidget(self._panes, 1)
        beside.addWidget(self.related)
        layout.addLayout(beside, 1)
        self.related.hide()
        self._related_wanted = True
        self._tabbed: bool | None = None
        self._full = self._filtered = False
        self._column_moved = self._is_wide = self._fitted_to_none = False
        self._moved: set[Splitter] = set()  # in the present arrangement, by the user
        self._kept: dict[str, bytes] = {}  # the sizes of the other arrangement, where the user chose them
        for splitter in (self._panes, self._column):
            splitter.splitterMoved.connect(partial(self._note_moved, splitter))
        self._column.resized.connect(self.fit_citations)
        self._arrange(tabbed=False)
        self.reader.full_toggled.connect(self.set_full)
        for toggled in (self.reader.related_toggled, self.related.closed):
            toggled.connect(self.toggle_related)

    def menus(self) -> Iterator[tuple[str, QMenu]]:
        """New menus of what can be done in the panes that are shown, with their current rows and as a whole."""
        for name, pane, made in (
            (self.tr("Results"), self.results.list, (self.results.list.menu, self.results.order_menu)),
            (self.tr("Answer"), self.answer, (self.answer.header.menu,)),
            (
                self.tr("Citations"),
                self.citations.list,
                (self.citations.list.menu, self.citations.copy_all_menu),
            ),
            (self.tr("Reader"), self.reader, (partial(self.reader.context_menu, None),)),
        ):
            if pane.isVisible():
                yield from ((name, menu) for make in made if (menu := make()) is not None)

    def _made_mode_row(self) -> Panel:
        made = Panel("window", bottom_line=True)
        made.setMinimumHeight(grown(FILTER_HEIGHT))
        inset = (FILTER_HEIGHT - CHIP_HEIGHT) // 2
        layout = row(made, (16, inset, 12, inset), SPACE_M)
        layout.addWidget(self.filters, 1)
        layout.addWidget(self.mode, 0, Qt.AlignmentFlag.AlignTop)
        made.setVisible(False)
        return made

    @property
    def is_full(self) -> bool:
        """Whether the reader has the whole view."""
        return self._full

    def set_full(self, full: bool) -> None:
        """Give the reader the whole view, or take it back."""
        if full == self._full:
            return
        self._full = full
        self._found.setVisible(not full)
        self.citations.setVisible(not full)
        self._show_row()
        if self._tabbed:
            self._show_tabs()
            self.show_reader()
        self.reader.set_full(full)
        self._show_related()
        self.full_changed.emit(full)

    def _show_tabs(self) -> None:
        """Lead to the citations, unless the reader has the whole view."""
        self._tabs.tabBar().setVisible(not self._full)
        if self._full:
            self._tabs.setCurrentWidget(self.reader)

    @property
    def shows_related(self) -> bool:
        """Whether what is related to what is read is shown beside it: in full, where there is room."""
        return self._full and self._related_wanted and self.width() >= _RELATED_FROM

    def toggle_related(self) -> None:
        """Show beside the full reader what is related, or no more; that is remembered."""
        self._related_wanted = not self._related_wanted
        had_keyboard = self.related.isAncestorOf(QApplication.focusWidget() or self)
        self._show_related()
        if had_keyboard:
            self.reader.setFocus()

    def _show_related(self) -> None:
        if self.related.isHidden() == self.shows_related:
            self.related.setVisible(self.shows_related)
            self.related_changed.emit(self.shows_related)

    def show_reader(self) -> None:
        """Bring the reader to the front, where it is a tab; the keyboard stays where it is."""
        if self._tabbed:
            self._tabs.setCurrentWidget(self.reader)

    def _note_moved(self, splitter: Splitter, *_position: int) -> None:
        if splitter is self._column and not self._is_wide:
            if not self.citations.list.model().rowCount():
                return  # this is the height of none, whatever is done about it
            self._column_moved = True
        self._moved.add(splitter)

    def fit_citations(self) -> None:
        """Give the citations the height of their rows, up to a share of the column, unless the user chose.

        Without any they take the line that says how to cite; what was chosen comes back with the next one.
        """
        if self._is_wide:
            self._fit_beside()
        if self._tabbed or self._full or self._is_wide:
            return
        rows, height, upper = self.citations.list, self._column.height(), grown(PANE_HEADER_HEIGHT)
        count = min(rows.model().rowCount(), _ROWS_MEASURED)
        was_none, self._fitted_to_none = self._fitted_to_none, not count
        if count and self._column_moved:
            if was_none:
                self._restore_sizes()
            return
        if self._column_moved and not was_none:
            self._kept["research-column"] = self._column.saved()
        if count:
            wanted = sum(rows.sizeHintForRow(row) for row in range(count)) + SPACE_S
            upper = min(upper + wanted, round(height * _CITATIONS_SHARE))
        self._column.setSizes([upper, height - upper])

    def show_answer(self, answer: "ShownAnswer") -> None:
        """Show an answer above the passages, as far as it is."""
        self.answer.show_answer(answer)
        self.results.show_below_answer(True)

    def withdraw_answer(self) -> None:
        """Show the passages alone."""
        self.answer.withdraw()
        self.results.show_below_answer(False)

    def show_mode(self, results: SearchResults) -> None:
        """Tell what an answer is given of what was searched: the whole of it, or the best passages."""
        corpus, threshold = _thousands(results.corpus_tokens), _thousands(results.threshold_tokens)
        if results.is_whole:
            mode, detail = self.tr("Whole mode"), self.tr("{0} / {1}").format(corpus, threshold)
        else:
            detail = self.tr("{0} tokens / {1} threshold").format(corpus, threshold)
            mode = self.tr("Chunk mode")
        self.mode.show_mode(mode, detail, self._explanation(results))
        self._show_row()

    def show_filters(self, chosen: ChosenFilters) -> None:
        """Show what searches are restricted to."""
        self._filtered = bool(chosen)
        self.filters.show_filters(chosen)
        self._show_row()

    def _show_row(self) -> None:
        self._mode_row.setVisible(not self._full and (self.mode.isEnabled() or self._filtered))

    def _explanation(self, results: SearchResults) -> str:
        searched = self.tr("Your library holds {0} tokens in {1}.")
        if results.filters:
            searched = self.tr("The filters leave {0} tokens in {1} to search.")
        counted = searched.format(number(results.corpus_tokens), documents(results.corpus_documents))
        if results.is_whole:
            given = self.tr(
                "That is no more than {0}, so answers, and programs that read for you, get all of it, where the model "
                "reads that much at once."
            )
        else:
            given = self.tr(
                "That is more than {0}, so answers, and programs that read for you, get the best passages."
            )
        advice = self.tr(
            "The list below ranks passages in any case. The settings say how many tokens are read whole, under Answers."
        )
        return f"{counted} {given.format(number(results.threshold_tokens))} {advice}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turn the right column into two tabs where there is too little room for it."""
        super().resizeEvent(event)
        self._arrange(tabbed=self.window().width() < TABS_BELOW)
        self._set_wide(self.window().width() >= WIDE_FROM)
        self._show_related()
        self.fit_citations()

    def _fit_beside(self) -> None:
        """Give the citations a column, and where there are none only what the words need that say how to cite."""
        if self._column not in self._moved:
            room = WIDE_CITATIONS if self.citations.list.model().rowCount() else WIDE_EMPTY
            self._column.setSizes([room, self._column.width() - room])

    def _set_wide(self, wide: bool) -> None:
        """Put the citations beside the reader, or above it again; sizes that the user chose there come back."""
        if wide == self._is_wide:
            return
        self._kept.update(self._chosen_sizes())
        self._is_wide, self._fitted_to_none = wide, False
        self._moved.clear()
        self._column.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        width = self.width()
        if wide:
            self._panes.setSizes([WIDE_RESULTS, width - WIDE_RESULTS])
        else:
            self._panes.reset()
            self._column.reset()
        for part, factor in zip((0, 1), (0, 1) if wide else (53, 47), strict=True):
            self._panes.setStretchFactor(part, factor)
        for part, factor in zip((0, 1), (0, 1) if wide else (0, 0), strict=True):
            self._column.setStretchFactor(part, factor)
        self._restore_sizes()

    def _names(self) -> dict[str, Splitter]:
        """The splitters by the names under which the sizes of the present arrangement are kept."""
        ending = "-wide" if self._is_wide else ""
        return {f"research-panes{ending}": self._panes, f"research-column{ending}": self._column}

    def _chosen_sizes(self) -> dict[str, bytes]:
        moved = self._moved - {self._column} if self._fitted_to_none else self._moved
        return {name: one.saved() for name, one in self._names().items() if one in moved}

    def _restore_sizes(self) -> None:
        for name, splitter in self._names().items():
            if name in self._kept and splitter.restore(self._kept[name]):
                self._moved.add(splitter)

    def _arrange(self, *, tabbed: bool) -> None:
        if tabbed == self._tabbed:
            return
        self._tabbed = tabbed
        focused = QApplication.focusWidget()  # which Qt takes elsewhere as soon as it is moved
        holder: QWidget = self._tabs if tabbed else self._column
        other: QWidget = self._column if tabbed else self._tabs
        if tabbed:
            self._tabs.addTab(self.reader, self.tr("Reader"))
            self._tabs.addTab(self.citations, self.tr("Citations"))
        else:
            self._column.addWidget(self.citations)
            self._column.addWidget(self.reader)
            self.citations.setVisible(not self._full)
            self.reader.show()
        self._evidence_layout.removeWidget(other)
        other.hide()  # a layout shows what it took in a turn later, by then as a window of its own
        other.setParent(None)
        self._evidence_layout.addWidget(holder)
        if tabbed:
            self._show_tabs()
        holder.show()
        if focused is not None and holder.isAncestorOf(focused) and focused.isVisible():
            focused.setFocus()

    def saved_layout(self) -> dict[str, bytes]:
        """The splitters as the user left them."""
        present = {name: one.saved() for name, one in self._names().items() if one is self._panes}
        related = {_RELATED: _YES if self._related_wanted else _NO}
        saved = self._kept | present | self._chosen_sizes() | related
        return {**saved, "research-column-moved": _YES} if self._column_moved else saved

    def restore_layout(self, saved: dict[str, bytes]) -> None:
        """Put the splitters back."""
        self._kept = {name: state for name, state in saved.items() if name.startswith("research-")}
        self._column_moved = self._kept.pop("research-column-moved", b"") == _YES
        self._related_wanted = self._kept.pop(_RELATED, _YES) == _YES
        self._restore_sizes()


def _thousands(count: int) -> str:
    return f"{count / 1000:.0f}k" if count >= 1000 else str(count)
