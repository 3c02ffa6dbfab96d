"""The Research view: results on the left; citations above, the reader below on the right."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from webrag_desktop.gui.citations.citation_list import CitationsView
from webrag_desktop.gui.data.answers import ShownAnswer
from webrag_desktop.gui.data.filters import ChosenFilters
from webrag_desktop.gui.data.view_data import SearchResults
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
)
from webrag_desktop.gui.kit.widgets.panes import Panel, Splitter, column, row
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.gui.research.answer.view import AnswerView
from webrag_desktop.gui.research.filter_strip import FilterStrip
from webrag_desktop.gui.research.query_box import ModeBadge
from webrag_desktop.gui.research.results_pane import ResultsView

_CITATIONS_SHARE = 0.58  # of the right column, at most
_ROWS_MEASURED = 12  # more do not fit anyway
_YES = b"yes"


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
    """Arranges the three panes; a full reader takes the whole view, a narrow window turns the column into tabs."""

    full_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.answer = AnswerView()
        self.results = ResultsView()
        self.citations = CitationsView()
        self.reader = ReaderView()
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
        layout.addWidget(self._panes, 1)
        self._tabbed: bool | None = None
        self._full = self._filtered = False
        self._fitted_to_none = False
        self._chosen_column = b""  # its sizes, once the user chose them
        self._column.splitterMoved.connect(self._note_moved)
        self._arrange(tabbed=False)
        self.reader.full_toggled.connect(self.set_full)

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
            self._tabs.tabBar().setVisible(not full)
            self._tabs.setCurrentWidget(self.reader)
        self.reader.set_full(full)
        self.full_changed.emit(full)

    def show_reader(self) -> None:
        """Bring the reader to the front, where it is a tab; the keyboard stays where it is."""
        if self._tabbed:
            self._tabs.setCurrentWidget(self.reader)

    def _note_moved(self) -> None:
        if self.citations.list.model().rowCount():
            self._chosen_column = self._column.saved()

    def fit_citations(self) -> None:
        """Give the citations the height of their rows, up to a share of the column, unless the user chose.

        Without any they take the line that says how to cite, whatever was chosen for rows.
        """
        if self._tabbed or self._full:
            return
        rows, height, upper = self.citations.list, self._column.height(), grown(PANE_HEADER_HEIGHT)
        if count := min(rows.model().rowCount(), _ROWS_MEASURED):
            wanted = sum(rows.sizeHintForRow(row) for row in range(count)) + SPACE_S
            upper = min(upper + wanted, round(height * _CITATIONS_SHARE))
        if not (count and self._chosen_column):
            self._column.setSizes([upper, height - upper])
        elif self._fitted_to_none:
            self._column.restore(self._chosen_column)
        self._fitted_to_none = not count

    def show_answer(self, answer: ShownAnswer) -> None:
        """Show an answer above the passages, as far as it is."""
        self.answer.show_answer(answer)
        self.results.show_below_answer(True)

    def withdraw_answer(self) -> None:
        """Show the passages alone."""
        self.answer.withdraw()
        self.results.show_below_answer(False)

    def show_mode(self, results: SearchResults) -> None:
        """Tell which mode answered, and how large what was searched is against the threshold."""
        detail = self.tr("{0} tokens / {1} threshold").format(
            _thousands(results.corpus_tokens), _thousands(results.threshold_tokens)
        )
        self.mode.show_mode(self.tr("Chunk mode"), detail, self._explanation(results))
        self._show_row()

    def show_filters(self, chosen: ChosenFilters) -> None:
        """Show what searches are restricted to."""
        self._filtered = bool(chosen)
        self.filters.show_filters(chosen)
        self._show_row()

    def _show_row(self) -> None:
        self._mode_row.setVisible(not self._full and (self.mode.isEnabled() or self._filtered))

    def _explanation(self, results: SearchResults) -> str:
        searched = self.tr("Your library holds {0} tokens in {1} documents.")
        if results.filters:
            searched = self.tr("The filters leave {0} tokens in {1} documents to search.")
        counted = searched.format(f"{results.corpus_tokens:,}", f"{results.corpus_documents:,}")
        advice = self.tr(
            "This window always ranks passages, so that the best "
            "stand first. Programs that read for you get the whole library instead while it has no more than {0} "
            "tokens; RETRIEVAL_FULL_CONTEXT_THRESHOLD in the settings file says how many."
        ).format(f"{results.threshold_tokens:,}")
        return f"{counted} {advice}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turn the right column into two tabs where there is too little room for it."""
        super().resizeEvent(event)
        self._arrange(tabbed=self.window().width() < TABS_BELOW)
        self.fit_citations()

    def _arrange(self, *, tabbed: bool) -> None:
        if tabbed == self._tabbed:
            return
        self._tabbed = tabbed
        holder: QWidget = self._tabs if tabbed else self._column
        other: QWidget = self._column if tabbed else self._tabs
        if tabbed:
            self._tabs.addTab(self.reader, self.tr("Reader"))
            self._tabs.addTab(self.citations, self.tr("Citations"))
        else:
            self._column.addWidget(self.citations)
            self._column.addWidget(self.reader)
            self.citations.show()
            self.reader.show()
        self._evidence_layout.removeWidget(other)
        other.hide()  # a layout shows what it took in a turn later, by then as a window of its own
        other.setParent(None)
        self._evidence_layout.addWidget(holder)
        holder.show()

    def saved_layout(self) -> dict[str, bytes]:
        """The splitters as the user left them."""
        chosen = {"research-column": self._chosen_column, "research-column-moved": _YES}
        return {"research-panes": self._panes.saved(), **(chosen if self._chosen_column else {})}

    def restore_layout(self, saved: dict[str, bytes]) -> None:
        """Put the splitters back."""
        if "research-panes" in saved:
            self._panes.restore(saved["research-panes"])
        chosen = saved.get("research-column", b"") if saved.get("research-column-moved") == _YES else b""
        if chosen and self._column.restore(chosen):
            self._chosen_column = self._column.saved()
        self.fit_citations()


def _thousands(count: int) -> str:
    return f"{count / 1000:.0f}k" if count >= 1000 else str(count)
