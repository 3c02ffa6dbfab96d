"""Tags and collections: shown and changed for several documents at once; a change can be undone."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.library import DocumentLabels, LabelChange, LabelNames, LabelUse
from webrag_desktop.gui.kit.quantities import plural
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import UndoStack

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.models.sources import CollectionRow, LabelCount, Labels


class LabelOperations(QObject):
    """Labels of documents of the session's library."""

    labels = Signal(object)  # DocumentLabels: of the documents asked for last
    changed = Signal()
    noticed = Signal(object)  # Notice
    failed = Signal(object)  # Failure

    def __init__(self, session: LibrarySession, undo: UndoStack, parent: QObject | None = None) -> None:
        """Changes can be taken back through ``undo``."""
        super().__init__(parent)
        self._session = session
        self._undo = undo

    def fetch(self, ids: Iterable[UUID]) -> None:
        """Load the labels of these documents."""
        self._session.call(
            partial(_labels_of, tuple(ids)),
            on_success=self.labels.emit,
            on_error=self._fail,
            replaces="labels",
            repeat=True,
            by_user=True,
        )

    def change(self, change: LabelChange) -> None:
        """Give documents labels and take others from them, all or nothing."""
        if change:
            self._session.call(
                partial(_change, change),
                on_success=partial(self._done, len(change.ids)),
                on_error=self._fail,
                by_user=True,
            )

    def _done(self, count: int, back: tuple[LabelChange, ...]) -> None:
        self.changed.emit()
        if back:
            text = plural(
                count,
                self.tr("Tags and collections of 1 document changed."),
                self.tr("Tags and collections of {0} documents changed."),
            )
            self.noticed.emit(self._undo.push(text, partial(self._take_back, back)))

    def _take_back(self, changes: tuple[LabelChange, ...]) -> None:
        self._session.call(
            partial(_change_all, changes),
            on_success=lambda _none: self.changed.emit(),
            on_error=self._fail,
            by_user=True,
        )

    def _fail(self, error: Exception) -> None:
        self.failed.emit(failure_of(error))


def _labels_of(ids: tuple[UUID, ...], library: "Library", _task: Task) -> DocumentLabels:
    from webrag_desktop.gui.library.operations.document_rows import title_of

    found = library.labels.of_all(ids)
    single = library.documents.get(ids[0]) if len(ids) == 1 else None
    return DocumentLabels(
        tuple(id_ for id_ in ids if id_ in found),
        title_of(single) if single is not None else "",
        _uses(library.labels.tags(), [one.tags for one in found.values()]),
        _uses(library.labels.collections(), [one.collections for one in found.values()]),
    )


def _uses(
    known: "Iterable[LabelCount | CollectionRow]", of_documents: Iterable[tuple[str, ...]]
) -> tuple[LabelUse, ...]:
    had = [{name.lower() for name in names} for names in of_documents]
    return tuple(
        LabelUse(one.name, sum(one.name.lower() in names for names in had), one.documents) for one in known
    )


def _change(change: LabelChange, library: "Library", _task: Task) -> tuple[LabelChange, ...]:
    """Carry a change out; what takes it back."""
    before = library.labels.of_all(change.ids)
    _carry_out(change, library)
    return tuple(_reverse(change, before))


def _change_all(changes: tuple[LabelChange, ...], library: "Library", _task: Task) -> None:
    for change in changes:
        _carry_out(change, library)


def _carry_out(change: LabelChange, library: "Library") -> None:
    from webrag_desktop.models.sources import Labels

    library.labels.change(
        change.ids,
        Labels.of(change.add.tags, change.add.collections),
        Labels.of(change.remove.tags, change.remove.collections),
    )


def _reverse(change: LabelChange, before: "Mapping[UUID, Labels]") -> Iterator[LabelChange]:
    """One step for each label: what was had, or not had, before is not the same for all documents."""
    tags = {id_: {name.lower() for name in labels.tags} for id_, labels in before.items()}
    collections = {id_: {name.lower() for name in labels.collections} for id_, labels in before.items()}
    for had, name, one in (
        *((tags, name, LabelNames(tags=(name,))) for name in change.add.tags),
        *((collections, name, LabelNames(collections=(name,))) for name in change.add.collections),
    ):
        if new := tuple(id_ for id_ in before if name.lower() not in had[id_]):
            yield LabelChange(new, remove=one)
    for had, name, one in (
        *((tags, name, LabelNames(tags=(name,))) for name in change.remove.tags),
        *((collections, name, LabelNames(collections=(name,))) for name in change.remove.collections),
    ):
        if lost := tuple(id_ for id_ in before if name.lower() in had[id_]):
            yield LabelChange(lost, add=one)
