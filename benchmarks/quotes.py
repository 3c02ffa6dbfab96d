"""``python -m benchmarks.quotes --data FOLDER`` [``--children 100000``] [``--altered 10000``] [``--kept FOLDER``]
[``--small``]: whether quotations are distinguished from what is none, and how quickly, in a library of that size.

True quotations are sentences of SciFact and XQuAD, as they are written and in other ways to write the same; every
second of these documents is stored with markup and as printed. Altered ones differ in one thing and stand in no text.
The exit status is 1 where a true one is not recognised at its place, or an altered one is called exact. ``--kept``
keeps the library between runs, ``--small`` takes a hundredth of everything.
"""

import argparse
import random
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from benchmarks.measuring import EMBEDDED, kept_library, table, timed
from benchmarks.quotes_parts.alterations import Runs, altered
from benchmarks.quotes_parts.filling import (
    CHARACTERS_OF_A_CHUNK,
    address_of,
    children_of,
    fill,
    other_documents,
)
from benchmarks.quotes_parts.renderings import RENDERINGS, Printed, as_it_is, marked_up
from benchmarks.quotes_parts.sentences import Sentence, read_sets
from benchmarks.retrieval_quality_parts.evaluation_sets import read_chroma
from benchmarks.retrieval_quality_parts.reading_order import original_offsets
from benchmarks.retrieval_speed import ReadyVector
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.library.documents import Documents
from webrag_desktop.library.quotes import Quotes
from webrag_desktop.models.quotes import QuotePlace
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database

TIMED = 200  # quotations of each kind
LANGUAGES = ("scifact", "xquad-en")  # what the words of other documents are drawn from, beside chroma
AS_WRITTEN, FROM_MARKUP = "as written", "markup and print in the text"


@dataclass(frozen=True, slots=True)
class Asked:
    """A quotation that is asked for, and whether what came of it is right."""

    kind: str
    right: bool
    grade: str
    said: str


class Bench:
    """A library with the quoted documents among many others."""

    def __init__(
        self, database: Database, folder: Path, data: Path, embedder: Embedder, share: float
    ) -> None:
        """Read the sets in ``data``; ``share`` of their sentences are quoted."""
        self._database, self._embedder = database, embedder
        self.quotes = Quotes(database, Documents(database, Spool(folder / "intake"), FetchOptions()))
        self._sets = read_sets(data)
        self._chroma = read_chroma(data).documents
        texts = {name: text for one in self._sets for name, text in one.documents.items()}
        sentences = [sentence for one in self._sets for sentence in one.sentences]
        self.sentences = sentences[:: max(1, round(1 / share))]
        quoted = {sentence.document for sentence in self.sentences}
        self._texts = texts if share == 1 else {name: text for name, text in texts.items() if name in quoted}
        self.printed: dict[str, Printed] = {
            name: marked_up(text, name) if number % 2 else as_it_is(text)
            for number, (name, text) in enumerate(sorted(self._texts.items()))
        }

    def fill(self, children: int) -> None:
        """Index the documents and so many others that there are about that many children; once for a kept library."""
        if children_of(self._database):
            return
        own = {name: one.markdown for name, one in self.printed.items()} | {
            f"chroma-{name}": text for name, text in self._chroma.items()
        }
        left = children * CHARACTERS_OF_A_CHUNK - sum(map(len, own.values()))
        spoken = [text for one in self._sets if one.name in LANGUAGES for text in one.documents.values()]
        others = other_documents([*spoken, *self._chroma.values()], max(left, 0))
        fill(self._database, self._embedder, chain(own.items(), others))

    def stored(self, document: str) -> tuple[str, Sequence[int]]:
        """What is stored of a document, and where each of its characters stands in what was given."""
        row = self.quotes.documents.find(address_of(document))
        text = self.quotes.documents.text(row.id)
        assert text is not None
        return text.markdown, original_offsets(text.markdown, self.printed[document].markdown)

    # -- True quotations -------------------------------------------------------------------------------------------

    def true_ones(self) -> Iterator[Asked]:
        """Each sentence as it is written, and in one of the other ways to write it."""
        chance = random.Random(5)
        ways = list(RENDERINGS.items())
        for number, sentence in enumerate(self.sentences):
            printed = self.printed[sentence.document].is_marked
            yield self._asked(sentence, sentence.text, FROM_MARKUP if printed else AS_WRITTEN)
            name, render = ways[number % len(ways)]
            yield self._asked(sentence, render(sentence.text, chance), name)

    def _asked(self, sentence: Sentence, quote: str, kind: str) -> Asked:
        report = self.quotes.verify(quote)
        right = report.is_verified and any(self.is_at(sentence, place) for place in report.places)
        if kind == AS_WRITTEN:
            right = right and report.grade == "exact"
        return Asked(kind, right, report.grade, f"{sentence.document}: {quote!r}")

    def is_at(self, sentence: Sentence, place: QuotePlace, *, about: bool = False) -> bool:
        """Whether a place is that of the sentence, markup at its ends aside, or only ``about`` there."""
        if place.source_url != address_of(sentence.document):
            return False
        markdown, offsets = self.stored(sentence.document)
        assert place.verbatim == markdown[place.char_start : place.char_end]
        printed = self.printed[sentence.document]
        wanted = printed.places[sentence.start], printed.places[sentence.end - 1] + 1
        found = offsets[place.char_start], offsets[place.char_end - 1] + 1
        if about:
            return found[0] < wanted[1] and wanted[0] < found[1]
        edges = (sorted(pair) for pair in zip(wanted, found, strict=True))
        return not any(map(str.isalnum, "".join(printed.markdown[low:high] for low, high in edges)))

    # -- Altered ones ----------------------------------------------------------------------------------------------

    def altered_ones(self, count: int) -> Iterator[Asked]:
        """Quotations with one thing changed: right is what is not called exact; ``said`` tells where it is found."""
        for one in altered(self.sentences, Runs(self._all_texts()), count):
            report = self.quotes.verify(one.text)
            near = any(self.is_at(one.sentence, place, about=True) for place in report.places)
            said = "near" if near else one.text if report.is_verified else "elsewhere"
            yield Asked(one.how, not report.is_verified, report.grade, said)

    def _all_texts(self) -> Iterator[str]:
        """Everything as it reads in the library, and what the printed documents were made of."""
        yield from self._texts.values()
        with self._database.connection() as conn, conn.cursor(name="texts") as cursor:
            for (text,) in cursor.execute("SELECT plain_text FROM document_versions"):
                yield text

    # -- Time ------------------------------------------------------------------------------------------------------

    def speed(self, count: int) -> list[tuple[object, ...]]:
        """Milliseconds for each kind of quotation, and of what a search for the same words takes."""
        chance = random.Random(9)
        sentences = chance.sample(self.sentences, min(count, len(self.sentences)))
        words = [word for sentence in sentences for word in sentence.text.split()]
        kinds: Mapping[str, list[str]] = {
            "true": [one.text for one in sentences],
            "near": [self._with_other_words(one.text, words, chance) for one in sentences],
            "nowhere": [" ".join(chance.choices(words, k=len(one.text.split()))) for one in sentences],
        }
        return [(kind, *self._timed(quotes)) for kind, quotes in kinds.items()]

    def _with_other_words(self, text: str, words: Sequence[str], chance: random.Random) -> str:
        own = text.split()
        for _ in range(2):
            own[chance.randrange(len(own))] = chance.choice(words)
        return " ".join(own)

    def _timed(self, quotes: Sequence[str]) -> tuple[object, ...]:
        for quote in quotes[:5]:
            self.quotes.verify(quote)
            self._search(quote)
        both = [
            (timed(partial(self.quotes.verify, quote)), timed(partial(self._search, quote)))
            for quote in quotes
        ]
        verified, searched = (sorted(1000 * one for one in times) for times in zip(*both, strict=True))
        at = int(0.95 * len(verified))
        return (
            len(quotes),
            statistics.median(verified),
            verified[at],
            statistics.median(searched),
            searched[at],
            statistics.median(one / other for one, other in both),
        )

    def _search(self, question: str) -> None:
        vector = np.random.default_rng(len(question)).normal(size=self._embedder.model.dimensions)
        ready = ReadyVector((vector / np.linalg.norm(vector)).tolist())
        ready.model = self._embedder.model
        with self._database.connection() as conn:
            retrieve(conn, question, embedder=ready, options=RetrievalOptions(), mode="chunk")


