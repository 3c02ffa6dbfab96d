"""A library for quotes: the evaluation sets' documents, and as many others as it takes, indexed as a user's are."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from urllib.parse import quote

from psycopg import sql

from benchmarks.measuring import RandomVectors, indexer
from tests.support.new_source import new_source
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.indexing.batch import BatchItem, index_batch
from webrag_desktop.indexing.pipeline import Origin
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, extract
from webrag_desktop.models.documents import Capture
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import listing
from webrag_desktop.storage.spaces.space_index import build
from webrag_desktop.storage.spaces.space_tables import index_name

ADDRESS = "https://evaluation.example/"
CHARACTERS_OF_A_CHUNK = 760  # about what a child of the usual size holds of these texts
_PORTION = 400


def fill(database: Database, real: Embedder, documents: Iterable[tuple[str, str]]) -> int:
    """Index documents (name and Markdown) with random vectors; returns how many children there are.

    The index of the vectors is built at the end, which takes a fraction of the time.
    """
    into = indexer(database, RandomVectors(real))
    with database.connection() as conn:
        conn.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(index_name(into.space))))
    for result in index_batch(into, _items(database, documents)):
        assert result.outcome == "added", result
    build(database, into.space, CancelToken())
    with database.dedicated() as conn:
        conn.execute("VACUUM ANALYZE")
    return children_of(database)


def children_of(database: Database) -> int:
    """How many children a library has."""
    with database.connection() as conn:
        return listing.figures(conn).child_chunks


def address_of(name: str) -> str:
    """The address under which the document of that name is stored."""
    return f"{ADDRESS}{quote(name)}"


def _items(database: Database, documents: Iterable[tuple[str, str]]) -> Iterator[BatchItem]:
    for name, markdown in documents:
        url = address_of(name)
        capture = Capture(
            url=url,
            final_url=url,
            status_code=200,
            headers=(("content-type", "text/markdown; charset=utf-8"),),
            body=markdown.encode(),
            fetched_at=datetime(2026, 1, 2, tzinfo=UTC),
        )
        with database.connection() as conn:
            source_id = new_source(conn, "url", url, url)
            stored = captures.save_capture(conn, source_id, capture)
        yield BatchItem(source_id, extract(capture), Origin(stored.id, stored.raw_hash, EXTRACTOR_VERSION))


def other_documents(texts: Sequence[str], characters: int, seed: int = 3) -> Iterator[tuple[str, str]]:
    """Documents of so many characters in all, whose words follow each other as they do in ``texts``.

    Most are pages of some thousand characters, one in two hundred is a book of a million.
    """
    chance = random.Random(seed)
    words = _Following(texts, chance)
    written = number = 0
    while written < characters:
        length = 1_000_000 if number % 200 == 199 else chance.randint(2_000, 24_000)
        text = _page(words, chance, number, min(length, characters - written))
        yield f"other-{number}.md", text
        written += len(text)
        number += 1


def _page(words: "_Following", chance: random.Random, number: int, length: int) -> str:
    parts = [f"# Page {number}"]
    written = 0
    while written < length:
        if chance.random() < 0.15:
            parts.append(f"## {' '.join(words.run(4))}")
        paragraph = " ".join(_marked_up(words.run(chance.randint(30, 120)), chance))
        parts.append(paragraph)
        written += len(paragraph) + 2
    return "\n\n".join(parts) + "\n"


def _marked_up(words: Sequence[str], chance: random.Random) -> Iterator[str]:
    for word in words:
        drawn = chance.random()
        if drawn < 0.01:
            yield f"**{word}**"
        elif drawn < 0.02:
            yield f"[{word}](https://example.org/{len(word)})"
        else:
            yield word


class _Following:
    """Words as they follow each other in texts."""

    def __init__(self, texts: Sequence[str], chance: random.Random) -> None:
        self._chance = chance
        self._after: dict[str, list[str]] = defaultdict(list)
        self._all: list[str] = []
        for text in texts:
            words = [word for word in text.split() if word.strip("#*|-")]
            self._all += words
            for word, following in pairwise(words):
                self._after[word].append(following)

    def run(self, count: int) -> list[str]:
        """So many words from any place on; of any two neighbours both stand side by side in some text."""
        word = self._chance.choice(self._all)
        run = [word]
        while len(run) < count:
            following = self._after.get(word)
            word = self._chance.choice(following) if following else self._chance.choice(self._all)
            run.append(word)
        return run
