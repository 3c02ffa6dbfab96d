"""Deleting in bulk: how long it takes, what a search takes meanwhile and until all is vacuumed; and what it finds."""

import statistics
import threading
import time
from collections.abc import Callable
from uuid import UUID

from benchmarks.made_library import PASSAGES, fill
from benchmarks.measuring import library, table
from webrag_desktop.maintenance.upkeep import delete_all
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.searching.candidates import (
    CandidateLimits,
    find_candidates,
)
from webrag_desktop.storage.searching.postings import open_search
from webrag_desktop.storage.searching.word_query import WordQuery
from webrag_desktop.storage.snapshot import snapshot

LIMITS = CandidateLimits(vector=60, lexical=100, ef_search=100, exact_scan=10_000)
IDLE_SEARCHES = 30


class Searches:
    """Searches near a passage that is to be deleted, one after the other, timed."""

    def __init__(self, database: Database, vector: list[float]) -> None:
        self._database = database
        self._vector = vector

    def once(self) -> tuple[float, int]:
        """Milliseconds, and how many rows the vector arm gave."""
        begun = time.perf_counter()
        with self._database.connection() as conn, snapshot(conn):
            words = WordQuery("", "")
            scope, _lexicon = open_search(conn, words, None, LIMITS)
            rows = find_candidates(conn, scope, words, self._vector, LIMITS)
        return (time.perf_counter() - begun) * 1000, len(rows)

    def during(self, work: Callable[[], object]) -> tuple[float, list[tuple[float, int]]]:
        """Seconds that ``work`` took in a thread, and the searches meanwhile."""
        thread, begun = threading.Thread(target=work), time.perf_counter()
        thread.start()
        found = [self.once()]
        while thread.is_alive():
            found.append(self.once())
        return time.perf_counter() - begun, found


def _line(label: str, seconds: float | str, found: list[tuple[float, int]]) -> tuple[object, ...]:
    times = sorted(ms for ms, _rows in found)
    return label, seconds, len(found), statistics.median(times), times[-1], min(rows for _ms, rows in found)


def _fill(database: Database, documents: int, passages: int) -> tuple[list[UUID], Searches]:
    """A library made up by the database, with its index; the first half of it, and a question near that."""
    space = fill(database, documents, passages)
    with database.connection() as conn:
        ids = [row[0] for row in conn.execute("SELECT id FROM documents ORDER BY id")]
    with database.dedicated() as conn:
        conn.execute("ANALYZE")  # a VACUUM would be the one that is not to be repeated so soon
        row = conn.execute(
            f"SELECT embedding FROM {space.table} WHERE document_id = %s LIMIT 1",
            [ids[0]],
        ).fetchone()
    assert row is not None
    return ids[: documents // 2], Searches(database, row[0].to_list())


def _await_vacuuming() -> None:
    """Wait for the thread that the deleting left behind."""
    for thread in threading.enumerate():
        if thread.name == "vacuuming":
            thread.join()


def run(documents: int, passages: int = PASSAGES) -> str:
    """Delete half of a library of so many documents of so many passages each."""
    with library() as database:
        doomed, searches = _fill(database, documents, passages)
        lines = [_line("before", "", [searches.once() for _ in range(IDLE_SEARCHES)])]
        deleting, meanwhile = searches.during(lambda: delete_all(database, doomed))
        lines.append(_line(f"while {len(doomed):,} documents are deleted", deleting, meanwhile))
        vacuuming, meanwhile = searches.during(_await_vacuuming)
        lines.append(_line("while that is vacuumed", vacuuming, meanwhile))
        lines.append(_line("afterwards", "", [searches.once() for _ in range(IDLE_SEARCHES)]))
    head = ("moment", "seconds", "searches", "search p50 ms", "slowest ms", "fewest rows (60 wanted)")
    return table("Deleting in bulk, searched meanwhile", head, lines)
