"""The history of searches, and searches with a name: kept in the library, with what is new for each."""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.errors import Cancelled, DatabaseUnreachableError, WebragError
from webrag_desktop.gui.data.filters import ChosenFilters, restored_filters, stored_filters
from webrag_desktop.gui.data.questions import PastSearch, SavedSearch
from webrag_desktop.gui.data.view_data import LibraryFigures
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import Notice, UndoStack

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.models.searches import KeptSearch, RemovedSearch

T = TypeVar("T")
log = logging.getLogger(__name__)

HISTORY_SHOWN = 200  # that the query box completes from


class KeptSearchOperations(QObject):
    """Searches of the session's library. What is new is counted in the background, once nothing is being read."""

    history = Signal(object)  # tuple[PastSearch, ...], newest first
    saved = Signal(object)  # tuple[SavedSearch, ...], by name
    opened = Signal(object)  # SavedSearch: the user wants its results
    noticed = Signal(object)  # Notice
    failed = Signal(object)  # Failure

    def __init__(self, session: LibrarySession, undo: UndoStack, parent: QObject | None = None) -> None:
        """Nothing is asked before the library is open."""
        super().__init__(parent)
        self._session = session
        self._undo = undo
        self._saved: tuple[SavedSearch, ...] = ()
        self._names: dict[UUID, str] | None = None  # of collections, which filters name
        self._is_stale = True  # documents came or changed since what is new was counted
        self._is_counting = False
        session.news.connect(self._note_news)
        session.opened.connect(self._note_opened)

    def _note_news(self, _news: object) -> None:
        self._is_stale = True

    def _note_opened(self) -> None:
        self._is_stale = True
        self.fetch()

    # -- What there is ----------------------------------------------------------------------------------------

    def fetch(self) -> None:
        """Load the history and what has a name."""
        self._fetch_history()
        self.fetch_saved()

    def _fetch_history(self) -> None:
        self._call(
            lambda library: library.searches.history(HISTORY_SHOWN), self._show_history, "search history"
        )

    def fetch_saved(self) -> None:
        """Load what has a name."""
        self._call(lambda library: library.searches.saved(), self._show_saved, "saved searches")

    def _show_history(self, kept: "list[KeptSearch]") -> None:
        self.history.emit(
            tuple(PastSearch(one.id, one.question, restored_filters(one.filters)) for one in kept)
        )

    def _show_saved(self, kept: "list[KeptSearch]") -> None:
        known = {one.id: one.new for one in self._saved}
        self._saved = tuple(
            SavedSearch(
                one.id, one.name or "", one.question, restored_filters(one.filters), known.get(one.id)
            )
            for one in kept
        )
        self.saved.emit(self._saved)
        if any(one.new is None for one in self._saved):
            self._count()

    # -- The history ------------------------------------------------------------------------------------------

    def note(self, question: str, filters: ChosenFilters) -> None:
        """Put what the user searches for into the history."""
        if question.strip():
            self._call(partial(_note, question, filters), lambda _none: self._fetch_history())

    def clear_history(self) -> None:
        """Forget what was searched for; what has a name stays."""
        self._call(lambda library: library.searches.clear(), self._tell_cleared)

    def _tell_cleared(self, count: int) -> None:
        self._fetch_history()
        text = (
            self.tr("The search history is empty.")
            if not count
            else self.tr("The search history is forgotten.")
        )
        self.noticed.emit(Notice(text))

    # -- With a name ------------------------------------------------------------------------------------------

    def save(self, name: str, question: str, filters: ChosenFilters) -> None:
        """Keep a search under a name."""
        self._call(
            lambda library: library.searches.save(name, question, stored_filters(filters)),
            lambda kept: self._tell_changed(self.tr("“{0}” is in the sidebar.").format(kept.name)),
        )

    def rename(self, search_id: UUID, name: str) -> None:
        """Give a search another name."""
        self._call(lambda library: library.searches.rename(search_id, name), lambda _none: self.fetch_saved())

    def remove(self, search_id: UUID) -> None:
        """Delete a search; that can be undone."""
        self._call(lambda library: library.searches.remove(search_id), self._tell_removed)

    def _tell_removed(self, kept: "RemovedSearch") -> None:
        self.fetch_saved()
        text = self.tr("The search “{0}” is deleted.").format(kept.name or kept.question)
        self.noticed.emit(self._undo.push(text, partial(self._put_back, kept)))

    def _put_back(self, kept: "RemovedSearch") -> None:
        self._call(lambda library: library.searches.put_back(kept), lambda _none: self.fetch_saved())

    def _tell_changed(self, sentence: str) -> None:
        self.fetch_saved()
        self.noticed.emit(Notice(sentence))

    def open(self, search_id: UUID) -> None:
        """The user looks at the results of a search: nothing of it is new any more."""
        found = next((one for one in self._saved if one.id == search_id), None)
        if found is None:
            return
        self.opened.emit(found)
        self._call(lambda library: library.searches.mark_seen(search_id), lambda _none: self._seen(search_id))

    def _seen(self, search_id: UUID) -> None:
        self._set_new(search_id, 0)
        if self._is_counting:  # it may have been counted before it was seen
            self._count()

    # -- What is new ------------------------------------------------------------------------------------------

    def note_figures(self, figures: LibraryFigures) -> None:
        """Count what is new once nothing is being read; load what is kept where collections have other names."""
        before, self._names = self._names, {one.id: one.name for one in figures.collections}
        if before is not None and any(before.get(id_, name) != name for id_, name in self._names.items()):
            self.fetch()
        if self._is_stale and not figures.working and not figures.waiting:
            self._count()

    def _count(self) -> None:
        self._is_stale = False
        if self._saved:
            ids = tuple(one.id for one in self._saved)
            self._is_counting = True
            self._session.call(
                partial(_counted, ids),
                on_success=self._show_counts,
                on_error=self._not_counted,
                replaces="new results",
            )

    def _show_counts(self, counts: dict[UUID, int]) -> None:
        self._is_counting = False
        for search_id, count in counts.items():
            self._set_new(search_id, count)

    def _not_counted(self, error: Exception) -> None:
        # Counted again when documents come or the library is opened again.
        self._is_counting = False
        log.info("what is new for saved searches is not known: %s", error)

    def _set_new(self, search_id: UUID, count: int) -> None:
        changed = tuple(replace(one, new=count) if one.id == search_id else one for one in self._saved)
        if changed != self._saved:
            self._saved = changed
            self.saved.emit(changed)

    def _call(
        self, work: "Callable[[Library], T]", on_success: Callable[[T], None], replaces: str = ""
    ) -> None:
        self._session.call(
            lambda library, _task: work(library),
            on_success=on_success,
            on_error=lambda error: self.failed.emit(failure_of(error)),
            replaces=replaces,
            repeat=bool(replaces),
        )


def _note(question: str, filters: ChosenFilters, library: "Library") -> None:
    library.searches.note(question, stored_filters(filters))


def _counted(ids: tuple[UUID, ...], library: "Library", task: Task) -> dict[UUID, int]:
    counts = {}
    for search_id in ids:
        task.cancel.raise_if_cancelled()
        try:
            counts[search_id] = library.searches.count_new(search_id, task.cancel)
        except (Cancelled, DatabaseUnreachableError):
            raise
        except WebragError as error:  # nobody asked for it: the search says why when it is opened
            log.info("what is new for a saved search is not known: %s", error)
    return counts
