"""Citing passages, taking that back, and putting citations in order."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QObject, QTime, QTimer, Signal

from webrag_desktop.gui.data.view_data import CitationRow, CitationState, Passage, SpanReference
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import UndoStack
from webrag_desktop.text.citation_formats import Quotation

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.models.citations import StoredCitation


T = TypeVar("T")
_Place = tuple[UUID, int, int]  # a version, and where in it


class CitationOperations(QObject):
    """The citations of the session's library; emitted whenever they, or the texts they quote, change."""

    citations = Signal(object)  # tuple[CitationRow, ...], in order
    noticed = Signal(object)  # Notice
    failed = Signal(object)  # Failure

    def __init__(
        self, session: LibrarySession, undo: UndoStack | None = None, parent: QObject | None = None
    ) -> None:
        """Share ``undo`` with whatever else can be taken back."""
        super().__init__(parent)
        self._session = session
        self._undo = undo or UndoStack(self)
        self._rows: tuple[CitationRow, ...] = ()
        self._asked: set[_Place] = set()  # being cited
        self._cited: dict[_Place, UUID] = {}  # cited since the rows were last emitted
        self._fetched: dict[UUID, datetime] = {}  # when versions were fetched, which never changes
        session.opened.connect(self._refresh_soon)
        session.citations_changed.connect(self.refresh)

    def _refresh_soon(self) -> None:
        """However much is cited, the documents are listed first."""
        QTimer.singleShot(0, self, lambda: self.refresh() if self._session.is_open else None)

    def refresh(self) -> None:
        """Load the citations again."""
        self._session.call(
            partial(_rows, self._fetched), on_success=self._show, replaces="citations", repeat=True
        )

    def _show(self, rows: tuple[CitationRow, ...]) -> None:
        self._rows = rows
        self._cited.clear()
        self.citations.emit(rows)

    def toggle(self, what: Passage | SpanReference) -> None:
        """Cite a passage's best sentence or a span, or remove its citation; ignored while it is being cited."""
        cited = self._citing(what.span if isinstance(what, Passage) else what)
        if cited is None:
            self.cite(what)
        else:
            self.uncite(cited)

    def cite_all(self, spans: Sequence[SpanReference]) -> None:
        """Cite those of these spans that are not cited yet, in their order; undone all at once."""
        wanted = {_place(span): span for span in spans if self._citing(span) is None}
        wanted = {place: span for place, span in wanted.items() if place not in self._asked}
        if not wanted:
            return
        self._asked.update(wanted)
        self._session.call(
            partial(_cite_all, tuple(wanted.values())),
            on_success=partial(self._note_all_cited, tuple(wanted)),
            on_error=partial(self._none_cited, tuple(wanted)),
            by_user=True,
        )

    def _note_all_cited(self, wanted: Sequence[_Place], stored: "Sequence[StoredCitation]") -> None:
        self._asked.difference_update(wanted)
        new = [one.id for one in stored if one.is_new]
        self._cited.update(zip(wanted, (one.id for one in stored), strict=True))
        if new:
            one, many = self.tr("One sentence cited."), self.tr("{0} sentences cited.")
            text = one if len(new) == 1 else many.format(number(len(new)))
            self.noticed.emit(self._undo.push(text, partial(self._remove_all, new)))
        self.refresh()

    def _none_cited(self, wanted: Sequence[_Place], error: Exception) -> None:
        self._asked.difference_update(wanted)
        self.failed.emit(failure_of(error))
        self.refresh()

    def _remove_all(self, ids: Sequence[UUID]) -> None:
        self._do(lambda library, _task: [library.citations.remove(one) for one in ids], self._changed)

    def cite(self, what: Passage | SpanReference) -> None:
        """Cite a passage's best sentence or any span of a text, last in order."""
        span = what.span if isinstance(what, Passage) else what
        wanted = _place(span)
        if wanted in self._asked or self._citing(span) is not None:
            return
        self._asked.add(wanted)
        self._session.call(
            partial(_cite, span),
            on_success=partial(self._note_cited, wanted),
            on_error=partial(self._not_cited, wanted),
        )

    def _citing(self, span: SpanReference) -> UUID | None:
        """The citation of a span, even if the rows do not show it yet."""
        wanted = _place(span)
        rows = (r.id for r in self._rows if (r.version_id, r.char_start, r.char_end) == wanted)
        return next(rows, self._cited.get(wanted))

    def _not_cited(self, wanted: _Place, error: Exception) -> None:
        self._asked.discard(wanted)
        self.failed.emit(failure_of(error))

    def _note_cited(self, wanted: _Place, stored: "StoredCitation") -> None:
        self._asked.discard(wanted)
        self._cited[wanted] = stored.id
        if not stored.is_new:  # another window was quicker
            self.refresh()
            return
        text = self.tr("Cited as number {0}.").format(stored.position)
        self.noticed.emit(self._undo.push(text, partial(self._remove, stored.id)))
        self.refresh()

    def uncite(self, citation_id: UUID) -> None:
        """Remove a citation; it can be taken back."""
        self._do(lambda library, _task: library.citations.remove(citation_id), self._uncited)

    def _uncited(self, stored: "StoredCitation | None") -> None:
        if stored is not None:
            text = self.tr("Citation {0} removed.").format(stored.position)
            self.noticed.emit(self._undo.push(text, partial(self._restore, stored)))
        self.refresh()

    def move(self, citation_id: UUID, position: int) -> None:
        """Give a citation another number, from 1; it can be taken back, and shows for itself, without a notice."""
        row = next((row for row in self._rows if row.id == citation_id), None)
        position = max(1, min(position, len(self._rows)))
        if row is None or row.number == position:
            return
        self._undo.push(self.tr("Citation moved."), partial(self._place, citation_id, row.number))
        self._place(citation_id, position)

    def _place(self, citation_id: UUID, position: int) -> None:
        self._do(lambda library, _task: library.citations.move(citation_id, position), self._changed)

    def _remove(self, citation_id: UUID) -> None:
        self._do(lambda library, _task: library.citations.remove(citation_id), self._changed)

    def _restore(self, stored: "StoredCitation") -> None:
        self._do(lambda library, _task: library.citations.restore(stored), self._changed)

    def _changed(self, _outcome: object) -> None:
        self.refresh()

    def _do(self, work: "Callable[[Library, Task], T]", on_success: Callable[[T], None]) -> None:
        self._session.call(
            work,
            on_success=on_success,
            on_error=lambda error: self.failed.emit(failure_of(error)),
            by_user=True,
        )


