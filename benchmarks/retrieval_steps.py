"""``python -m benchmarks.retrieval_steps --data FOLDER``: what each step of a search brings and costs.

Every step is switched off and on, all else as users get it, and both are asked the same questions of ``chroma`` by
turns. A search is judged by R@4000c, the share of the answer among the first 4,000 characters read; a context pack by
the share of the answer in all of it. Times are processor times of this process for one question, its embedding apart.
Chunks that are cut late come from the cache; ``python -m benchmarks.late_chunking`` tells what the first time costs.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from benchmarks.late_chunking import PRECOMPUTED, Asked, Way
from benchmarks.measuring import EMBEDDED, table
from benchmarks.retrieval_quality_parts.evaluation_sets import READERS, EvaluationSet, Piece, Question
from benchmarks.retrieval_quality_parts.metrics import Difference, recall, within
from benchmarks.retrieval_quality_parts.products import HYBRID, Cut, IndexedSet, Search, indexed
from benchmarks.retrieval_quality_parts.reading_order import ranking
from benchmarks.retrieval_quality_parts.vectors import KeptVectors
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.retrieval.context.packing import build_context_pack
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.preferences import CachePrefs

READ = 4000  # characters
_CHILDREN = ChunkTargets().child_tokens
_COPY = "copy-of-"

Reading = Callable[[], Sequence[Piece]]  # what was found, in the order in which it is read
Asking = Callable[[Question], Reading]


@dataclass(frozen=True, slots=True)
class Step:
    """One step, ``off`` and ``on``; all that is read counts where ``budget`` is None."""

    name: str
    off: Asking
    on: Asking
    budget: int | None = READ

    def row(self, questions: Sequence[Question]) -> tuple[str, ...]:
        """What both find, what sets them apart, and what both cost."""
        off, on = _Measured(self.off, self.budget), _Measured(self.on, self.budget)
        for number, question in enumerate(questions):
            for one in (off, on) if number % 2 else (on, off):
                one.ask(question)
        apart = Difference.between(np.array(on.found), np.array(off.found))
        return (
            self.name,
            f"{np.mean(off.found):.1f}",
            f"{np.mean(on.found):.1f}",
            f"{apart.mean:+.1f} ({apart.low:+.1f} to {apart.high:+.1f}, {apart.verdict})",
            f"{statistics.median(off.milliseconds):.1f}",
            f"{statistics.median(on.milliseconds):.1f}",
        )


class _Measured:
    """Answers of one way of asking: the share of each that was found, in percent, and processor ms."""

    def __init__(self, asking: Asking, budget: int | None) -> None:
        self._asking, self._budget = asking, budget
        self.found: list[float] = []
        self.milliseconds: list[float] = []

    def ask(self, question: Question) -> None:
        if not self.found:
            self._asking(question)  # what is made once, such as the cache, does not count
        began = time.process_time()
        reading = self._asking(question)
        self.milliseconds.append((time.process_time() - began) * 1000)
        pieces = reading()
        read = pieces if self._budget is None else within(pieces, self._budget)
        self.found.append(100 * recall(read, question.answers))


# -- Ways of asking -----------------------------------------------------------------------------------------------


def searching(held: IndexedSet, **options: Any) -> Asking:
    """``retrieve()`` with options that differ from their defaults."""

    def ask(question: Question) -> Reading:
        (result,) = held.results([question.text], Search(HYBRID, options))
        return lambda: ranking(result, held.places).pieces

    return ask


def packing(held: IndexedSet, options: ContextOptions) -> Asking:
    """``retrieve()`` and the context pack of it."""

    def ask(question: Question) -> Reading:
        (result,) = held.results([question.text], Search(HYBRID, {}))
        with held.database.connection() as conn:
            pack = build_context_pack(
                result, question.text, conn=conn, tokenizer=held.into.tokenizer, options=options
            )
        return lambda: [
            held.places[chunk.source_url].piece(span.char_start, span.char_end)
            for chunk in pack.chunks
            for span in chunk.spans
        ]

    return ask


def gathering(held: IndexedSet, way: Way) -> Asking:
    """Evidence of whole documents, cut one way or another; what was cut before comes from the cache."""
    asked = Asked(held, held.into.embedder)

    def ask(question: Question) -> Reading:
        found = asked.bundle(question, way, CachePrefs())
        urls = {item.item_id: item.source_ref or "" for item in found.candidates}
        return lambda: [
            held.places[urls[chunk.item_id]].piece(chunk.start_idx or 0, chunk.end_idx or 0)
            for chunk in found.evidence
        ]

    return ask


def steps(held: IndexedSet, bare: IndexedSet, twice: IndexedSet) -> list[Step]:
    """Every step; ``bare`` was embedded without headers, ``twice`` holds each document at two addresses."""
    alone = ContextOptions(neighbor_same_page=0, neighbor_cross_page=0, include_parents=False)
    usual = searching(held)
    late, mixed = (Way(strategy, "recursive", 128) for strategy in ("late", "mixed"))
    return [
        Step("title and headings before embedding", searching(bare), usual),
        Step("near-duplicates folded", searching(held, near_duplicates=None), usual),
        Step(
            "the same, each document at two addresses",
            searching(twice, near_duplicates=None),
            searching(twice),
        ),
        Step(
            "parents and neighbours in a context pack",
            packing(held, alone),
            packing(held, ContextOptions()),
            budget=None,
        ),
        Step("evidence cut late", gathering(held, PRECOMPUTED), gathering(held, late)),
        Step("evidence cut late beside the stored", gathering(held, PRECOMPUTED), gathering(held, mixed)),
    ]


# -- The run ------------------------------------------------------------------------------------------------------


def doubled(data: EvaluationSet) -> EvaluationSet:
    """With each document at a second address."""
    copies = {f"{_COPY}{name}": text for name, text in data.documents.items()}
    return replace(data, documents={**data.documents, **copies})


def as_one(held: IndexedSet) -> IndexedSet:
    """What stands in a copy counts as what stands in its document."""
    places = {url: replace(place, name=place.name.removeprefix(_COPY)) for url, place in held.places.items()}
    return replace(held, places=places)


def run(data: EvaluationSet, embedder: KeptVectors) -> str:
    """A row for each step."""
    with ExitStack() as libraries:
        held, bare, twice = (
            libraries.enter_context(indexed(documents, Cut(_CHILDREN, header), embedder))
            for documents, header in ((data, True), (data, False), (doubled(data), True))
        )
        rows = [step.row(data.questions) for step in steps(held, bare, as_one(twice))]
    title = f"{data.name}: {len(data.documents)} documents, {len(data.questions)} questions"
    return table(title, ("step", "off", "on", "difference, 95 % interval", "off, ms", "on, ms"), rows)


def main() -> None:
    """Ask ``chroma``, with vectors of earlier runs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval_steps", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with chroma/")
    parser.add_argument("--sample", type=int, default=240, help="ask so many questions, evenly spread")
    parser.add_argument(
        "--cache", type=Path, default=user_cache_path("webrag-benchmarks"), help="for vectors"
    )
    arguments = parser.parse_args()
    embedder = KeptVectors(open_embedder(resolve(EMBEDDED), EMBEDDED), arguments.cache)
    print(run(READERS["chroma"](arguments.data).sampled(arguments.sample), embedder))
    embedder.close()


if __name__ == "__main__":
    main()
