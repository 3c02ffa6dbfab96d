"""The usual ways to search, over the very children and vectors that we store: BM25, dense, and both fused.

Each reads its children whole, best first. Words are the lexemes that our full text has of a child, its title and
headings among them, so that only the ways of ranking differ.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from psycopg import sql

from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece
from benchmarks.retrieval_quality_parts.metrics import Ranking
from benchmarks.retrieval_quality_parts.peer_systems.fusing import fused
from benchmarks.retrieval_quality_parts.products import IndexedSet
from tests.support import bm25_oracle
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.spaces.space_tables import active_space

K1, B = 1.5, 0.75  # what BM25 is usually run with
RRF_K = 60
OF_EACH = 100  # candidates of either arm
BM25, DENSE, RRF, CONVEX = (
    f"{name} over our children" for name in ("BM25", "dense", "RRF", "convex fusion .5")
)
SHORT_NAMES: Mapping[str, str] = {BM25: "BM25", DENSE: "dense", RRF: "RRF", CONVEX: "convex"}
_READ = {"spans": 40, "documents": 1_000}  # children: more than is judged of an answer

Scores = npt.NDArray[np.float64]


class _Children(NamedTuple):
    """By ordinal: where each stands, its vector of length one, and its passage of words."""

    pieces: Sequence[Piece]
    vectors: npt.NDArray[np.float64]
    words: Sequence[bm25_oracle.Passage]


def usual_rankings(data: EvaluationSet, asked: IndexedSet) -> dict[str, list[Ranking]]:
    """Every question's answer by each of the four."""
    found: dict[str, list[Ranking]] = {name: [] for name in (BM25, DENSE, RRF, CONVEX)}
    with asked.database.connection() as conn:
        children = _children(conn, asked)
        index = _Bm25(children.words)
        for question in data.questions:
            by_words = index.scores(conn, question.text)
            by_meaning = children.vectors @ _unit(np.array(asked.into.embedder.embed_query(question.text)))
            for name, scores in (
                (BM25, np.where(by_words > 0, by_words, -np.inf)),
                (DENSE, by_meaning),
                (RRF, by_ranks(by_words, by_meaning)),
                (CONVEX, fused(by_words, by_meaning)),
            ):
                best = np.argsort(-scores, kind="stable")[: _READ[data.task]]
                pieces = [children.pieces[place] for place in best if scores[place] > -np.inf]
                found[name].append(Ranking.of_chunks(pieces))
    return found


def _children(conn: Connection, asked: IndexedSet) -> _Children:
    space = active_space(conn)
    assert space is not None, "the library has been filled"
    words = {one.id: one for one in bm25_oracle.passages(conn, space.space.chunking_id)}
    rows = conn.execute(
        sql.SQL(
            """
            SELECT c.id, d.source_url, c.char_start, c.char_end, e.embedding::real[]
              FROM {} e JOIN chunks c ON c.id = e.chunk_id JOIN documents d ON d.id = c.document_id
             ORDER BY d.source_url, c.char_start
            """
        ).format(sql.Identifier(space.table))
    ).fetchall()
    return _Children(
        [asked.places[url].piece(start, end) for _, url, start, end, _ in rows],
        np.array([_unit(np.array(vector)) for *_, vector in rows]),
        [words[id_] for id_, *_ in rows],
    )


def _unit(vector: Scores) -> Scores:
    return vector / np.linalg.norm(vector)


class _Bm25:
    """Robertson's BM25 over the passages of each language."""

    def __init__(self, passages: Sequence[bm25_oracle.Passage]) -> None:
        self._size = len(passages)
        by_language: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(passages):
            by_language[one.language].append(place)
        self._weights = {
            language: dict(term_weights(passages, places)) for language, places in by_language.items()
        }

    def scores(self, conn: Connection, question: str) -> Scores:
        """By place; 0 where a passage holds no word of the question."""
        found = np.zeros(self._size)
        for language, weights in self._weights.items():
            for term in bm25_oracle.lexemes(conn, language, question):
                if term in weights:
                    places, worth = weights[term]
                    found[places] += worth
        return found


def term_weights(
    passages: Sequence[bm25_oracle.Passage], places: Sequence[int]
) -> Iterator[tuple[str, tuple[npt.NDArray[np.int64], Scores]]]:
    """Of each term, where it stands and what it adds to the score there."""
    lengths = {place: passages[place].words.total() for place in places}
    mean = sum(lengths.values()) / len(lengths)
    holding: dict[str, list[int]] = defaultdict(list)
    for place in places:
        for term in passages[place].words:
            holding[term].append(place)
    for term, held in holding.items():
        times = np.array([passages[place].words[term] for place in held], dtype=np.float64)
        length = np.array([lengths[place] for place in held])
        idf = np.log1p((len(places) - len(held) + 0.5) / (len(held) + 0.5))
        yield term, (np.array(held), idf * times * (K1 + 1) / (times + K1 * (1 - B + B * length / mean)))


def by_ranks(by_words: Scores, by_meaning: Scores) -> Scores:
    """Reciprocal rank fusion of the best of both."""
    total = np.zeros(len(by_words))
    for scores in (np.where(by_words > 0, by_words, -np.inf), by_meaning):
        best = np.argsort(-scores, kind="stable")[:OF_EACH]
        best = best[scores[best] > -np.inf]
        total[best] += 1 / (RRF_K + 1 + np.arange(len(best)))
    return np.where(total > 0, total, -np.inf)
