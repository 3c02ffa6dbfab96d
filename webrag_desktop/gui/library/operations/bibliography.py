"""Who wrote a document and where it appeared: shown for changing, and changed; a change can be undone."""

from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.errors import InputError
from webrag_desktop.gui.data.library import DocumentFacts, FactChange
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import UndoStack
from webrag_desktop.models.metadata import FACT_NAMES, FactName

if TYPE_CHECKING:
    from webrag_desktop import Library


class BibliographyOperations(QObject):
    """Facts of documents of the session's library."""

    facts = Signal(object)  # DocumentFacts: of the document asked for last
    changed = Signal()
    refused = Signal(object)  # Failure: what was typed cannot be such a fact
    noticed = Signal(object)  # Notice
    failed = Signal(object)  # Failure

    def __init__(self, session: LibrarySession, undo: UndoStack, parent: QObject | None = None) -> None:
        """Changes can be taken back through ``undo``."""
        super().__init__(parent)
        self._session = session
        self._undo = undo

    def fetch(self, document_id: UUID) -> None:
        """Load what is known of a document."""
        self._session.call(
            partial(_facts_of, document_id),
            on_success=self._show,
            on_error=self._fail,
            replaces="facts",
            repeat=True,
            by_user=True,
        )

    def _show(self, facts: DocumentFacts | None) -> None:
        if facts is not None:
            self.facts.emit(facts)

    def change(self, change: FactChange) -> None:
        """Set facts of a document, and let others be what it says itself."""
        self._session.call(
            partial(_change, change), on_success=self._done, on_error=self._refuse, by_user=True
        )

    def _done(self, back: FactChange | None) -> None:
        self.changed.emit()
        if back is not None:
            text = self.tr("What is known of the document changed.")
            self.noticed.emit(self._undo.push(text, partial(self._take_back, back)))

    def _take_back(self, back: FactChange) -> None:
        self._session.call(
            partial(_change, back),
            on_success=lambda _back: self.changed.emit(),
            on_error=self._fail,
            by_user=True,
        )

    def _refuse(self, error: Exception) -> None:
        if isinstance(error, InputError):
            self.refused.emit(failure_of(error))
        else:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.failed.emit(failure_of(error))


def _facts_of(document_id: UUID, library: "Library", _task: Task) -> DocumentFacts | None:
    from webrag_desktop.gui.library.operations.document_rows import title_of

    source = library.documents.get(document_id)
    if source is None:
        return None
    known: dict[FactName, tuple[str, ...]] = {name: _listed(getattr(source, name)) for name in FACT_NAMES}
    replaced = {name: _listed(one["value"]) for name, one in source.stated_facts.items()}
    given, own = library.bibliography.titles(document_id)
    return DocumentFacts(
        document_id,
        title_of(source),
        known,
        {**known, **replaced},
        frozenset(source.stated_facts),
        own or "",
        given or "",
    )


def _listed(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def _change(change: FactChange, library: "Library", task: Task) -> FactChange | None:
    """Carry a change out; what takes it back."""
    before = _facts_of(change.id, library, task)
    library.bibliography.change(change.id, change.facts, change.forget, change.title)
    if before is None:
        return None
    touched = (*change.facts, *change.forget)
    return FactChange(
        change.id,
        {name: before.known[name] for name in touched if name in before.by_user},
        tuple(name for name in touched if name not in before.by_user),
        None if change.title is None else before.user_title,
    )