def _place(span: SpanReference) -> _Place:
    return span.version_id, span.char_start, span.char_end


def _cite(span: SpanReference, library: "Library", _task: Task) -> "StoredCitation":
    """Its heading is read from the text, as the outline has it."""
    return library.citations.cite(span.version_id, span.char_start, span.char_end)


def _cite_all(spans: Sequence[SpanReference], library: "Library", _task: Task) -> "list[StoredCitation]":
    return [_cite(span, library, _task) for span in spans]


def _rows(fetched: dict[UUID, datetime], library: "Library", _task: Task) -> tuple[CitationRow, ...]:
    stored = library.citations.all()
    if not stored:
        return ()

    return tuple(
        citation_row(one, copied, other_at=other)
        for one, copied, other in _with_copies(stored, fetched, library)
    )


def _with_copies(
    stored: "Sequence[StoredCitation]", fetched: dict[UUID, datetime], library: "Library"
) -> "list[tuple[StoredCitation, datetime | None, datetime | None]]":
    """Each citation with the date of the text that its explanation names, and that of the other text."""
    changed = {one.document_id for one in stored if one.state != "exact" and one.document_id is not None}
    now = library.documents.rows(list(changed)) if changed else {}
    copies: list[tuple[StoredCitation, datetime | None, datetime | None]] = []
    for one in stored:
        if one.state == "exact" or one.document_id not in now or one.version_id is None:
            copies.append((one, None, None))
            continue
        shown = now[one.document_id].fetched_at
        quoted = _fetched_at(one.version_id, fetched, library)
        copies.append((one, shown, quoted) if one.state == "moved" else (one, quoted, shown))
    return copies


def _fetched_at(version_id: UUID, fetched: dict[UUID, datetime], library: "Library") -> datetime | None:
    if version_id not in fetched:
        version = library.documents.version(version_id)
        if version is None:
            return None
        fetched[version_id] = version.fetched_at
    return fetched[version_id]


def citation_row(
    stored: "StoredCitation",
    copied_at: datetime | None = None,
    now: datetime | None = None,
    other_at: datetime | None = None,
) -> CitationRow:
    """The row of a citation.

    ``copied_at`` is when the text was fetched that the explanation names: the page's present text for a quote that
    moved, the quoted one for a quote that is lost; ``other_at`` is when the other of the two was. ``now`` is the time
    for dates of the present year.
    """
    return CitationRow(
        **asdict(Quotation.of(stored)),
        id=stored.id,
        number=stored.position,
        verbatim=stored.verbatim,
        state=CitationState(stored.state),
        explanation=_explanation(stored, _day(copied_at, now, other_at)),
        document_id=stored.document_id,
        version_id=stored.version_id,
        char_start=stored.char_start,
        char_end=stored.char_end,
    )


def _explanation(stored: "StoredCitation", day: str) -> str | None:
    if stored.in_bin or stored.state == "exact":
        return _tr("Its source is in the bin. Your copy is kept there.") if stored.in_bin else None
    if stored.document_id is None:
        return _tr("The document was deleted. The quote is kept.")
    if stored.state == "moved":
        return _moved(stored.moved_by or 0, day)
    if stored.active_version is None:
        return _tr("The document has no text any more. The quote is kept.")
    if not day:
        return _tr("The page no longer says this. Your copy does.")
    return _tr("The page no longer says this. Your copy of {0} does.").format(day)


def _moved(by: int, day: str) -> str:
    distance = QLocale().toString(abs(by))
    if abs(by) == 1:
        where = (
            _tr("Same words, 1 character further on") if by > 0 else _tr("Same words, 1 character earlier")
        )
    elif by > 0:
        where = _tr("Same words, {0} characters further on").format(distance)
    else:
        where = _tr("Same words, {0} characters earlier").format(distance)
    return _tr("{0}, since the copy of {1}.").format(where, day) if day else f"{where}."


def _day(then: datetime | None, now: datetime | None, other: datetime | None) -> str:
    """``3 October``, with the year where it is another one, with the time where ``other`` is of that day, too."""
    if then is None:
        return ""
    local = then.astimezone()
    form = "d MMMM" if local.year == (now or datetime.now().astimezone()).year else "d MMMM yyyy"
    day = QLocale().toString(QDate(local.year, local.month, local.day), form)
    if other is None or other.astimezone().date() != local.date():
        return day
    same_minute = other.astimezone().replace(second=0, microsecond=0) == local.replace(
        second=0, microsecond=0
    )
    clock = QLocale().toString(
        QTime(local.hour, local.minute, local.second), "HH:mm:ss" if same_minute else "HH:mm"
    )
    return _tr("{0} at {1}").format(day, clock)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Citations", text)
