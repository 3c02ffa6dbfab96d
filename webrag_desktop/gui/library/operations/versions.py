"""A document over time: its versions, differences as they are read, history, and the schedule of checks."""

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.library.document_words import every_sentence
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import UndoStack

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.gui.data.texts import DocumentHistory, DocumentTexts, TextDifference


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
        """Load the versions of a document; None: of none any more."""
        self._wanted = document_id
        if document_id is not None:
            self._session.call(
                partial(_texts_of, document_id),
                on_success=self._show_texts,
                on_error=self._fail,
                replaces="texts",
                repeat=True,
            )

    def _show_texts(self, texts: "DocumentTexts") -> None:
        if texts.document_id == self._wanted:
            self.texts.emit(texts)

    def compare(self, document_id: UUID, before: UUID | None = None, after: UUID | None = None) -> None:
        """Load the differences between two versions: by default the one shown and the one before it."""
        self._session.call(
            partial(_difference_of, document_id, before, after),
            on_success=self.difference.emit,
            on_error=self._fail,
            replaces="difference",
            repeat=True,
            by_user=True,
            own_thread="difference",
        )

    def fetch_history(self, document_id: UUID) -> None:
        """Load the history of a document."""
        self._session.call(
            partial(_history_of, document_id),
            on_success=self.history.emit,
            on_error=self._fail,
            replaces="history",
            repeat=True,
            by_user=True,
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
            by_user=True,
        )

    def _scheduled(self, document_id: UUID | None, every: Earlier, again: bool, earlier: Earlier) -> None:
        self.fetch(self._wanted)
        if not again and earlier != every:
            text = every_sentence(every, of_library=document_id is None)
            undo = partial(self._set, document_id, earlier, again=True)
            self.noticed.emit(self._undo.push(text, undo))

    def _fail(self, error: Exception) -> None:
        self.failed.emit(failure_of(error))


# What finds them, and their data, are imported where something is first asked for.


def _texts_of(document_id: UUID, library: "Library", task: Task) -> "DocumentTexts":
    from webrag_desktop.gui.library.operations.version_texts import texts_of

    return texts_of(document_id, library, task)


def _difference_of(
    document_id: UUID, before: UUID | None, after: UUID | None, library: "Library", task: Task
) -> "TextDifference":
    from webrag_desktop.gui.library.operations.version_texts import difference_of

    return difference_of(document_id, before, after, library, task)


def _history_of(document_id: UUID, library: "Library", task: Task) -> "DocumentHistory":
    from webrag_desktop.gui.library.operations.version_texts import history_of

    return history_of(document_id, library, task)


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
