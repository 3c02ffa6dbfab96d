"""How deep checks are declared, how checks are run, and what the functions that mend damage share."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any
from uuid import UUID

from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.models.checks import Check, Finding
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.models.spaces import EmbeddingSpace
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.storage.checks.statements import Query, Statement, missing_tables
from webrag_desktop.storage.database import Connection, Database

SAMPLE = 50  # how many texts, documents and captures are read unless all are to be
Rows = Generator[tuple[object, Any], None, None]  # the id of each, and what its checks are given


@dataclass(frozen=True, slots=True)
class Deep(Check):
    """A check that compares what was derived, one row after the other; ``what`` names them in the progress.

    Checks in a row that ``read`` the same share one reading; where it gives None, they cannot be made.
    """

    read: "Callable[[DeepCheck], Rows | None]"
    is_sound: Callable[[Any], bool]
    tables: frozenset[str]
    what: str


def run_quick(conn: Connection, checks: Sequence[Check]) -> list[Finding]:
    """Run the checks that SQL can make, in one consistent snapshot; reads all text, so it takes a while.

    Checks that need a missing table are left out.
    """
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        missing = missing_tables(conn)
        return [
            check.find(conn)
            for check in checks
            if isinstance(check, Statement | Query) and check.can_run(missing)
        ]


@dataclass(slots=True)
class DeepCheck:
    """Derives again what was derived from stored texts, and compares; ``most`` of each kind, None for all.

    Chunks are compared with what ``indexer`` makes of the texts.
    """

    database: Database
    checks: Sequence[Check]
    indexer: Callable[[], Indexer]
    most: int | None = SAMPLE
    progress: ProgressCallback = no_progress
    cancel: CancelToken = field(default_factory=CancelToken)

    def run(self) -> list[Finding]:
        """The findings in the order of the checks.

        Raises:
            Cancelled: the token was set.
        """
        offenders = self.offenders()
        return [check.finding(offenders[check.name]) for check in self.checks if check.name in offenders]

    def offenders(self) -> dict[str, list[str]]:
        """The ids of damaged versions, documents and captures by check, without the checks that could not be made.

        Raises:
            Cancelled: the token was set.
        """
        with self.database.connection() as conn:
            missing = missing_tables(conn)
        deep = [one for one in self.checks if isinstance(one, Deep) and one.tables.isdisjoint(missing)]
        found: dict[str, list[str]] = {}
        for read, checks in groupby(deep, key=lambda check: check.read):
            if (rows := read(self)) is not None:
                with closing(rows):
                    found |= self._judged(rows, [*checks])
        return found

    def _judged(self, rows: Rows, checks: Sequence[Deep]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {check.name: [] for check in checks}
        for number, (id_, row) in enumerate(rows, start=1):
            self.next(checks[0].what, number)
            for check in checks:
                if not check.is_sound(row):
                    found[check.name].append(str(id_))
        return found

    def next(self, what: str, number: int) -> None:
        """Report progress; raises ``Cancelled`` once the token is set."""
        self.cancel.raise_if_cancelled()
        self.progress(Step("Checking in depth", number, None, f"{what}, {number}"))


@dataclass(slots=True)
class Mending:
    """What the mending functions share. ``indexer`` is called when chunks are to be made, ``read`` reads a capture.

    ``chosen`` gives the space that the settings would give a new library, to restore the definition of this one's.
    ``deep_check`` runs once, when the first mend needs it. ``to_cut`` collects documents whose chunks are made again.
    """

    database: Database
    indexer: Callable[[], Indexer]
    read: Callable[[Capture, CancelToken], NormalizedDocument]
    progress: ProgressCallback = no_progress
    cancel: CancelToken = field(default_factory=CancelToken)
    chosen: Callable[[], EmbeddingSpace] | None = None
    deep_check: DeepCheck | None = field(init=False, default=None)
    space_is_known: bool = field(init=False, default=True)
    to_cut: list[UUID] = field(init=False, default_factory=list)
    _deep: dict[str, list[str]] | None = field(init=False, default=None)

    def deep_offenders(self, name: str) -> list[str]:
        """What a deep check found; nothing where it could not be made."""
        if self._deep is None:
            self._deep = {} if self.deep_check is None else self.deep_check.offenders()
        return self._deep.get(name, [])

    def next(self, what: str) -> None:
        """Report progress; raises ``Cancelled`` once the token is set."""
        self.cancel.raise_if_cancelled()
        self.progress(Step("Mending the library", detail=what))
