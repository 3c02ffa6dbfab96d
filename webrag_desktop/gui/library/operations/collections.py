"""The tree of collections: made, renamed, nested, coloured, deleted and filled; what loses something can be undone."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.kit.quantities import documents
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import UndoStack
from webrag_desktop.models.sources import CollectionColour, CollectionRow, DeletedCollection

if TYPE_CHECKING:
    from webrag_desktop import Library


@dataclass(frozen=True, slots=True)
class _Moved:
    """A collection that was put elsewhere, and where it was."""

    row: CollectionRow
    before: UUID | None


@dataclass(frozen=True, slots=True)
class _Filled:
    """Documents that came into a collection."""

    name: str
    ids: tuple[UUID, ...]


class CollectionOperations(QObject):
    """Collections of the session's library."""

    made = Signal(object)  # UUID of a new collection, which has no name of its own yet
    changed = Signal()  # names, places, colours or contents
    noticed = Signal(object)  # Notice
    failed = Signal(object)  # Failure

    def __init__(self, session: LibrarySession, undo: UndoStack, parent: QObject | None = None) -> None:
        """Changes can be taken back through ``undo``."""
        super().__init__(parent)
        self._session = session
        self._undo = undo

    def create(self, name: str, parent_id: UUID | None) -> None:
        """Make a collection, at the top or within another one."""
        self._call(lambda library, _task: library.labels.create_collection(name, parent_id), self._made)

    def rename(self, collection: UUID, name: str) -> None:
        """Give a collection another name."""
        self._call(lambda library, _task: library.labels.rename_collection(collection, name))

    def colour(self, collection: UUID, colour: CollectionColour | None) -> None:
        """Give a collection a colour, or none."""
        self._call(lambda library, _task: library.labels.colour_collection(collection, colour))

    def nest(self, collection: UUID, parent_id: UUID | None) -> None:
        """Put a collection into another one, or to the top."""
        self._call(partial(_nest, collection, parent_id), self._nested)

    def delete(self, collection: UUID) -> None:
        """Delete a collection; its documents stay."""
        self._call(lambda library, _task: library.labels.delete_collection(collection), self._deleted)

    def put(self, ids: tuple[UUID, ...], collection: UUID) -> None:
        """Put documents into a collection."""
        self._call(partial(_put, ids, collection), self._filled)

    # -- What came of it --------------------------------------------------------------------------------------

    def _call(
        self, work: "Callable[[Library, Task], Any]", then: Callable[[Any], None] | None = None
    ) -> None:
        self._session.call(work, on_success=partial(self._done, then), on_error=self._fail, by_user=True)

    def _done(self, then: Callable[[Any], None] | None, outcome: Any) -> None:
        if then is not None:
            then(outcome)
        self.changed.emit()

    def _made(self, row: CollectionRow) -> None:
        self.made.emit(row.id)

    def _nested(self, moved: _Moved) -> None:
        self._offer(
            self.tr("“{0}” moved.").format(moved.row.name),
            lambda library, _task: library.labels.nest_collection(moved.row.id, moved.before),
        )

    def _deleted(self, deleted: DeletedCollection) -> None:
        kept = documents(len(deleted.members))
        text = self.tr("Collection “{0}” deleted. {1} stay in the library.").format(deleted.row.name, kept)
        if len(deleted.members) == 1:
            text = self.tr("Collection “{0}” deleted. Its document stays in the library.").format(
                deleted.row.name
            )
        if not deleted.members:
            text = self.tr("Collection “{0}” deleted.").format(deleted.row.name)
        self._offer(text, lambda library, _task: library.labels.restore_collection(deleted))

    def _filled(self, filled: _Filled) -> None:
        if not filled.ids:
            return
        self._offer(
            self.tr("{0} added to “{1}”.").format(documents(len(filled.ids)), filled.name),
            partial(_take_out, filled),
        )

    def _offer(self, text: str, back: "Callable[[Library, Task], None]") -> None:
        """Say what was done, and offer to take it back."""
        self.noticed.emit(self._undo.push(text, partial(self._call, back)))

    def _fail(self, error: Exception) -> None:
        self.failed.emit(failure_of(error))
        self.changed.emit()  # what is shown may be older than what was refused


# -- In the background --------------------------------------------------------------------------------------------


def _nest(collection: UUID, parent_id: UUID | None, library: "Library", _task: Task) -> _Moved:
    row = next((one for one in library.labels.collections() if one.id == collection), None)
    library.labels.nest_collection(collection, parent_id)
    assert row is not None  # or it could not have been put elsewhere
    return _Moved(row, row.parent_id)


def _put(ids: tuple[UUID, ...], collection: UUID, library: "Library", _task: Task) -> _Filled:
    """Put documents into a collection; those that were in it already are left out of what can be taken back."""
    from webrag_desktop.models.sources import NO_LABELS, Labels

    name = next((one.name for one in library.labels.collections() if one.id == collection), None)
    if name is None:
        return _Filled("", ())
    before = library.labels.of_all(ids)
    new = tuple(id_ for id_ in ids if id_ in before and name not in before[id_].collections)
    library.labels.change(new, Labels.of(collections=[name]), NO_LABELS)
    return _Filled(name, new)


def _take_out(filled: _Filled, library: "Library", _task: Task) -> None:
    from webrag_desktop.models.sources import NO_LABELS, Labels

    library.labels.change(filled.ids, NO_LABELS, Labels.of(collections=[filled.name]))
