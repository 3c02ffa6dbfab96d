"""Operations on documents: list, add, retry, stop, pause, remove, and undo."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from PySide6.QtCore import QObject, QTimer, Signal

from webrag_desktop.errors import DatabaseUnreachableError, WebragError
from webrag_desktop.gui.data.import_report import Unlinked
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.kit.quantities import plural
from webrag_desktop.gui.library.operations.adding import (
    NOTHING_GIVEN,
    Given,
    add,
    added_sentences,
    attention_sentence,
    keep,
    kept_sentences,
    take_in,
)
from webrag_desktop.gui.library.operations.bin import BinOperations
from webrag_desktop.gui.library.operations.document_rows import Listed
from webrag_desktop.gui.library.operations.document_watch import DocumentWatch
from webrag_desktop.gui.library.operations.import_report import ImportFollower
from webrag_desktop.gui.session.background import Background, Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import Notice, UndoStack
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.gui.adding.dropped import Dropped

__all__ = ["DocumentOperations", "Listed", "Notice"]


def _retry_failed(library: "Library", _task: Task) -> int:
    failed = library.documents.listing("attention")
    states = library.documents.rows(failed)
    return library.queue.retry([id_ for id_ in failed if id_ in states and states[id_].state == "failed"])


class DocumentOperations(QObject):
    """Documents of the session's library. Changes are emitted at most four times a second."""

    listed = Signal(object)  # Listed
    rows = Signal(object)  # tuple[DocumentRow, ...]
    figures = Signal(object)  # LibraryFigures
    batch = Signal(object)  # BatchProgress | None
    details = Signal(object)  # DocumentDetails | None
    noticed = Signal(object)  # Notice
    failed = Signal(object)  # Failure
    hidden = Signal(object)  # tuple[UUID, ...]: being removed
    unhidden = Signal(object)  # tuple[UUID, ...]: it failed
    removed = Signal(object)  # tuple[UUID, ...]: in the bin, or deleted
    report = Signal(object)  # ImportReport: of what was added last
    report_wanted = Signal()

    def __init__(
        self,
        session: LibrarySession,
        background: Background,
        undo: UndoStack | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Share ``undo`` with whatever else can be taken back."""
        super().__init__(parent)
        self._session = session
        self._background = background
        self._undo = undo or UndoStack(self)
        self._watch = DocumentWatch(session, background, self)
        for signal, passed_on in (
            (self._watch.listed, self.listed),
            (self._watch.rows, self.rows),
            (self._watch.figures, self.figures),
            (self._watch.batch, self.batch),
            (self._watch.details, self.details),
        ):
            signal.connect(passed_on)
        self.bin = BinOperations(session, background, self._undo, self._watch, self)
        for signal, passed_on in (
            (self.bin.hidden, self.hidden),
            (self.bin.unhidden, self.unhidden),
            (self.bin.removed, self.removed),
            (self.bin.noticed, self.noticed),
            (self.bin.failed, self.failed),
        ):
            signal.connect(passed_on)
        session.closing.connect(self._undo.finish_all)
        self._imports = ImportFollower(session, self)
        self._imports.report.connect(self.report)
        self._ending = CancelToken()  # of adding: what is left over is on disk
        self._kept: frozenset[str] = frozenset()  # what is added later, as the user was notified
        self._taking_in = self._more_waits = False
        session.opened.connect(self._take_in_soon)
        session.closing.connect(self._ending.cancel)
        session.delayed.connect(self._report_delayed)
        session.waiting.connect(self._report_waiting)

    # -- Reading ----------------------------------------------------------------------------------------------

    def list_documents(self, listing: Listing) -> None:
        """Load the ids of a listing, and again whenever they change."""
        self._watch.list_documents(listing)

    def prepare_narrowing(self) -> None:
        """Have the list narrowed in memory, as somebody is about to type."""
        self._watch.prepare_narrowing()

    def fetch_rows(self, ids: Iterable[UUID]) -> None:
        """Load the rows of these documents; they are kept fresh while they are among the last requested."""
        self._watch.fetch_rows(ids)

    def refresh_figures(self, *, lists: bool = False) -> None:
        """Load the library's figures, soon; with ``lists`` what is listed, too."""
        self._watch.refresh_figures(lists=lists)

    def fetch_details(self, document_id: UUID | None) -> None:
        """Load the details of a document, and again when its state changes; None ends that."""
        self._watch.fetch_details(document_id)

    def owns_file(self, address: str) -> bool:
        """Whether a file's address is that of a document which was shown."""
        return self._watch.owns_file(address)

    # -- Adding -----------------------------------------------------------------------------------------------

    def inspect_dropped(self, seen: "Dropped", on_found: "Callable[[Dropped], None]") -> None:
        """Find out what can be added of what was dropped or pasted; its files may lie on a slow drive."""
        from webrag_desktop.gui.adding.dropped import looked_into

        self._background.run(lambda _task: looked_into(seen), on_success=on_found, own_thread="look")

    def add(
        self,
        given: Sequence[str],
        unlinked: Sequence[Unlinked] = (),
        collection: str = "",
        *,
        subresources: bool | None = None,
    ) -> None:
        """Take in addresses and files, durably: while the library is not open, beside it; into a collection, if one
        is named. ``unlinked`` came with them and cannot be added; ``subresources`` is as for :meth:`.Library.add`.
        """
        wanted, left = tuple(given), tuple(unlinked)
        if wanted and self._session.is_open:
            self._session.call(
                partial(add, wanted, collection, subresources, self._ending),
                on_success=partial(self._added, unlinked=left),
                on_error=partial(self._keep, wanted, left, collection=collection, subresources=subresources),
                essential=True,
                own_thread="add",
            )
        elif wanted:
            self._keep(wanted, left, self._session.not_open_error(), collection, subresources)
        elif left:
            self._added(NOTHING_GIVEN, unlinked=left)

    def _keep(
        self,
        given: tuple[str, ...],
        unlinked: tuple[Unlinked, ...],
        error: Exception,
        collection: str = "",
        subresources: bool | None = None,
    ) -> None:
        reason = error if isinstance(error, WebragError) else self._session.not_open_error()
        settings = self._session.settings
        self._background.run(
            lambda _task: keep(settings, given, collection, subresources, reason),
            on_success=partial(self._added, unlinked=unlinked),
            essential=True,
            own_thread="keep",
        )

    def _added(self, outcome: Given, unlinked: Sequence[Unlinked] = ()) -> None:
        """Say in one sentence what became of it; where something needs the user, the report says the rest."""
        if not outcome.count and not unlinked:
            return
        self._imports.begin()
        attention = self._imports.take(outcome, unlinked)
        parts = [
            added_sentences(outcome.accepted, outcome.kinds),
            kept_sentences(outcome.kept, outcome.kinds) if outcome.kept else "",
            attention_sentence(outcome.refused, unlinked),
        ]
        added = tuple(one.source_id for one in outcome.accepted if one.verdict == "added")
        self._report_added(" ".join(filter(None, parts)), added, attention > 0)
        if outcome.kept:
            self._session.suspect(outcome.kept[0].error)
            self._kept |= {one.given for one in outcome.kept}
            self._take_in()  # it may have been opened in this very moment

    def _take_in_soon(self) -> None:
        """However much waits beside the library, what is in it is listed first."""
        QTimer.singleShot(0, self, self._take_in)

    def _take_in(self) -> None:
        if not self._session.is_open:
            return  # it is done when it is
        self._more_waits = self._taking_in
        if not self._taking_in:
            self._taking_in = True
            self._session.call(
                partial(take_in, self._kept),
                on_success=partial(self._taken_in, self._kept),
                on_error=self._not_taken_in,
                own_thread="take in",
            )

    def _taken_in(self, kept: frozenset[str], outcome: Given) -> None:
        self._taking_in = False
        self._kept -= kept
        self._added(outcome)
        if self._more_waits:
            self._take_in()

    def _not_taken_in(self, error: Exception) -> None:
        self._taking_in = False
        if not isinstance(error, DatabaseUnreachableError):  # the session reports that, and opens it again
            self._refused(error)
        if self._more_waits:  # opened again meanwhile, or given more
            self._take_in()

    def _report_added(self, text: str, added: tuple[UUID, ...], reported: bool) -> None:
        notice = self._undo.push(text, partial(self.bin.take_back_adding, added)) if added else Notice(text)
        if reported:
            notice = replace(notice, way=self.tr("Show report"), on_way=self.report_wanted.emit)
        self.noticed.emit(notice)

    # -- The queue --------------------------------------------------------------------------------------------

    def _request(self, call: Callable[["Library", Task], Any], on_success: Callable[[Any], None]) -> None:
        self._session.call(call, on_success=on_success, on_error=self._refused, by_user=True)

    def retry(self, ids: Iterable[UUID]) -> None:
        """Queue again what failed or was stopped."""
        wanted = tuple(ids)
        self._request(lambda library, _task: library.queue.retry(wanted), self._moved)

    def retry_all(self) -> None:
        """Queue again everything that failed; one sentence says how much that is."""
        self._request(_retry_failed, self._retried)

    def _retried(self, count: int) -> None:
        one, many = self.tr("1 document is tried again."), self.tr("{0} documents are tried again.")
        self.noticed.emit(Notice(plural(count, one, many) if count else self.tr("Nothing has failed.")))
        self.refresh_figures()

    def reread(self, ids: Iterable[UUID]) -> None:
        """Queue the reading of what was kept of these, without the network; it can be taken back."""
        wanted = tuple(ids)
        self._request(
            lambda library, _task: library.documents.reextract(wanted), partial(self._rereading, len(wanted))
        )

    def _rereading(self, asked: int, queued: Sequence[UUID]) -> None:
        missing = asked - len(queued)
        parts = []
        if queued:
            parts.append(
                plural(
                    len(queued),
                    self.tr("1 kept copy is read again."),
                    self.tr("{0} kept copies are read again."),
                )
            )
        if missing:
            parts.append(
                plural(
                    missing,
                    self.tr("Nothing was kept of 1 document."),
                    self.tr("Nothing was kept of {0} documents."),
                )
            )
        text = " ".join(parts)
        if queued:
            self.noticed.emit(self._undo.push(text, partial(self.cancel, tuple(queued))))
        elif text:
            self.noticed.emit(Notice(text))
        self.refresh_figures()

    def cancel(self, ids: Iterable[UUID]) -> None:
        """Stop the work on these documents; it can be taken back."""
        self._cancel(tuple(ids))

    def cancel_all(self) -> None:
        """Stop all work; what is ready stays."""
        self._cancel(None)

    def _cancel(self, ids: tuple[UUID, ...] | None) -> None:
        self._request(lambda library, _task: library.queue.cancel(ids), self._cancelled)

    def _cancelled(self, stopped: Sequence[UUID]) -> None:
        if stopped:
            text = plural(len(stopped), self.tr("1 document stopped."), self.tr("{0} documents stopped."))
            self.noticed.emit(
                self._undo.push(f"{text} {self._what_stays()}".rstrip(), partial(self.retry, tuple(stopped)))
            )
        self.refresh_figures()

    def _what_stays(self) -> str:
        ready = self._watch.ready
        if not ready:
            return ""
        return plural(ready, self.tr("The one that is ready stays."), self.tr("The {0} that are ready stay."))

    def pause(self) -> None:
        """Let nothing be read until :meth:`resume`; adding and searching go on."""
        self._request(lambda library, _task: library.queue.pause(), self._moved)

    def resume(self) -> None:
        """Go on with what waits."""
        self._request(lambda library, _task: library.queue.resume(), self._moved)

    def _report_delayed(self) -> None:
        text = self.tr("Your library is not open at the moment. This is done as soon as it is.")
        self.noticed.emit(Notice(text))

    def _report_waiting(self) -> None:
        self.noticed.emit(Notice(self.tr("Still waiting for the database, which does not answer yet.")))

    def _moved(self, _outcome: object) -> None:
        self.refresh_figures()

    def _refused(self, error: Exception) -> None:
        self.failed.emit(failure_of(error))

    # -- Removing ---------------------------------------------------------------------------------------------

    def remove(self, ids: Iterable[UUID]) -> None:
        """Put documents into the bin; see :meth:`.BinOperations.remove`."""
        self.bin.remove(ids)

    def is_hidden(self, document_id: UUID) -> bool:
        """Whether it is being removed."""
        return self._watch.is_hidden(document_id)

    def undo(self) -> None:
        """Take back what was done last."""
        self._undo.undo()
