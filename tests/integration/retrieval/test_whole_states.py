"""Whoever searches while documents come, change and go, and the library changes its space, sees whole states only."""

import hashlib
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Condition
from typing import Literal
from uuid import UUID

from tests.support.new_source import new_source
from tests.support.synthetic_library import MODEL, AngleEmbedder, vector_at
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.indexing.batch import reembed_document
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.maintenance.upkeep import delete_all
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.models.spaces import EmbeddingSpace, StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.spaces import space_index, space_moves, space_swap, space_tables

WRITES = 36
READS_BETWEEN = 15
READERS = 3
FETCHED_AT = datetime(2026, 1, 2, tzinfo=UTC)
CHUNKINGS = {
    "fine": ChunkingOptions(window_tokens=60, child_tokens=12, parent_tokens=24),
    "coarse": ChunkingOptions(window_tokens=60, child_tokens=20, parent_tokens=200),
}
State = frozenset[tuple[str, str]]  # the address and text of every parent chunk
Mode = Literal["chunk", "full_context"]


class RiverEmbedder(AngleEmbedder):
    """Finds every text near to every question."""

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        return [vector_at(0.9, turn) for turn in range(len(texts))]


class Ledger:
    """Every state the library may be in, in order, and how far it surely is."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._states: list[State] = [frozenset()]
        self._settled = 0
        self.reads = 0
        self.ended = False

    def write(self, state: State, work: Callable[[], object]) -> None:
        """Do what leads to a state, once the readers have looked often at the one before."""
        with self._changed:
            wanted = self.reads + READS_BETWEEN
            assert self._changed.wait_for(lambda: self.reads >= wanted or self.ended, 120)
            self._states.append(state)
        work()
        with self._changed:
            self._settled = len(self._states) - 1

    def end(self) -> None:
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def read(self, look: Callable[[], State]) -> None:
        """What is seen must be one of the states that there were while looking."""
        with self._changed:
            first = self._settled
        seen = look()
        with self._changed:
            possible = self._states[first:]
            self.reads += 1
            self._changed.notify_all()
        assert seen in possible, (sorted(seen), [sorted(one) for one in possible])


class Rivers:
    """A library of short pages, written as the product writes it; ``texts`` is what it shows."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.texts: dict[UUID, str] = {}
        self.chunking = "fine"
        self._number = 0
        with database.connection() as conn:
            space_tables.activate_space(conn, space_tables.ensure_space(conn, self._space("fine")))

    @staticmethod
    def _space(chunking: str) -> EmbeddingSpace:
        return EmbeddingSpace(model=MODEL, chunking_id=chunking)

    def _indexer(self, stored: StoredSpace) -> Indexer:
        options = CHUNKINGS[stored.space.chunking_id]
        return Indexer(self.database, stored, RiverEmbedder(), WordTokenizer(), options)

    def state(self, texts: dict[UUID, str], chunking: str) -> State:
        """What a search finds in a library of these texts."""
        return frozenset(
            (self._url(source), chunk.chunk_text)
            for source, text in texts.items()
            for chunk in chunk_document(text, (), WordTokenizer(), CHUNKINGS[chunking])
            if chunk.level == "parent"
        )

    @staticmethod
    def _url(source: UUID) -> str:
        return f"https://example.org/{source}"

    def new_text(self) -> str:
        """A text that there never was."""
        self._number += 1
        parts = (f"## Part {n}\n\nriver text {self._number} of part {n} ends here." for n in range(4))
        return f"# Page {self._number}\n\nriver page.\n\n" + "\n\n".join(parts) + "\n"

    def new_page(self) -> UUID:
        """A source without a text."""
        with self.database.connection() as conn:
            self._number += 1
            url = f"https://given.example/{self._number}"
            return new_source(conn, "url", url, url)

    def index(self, source: UUID, text: str) -> None:
        """Give a page a text."""
        url = self._url(source)
        document = NormalizedDocument(
            url=url,
            source_url=url,
            title=None,
            language="en",
            doc_type="html",
            content_hash=hashlib.sha256(text.encode()).hexdigest(),
            fetched_at=FETCHED_AT,
            markdown=text,
        )
        with self.database.connection() as conn:
            capture = Capture(url=url, final_url=url, body=text.encode(), fetched_at=FETCHED_AT)
            stored = captures.save_capture(conn, source, capture)
            active = space_tables.active_space(conn)
        assert active is not None
        origin = Origin(stored.id, stored.raw_hash, 1)
        self._indexer(active).index(source, document, origin, report=lambda *_step: None)

    def move(self, chunking: str) -> None:
        """Bring all of it into another space."""
        with self.database.connection() as conn:
            active = space_tables.active_space(conn)
            assert space_moves.begin(conn, self._space(chunking))
            move = space_moves.open_move(conn)
        assert active is not None
        assert move is not None
        assert move.target is not None
        for source in self.texts:
            with self.database.connection() as conn:
                text = space_swap.shown_text(conn, source)
            assert text is not None
            reembed_document(
                self._indexer(move.target), text, active, cancel=CancelToken(), guard=lambda _conn: None
            )
        with self.database.connection() as conn:
            index = space_index.state(conn, move.target)
        assert index == "ready" or space_index.build(self.database, move.target, CancelToken())
        assert space_swap.try_swap(self.database, move)


