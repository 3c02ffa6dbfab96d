"""Checking a library, and mending what is damaged."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from webrag_desktop.errors import StackError
from webrag_desktop.indexing.open_spaces import OpenSpaces
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.reading_process.options import ReadingOptions
from webrag_desktop.ingestion.reading_process.process import ReadingProcess
from webrag_desktop.maintenance import checking
from webrag_desktop.maintenance.checking import SAMPLE, DeepCheck, Mending, run_quick
from webrag_desktop.maintenance.checks import CHECKS
from webrag_desktop.maintenance.mends import MENDS, WITHOUT_SPACE
from webrag_desktop.models.checks import TABLES_CHECK, TABLES_REMEDY, AffectedDocument, Finding, Repair
from webrag_desktop.progress import CancelToken, ProgressCallback, no_progress, wait_for
from webrag_desktop.storage.checks import text_repair
from webrag_desktop.storage.checks.statements import affected_documents, missing_tables
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.queue import jobs
from webrag_desktop.storage.queue.queue_control import work_waits
from webrag_desktop.storage.spaces.space_tables import active_space

TABLE_GONE = f"The table is missing, so nothing can be repaired. {TABLES_REMEDY}"
LEAVING_SECONDS = 10.0  # a worker closes its last document a moment before it has ended
_BY_REFRESHING = frozenset(check.name for check in CHECKS if check.by_refreshing)


def run_checks(conn: Connection) -> list[Finding]:
    """Every check that SQL can make, over the whole library."""
    return run_quick(conn, CHECKS)


def mend_library(library: Mending, *, deep: bool = False) -> list[Repair]:
    """Mend all that can be mended while no worker runs; a second run changes nothing more.

    ``deep`` checks all texts in depth, not a sample.

    Raises:
        StackError: a worker is running.
        Cancelled: the token was set; what was mended stays mended.
    """
    with library.database.dedicated() as lock:
        if not _follow_worker(lock, library.cancel):
            library.cancel.raise_if_cancelled()
            raise StackError(
                "The library is being indexed, so it cannot be repaired now. Nothing was changed.",
                "Wait until that is done, or pause it, then try again.",
            )
        try:
            return [*_repairs(replace(library), None if deep else checking.SAMPLE)]
        finally:
            jobs.resign(lock)


def _follow_worker(lock: Connection, cancel: CancelToken) -> bool:
    """Acquire the runner lock; a worker that has nothing left to do is waited for, since it is about to leave."""
    led = False

    def attempt() -> bool:
        nonlocal led
        led = jobs.become_runner(lock)
        return led or cancel.cancelled or work_waits(lock)

    wait_for(attempt, LEAVING_SECONDS, every=0.05)
    return led


def _repairs(mending: Mending, most: int | None) -> Iterator[Repair]:
    with mending.database.connection() as conn:
        missing = missing_tables(conn)
    for table in missing:
        yield Repair(TABLES_CHECK, table, False, TABLE_GONE)
    if missing:
        return  # every mend may need it
    mending.deep_check = DeepCheck(
        mending.database, CHECKS, mending.indexer, most, mending.progress, mending.cancel
    )
    for name, mend in MENDS.items():
        if mending.space_is_known or name in WITHOUT_SPACE:
            yield from mend(mending, [check for check in CHECKS if name in check.mends])


@dataclass(frozen=True, slots=True)
class Checkup:
    """Checks and repairs one library; ``spaces`` are opened when a check or a repair needs a tokenizer or a model."""

    database: Database
    spaces: OpenSpaces
    reading_options: ReadingOptions

    def check(
        self,
        *,
        deep: bool = False,
        progress: ProgressCallback = no_progress,
        cancel: CancelToken | None = None,
    ) -> list[Finding]:
        """Run every check; those that derive texts again do so with a sample of them, unless ``deep``.

        Raises:
            Cancelled: the token was set.
        """
        most = None if deep else SAMPLE
        deep_check = DeepCheck(self.database, CHECKS, self._indexer, most, progress, cancel or CancelToken())
        with self.database.connection() as conn:
            findings = run_checks(conn)
        findings += deep_check.run()
        owners = self._owners(name for finding in findings for name in finding.examples)
        left = self._left_to_refreshing(findings) if owners else set()
        return [
            _with_documents(one, owners, left if one.check in _BY_REFRESHING else set()) for one in findings
        ]

    def _left_to_refreshing(self, findings: Iterable[Finding]) -> set[str]:
        """The examples that can be mended by refreshing their documents and by nothing else."""
        names = [name for one in findings if one.check in _BY_REFRESHING for name in one.examples]
        with self.database.connection() as conn:
            return text_repair.left_to_refreshing(conn, names) if names else set()

    def repair(
        self,
        *,
        deep: bool = False,
        progress: ProgressCallback = no_progress,
        cancel: CancelToken | None = None,
    ) -> list[Repair]:
        """Mend the damage that :meth:`check` finds, as far as possible; nothing that the user gave is deleted.

        Raises:
            StackError: a worker is running.
            Cancelled: the token was set; what was mended stays mended.
        """
        with ReadingProcess(self.reading_options) as reading:
            mending = Mending(
                self.database,
                self._indexer,
                lambda capture, token: reading.read(capture, token).document,
                progress,
                cancel or CancelToken(),
                self.spaces.chosen,
            )
            repairs = mend_library(mending, deep=deep)
        owners = self._owners(one.subject for one in repairs)
        return [replace(one, document=owners.get(one.subject)) for one in repairs]

    def _owners(self, names: Iterable[str]) -> dict[str, AffectedDocument]:
        if not (named := list(names)):
            return {}
        with self.database.connection() as conn:
            if missing_tables(conn):  # the owners cannot be read
                return {}
            return affected_documents(conn, named)

    def _indexer(self) -> Indexer:
        """Writes documents into the library's space, also where the settings name another one."""
        with self.database.connection() as conn:
            stored = active_space(conn)
        return self.spaces.indexer() if stored is None else self.spaces.indexer_of(stored)


def _with_documents(finding: Finding, owners: dict[str, AffectedDocument], left: set[str]) -> Finding:
    owned = [name for name in finding.examples if name in owners]
    return replace(
        finding,
        documents=tuple(dict.fromkeys(owners[name] for name in owned)),
        to_refresh=tuple(dict.fromkeys(owners[name] for name in owned if name in left)),
    )
