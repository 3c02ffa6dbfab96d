"""Speed of retrieval: the whole of retrieve() with a ready question vector, beside the bare queries, in one run.

``python -m benchmarks.retrieval_speed --children 10000 100000`` [``--texts FOLDER``] [``--filters``]
[``--hardships``] [``--keep FOLDER``]. Ratios count. Each way asks every question in five rounds, one way after the
other (the bare full text in one round), so the machine is best left alone meanwhile.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import psutil
from psycopg import sql

from benchmarks.measuring import table, timed
from benchmarks.retrieval_speed_parts.filling import MODEL, filled
from benchmarks.retrieval_speed_parts.filtering import Numbers, all_filters, mark, nearest_of
from benchmarks.retrieval_speed_parts.hardships import delete_nearest, halved
from benchmarks.retrieval_speed_parts.peers import hnswlib
from benchmarks.retrieval_speed_parts.vectors import Vectors, clustered, near, nearest
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval import bm25
from webrag_desktop.retrieval.contracts.filters import SearchFilters, restriction
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.query_text import read_query
from webrag_desktop.retrieval.search import retrieve, retrieve_growing
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.searching.candidates import CandidateLimits, find_candidates
from webrag_desktop.storage.searching.postings import open_search
from webrag_desktop.storage.spaces import space_tables

QUESTIONS, ROUNDS, NEIGHBOURS, EF = 40, 5, 60, 100
FIRST = 10  # passages of a first page
LIMITS = CandidateLimits(vector=NEIGHBOURS, lexical=100, ef_search=EF, exact_scan=10_000)


@dataclass
class ReadyVector:
    """An embedder whose vector is there already."""

    vector: list[float]
    model = MODEL

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        """The vector, for each."""
        return [self.vector for _ in texts]

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        """The vector."""
        return self.vector

    def close(self) -> None:
        """Nothing to release."""


@dataclass(frozen=True, slots=True)
class Question:
    """Words that stand in a passage, and a vector near it."""

    words: str
    vector: Vectors


def _questions(conn: Connection, vectors: Vectors) -> list[Question]:
    chance = random.Random(11)
    places = np.array(chance.sample(range(len(vectors)), QUESTIONS))
    ids = [
        row[0]
        for row in conn.execute("SELECT md5('c' || n)::uuid FROM unnest(%s::int[]) n", [places.tolist()])
    ]
    texts: dict[object, str] = dict(
        conn.execute("SELECT id, chunk_text FROM chunks WHERE id = ANY(%s)", [ids]).fetchall()
    )
    return [
        Question(_some_words(texts[id_], chance), vector)
        for id_, vector in zip(ids, near(vectors, places), strict=True)
    ]


def _some_words(text: str, chance: random.Random) -> str:
    """A run of words and two from elsewhere, as a question has them."""
    words = text.split()
    start = chance.randrange(max(1, len(words) - 5))
    return "what is " + " ".join(words[start : start + 5] + chance.sample(words, min(2, len(words)))).replace(
        "-", " "
    )


def _server_seconds(conn: Connection) -> float:
    """Processor time of the server's process for this connection, which runs on this machine."""
    times = psutil.Process(conn.info.backend_pid).cpu_times()
    return times.user + times.system


