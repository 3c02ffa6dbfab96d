"""Searching the library: filters and queries. The newest query wins and stops the previous one in the database."""

import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.errors import DatabaseUnreachableError, InputError
from webrag_desktop.gui.data.filters import (
    NO_FILTERS,
    Choice,
    ChosenFilters,
    FilterChoices,
    FilterCosts,
)
from webrag_desktop.gui.data.view_data import DocumentNews, LibraryFigures, ResultGroup, SearchResults
from webrag_desktop.gui.research.operations.asking import (
    Found,
    costs_of,
    search_all,
    search_as_typed,
    search_first,
    search_rest,
)
from webrag_desktop.gui.research.operations.text_parts import Readings
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop import Library


class FilterOperations(QObject):
    """Reads what there is to choose from in the session's library."""

    choices = Signal(object)  # FilterChoices
    failed = Signal(object)  # Failure

    def __init__(self, session: LibrarySession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session

    def fetch(self) -> None:
        """Load the choices."""
        self._session.call(
            _choices,
            on_success=self.choices.emit,
            on_error=lambda error: self.failed.emit(failure_of(error)),
            replaces="filter choices",
            repeat=True,
        )


def _choices(library: "Library", _task: Task) -> FilterChoices:
    from webrag_desktop.retrieval.contracts.filters import CONTENT_FLAGS

    facets, labels = library.documents.facets(), library.labels
    return FilterChoices(
        sites=_counted((site_value(host), documents) for host, documents in facets.sites),
        collections=_counted((one.name, one.documents) for one in labels.collections()),
        tags=_counted((one.name, one.documents) for one in labels.tags()),
        authors=_counted(facets.authors),
        doc_types=_counted(facets.doc_types),
        languages=_counted(facets.languages),
        content_flags=tuple(map(Choice, CONTENT_FLAGS)),
    )


def site_value(host: str) -> str:
    """A host as a filter takes it: a number of IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def _counted(values: Iterable[tuple[str, int]]) -> tuple[Choice, ...]:
    return tuple(Choice(value, documents) for value, documents in values)


log = logging.getLogger(__name__)


def _nothing_hidden(_document_id: UUID) -> bool:
    return False


class SearchOperations(QObject):
    """Searches the session's library. A question that a lost database left open is asked again by itself."""

    started = Signal(str)
    results = Signal(object)  # SearchResults: all, or the first page of a new question
    grown = Signal(object)  # SearchResults: all, after a first page
    found = Signal(
        object
    )  # Found: what the results were made of, emitted after those of a question that is not being typed
    failed = Signal(object)  # Failure
    cancelled = Signal()  # the question that was started will not be answered
    costs = Signal(object)  # FilterCosts: of a question that found nothing within its filters
    prepared = Signal()  # what a question needs is loaded

    def __init__(
        self,
        session: LibrarySession,
        is_hidden: Callable[[UUID], bool] = _nothing_hidden,
        parent: QObject | None = None,
    ) -> None:
        """Leave documents for which ``is_hidden`` holds out of the results."""
        super().__init__(parent)
        self._session = session
        self._is_hidden = is_hidden
        self._removed: set[UUID] = set()
        self._readings = Readings()
        self._query = ""  # that was sent last
        self._asked = ""  # the same, but for what was typed and is not answered yet
        self._filters = NO_FILTERS
        self._running: CancelToken | None = None
        self._first: Found | None = None  # the first page that is shown, while the others are wanted
        self._growing: CancelToken | None = None  # they are on their way
        self._typing: CancelToken | None = None  # a search for what is still being typed
        self._weighing: CancelToken | None = None  # what each filter costs
        self._found: SearchResults | None = None
        self._interrupted = False
        self._prepared = False
        session.opened.connect(self._go_on)

    def search(self, query: str, *, at_once: bool = False) -> None:
        """Ask ``query``; nothing happens when it is empty.

        The best passages of a new question are shown before the others, unless all are wanted ``at_once``. Of one whose
        passages are shown, all come together: the selected one may be any of them.
        """
        query = query.strip()
        if not query:
            return
        is_new = query != self._asked and not at_once
        self._query, self._asked, self._interrupted = query, query, False
        self._typing = self._growing = self._first = None  # replaced
        self._forget_costs()
        self.started.emit(query)
        self._running = self._session.call(
            partial(search_first if is_new else search_all, query, self._filters, self._readings),
            on_success=self._show,
            on_error=self._fail,
            replaces="search",
        )

    def search_as_typed(self, query: str) -> None:
        """Search for a question that is still being typed; what is shown stays until its passages are there.

        Only where the model is this computer's own: a server would be asked for every word. A question that was asked
        with Enter goes first, up to its first page; its others come where nothing is found for what is typed.
        """
        query = query.strip()
        if not query or self._running is not None:
            return
        self._query, self._growing = query, None
        self._forget_costs()
        self._typing = self._session.call(
            partial(search_as_typed, query, self._filters, self._readings),
            on_success=self._show_typed,
            on_error=self._typed_failed,
            replaces="search",
        )

    def stop_typed(self) -> None:
        """Search no longer for what was being typed; what is shown stays."""
        if self._typing is not None:
            self._session.cancel(self._typing)
            self._end_typed()

    def _end_typed(self) -> None:
        """The question before is the last one again, with all of its passages."""
        self._typing, self._query = None, self._asked
        self._grow()

    def _show_typed(self, found: "Found | None") -> None:
        if self._typing is None:
            return  # it was found in the moment in which it was stopped
        if found is None:
            self._end_typed()
            return
        self._typing, self._asked = None, found.shown.query
        self._show(found)

    def _typed_failed(self, error: Exception) -> None:
        """A question that is not finished may be none yet: Enter says why."""
        if self._typing is None:
            return
        if isinstance(error, InputError):
            self._end_typed()
            log.info("not searched as typed: %s", error)
        else:
            self._typing = self._first = None
            self.failed.emit(failure_of(error))

    def restrict(self, filters: ChosenFilters) -> None:
        """Search only what meets these, from the next question on."""
        self._filters = filters

    def again(self) -> None:
        """Ask the last question again, also one that is still being typed."""
        self.search(self._query, at_once=True)

    def cancel(self) -> None:
        """Stop the search that runs; its results are not wanted any more."""
        self._first = None
        self.stop_typed()
        for token in filter(None, (self._running, self._growing)):
            self._session.cancel(token)
            self._running = self._growing = None
            self.cancelled.emit()

    def leave_out(self, ids: Iterable[UUID]) -> None:
        """Show these documents no longer: they were removed, though results may still hold them."""
        self._removed.update(ids)

    def heed(self, news: Collection[DocumentNews]) -> None:
        """Leave out what was removed, by whomever, and show again what is there again: it was restored."""
        gone = {one.id for one in news if one.state is None}
        back = self._removed & {one.id for one in news if one.state is not None}
        self._removed = (self._removed | gone) - back
        if self._found is not None and (gone | back) & self._found.documents:
            self.filter_again()

    def filter_again(self, _ids: object = None) -> None:
        """Show the last results again, after documents were removed or put back."""
        if self._found is not None and self._running is None:
            self.results.emit(self._visible(self._found))

    def _show(self, found: "Found") -> None:
        self._running = None
        self._found = found.shown
        self._first = found if found.rest is not None else None
        self.results.emit(self._visible(found.shown))
        if found.rest is not None:
            self._grow()
        elif not found.shown.as_typed:
            self.found.emit(found)
        if not found.shown.groups and found.shown.filters:
            self._weighing = self._session.call(
                partial(costs_of, found), on_success=self._tell_costs, replaces="filter costs"
            )

    def _grow(self) -> None:
        """Fetch the others of a first page, if they are not there yet."""
        if self._first is None or self._first.rest is None:
            return
        self._growing = self._session.call(
            partial(search_rest, self._first, self._first.rest, self._readings),
            on_success=self._show_grown,
            on_error=self._fail,
            replaces="search",
        )

    def _show_grown(self, found: "Found") -> None:
        self._growing = self._first = None
        self._found = found.shown
        self.grown.emit(self._visible(found.shown))
        self.found.emit(found)

    def _tell_costs(self, costs: FilterCosts) -> None:
        self._weighing = None
        self.costs.emit(costs)

    def _forget_costs(self) -> None:
        if self._weighing is not None:
            self._session.cancel(self._weighing)
            self._weighing = None

    def _visible(self, found: SearchResults) -> SearchResults:
        groups = [group for group in found.groups if not self._is_out(group.document_id)]
        removed = len(found.groups) - len(groups)
        return replace(found, groups=tuple(map(self._without_removed, groups)), removed=removed)

    def _without_removed(self, group: ResultGroup) -> ResultGroup:
        """The group, without removed documents among the near-duplicates of its passages."""
        passages = tuple(
            replace(one, also_in=tuple(also for also in one.also_in if not self._is_out(also.document_id)))
            if any(self._is_out(also.document_id) for also in one.also_in)
            else one
            for one in group.passages
        )
        return replace(group, passages=passages)

    def _is_out(self, document_id: UUID) -> bool:
        return document_id in self._removed or self._is_hidden(document_id)

    def _fail(self, error: Exception) -> None:
        self._running = self._growing = self._first = None
        self._interrupted = isinstance(error, DatabaseUnreachableError)
        self.failed.emit(failure_of(error))
        if self._interrupted and self._session.is_open:  # opened again before this search noticed the loss
            self.again()

    def prepare(self, figures: LibraryFigures) -> None:
        """Load the model once there is something to find, so that the first question need not wait for it."""
        if figures.ready and not self._prepared:
            self._prepared = True
            self._session.call(
                lambda library, _task: library.prepare_search(),
                on_success=lambda _none: self.prepared.emit(),
                on_error=self._not_prepared,
                replaces="prepare",
            )

    def _not_prepared(self, error: Exception) -> None:
        # Nobody has asked anything yet; a search that cannot use the model says so itself.
        log.info("the model is not ready: %s", error)
        self._session.suspect(error)

    def _go_on(self) -> None:
        self._prepared, self._first = False, None
        if self._interrupted:
            self.again()
