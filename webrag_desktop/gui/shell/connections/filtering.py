"""What searches are restricted to: chosen in the card, typed, or by what the sidebar lists; one set for the window."""

from typing import TYPE_CHECKING, Literal, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from webrag_desktop.gui.data.filters import (
    NO_FILTERS,
    ChosenFilters,
    Field,
    FilterChoices,
    ListField,
    with_typed,
)
from webrag_desktop.gui.data.view_data import LibraryFigures, Listing
from webrag_desktop.gui.research.operations.searching import site_value
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.research import ResearchConnections
from webrag_desktop.gui.shell.main_window import RESEARCH, MainWindow
from webrag_desktop.text.typed_filters import TypedFilter

if TYPE_CHECKING:
    from webrag_desktop.gui.research.filter_panel import FilterPanel


class Scope(NamedTuple):
    """A filter that stands for what the sidebar lists."""

    field: ListField
    value: str


class FilterConnections(QObject):
    """One set of filters for the whole window. What the sidebar lists is one of them, as long as its chip is there."""

    scope_left = Signal()  # what the sidebar lists restricts nothing any more

    def __init__(self, window: MainWindow, operations: Operations, research: ResearchConnections) -> None:
        super().__init__(window)
        self._window, self._do, self._research = window, operations, research
        self._chosen = NO_FILTERS
        self._scope: Scope | None = None
        self._scoped = Listing()  # what the scope stands for
        self._figures = LibraryFigures()
        self._is_counted = False  # the figures are the library's
        self._panel: FilterPanel | None = None
        self.choices: FilterChoices | None = None  # as far as they are known
        self._changes = 0  # of the documents and labels there are
        self._asked_after = self._known_after = 0  # so many changes the choices were asked for, and are known
        window.query.filters_requested.connect(self.choose)
        window.research.filters.changed.connect(self.take)
        window.research.filters.choosing_requested.connect(self._choose_below)
        window.research.results.filters_cleared.connect(lambda: self.take(NO_FILTERS))
        window.research.results.filter_left_out.connect(lambda field: self.take(self._chosen.without(field)))
        for changes in (operations.labelling, operations.collections, operations.bibliography):
            changes.changed.connect(self._search_again)
        operations.filtering.choices.connect(self._note_choices)
        operations.documents.figures.connect(self._note_figures)
        operations.searching.costs.connect(window.research.results.show_costs)

    @property
    def chosen(self) -> ChosenFilters:
        """What holds."""
        return self._chosen

    @property
    def panel(self) -> "FilterPanel":
        """The card, made when it is first used: a window starts without it."""
        if self._panel is None:
            from webrag_desktop.gui.research.filter_panel import FilterPanel

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
        self.fetch_choices()

    def fetch_choices(self) -> None:
        """Read what there is to choose from."""
        self._asked_after = self._changes
        self._do.filtering.fetch()

    def _note_choices(self, choices: FilterChoices) -> None:
        self.choices, self._known_after = choices, self._asked_after

    @property
    def knows_choices(self) -> bool:
        """Whether the choices are those that the library has now."""
        return self.choices is not None and self._known_after == self._changes

    def _note_figures(self, figures: LibraryFigures) -> None:
        """A collection may have another name by now, or be gone."""
        self._is_counted = True
        before = {one.id: one.name for one in self._figures.collections}
        self._changes += _what_there_is(figures) != _what_there_is(self._figures)
        self._figures = figures
        if self._scope is not None and self._scope_of(self._scoped) != self._scope:
            self.scope(self._scoped)
        renamed = {before[one.id].casefold(): one.name for one in figures.collections if one.id in before}
        names = tuple(renamed.get(name.casefold(), name) for name in self._chosen.collections)
        if tuple(map(str.casefold, names)) != tuple(map(str.casefold, self._chosen.collections)):
            self._have(self._chosen.having("collections", names))

    def missing(self, field: Literal["collections", "tags"]) -> tuple[str, ...]:
        """The chosen collections or tags that the library does not have, as far as that is known."""
        if not self._is_counted:
            return ()
        names = (
            [one.name for one in self._figures.collections]
            if field == "collections"
            else [one.tag for one in self._figures.tags]
        )
        known = set(map(str.casefold, names))
        return tuple(name for name in self._chosen.values(field) if name.casefold() not in known)

    def _search_again(self) -> None:
        """Other documents may have the labels that are filtered by; what is shown changes where it is looked at."""
        self.choices = None
        self._changes += 1
        if (self._chosen.tags or self._chosen.collections) and self._window.view == RESEARCH:
            self._research.restrict(self._chosen)

    def take(self, chosen: ChosenFilters) -> None:
        """Have these filters hold; the last question is searched again."""
        self._show(chosen)
        self._research.restrict(chosen)

    def hold(self, chosen: ChosenFilters) -> None:
        """Have these filters hold from the next question on."""
        self._show(chosen)
        self._research.hold(chosen)

    def _show(self, chosen: ChosenFilters) -> None:
        self._chosen = chosen
        if self._panel is not None:
            self._panel.show_filters(chosen)
        self._window.query.show_filters(len(chosen.fields))
        self._window.research.show_filters(chosen)
        if self._scope is not None and chosen.values(self._scope.field) != (self._scope.value,):
            self._scope = None
            self.scope_left.emit()

    # -- Typed ------------------------------------------------------------------------------------------------

    def with_typed(self, typed: TypedFilter) -> ChosenFilters | None:
        """What would hold with a filter that was typed; None where the library has no such value."""
        return with_typed(self._chosen, typed, self.choices or FilterChoices())

    def without_last(self) -> ChosenFilters:
        """What would hold without the filter that came last."""
        fields = self._chosen.fields
        return self._chosen.without(fields[-1]) if fields else self._chosen

    # -- The sidebar ------------------------------------------------------------------------------------------

    def scope(self, listing: Listing) -> None:
        """Search within what the sidebar lists, and no longer within what it listed before."""
        self._scoped = listing
        before, self._scope = self._scope, None  # it is replaced, not left
        chosen = self._chosen
        if before is not None:
            chosen = chosen.without(before.field)
        self._scope = self._scope_of(listing)
        if self._scope is not None:
            chosen = chosen.having(self._scope.field, (self._scope.value,))
        if chosen != self._chosen:
            self._have(chosen)

    def _have(self, chosen: ChosenFilters) -> None:
        if self._window.view == RESEARCH:
            self.take(chosen)
        else:
            self.hold(chosen)

    def _scope_of(self, listing: Listing) -> Scope | None:
        if listing.group == "site" and listing.site is not None:
            return Scope("sites", site_value(listing.site))
        if listing.group == "tag" and listing.tag is not None:
            return Scope("tags", listing.tag)
        name = next((one.name for one in self._figures.collections if one.id == listing.collection), None)
        return Scope("collections", name) if listing.group == "collection" and name is not None else None


def _what_there_is(figures: LibraryFigures) -> tuple[object, ...]:
    return figures.ready, figures.sites, figures.tags, figures.collections
