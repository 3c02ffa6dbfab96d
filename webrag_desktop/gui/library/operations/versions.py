"""A document over time: its texts, what changed between them, what happened to it, how often it is looked at."""

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.versions import (
    DocumentHistory,
    DocumentTexts,
    HistoryEntry,
    TextDifference,
    TextVersion,
)
from webrag_desktop.gui.library.schedule_words import every_sentence
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import UndoStack

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.models.versions import VersionRow

Earlier = timedelta | None


class VersionOperations(QObject):
    """Looks at what became of documents of the session's library, in the background."""

    texts = Signal(object)  # DocumentTexts: of the document asked for last
    difference = Signal(object)  # TextDifference
    history = Signal(object)  # DocumentHistory
    noticed = Signal(object)  # Notice
    failed = Signal(object)  # Failure

    def __init__(self, session: LibrarySession, undo: UndoStack, parent: QObject | None = None) -> None:
        """Changes of a schedule can be taken back through ``undo``."""
        super().__init__(parent)
        self._session = session
        self._undo = undo
        self._wanted: UUID | None = None

    def fetch(self, document_id: UUID | None) -> None:
        """Have the texts of a document told; None: of none any more."""
        self._wanted = document_id
        if document_id is not None:
            self._session.call(
                partial(_texts_of, document_id),
                on_success=self._show_texts,
                on_error=self._fail,
                replaces="texts",
                repeat=True,
            )

    def _show_texts(self, texts: DocumentTexts) -> None:
        if texts.document_id == self._wanted:
            self.texts.emit(texts)

    def compare(self, document_id: UUID, before: UUID | None = None, after: UUID | None = None) -> None:
        """Have told what changed from one text to another: by default to the one shown, from the one before it."""
        self._session.call(
            partial(_difference_of, document_id, before, after),
            on_success=self.difference.emit,
            on_error=self._fail,
            replaces="difference",
            repeat=True,
            asked_for=True,
            own_thread="difference",
        )

    def look_back(self, document_id: UUID) -> None:
        """Have told what happened to a document."""
        self._session.call(
            partial(_history_of, document_id),
            on_success=self.history.emit,
            on_error=self._fail,
            replaces="history",
            repeat=True,
            asked_for=True,
        )

    # -- How often --------------------------------------------------------------------------------------------

    def schedule(self, document_id: UUID, every: timedelta | None) -> None:
        """Look at a document so often, never, or (None) as often as at the others; it can be taken back."""
        self._set(document_id, every)

    def schedule_library(self, every: timedelta | None) -> None:
        """Look at all documents so often, or (None) never, where they have no schedule of their own."""
        self._set(None, every)

    def _set(self, document_id: UUID | None, every: timedelta | None, *, again: bool = False) -> None:
        self._session.call(
            partial(_set_schedule, document_id, every),
            on_success=partial(self._scheduled, document_id, every, again),
            on_error=self._fail,
            asked_for=True,
        )

    def _scheduled(self, document_id: UUID | None, every: Earlier, again: bool, earlier: Earlier) -> None:
        self.fetch(self._wanted)
        if not again and earlier != every:
            text = every_sentence(every, of_library=document_id is None)
            undo = partial(self._set, document_id, earlier, again=True)
            self.noticed.emit(self._undo.push(text, undo))

    def _fail(self, error: Exception) -> None:
        self.failed.emit(failure_of(error))


def _texts_of(document_id: UUID, library: "Library", _task: Task) -> DocumentTexts:

    schedule = library.schedule.now()
    own = next((one.every for one in schedule.own if one.id == document_id), None)
    versions = tuple(map(_version, library.versions.of(document_id)))
    return DocumentTexts(document_id, versions, own, schedule.every)


def _version(row: "VersionRow") -> TextVersion:
    return TextVersion(row.id, row.number, row.reason, row.active, row.fetched_at, row.citations)


def _difference_of(
    document_id: UUID, before: UUID | None, after: UUID | None, library: "Library", task: Task
) -> TextDifference:
    from webrag_desktop.gui.library.operations.text_changes import text_changes

    versions = tuple(map(_version, library.versions.of(document_id)))
    numbers = {version.id: version.number for version in versions}
    found = library.versions.diff(
        document_id,
        None if before is None else numbers.get(before),
        None if after is None else numbers.get(after),
    )
    task.cancel.raise_if_cancelled()
    return TextDifference(
        document_id,
        _title_of(document_id, library),
        versions,
        _version(found.before),
        _version(found.after),
        text_changes(found, task.cancel),
        found.difference.coarse,
    )


def _history_of(document_id: UUID, library: "Library", _task: Task) -> DocumentHistory:
    entries = tuple(
        HistoryEntry(
            event.at, event.kind, event.reason or "", event.hint or "", event.until, event.number, event.size
        )
        for event in library.documents.history(document_id)
    )
    return DocumentHistory(document_id, _title_of(document_id, library), entries)


def _title_of(document_id: UUID, library: "Library") -> str:
    from webrag_desktop.gui.library.operations.document_rows import title_of

    source = library.documents.get(document_id)
    return title_of(source) if source is not None else ""


def _set_schedule(
    document_id: UUID | None, every: timedelta | None, library: "Library", _task: Task
) -> timedelta | None:
    """Set it; what it was before."""

    schedule = library.schedule.now()
    if document_id is None:
        library.schedule.set(every)
        return schedule.every
    library.schedule.set(every, [document_id])
    return next((one.every for one in schedule.own if one.id == document_id), None)