def look(conn: Connection, mode: Mode) -> State:
    """What a search finds, which must agree with its own figures."""
    result = retrieve(conn, "river text", embedder=RiverEmbedder(), mode=mode)
    seen = frozenset((chunk.source_url, chunk.chunk_text) for chunk in result.chunks)
    assert result.degraded is None
    assert len(result.chunks) == len(seen) == result.corpus_stats.total_parent_chunks
    return seen


def keep_looking(database: Database, ledger: Ledger, mode: Mode) -> int:
    reads = 0
    try:
        while not ledger.ended:
            with database.connection() as conn:
                ledger.read(lambda conn=conn: look(conn, mode))  # type: ignore[misc]
            reads += 1
    finally:
        ledger.end()
    return reads


def change_something(rivers: Rivers, ledger: Ledger, chance: random.Random, number: int) -> None:
    """Add, change or remove a page; or, every ninth time, change the space."""
    texts = dict(rivers.texts)
    if number % 9 == 8:
        other = "coarse" if rivers.chunking == "fine" else "fine"
        ledger.write(rivers.state(texts, other), lambda: rivers.move(other))
        rivers.chunking = other
        return
    gone = chance.choice(list(texts)) if len(texts) > 3 and chance.random() < 0.4 else None
    if gone is not None:
        del texts[gone]
        ledger.write(rivers.state(texts, rivers.chunking), lambda: delete_all(rivers.database, [gone]))
    else:
        page = chance.choice(list(texts)) if len(texts) > 1 and chance.random() < 0.6 else rivers.new_page()
        texts[page] = text = rivers.new_text()
        ledger.write(rivers.state(texts, rivers.chunking), lambda: rivers.index(page, text))
    rivers.texts = texts


def test_five_hundred_searches_amid_writing_see_one_whole_state_each(database: Database) -> None:
    rivers, ledger, chance = Rivers(database), Ledger(), random.Random(5)
    modes: tuple[Mode, ...] = ("chunk", "full_context", "chunk")
    with ThreadPoolExecutor(READERS) as threads:
        readers = [threads.submit(keep_looking, database, ledger, mode) for mode in modes]
        try:
            for number in range(WRITES):
                change_something(rivers, ledger, chance, number)
        finally:
            ledger.end()
        reads = [reader.result(120) for reader in readers]
    assert sum(reads) >= 500
    assert min(reads) > 0
    with database.connection() as conn:
        assert look(conn, "chunk") == rivers.state(rivers.texts, rivers.chunking)
