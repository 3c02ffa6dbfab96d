"""``python -m benchmarks.late_chunking --data FOLDER``: what cutting when asked finds and costs, chunker by chunker.

The ``chroma`` set is searched through ``HybridRetriever`` with the options that users get. Every way of cutting brings
as many chunks as it likes of all documents, read by falling score: R@Bc is the share of the answer's characters among
the first B characters read. Cutting and embedding may take as long as they need.

What a question costs is measured on ``scifact``'s short documents, in processor time of this process: cold, with
nothing cached, and warm, with all of it cached. ``headings`` without a size cuts as the library itself is cut, so that
no vector is computed.
"""

import argparse
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from platformdirs import user_cache_path

from benchmarks.measuring import EMBEDDED, table
from benchmarks.retrieval_quality_parts.evaluation_sets import READERS, EvaluationSet, Question
from benchmarks.retrieval_quality_parts.metrics import Difference, Ranking, Scores, scores
from benchmarks.retrieval_quality_parts.products import Cut, IndexedSet, indexed
from benchmarks.retrieval_quality_parts.vectors import KeptVectors
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.indexing.chunkers import RULES, ChunkerRegistry
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.retrieval.contracts.bundles import RetrievalBundle
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.preferences import (
    CachePrefs,
    ChunkingPrefs,
    RetrievalPrefs,
    Strategy,
    prefs_from,
)
from webrag_desktop.retrieval.hybrid.retriever import HybridRetriever
from webrag_desktop.retrieval.late_chunking.chunking import LateChunking

MANY = 100  # chunks; more than any budget holds
OFF = CachePrefs(use_chunk_cache=False, write_chunk_cache=False)


@dataclass(frozen=True, slots=True)
class Way:
    """How evidence is cut."""

    strategy: Strategy
    chunker_id: str = "headings"
    max_chunk_tokens: int | None = None
    include_headers: bool = True

    def __str__(self) -> str:
        if self.strategy == "precomputed":
            return "precomputed"
        size = f" of {self.max_chunk_tokens}" if self.max_chunk_tokens else ""
        return f"{self.strategy}, {self.chunker_id}{size}{'' if self.include_headers else ', no headers'}"

    def prefs(self, question: str, cache: CachePrefs) -> RetrievalPrefs:
        """The preferences of a question, all else as users get it."""
        chunking = ChunkingPrefs(
            strategy=self.strategy,
            chunker_id=self.chunker_id,
            max_chunk_tokens=self.max_chunk_tokens,
            include_headers=self.include_headers,
            max_chars=None,
        )
        usual = prefs_from(RetrievalOptions(), question)
        changed = {"chunking": chunking, "cache": cache, "top_k_chunks": MANY, "per_item_chunk_cap": MANY}
        return usual.model_copy(update=changed | {"debug": True})


PRECOMPUTED = Way("precomputed")


def ways(sizes: Sequence[int]) -> Iterator[Way]:
    """Every way that is measured, the stored chunks first."""
    yield PRECOMPUTED
    yield Way("late")
    for chunker_id in RULES:
        for size in sizes:
            yield Way("late", chunker_id, size)
    yield Way("late", "recursive", sizes[0], include_headers=False)
    yield Way("mixed", "recursive", sizes[0])
    yield Way("mixed", "sentence_window", sizes[0])


@dataclass(frozen=True, slots=True)
class Asked:
    """A filled library that is asked one way or another."""

    held: IndexedSet
    embedder: Embedder

    def bundle(self, question: Question, way: Way, cache: CachePrefs = OFF) -> RetrievalBundle:
        """One answer."""
        into = replace(self.held.into, embedder=self.embedder)
        registry = ChunkerRegistry(into.tokenizer, into.chunking, into.space.space.header_tokens)
        database = self.held.database
        late = LateChunking(into.space, self.embedder, registry, database.connection)
        with database.connection() as conn:
            retriever = HybridRetriever(conn, self.embedder, RetrievalOptions(), into.tokenizer, late)
            return retriever.search(way.prefs(question.text, cache))

    def ranking(self, question: Question, way: Way) -> Ranking:
        """One answer as the evaluation reads it."""
        found = self.bundle(question, way, CachePrefs())
        urls = {item.item_id: item.source_ref or "" for item in found.candidates}
        return Ranking.of_chunks(
            [
                self.held.places[urls[chunk.item_id]].piece(chunk.start_idx or 0, chunk.end_idx or 0)
                for chunk in found.evidence
            ]
        )


