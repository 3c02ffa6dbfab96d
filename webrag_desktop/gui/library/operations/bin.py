"""Operations on the bin: documents are removed into it and restored, and deleted for good once that is confirmed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.library import Doomed, RemovalKind
from webrag_desktop.gui.kit.quantities import plural
from webrag_desktop.gui.library.operations.adding import keep_removal
from webrag_desktop.gui.library.operations.document_watch import DocumentWatch
from webrag_desktop.gui.session.background import Background, Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import Notice, UndoStack

if TYPE_CHECKING:
    from webrag_desktop import Library

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class _Removal:
    """Documents on their way into the bin, or there; ``undone``: they are to come back once they are there."""

    ids: tuple[UUID, ...]
    is_done: bool = False
    undone: bool = False


class BinOperations(QObject):
    """What is cited, and what is deleted for good, is asked about first: ``asked`` says what it would cost."""

    asked = Signal(object)  # Doomed: to be carried out by :meth:`confirm`
    hidden = Signal(object)  # tuple[UUID, ...]: being removed
    unhidden = Signal(object)  # tuple[UUID, ...]
    removed = Signal(object)  # tuple[UUID, ...]: in the bin, or deleted
    noticed = Signal(object)  # Notice
    failed = Signal(object)  # Failure

    def __init__(
        self,
        session: LibrarySession,
        background: Background,
        undo: UndoStack,
        watch: DocumentWatch,
        parent: QObject | None = None,
    ) -> None:
        """Leave what is being removed out of what ``watch`` loads."""
        super().__init__(parent)
        self._session, self._background = session, background
        self._undo, self._watch = undo, watch

    # -- Into the bin -----------------------------------------------------------------------------------------

    def remove(self, ids: Iterable[UUID]) -> None:
        """Put documents into the bin; where any is cited, that is asked about first."""
        wanted = tuple(id_ for id_ in dict.fromkeys(ids) if not self._watch.is_hidden(id_))
        if wanted and self._session.is_open:
            self._ask(partial(_weighed, "remove", wanted), self._ask_if_cited)
        elif wanted:
            self._remove(wanted)  # nothing can be asked now, and it can be taken back

    def _ask_if_cited(self, doomed: Doomed) -> None:
        if doomed.citations:
            self.asked.emit(doomed)
        else:
            self._remove(doomed.ids)

    def confirm(self, doomed: Doomed) -> None:
        """Do what was asked about."""
        if doomed.kind == "remove":
            self._remove(doomed.ids)
        else:
            self._delete(doomed.ids)

    def _remove(self, ids: tuple[UUID, ...]) -> None:
        removal = _Removal(ids)
        self._hide(ids)
        self.noticed.emit(self._undo.push(self._words_of(ids), partial(self._take_back, removal)))
        self._put_away(removal)

    def take_back_adding(self, ids: tuple[UUID, ...]) -> None:
        """Put into the bin what was added just now: the user may have cited or filed it since."""
        self._hide(ids)
        self.noticed.emit(Notice(self._words_of(ids)))
        self._put_away(_Removal(ids))

    def _words_of(self, ids: tuple[UUID, ...]) -> str:
        return plural(
            len(ids), self.tr("1 document is in the bin."), self.tr("{0} documents are in the bin.")
        )

    def _put_away(self, removal: _Removal) -> None:
        ids = removal.ids
        if not self._session.is_open:  # it may not be before the window closes
            self._keep_removal(removal)
        self._session.call(
            lambda library, _task: library.documents.remove_surely(ids),
            on_success=lambda _count: self._is_removed(removal),
            on_error=partial(self._not_removed, ids),
            essential=True,
            repeat=True,
            own_thread="remove",
        )

    def _keep_removal(self, removal: _Removal) -> None:
        settings = self._session.settings
        self._background.run(
            lambda _task: keep_removal(settings, removal.ids),
            on_success=lambda _none: None,
            essential=True,
            own_thread="keep",
        )

    def _is_removed(self, removal: _Removal) -> None:
        removal.is_done = True
        if removal.undone:
            self.restore(removal.ids, quietly=True)
        self._gone(removal.ids)

    def _take_back(self, removal: _Removal) -> None:
        removal.undone = True
        if removal.is_done:
            self.restore(removal.ids, quietly=True)

    # -- Out of the bin ---------------------------------------------------------------------------------------

    def restore(self, ids: Iterable[UUID], *, quietly: bool = False) -> None:
        """Take documents out of the bin; that can be taken back. ``quietly``: it is taking back itself."""
        wanted = tuple(ids)
        self._ask(
            lambda library, _task: library.bin.restore(wanted),
            self._refresh if quietly else self._tell_restored,
            essential=True,
        )

    def _tell_restored(self, restored: list[UUID]) -> None:
        self._refresh(restored)
        if restored:
            text = plural(
                len(restored),
                self.tr("1 document is restored. Its kept copy is read again."),
                self.tr("{0} documents are restored. Their kept copies are read again."),
            )
            self.noticed.emit(self._undo.push(text, partial(self._remove, tuple(restored))))

    def _refresh(self, _restored: object) -> None:
        self._watch.refresh_figures()

    # -- For good ---------------------------------------------------------------------------------------------

    def ask_to_delete(self, ids: Iterable[UUID]) -> None:
        """Ask whether documents of the bin are to be deleted for good."""
        wanted = tuple(ids)
        if wanted:
            self._ask(partial(_weighed, "delete", wanted), self.asked.emit)

    def ask_to_empty(self) -> None:
        """Ask whether all that is in the bin is to be deleted for good."""
        self._ask(_weighed_bin, self._ask_unless_empty)

    def _ask_unless_empty(self, doomed: Doomed) -> None:
        if doomed.ids:
            self.asked.emit(doomed)

    def _delete(self, ids: tuple[UUID, ...]) -> None:
        self._hide(ids)
        self._session.call(
            lambda library, _task: library.bin.delete(ids),
            on_success=lambda count: self._is_deleted(ids, count),
            on_error=partial(self._not_removed, ids),
            essential=True,
            repeat=True,
            own_thread="delete",
        )

    def _is_deleted(self, ids: tuple[UUID, ...], count: int) -> None:
        self._gone(ids)
        text = plural(
            count, self.tr("1 document is deleted for good."), self.tr("{0} documents are deleted for good.")
        )
        self.noticed.emit(Notice(text))

    # -- Out of sight meanwhile -------------------------------------------------------------------------------

    def _hide(self, ids: tuple[UUID, ...]) -> None:
        self._watch.hide(ids)
        self.hidden.emit(ids)

    def _gone(self, ids: tuple[UUID, ...]) -> None:
        self.removed.emit(ids)  # first: nobody shows them in between
        self._watch.unhide(ids)

    def _not_removed(self, ids: tuple[UUID, ...], error: Exception) -> None:
        self._watch.unhide(ids)
        self.unhidden.emit(ids)
        self.failed.emit(failure_of(error))

    def _ask(
        self,
        work: "Callable[[Library, Task], T]",
        on_success: Callable[[T], None],
        *,
        essential: bool = False,
    ) -> None:
        self._session.call(
            work,
            on_success=on_success,
            on_error=lambda error: self.failed.emit(failure_of(error)),
            essential=essential,
            repeat=True,
            by_user=True,
        )


# -- In the background --------------------------------------------------------------------------------------------


def _weighed(kind: RemovalKind, ids: tuple[UUID, ...], library: "Library", _task: Task) -> Doomed:
    """What removing or deleting these would cost."""
    from webrag_desktop.gui.library.operations.document_rows import title_of

    had = library.bin.belongings(ids)
    rows = library.documents.rows(ids[:1], or_in_bin=True) if len(ids) == 1 else {}
    return Doomed(
        kind,
        ids,
        title="".join(title_of(row) for row in rows.values()),
        cited=had.cited,
        citations=had.citations,
        tags=had.tags,
        filed=had.filed,
        places=had.places,
        days=library.settings.bin_options().days,
    )


def _weighed_bin(library: "Library", task: Task) -> Doomed:
    return _weighed("empty", tuple(row.id for row in library.bin.all()), library, task)
