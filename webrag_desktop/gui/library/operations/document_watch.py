"""Keeps what the window shows of its documents fresh: the list, its rows, the figures and the batch."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from uuid import UUID

from PySide6.QtCore import QObject, QTimer, Signal

from webrag_desktop.errors import DatabaseUnreachableError
from webrag_desktop.gui.data.library import DocumentDetails
from webrag_desktop.gui.data.view_data import (
    DocumentNews,
    DocumentRow,
    LibraryFigures,
    Listing,
)
from webrag_desktop.gui.library.operations.batch_meter import BatchMeter
from webrag_desktop.gui.library.operations.document_rows import (
    Listed,
    Narrowable,
    Refreshed,
    Wanted,
    details_of,
    ids_of,
    is_file,
    narrowable,
    refreshed,
    rows_of,
)
from webrag_desktop.gui.session.answer_order import AnswerOrder
from webrag_desktop.gui.session.background import Background
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.progress import SourceState

REFRESH_MILLISECONDS = 250
REST_MILLISECONDS = (
    400  # without another letter: a list narrowed in memory is compared with the database then
)
STRIP_MILLISECONDS = 5000  # how long the end of a batch is shown where nothing failed
MOST_ROWS_KEPT_FRESH = 200  # a view shows fewer


class DocumentWatch(QObject):
    """Loads what is visible, and loads it again when it has changed, at most four times a second."""

    listed = Signal(object)  # Listed
    rows = Signal(object)  # tuple[DocumentRow, ...]
    figures = Signal(object)  # LibraryFigures
    batch = Signal(object)  # BatchProgress | None
    details = Signal(object)  # DocumentDetails | None

    def __init__(
        self, session: LibrarySession, background: Background, parent: QObject | None = None
    ) -> None:
        """Watch the session's library."""
        super().__init__(parent)
        self._session = session
        self._background = background
        self._meter = BatchMeter()
        self._listing: Listing | None = None
        self._known: frozenset[int] = frozenset()
        self._narrowable: Narrowable | None = None
        self._preparing = False
        self._last: Listed | None = None
        self._requested: dict[UUID, None] = {}
        self._states: dict[UUID, SourceState | None] = {}
        self._hidden: dict[UUID, None] = {}
        self._lists = AnswerOrder()
        self._row_numbers = count(1)
        self._row_answers: dict[int, int] = {}  # by the key of a document, the number of what was shown last
        self._files: set[str] = set()
        self._detailed: UUID | None = None
        self._ready = 0
        self._stale_rows: set[UUID] = set()
        self._stale_list = self._stale_figures = self._refreshing = False
        self._soon = self._timer(REFRESH_MILLISECONDS, self._refresh)
        self._confirming = self._timer(REST_MILLISECONDS, self._confirm)
        self._strip = self._timer(STRIP_MILLISECONDS, self._end_batch)
        session.news.connect(self._heard)
        session.queue_changed.connect(self._refresh_all)

    def _timer(self, milliseconds: int, on_timeout: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(on_timeout)
        return timer

    @property
    def ready(self) -> int:
        """How many documents are ready, by the last figures."""
        return self._ready

    # -- What is visible --------------------------------------------------------------------------------------

    def list_documents(self, listing: Listing) -> None:
        """Emit the ids of a listing, and again whenever they change.

        What is only narrowed otherwise is found in memory at once; once typing rests, the database has the last word.
        """
        is_other, self._listing = self._listing != listing, listing
        held = self._narrowable
        if held is not None and is_other and held.holds(listing):
            self._session.call(
                lambda _library, _task: held.narrowed(listing),
                on_success=partial(self._show_narrowed, self._lists.ask()),
                replaces="listing",
            )
            self._confirming.start()
        else:
            self._session.call(
                partial(ids_of, listing),
                on_success=partial(self._show_found, self._lists.ask()),
                replaces="listing",
                repeat=True,
            )

    def _confirm(self) -> None:
        self._stale_list = True
        self._refresh_soon()

    def prepare_narrowing(self) -> None:
        """Have what is listed narrowed in memory from now on, as somebody is about to type."""
        if self._listing is not None and self._session.is_open and not self._preparing:
            self._preparing = True
            number = self._lists.ask()
            self._session.call(
                partial(narrowable, self._listing),
                on_success=partial(self._prepared, number),
                on_error=self._not_prepared,
                on_cancel=partial(self._prepared, number),
            )

    def _prepared(self, number: int, held: Narrowable | None = None) -> None:
        self._preparing = False
        self._narrowable = None if self._lists.is_outdated(number) else held

    def _not_prepared(self, error: Exception) -> None:
        self._preparing, self._narrowable = False, None
        self._not_refreshed(error)

    def _show_found(self, number: int, listed: Listed) -> None:
        """Show what the database has found; where memory did not know of that, it is prepared again.

        A list that was overtaken would hide what is new, or show what was removed meanwhile.
        """
        if not self._lists.answer(number):
            return
        held, before = self._narrowable, self._last
        if held is not None and not listed.listing.containing:
            self._narrowable = held.of(listed)
        elif listed.listing.containing and listed.listing == self._listing and before != listed:
            self.prepare_narrowing()
        self._show_list(listed)

    def _show_narrowed(self, number: int, listed: Listed) -> None:
        if not self._lists.is_overtaken(number):
            self._show_list(listed)

    def _show_list(self, listed: Listed) -> None:
        if listed.listing == self._listing:
            # Groups count what is listed; their list leaves out by itself what is hidden.
            self._last = listed
            shown = listed if listed.groups else listed.without({id_.int for id_ in self._hidden})
            self._known = shown.known
            self.listed.emit(shown)

    def fetch_rows(self, ids: Iterable[UUID]) -> None:
        """Emit these rows; they are kept fresh while they are among the last requested."""
        wanted = tuple(ids)
        for id_ in wanted:
            self._requested.pop(id_, None)
            self._requested[id_] = None
        for id_ in list(self._requested)[:-MOST_ROWS_KEPT_FRESH]:
            del self._requested[id_]
        if wanted:
            show = partial(self._show_rows, next(self._row_numbers))
            self._session.call(partial(rows_of, wanted), on_success=show, repeat=True)

    def _show_rows(self, number: int, found: tuple[DocumentRow, ...]) -> None:
        rows = tuple(row for row in found if self._row_answers.get(row.id.int, 0) <= number)
        self._row_answers.update((row.id.int, number) for row in rows)
        self._files.update(row.address for row in rows if is_file(row.address))
        if rows:
            self.rows.emit(rows)

    def owns_file(self, address: str) -> bool:
        """Whether a file's address is that of a document which was shown."""
        return address in self._files

    def fetch_details(self, document_id: UUID | None) -> None:
        """Emit the details of a document, and again when its state changes; None ends that."""
        self._detailed = document_id
        if document_id is not None:
            self._session.call(
                partial(details_of, document_id),
                on_success=partial(self._show_details, document_id),
                replaces="details",
                repeat=True,
            )

    def _show_details(self, document_id: UUID, details: DocumentDetails | None) -> None:
        if document_id == self._detailed:
            self.details.emit(details)

    def refresh_figures(self, *, lists: bool = False) -> None:
        """Emit the library's figures, soon; with ``lists`` the listing, too: labels or collections changed."""
        self._stale_list = self._stale_list or lists
        self._stale_figures = True
        self._refresh_soon()

    def _refresh_all(self) -> None:
        """The queue was paused or resumed; or news is heard from now on, and some may have been missed before."""
        self._stale_list = True
        self._narrowable = None
        self._stale_rows.update(self._requested)
        self.refresh_figures()

    # -- What is out of sight ---------------------------------------------------------------------------------

    def hide(self, ids: Iterable[UUID]) -> None:
        """Leave documents out of lists and figures."""
        self._hidden.update(dict.fromkeys(ids))
        self.refresh_figures()

    def unhide(self, ids: Iterable[UUID]) -> None:
        """Show them again, or forget them because they are gone."""
        for id_ in ids:
            self._hidden.pop(id_, None)
        self._lists.outdate()  # what is on its way may still have what was hidden until now
        self._narrowable = None
        self._stale_list = True
        self.refresh_figures()

    def is_hidden(self, document_id: UUID) -> bool:
        """Whether it is left out."""
        return document_id in self._hidden

    # -- What happens -----------------------------------------------------------------------------------------

    def _heard(self, news: tuple[DocumentNews, ...]) -> None:
        self._meter.heard(news)
        moved = [one for one in news if self._states.get(one.id, "") != one.state]
        if not moved:
            return
        self._states.update((one.id, one.state) for one in moved)
        # Waiting documents have moved up, too.
        waiting = [id_ for id_ in self._requested if self._states.get(id_, "queued") == "queued"]
        self._stale_rows.update(waiting, (one.id for one in moved if one.id in self._requested))
        self._stale_list = self._stale_list or any(map(self._moves_list, moved))
        self._stale_figures = True
        self._refresh_soon()
        if any(one.id == self._detailed for one in moved):
            self.fetch_details(self._detailed)

    def _moves_list(self, news: DocumentNews) -> bool:
        """Whether the list may hold other documents now, or in another order."""
        if self._listing is None:
            return False
        if news.state is None or news.id.int not in self._known:
            return True
        listing = self._listing
        return (
            listing.group != "all" or listing.sort != "added" or bool(listing.containing or listing.grouping)
        )

    def _refresh_soon(self) -> None:
        if not self._refreshing and not self._soon.isActive():
            self._soon.start()

    def _refresh(self) -> None:
        if not self._session.is_open or self._refreshing:
            return  # everything is loaded again once it is open
        wanted = Wanted(
            self._listing if self._stale_list else None,
            tuple(self._stale_rows),
            tuple(self._hidden),
            self._stale_figures,
        )
        self._stale_rows.clear()
        self._stale_list = self._stale_figures = False
        self._refreshing = True
        numbers = self._lists.ask(), next(self._row_numbers)
        self._session.call(
            partial(refreshed, wanted),
            on_success=partial(self._show_refreshed, *numbers),
            on_error=partial(self._refresh_failed, wanted),
        )

    def _show_refreshed(self, list_number: int, row_number: int, fresh: Refreshed) -> None:
        self._refreshing = False
        if fresh.listed is not None:
            self._show_found(list_number, fresh.listed)
        self._show_rows(row_number, fresh.rows)
        if fresh.figures is not None:
            self._show_figures(fresh.figures)
        if self._stale_list or self._stale_rows or self._stale_figures:
            self._refresh_soon()

    def _refresh_failed(self, wanted: Wanted, error: Exception) -> None:
        """Leave what was wanted to the next refresh."""
        self._stale_list = self._stale_list or wanted.listing is not None
        self._stale_figures = self._stale_figures or wanted.figures
        self._stale_rows.update(wanted.rows)
        self._not_refreshed(error)

    def _not_refreshed(self, error: Exception) -> None:
        self._refreshing = False
        if not isinstance(error, DatabaseUnreachableError):  # the session reports that
            self._background.failed.emit(error)

    def _show_figures(self, figures: LibraryFigures) -> None:
        self._ready = figures.ready
        self.figures.emit(figures)
        progress = self._meter.progress(figures)
        self.batch.emit(progress)
        if progress is None or progress.open:
            self._strip.stop()
            return
        self._states.clear()
        if not progress.failed and not self._strip.isActive():
            self._strip.start()

    def _end_batch(self) -> None:
        self._meter.forget()
        self.batch.emit(None)