def quality(data: EvaluationSet, asked: Asked, sizes: Sequence[int]) -> str:
    """What each way finds, and how that differs from the stored chunks."""
    found = {way: scores(data, [asked.ranking(one, way) for one in data.questions]) for way in ways(sizes)}
    first = found[PRECOMPUTED]
    metrics = list(first)
    rows = [
        (str(way), *(f"{values[metric].mean():.1f}" for metric in metrics), _against(values, first))
        for way, values in found.items()
    ]
    title = f"{data.name}: {len(data.documents)} documents, {len(data.questions)} questions"
    return table(title, ("evidence", *metrics, "R@4000c against precomputed"), rows)


def _against(values: dict[str, Scores], first: dict[str, Scores]) -> str:
    if values is first:
        return ""
    difference = Difference.between(values["R@4000c"], first["R@4000c"])
    return f"{difference.mean:+.1f} ({difference.low:+.1f} to {difference.high:+.1f}, {difference.verdict})"


def costs(data: EvaluationSet, asked: Asked, size: int) -> str:
    """Processor time of a question by what is known already, and how much of it is cutting and embedding."""
    rows = []
    for way in (PRECOMPUTED, Way("late"), *(Way("late", chunker_id, size) for chunker_id in RULES)):
        with asked.held.database.connection() as conn:
            conn.execute("DELETE FROM chunk_cache")
        cold = [_cost(asked, one, way, CachePrefs(use_chunk_cache=False)) for one in data.questions]
        warm = [_cost(asked, one, way, CachePrefs()) for one in data.questions]
        rows.append((str(way), *_medians(cold), statistics.median(one.cpu_ms for one in warm)))
    head = ("evidence", "cold ms", "chunks", "of it embedded", "warm ms")
    title = f"{data.name}: processor time of a question, median of {len(data.questions)}"
    return table(title, head, rows)


@dataclass(frozen=True, slots=True)
class _Cost:
    cpu_ms: float
    chunks: int
    embedded: int


def _cost(asked: Asked, question: Question, way: Way, cache: CachePrefs) -> _Cost:
    began = time.process_time()
    counts = asked.bundle(question, way, cache).stats.counts
    spent = (time.process_time() - began) * 1000
    return _Cost(spent, counts.get("late_chunks", 0), counts.get("late_vectors_computed", 0))


def _medians(found: Sequence[_Cost]) -> tuple[float, float, float]:
    return (
        statistics.median(one.cpu_ms for one in found),
        statistics.median(one.chunks for one in found),
        statistics.median(one.embedded for one in found),
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.late_chunking",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder with chroma/ and scifact/")
    add("--sample", type=int, default=120, help="ask so many of the first set's questions, evenly spread")
    add("--documents", type=int, default=300, help="search so many of scifact's documents")
    add("--costs", type=int, default=5, help="measure the cost of so many questions")
    add("--sizes", nargs="+", type=int, default=[128, 256], help="sizes of chunks in tokens")
    add("--cache", type=Path, default=user_cache_path("webrag-benchmarks"), help="where vectors are kept")
    return parser.parse_args()


def main() -> None:
    """Quality first, with vectors of earlier runs; then costs, with the real model."""
    arguments = _arguments()
    real = open_embedder(resolve(EMBEDDED), EMBEDDED)
    kept = KeptVectors(real, arguments.cache)
    cut = Cut(ChunkTargets().child_tokens, header=True)
    data = READERS["chroma"](arguments.data).sampled(arguments.sample)
    with indexed(data, cut, kept) as held:
        print(quality(data, Asked(held, kept), arguments.sizes), flush=True)
    few = READERS["scifact"](arguments.data).sampled(arguments.costs, arguments.documents)
    with indexed(few, cut, kept) as held:
        print(costs(few, Asked(held, real), arguments.sizes[0]), flush=True)
    kept.close()


if __name__ == "__main__":
    main()
