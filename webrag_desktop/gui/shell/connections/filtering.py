"""Filters, connected: chosen in the card and on the chips, shown wherever they matter, honoured by the search."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from webrag_desktop.gui.data.filters import NO_FILTERS, ChosenFilters, Field
from webrag_desktop.gui.research.filter_panel import FilterPanel
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.research import ResearchConnections
from webrag_desktop.gui.shell.main_window import RESEARCH, MainWindow


class FilterConnections(QObject):
    """One set of filters for the whole window."""

    def __init__(self, window: MainWindow, operations: Operations, research: ResearchConnections) -> None:
        super().__init__(window)
        self._window, self._do, self._research = window, operations, research
        self._chosen = NO_FILTERS
        self._panel: FilterPanel | None = None
        window.query.filters_requested.connect(self.choose)
        window.research.filters.changed.connect(self.take)
        window.research.filters.choosing_requested.connect(self._choose_below)
        window.research.results.filters_cleared.connect(lambda: self.take(NO_FILTERS))
        operations.labelling.changed.connect(self._look_again)

    @property
    def panel(self) -> FilterPanel:
        """The card, made when it is first used: a window starts without it."""
        if self._panel is None:
            self._panel = FilterPanel(self._window)
            self._panel.show_filters(self._chosen)
            self._panel.changed.connect(self.take)
            self._do.filtering.choices.connect(self._panel.show_choices)
        return self._panel

    def choose(self) -> None:
        """Open the card under the query box."""
        self._choose_below(self._window.query.filter_button, None)

    def _choose_below(self, control: QWidget, field: Field | None) -> None:
        self.panel.open_below(control, field)
        self._do.filtering.fetch()

    def _look_again(self) -> None:
        """Other documents may have the labels that are filtered by; what is shown changes where it is looked at."""
        if (self._chosen.tags or self._chosen.collections) and self._window.view == RESEARCH:
            self._research.restrict(self._chosen)

    def take(self, chosen: ChosenFilters) -> None:
        """Have these filters hold; a question that was asked is asked again."""
        self._chosen = chosen
        if self._panel is not None:
            self._panel.show_filters(chosen)
        self._window.query.show_filters(len(chosen.fields))
        self._window.research.show_filters(chosen)
        self._research.restrict(chosen)