def _rows(asked: Sequence[Asked]) -> list[tuple[object, ...]]:
    """For each kind how many there are, and how many are right, of each grade, and found at their own place."""
    kinds: dict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        kinds[one.kind].append(one)
    return [
        (
            kind,
            len(of_kind),
            sum(one.right for one in of_kind),
            *(sum(one.grade == grade for one in of_kind) for grade in _GRADES),
            sum(one.said == "near" for one in of_kind),
        )
        for kind, of_kind in sorted(kinds.items())
    ]


_GRADES = ("exact", "exact_as_rendered", "near", "none")
_TRUE_HEAD = ("quoted", "asked", "recognised at their place", *_GRADES)
_ALTERED_HEAD = ("changed", "asked", "not called exact", *_GRADES, "near at its place")
_SPEED_HEAD = ("quoted", "asked", "verify p50, ms", "p95", "search p50, ms", "p95", "verify / search")


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="webrag-bench-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def run(data: Path, children: int, count: int, kept: Path | None = None, share: float = 1.0) -> bool:
    """Print the tables; whether every true quotation was recognised and no altered one called exact."""
    embedder = open_embedder(resolve(EMBEDDED), EMBEDDED)
    with _folder(kept) as folder, kept_library(folder) as database:
        bench = Bench(database, folder, data, embedder, share)
        bench.fill(children)
        print(f"{children_of(database):,} children\n", flush=True)
        true = list(bench.true_ones())
        print(table("True quotations", _TRUE_HEAD, [row[:-1] for row in _rows(true)]), flush=True)
        changed = list(bench.altered_ones(count))
        print(table("Altered quotations", _ALTERED_HEAD, _rows(changed)), flush=True)
        print(table("In the whole library", _SPEED_HEAD, bench.speed(min(TIMED, count))), flush=True)
    wrong = [one for one in (*true, *changed) if not one.right]
    for one in wrong:
        print(f"WRONG ({one.kind}, {one.grade}): {one.said}", flush=True)
    return not wrong


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the evaluation sets")
    parser.add_argument("--children", type=int, default=100_000)
    parser.add_argument("--altered", type=int, default=10_000)
    parser.add_argument("--kept", type=Path, help="a folder for the library, which stays")
    parser.add_argument("--small", action="store_true", help="a hundredth of everything")
    given = parser.parse_args()
    part = 100 if given.small else 1
    right = run(given.data, given.children // part, given.altered // part, given.kept, 1 / part)
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