class Bench:
    """One filled library and what is asked of it."""

    def __init__(self, database: Database, space: StoredSpace, vectors: Vectors) -> None:
        self._space = space
        self._vectors = vectors
        self._peer = hnswlib(vectors, EF)
        self._conn = database.unmanaged()
        self._questions = _questions(self._conn, vectors)
        self._conn.commit()

    def row(self) -> tuple[object, ...]:
        """Medians in milliseconds, and what they are of each other."""
        whole, first, vector, arm = (
            self._median(one) for one in (self.whole, self.first_page, self.bare_vector, self.arm)
        )
        words = self._median(self.bare_words, rounds=1)  # takes seconds in a large library
        peer: object = "not installed"
        if self._peer is not None:
            peer = self._median(lambda q: self._peer.milliseconds(q.vector, NEIGHBOURS))  # type: ignore[union-attr]
        beyond = whole - vector, first - vector
        return (len(self._vectors), whole, first, vector, *beyond, arm, words, peer, self.recall())

    def processor(self) -> tuple[object, ...]:
        """Milliseconds of processor time for a question, ours and the server's: the whole, first page, bare query."""
        self._conn.commit()  # what was asked before began a transaction
        asked = (self.whole, self.first_page, self.bare_vector)
        return (len(self._vectors), *(spent for one in asked for spent in self._processor(one)))

    def _processor(self, ask: Callable[[Question], float]) -> tuple[float, float]:
        for question in self._questions[:5]:
            ask(question)
        server, ours = _server_seconds(self._conn), time.process_time()
        for _ in range(ROUNDS):
            for question in self._questions:
                ask(question)
        spent = time.process_time() - ours, _server_seconds(self._conn) - server
        return spent[0] * 1000 / (ROUNDS * QUESTIONS), spent[1] * 1000 / (ROUNDS * QUESTIONS)

    def _median(self, ask: Callable[[Question], float], rounds: int | None = None) -> float:
        for question in self._questions[:5]:
            ask(question)
        times = range(ROUNDS if rounds is None else rounds)
        return statistics.median(ask(question) for _ in times for question in self._questions)

    def whole(self, question: Question, filters: SearchFilters | None = None) -> float:
        """retrieve(), the question's embedding aside."""
        embedder = ReadyVector(question.vector.tolist())
        found = retrieve(
            self._conn,
            question.words,
            embedder=embedder,
            options=RetrievalOptions(),
            mode="chunk",
            filters=filters,
        )
        return found.timing.search_ms

    def first_page(self, question: Question) -> float:
        """The first passages of it, before the others are read."""
        embedder = ReadyVector(question.vector.tolist())
        found = retrieve_growing(self._conn, question.words, FIRST, embedder=embedder)
        return found.first.timing.search_ms

    def bare_vector(self, question: Question) -> float:
        """The index of vectors alone."""
        return timed(lambda: self._neighbours(question)) * 1000

    def _neighbours(self, question: Question, space: StoredSpace | None = None) -> list[bytes]:
        space = space or self._space
        statement = sql.SQL("SELECT text_hash FROM {} ORDER BY {} LIMIT %s").format(
            sql.Identifier(space.table),
            space_tables.distance(space, sql.Identifier("embedding"), sql.SQL("%s")),
        )
        with self._conn.transaction():
            self._conn.execute("SELECT set_config('hnsw.ef_search', %s, true)", [str(EF)])
            vector = space_tables.encode(space, question.vector.tolist())
            return [bytes(row[0]) for row in self._conn.execute(statement, [vector, NEIGHBOURS])]

    def bare_words(self, question: Question) -> float:
        """The server's full text alone, any word."""
        statement = """
            SELECT id FROM chunks, websearch_to_tsquery('english', %s) q
             WHERE search_vector @@ q ORDER BY ts_rank(search_vector, q) DESC LIMIT 60
        """
        any_word = " or ".join(question.words.split())
        milliseconds = timed(lambda: self._conn.execute(statement, [any_word]).fetchall()) * 1000
        self._conn.commit()
        return milliseconds

    def arm(self, question: Question) -> float:
        """Scope, postings and scoring."""
        return timed(lambda: self._score(question)) * 1000

    def _score(self, question: Question) -> None:
        words = read_query(question.words).words
        with self._conn.transaction():
            _scope, lexicon = open_search(self._conn, words, None, LIMITS)
        bm25.score(lexicon, words.identifiers, LIMITS.lexical)

    def recall(self, space: StoredSpace | None = None) -> float:
        """The share of the exact neighbours that the index of the vectors, or of this space, finds."""
        shares = []
        for question in self._questions:
            exact = {
                sha256(str(n).encode()).digest() for n in nearest(self._vectors, question.vector, NEIGHBOURS)
            }
            shares.append(len(exact & set(self._neighbours(question, space))) / len(exact))
        return statistics.mean(shares)

    def filtered_rows(self) -> list[tuple[object, ...]]:
        """For each filter: how it is answered, in what time, beside no filter at all, and how completely."""
        self._conn.commit()  # what was asked before began a transaction
        rows: list[tuple[object, ...]] = []
        for one in all_filters():
            numbers = one.leaves(len(self._vectors))
            path = "exactly" if len(numbers) <= LIMITS.exact_scan else "by the index"
            both = [(self.whole(question), self.whole(question, one.filters)) for question in self._questions]
            plain, filtered = (statistics.median(times) for times in zip(*both, strict=True))
            shares = [self._filtered_recall(question, one.filters, numbers) for question in self._questions]
            rows.append(
                (len(self._vectors), one.name, len(numbers), path, plain, filtered, statistics.mean(shares))
            )
        return rows

    def halfvec(self) -> tuple[object, ...]:
        """The index of half vectors beside that of whole ones: megabytes, recall."""
        self._conn.commit()  # what was asked before began a transaction
        halves, whole_size, half_size = halved(self._conn, self._space)
        shares = self.recall(), self.recall(halves)
        return (len(self._vectors), whole_size, half_size, 100 * half_size / whole_size, *shares)

    def after_deleting(self) -> tuple[object, ...]:
        """What is found of the neighbours that are left when the nearest were just deleted; the library is spoilt."""
        self._conn.commit()
        asked = self._questions[:3]
        left = delete_nearest(self._conn, self._vectors, [question.vector for question in asked])
        shares = [self._filtered_recall(question, SearchFilters(), left) for question in asked]
        return (len(self._vectors), len(self._vectors) - len(left), statistics.mean(shares))

    def _filtered_recall(self, question: Question, filters: SearchFilters, numbers: Numbers) -> float:
        words, vector = read_query(question.words).words, question.vector.tolist()
        with self._conn.transaction():
            scope, lexicon = open_search(self._conn, words, restriction(filters), LIMITS)
            best = bm25.score(lexicon, words.identifiers, LIMITS.lexical).best
            rows = find_candidates(self._conn, scope, words, vector, LIMITS, best)
        exact = nearest_of(self._vectors, question.vector, numbers, NEIGHBOURS)
        return len(exact & {row.id for row in rows if row.by_vector}) / len(exact)

    def sizes(self) -> tuple[object, ...]:
        """Megabytes of the postings, of the full text's index, and of the vectors with their index."""
        names = ("lexical_segments", "lexical_postings", "lexical_removals")
        words = sum(self._megabytes(name, "pg_total_relation_size") for name in names)
        return (
            len(self._vectors),
            words,
            self._megabytes("chunks_search_idx", "pg_relation_size"),
            self._megabytes(self._space.table, "pg_total_relation_size"),
        )

    def _megabytes(self, name: str, measure: str) -> float:
        row = self._conn.execute(
            sql.SQL("SELECT {}(%s::regclass)").format(sql.Identifier(measure)), [name]
        ).fetchone()
        assert row is not None  # a query without FROM gives a row
        return float(row[0]) / 1e6

    def close(self) -> None:
        """End the connection."""
        self._conn.close()


