"""A document over time: its versions, differences as they are read, history, and the schedule of checks."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.errors import NotFoundError
from webrag_desktop.gui.data.library import (
    DocumentHistory,
    DocumentTexts,
    HistoryEntry,
    Piece,
    PieceKind,
    TextChange,
    TextDifference,
    TextVersion,
    piece_text,
)
from webrag_desktop.gui.library.document_words import every_sentence
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import UndoStack

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.models.versions import Change, TextRun, VersionDifference, VersionRow
    from webrag_desktop.progress import CancelToken
    from webrag_desktop.text.plain_text import PlainText


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

    def _show_texts(self, texts: DocumentTexts) -> None:
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
        _changes_of(found, library, task),
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


CONTEXT = 160  # characters of what stayed the same, on either side of a change


def _changes_of(found: "VersionDifference", library: "Library", task: Task) -> tuple[TextChange, ...]:
    if not found.difference.changes:
        return ()
    read = library.documents.plain_texts([found.before.id, found.after.id])
    if len(read) < 2:
        raise NotFoundError("The document was removed meanwhile.")
    return text_changes(found, read[found.before.id], read[found.after.id], task.cancel)


def text_changes(
    found: "VersionDifference", old: "PlainText", new: "PlainText", cancel: "CancelToken"
) -> tuple[TextChange, ...]:
    """All changes in reading order; ``old`` and ``new`` are how both texts read."""
    cancel.raise_if_cancelled()
    return tuple(_text_change(change, found, old, new) for change in found.difference.changes)


def _text_change(
    change: "Change", found: "VersionDifference", old: "PlainText", new: "PlainText"
) -> TextChange:
    from webrag_desktop.text.plain_text import project_line

    heading = project_line(change.heading) if change.heading else ""
    if change.kind != "changed" or change.before is None or change.after is None:
        gone = change.before if change.kind == "removed" else None
        return TextChange(
            change.kind,
            heading,
            before=_whole(old, found.old, gone, "removed"),
            after=_whole(new, found.new, change.after, "same" if change.kind == "moved" else "added"),
        )
    before = _pieces(change.words, "removed", change.before[0], old)
    after = _pieces(change.words, "added", change.after[0], new)
    if not any(
        piece.kind != "same" for piece in (*before, *after)
    ):  # an address behind a link, or only markup
        before = _pieces(change.words, "removed", change.before[0], _unread(found.old))
        after = _pieces(change.words, "added", change.after[0], _unread(found.new))
    return TextChange(change.kind, heading, before, after)


def _unread(markdown: str) -> "PlainText":
    """The markdown without projection."""
    from webrag_desktop.text.plain_text import PlainText

    return PlainText(markdown, ((0, 0, len(markdown)),))


def _whole(
    plain: "PlainText", markdown: str, span: tuple[int, int] | None, kind: PieceKind
) -> tuple[Piece, ...]:
    if span is None:
        return ()
    text = piece_text(plain.reading(*span)).strip() or piece_text(markdown[slice(*span)]).strip()
    return (Piece(kind, text),) if text else ()


def _pieces(words: Sequence["TextRun"], side: PieceKind, start: int, plain: "PlainText") -> tuple[Piece, ...]:
    """One side of a paragraph that changed, long unchanged runs cut in their middle."""
    shown = list(_side_pieces(words, side, start, plain))
    last = len(shown) - 1
    return tuple(
        Piece(one.kind, _shortened(one.text, is_first=at == 0, is_last=at == last))
        if one.kind == "same"
        else one
        for at, one in enumerate(shown)
    )


def _side_pieces(
    words: Sequence["TextRun"], side: PieceKind, start: int, plain: "PlainText"
) -> Iterator[Piece]:
    at = start
    for run in words:
        if run.kind in ("same", side):
            end = at + len(run.text)
            if text := piece_text(plain.reading(at, end)):
                yield Piece(run.kind, text)
            at = end


def _shortened(text: str, *, is_first: bool, is_last: bool) -> str:
    head = "" if is_first else text[:CONTEXT]
    tail = "" if is_last else text[-CONTEXT:]
    if len(text) <= len(head) + len(tail) + 3 or (is_first and is_last):
        return text
    return f"{head} … {tail}"
