"""How a check of the library is declared, how checks are run, and what the functions that mend damage share."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar
from uuid import UUID

from webrag_desktop.errors import ConfigurationError, EmbeddingError
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.models.checks import Finding, Repair
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.models.spaces import EmbeddingSpace
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.storage.checks import deep_reads
from webrag_desktop.storage.checks.statements import (
    TABLES,
    Statement,
    count_offenders,
    missing_tables,
    table_exists,
)
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.snapshot import snapshot
from webrag_desktop.storage.spaces.space_tables import active_space, damaged_space

SAMPLE = 50  # how many texts, documents and captures are read unless all are to be
SHOWN_EXAMPLES: Final = 3


@dataclass(frozen=True, slots=True)
class Query:
    """Finds damage by a function of storage; left out where one of ``tables`` is missing."""

    offenders: Callable[[Connection], Sequence[str]]
    tables: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class EachText:
    """A deep check: whether one stored text, with all that is stored beside it, is sound."""

    is_sound: Callable[[deep_reads.StoredText], bool]
    tables: frozenset[str] = frozenset(("document_versions", "chunks"))


@dataclass(frozen=True, slots=True)
class EachCapture:
    """A deep check: whether one capture is sound, given the hash it was stored with and its body (None: unreadable)."""

    is_sound: Callable[[bytes, bytes | None], bool]
    tables: frozenset[str] = frozenset(("captures",))


@dataclass(frozen=True, slots=True)
class EachDocument:
    """A deep check: whether the chunks of one document are sound. Left out where the model cannot be used."""

    is_sound: Callable[[Connection, Indexer, UUID, CancelToken], bool]
    tables: frozenset[str] = frozenset(TABLES)


@dataclass(frozen=True, slots=True)
class Sampled:
    """A deep check of rows that storage samples by itself; its second argument is how many, None for all."""

    offenders: Callable[[Connection, int | None], list[str]]
    tables: frozenset[str]
    what: str


Find = Statement | Query | EachText | EachCapture | EachDocument | Sampled
_Kind = TypeVar("_Kind", EachText, EachCapture, EachDocument, Sampled)


@dataclass(frozen=True, slots=True)
class Check:
    """What must hold in every library: how damage is found, the sentence that users read, and what mends it.

    ``by_refreshing``: some of the damage is mended only by refreshing the document.
    """

    name: str
    sentence: str
    find: Find
    mends: "tuple[Mend, ...]"
    by_refreshing: bool = False

    def finding(self, offenders: Sequence[str], broken: int | None = None) -> Finding:
        """The result of the check: the damaged rows, or some of the ``broken`` ones."""
        count = len(offenders) if broken is None else broken
        return Finding(self.name, self.sentence, count, tuple(offenders[:SHOWN_EXAMPLES]))


def run_quick(conn: Connection, checks: Sequence[Check]) -> list[Finding]:
    """Run the checks that SQL can make, in one consistent snapshot; reads all text, so it takes a while.

    Checks that need a missing table are left out.
    """
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        missing = missing_tables(conn)
        findings = []
        for check in checks:
            if isinstance(check.find, Statement) and check.find.can_run(missing):
                broken, examples = count_offenders(conn, check.find, SHOWN_EXAMPLES)
                findings.append(check.finding(examples, broken))
            elif isinstance(check.find, Query) and check.find.tables.isdisjoint(missing):
                findings.append(check.finding(check.find.offenders(conn)))
        return findings


@dataclass(slots=True)
class DeepCheck:
    """Derives again what was derived from stored texts, and compares; ``most`` of each kind, None for all."""

    database: Database
    checks: Sequence[Check]
    most: int | None = SAMPLE
    progress: ProgressCallback = no_progress
    cancel: CancelToken = field(default_factory=CancelToken)
    _offenders: dict[str, list[str]] = field(init=False, default_factory=dict)

    def run(self, indexer: Callable[[], Indexer]) -> list[Finding]:
        """The findings in the order of the checks.

        Raises:
            Cancelled: the token was set.
        """
        offenders = self.offenders(indexer)
        return [check.finding(offenders[check.name]) for check in self.checks if check.name in offenders]

    def offenders(self, indexer: Callable[[], Indexer]) -> dict[str, list[str]]:
        """The ids of damaged versions, documents and captures by check, without the checks that could not be made.

        Raises:
            Cancelled: the token was set.
        """
        with self.database.connection() as conn:
            missing = missing_tables(conn)
            self._offenders = {
                check.name: []
                for check in self.checks
                if not isinstance(check.find, Statement | Query) and check.find.tables.isdisjoint(missing)
            }
            self._check_texts(conn)
            self._check_captures(conn)
            for name, sampled in self._of_kind(Sampled):
                self._next(sampled.what, 1)
                self._offenders[name] = sampled.offenders(conn, self.most)
            if not self._of_kind(EachDocument):
                return self._offenders
            shown = deep_reads.shown_versions(conn, self.most)
            damaged = damaged_space(conn) is not None
            space = None if damaged else active_space(conn)
        if damaged:
            self._leave_out_documents()  # how texts are to be cut is unknown; another check reports it
        if shown and space is not None:
            try:
                self._check_documents(indexer(), [document for document, _version in shown])
            except (ConfigurationError, EmbeddingError):  # doctor reports the state of the model elsewhere
                self._leave_out_documents()
        return self._offenders

    def _of_kind(self, kind: type[_Kind]) -> list[tuple[str, _Kind]]:
        return [
            (check.name, check.find)
            for check in self.checks
            if isinstance(check.find, kind) and check.name in self._offenders
        ]

    def _leave_out_documents(self) -> None:
        for name, _find in self._of_kind(EachDocument):
            del self._offenders[name]

    def _check_texts(self, conn: Connection) -> None:
        if not (checks := self._of_kind(EachText)):
            return
        for number, text in enumerate(deep_reads.stored_texts(conn, self.most), start=1):
            self._next("texts", number)
            for name, each in checks:
                if not each.is_sound(text):
                    self._offenders[name].append(str(text.id))

    def _check_captures(self, conn: Connection) -> None:
        if not (checks := self._of_kind(EachCapture)):
            return
        for number, (id_, stored_hash, body) in enumerate(
            deep_reads.captured_bodies(conn, self.most), start=1
        ):
            self._next("kept copies", number)
            for name, each in checks:
                if not each.is_sound(stored_hash, body):
                    self._offenders[name].append(str(id_))

    def _check_documents(self, indexer: Indexer, ids: Sequence[UUID]) -> None:
        for number, id_ in enumerate(ids, start=1):
            self._next("chunks", number)
            with self.database.connection() as conn, snapshot(conn, self.cancel):
                if active_space(conn) != indexer.space:
                    return  # the library has moved to another space, and drops the chunks of this one
                if not table_exists(conn, indexer.space.table):
                    return  # another check reports it
                for name, each in self._of_kind(EachDocument):
                    if not each.is_sound(conn, indexer, id_, self.cancel):
                        self._offenders[name].append(str(id_))

    def _next(self, what: str, number: int) -> None:
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
            self._deep = {} if self.deep_check is None else self.deep_check.offenders(self.indexer)
        return self._deep.get(name, [])

    def next(self, what: str) -> None:
        """Report progress; raises ``Cancelled`` once the token is set."""
        self.cancel.raise_if_cancelled()
        self.progress(Step("Mending the library", detail=what))


Mend = Callable[[Mending, Sequence[Check]], Iterator[Repair]]