def run(
    sizes: Sequence[int],
    folder: Path | None,
    *,
    filters: bool,
    hardships: bool = False,
    kept: Path | None = None,
) -> str:
    """The tables; the library of each size stays in the folder ``kept``, if one is given."""
    speed, spent, room, filtered, halves, deleted = [], [], [], [], [], []
    for children in sizes:
        vectors = clustered(children)
        with filled(vectors, folder, kept) as (database, space):
            if filters:
                mark(database)
            bench = Bench(database, space, vectors)
            try:
                speed.append(bench.row())
                spent.append(bench.processor())
                room.append(bench.sizes())
                filtered += bench.filtered_rows() if filters else []
                halves += [bench.halfvec()] if hardships else []
                deleted += [bench.after_deleting()] if hardships else []  # last: the library is spoilt
            finally:
                bench.close()
    head = (
        "children", "retrieve(), ms", "first page, ms", "bare vector query, ms", "retrieve() beyond it, ms",
        "first page beyond it, ms", "scope, postings and BM25, ms", "bare full-text query, ms", "hnswlib, ms",
        "recall@60",
    )  # fmt: skip
    figures = table(f"Retrieval (medians, {QUESTIONS} questions, {ROUNDS} rounds)", head, speed)
    figures += "\n" + table("Processor time of a question", _PROCESSOR_HEAD, spent)
    if filtered:
        figures += "\n" + table("With a filter", _FILTERED_HEAD, filtered)
    if hardships:
        figures += "\n" + table("Vectors of half the precision", _HALVES_HEAD, halves)
        figures += "\n" + table("Nearest deleted, no VACUUM", ("children", "deleted", "recall@60"), deleted)
    return figures + "\n" + table("Room, MB", ("children", "postings", "GIN index", "vectors"), room)


_PROCESSOR_HEAD = (
    "children", "retrieve(), ours, ms", "the server's, ms", "first page, ours, ms", "the server's, ms",
    "bare vector query, ours, ms", "the server's, ms",
)  # fmt: skip
_FILTERED_HEAD = (
    "children", "filter", "left", "measured", "retrieve() without, ms", "with it, ms", "recall@60"
)  # fmt: skip


_HALVES_HEAD = ("children", "index, MB", "of halfvec, MB", "%", "recall@60", "of halfvec")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--children", type=int, nargs="+", default=[10_000])
    parser.add_argument("--texts", type=Path, help="a folder of documents to take sentences from")
    parser.add_argument("--filters", action="store_true", help="with filters of several widths, too")
    parser.add_argument(
        "--hardships",
        action="store_true",
        help="with vectors of half the precision and deleted neighbours, too",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep the libraries there for further runs"
    )
    given = parser.parse_args()
    if given.keep and given.hardships:
        parser.error("--hardships spoils the library, so it is not kept")
    for children in given.children:
        tables = run(
            [children], given.texts, filters=given.filters, hardships=given.hardships, kept=given.keep
        )
        print(tables, flush=True)


if __name__ == "__main__":
    main()
