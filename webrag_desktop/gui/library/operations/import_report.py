"""Follows a batch that was added until nothing of it is open, and reports what became of each thing in it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from webrag_desktop.gui.data.import_report import ImportReport, ReportRow, Unlinked, Way
from webrag_desktop.gui.data.view_data import DocumentNews, DocumentRow
from webrag_desktop.gui.kit.quantities import number, plural
from webrag_desktop.gui.library.operations.adding import Given
from webrag_desktop.gui.library.operations.document_rows import rows_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.progress import FINAL_STATES, SourceState
from webrag_desktop.text.links import is_web
from webrag_desktop.text.printable import title_line

if TYPE_CHECKING:
    from webrag_desktop.models.intake import Refused

REPORT_MILLISECONDS = 250
_TOGETHER = 3  # documents of one place that failed for one reason are one line from so many on
_SHOWN_HERE = 3  # lines of what was here already, before the others are counted
_LONGEST_TITLE = 90


class ImportFollower(QObject):
    """One report at a time: what is added while a batch is open belongs to it, later a new one begins."""

    report = Signal(object)  # ImportReport

    def __init__(self, session: LibrarySession, parent: QObject | None = None) -> None:
        """Hear the session's news."""
        super().__init__(parent)
        self._session = session
        self._states: dict[UUID, SourceState] = {}
        self._rows: dict[UUID, DocumentRow] = {}
        self._present: dict[UUID, None] = {}
        self._kept: dict[str, None] = {}
        self._refused: dict[str, ReportRow] = {}
        self._wanted: set[UUID] = set()
        self._soon = QTimer(self, interval=REPORT_MILLISECONDS, singleShot=True)
        self._soon.timeout.connect(self._report)
        session.news.connect(self._heard)

    # -- What is given ----------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin a new report, unless the one before is still open."""
        if any(state not in FINAL_STATES for state in self._states.values()) or self._kept:
            return
        for reported in (self._states, self._rows, self._present, self._refused, self._wanted):
            reported.clear()

    def take(self, outcome: Given, unlinked: Sequence[Unlinked] = ()) -> int:
        """Add an outcome to the report; returns how many of these things need the user."""
        for one in outcome.accepted:
            self._settle(one.given)
            if one.verdict == "present":
                self._present[one.source_id] = None
            else:
                self._present.pop(one.source_id, None)
                self._states.setdefault(one.source_id, "queued")
        self._kept.update((one.given, None) for one in outcome.kept)
        rows = [_refused_row(one) for one in outcome.refused] + [_unlinked_row(one) for one in unlinked]
        for row in rows:
            self._kept.pop(row.given[0], None)
            self._refused[row.given[0]] = row
        self._wanted.update(list(self._present)[:_SHOWN_HERE])
        self._report()
        return len(rows)

    def _settle(self, given: str) -> None:
        self._kept.pop(given, None)
        self._refused.pop(given, None)

    # -- What happens -----------------------------------------------------------------------------------------

    def _heard(self, news: tuple[DocumentNews, ...]) -> None:
        ours = [one for one in news if one.id in self._states and self._states[one.id] != one.state]
        for one in ours:
            if one.state is None:
                del self._states[one.id]
                continue
            self._states[one.id] = one.state
            if one.state == "failed":
                self._wanted.add(one.id)
        if ours and not self._soon.isActive():
            self._soon.start()

    def _report(self) -> None:
        if self._wanted and self._session.is_open:
            wanted, self._wanted = tuple(self._wanted), set()
            self._session.call(partial(rows_of, wanted), on_success=self._show_rows, repeat=True)
        self.report.emit(self.current())

    def _show_rows(self, rows: Iterable[DocumentRow]) -> None:
        self._rows.update((row.id, row) for row in rows)
        self.report.emit(self.current())

    def current(self) -> ImportReport:
        """The report as it is now."""
        failed = [id_ for id_, state in self._states.items() if state == "failed"]
        states = list(self._states.values())
        return ImportReport(
            added=len(states) - len(failed),
            ready=states.count("ready"),
            open=sum(state not in FINAL_STATES for state in states),
            kept=len(self._kept),
            present=len(self._present),
            attention=len(failed) + len(self._refused),
            needs=(
                *_failed_lines([self._rows[id_] for id_ in failed if id_ in self._rows]),
                *self._refused.values(),
            ),
            here=_here_lines(list(self._present), self._rows),
        )


# -- Lines --------------------------------------------------------------------------------------------------------


def _refused_row(refused: "Refused") -> ReportRow:
    web = "://" in refused.given
    ways: tuple[Way, ...] = ("browse", "copy") if is_web(refused.given) else ("add", "copy")
    title = title_line(refused.given) if web else title_line(PurePath(refused.given).name) or refused.given
    error = refused.error
    return ReportRow(
        _shortened(title), error.message, error.hint, given=(refused.given,), address=refused.given, ways=ways
    )


def _unlinked_row(unlinked: Unlinked) -> ReportRow:
    title = _shortened(title_line(unlinked.given))
    return ReportRow(title, unlinked.reason, given=(unlinked.given,), ways=("add", "copy"))


def _failed_lines(rows: Sequence[DocumentRow]) -> list[ReportRow]:
    """A line for each, or for all of a place that failed for one reason."""
    alike: defaultdict[tuple[str, str], list[DocumentRow]] = defaultdict(list)
    for row in rows:
        alike[(row.place, row.reason or "")].append(row)
    lines = []
    for (place, reason), together in alike.items():
        if len(together) < _TOGETHER:
            lines += [_failed_line(row) for row in together]
            continue
        title = _tr("{0} documents from {1}").format(number(len(together)), place)
        ids = tuple(row.id for row in together)
        addresses = tuple(row.address for row in together)
        lines.append(ReportRow(title, reason, together[0].hint or "", ids, addresses, ways=("retry", "copy")))
    return lines


def _failed_line(row: DocumentRow) -> ReportRow:
    ways: tuple[Way, ...] = ("retry", "browse", "copy") if is_web(row.address) else ("retry", "copy")
    return ReportRow(
        row.title,
        row.reason or _tr("It could not be read."),
        row.hint or "",
        (row.id,),
        (row.address,),
        row.address,
        ways,
    )


def _here_lines(present: Sequence[UUID], rows: dict[UUID, DocumentRow]) -> tuple[ReportRow, ...]:
    shown = [rows[id_] for id_ in present[:_SHOWN_HERE] if id_ in rows]
    reason = _tr("Was here already, left as it was")
    lines = [ReportRow(row.title, reason, ids=(row.id,), ways=("show",)) for row in shown]
    rest = tuple(present[_SHOWN_HERE:])
    if rest:
        title = plural(len(rest), _tr("1 more"), _tr("{0} more"))
        lines.append(ReportRow(title, reason, ids=rest, ways=("show",)))
    return tuple(lines)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_TITLE else f"{text[: _LONGEST_TITLE - 1].rstrip()}…"


def _tr(text: str) -> str:
    return QCoreApplication.translate("ImportReport", text)
