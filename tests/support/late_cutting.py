"""A library to cut late in, with an embedder that counts, and stops or fails when a test says so."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from webrag_desktop.embedding.base import Embedder
from webrag_desktop.indexing.chunkers import ChunkerRegistry
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.preferences import CachePrefs, ChunkingPrefs
from webrag_desktop.retrieval.late_chunking.chunking import LateChunking, LateEvidence
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.searching.items import ItemText, TextKey, load_item_text

NO_CACHE = CachePrefs(use_chunk_cache=False, write_chunk_cache=False)


class Clock:
    """Tells the time that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class CountingEmbedder:
    """The real model; ``before`` is called ahead of every batch, and may raise."""

    embedder: Embedder
    before: Callable[[], None] = lambda: None
    texts: list[str] = field(default_factory=list)

    @property
    def model(self) -> EmbeddingModel:
        return self.embedder.model

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        self.before()
        self.texts += texts
        return self.embedder.embed_texts(texts, cancel=cancel)

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        return self.embedder.embed_query(text, cancel=cancel)

    def close(self) -> None:
        """The real model stays open."""


class LateLibrary:
    """Asks one question of all documents of a library, cut late."""

    def __init__(self, database: Database, indexer: Indexer, question: str) -> None:
        """Take a filled library and the indexer that filled it."""
        self.database = database
        self.indexer = indexer
        self.embedder = CountingEmbedder(indexer.embedder)
        self.clock = Clock()
        self.question = indexer.embedder.embed_query(question)
        registry = ChunkerRegistry(indexer.tokenizer, indexer.chunking, indexer.space.space.header_tokens)
        self.late = LateChunking(
            indexer.space, self.embedder, registry, database.connection, clock=self.clock
        )

    def items(self) -> list[ItemText]:
        """All documents, by their addresses."""
        with self.database.connection() as conn:
            texts = [load_item_text(conn, key) for key in self.shown()]
            return [text for text in texts if text]

    def shown(self) -> list[TextKey]:
        """The texts that all documents show, by their addresses."""
        with self.database.connection() as conn:
            rows = conn.execute("SELECT id, active_version, content_hash FROM documents ORDER BY source_url")
            return [TextKey(*row) for row in rows]

    def ask(
        self,
        chunker_id: str = "recursive",
        cache: CachePrefs | None = None,
        *,
        cancel: CancelToken | None = None,
        **chunking: Any,
    ) -> LateEvidence:
        """The evidence of all documents; chunks of 24 tokens, by default."""
        sizes = {"max_chunk_tokens": 24} | chunking
        prefs = ChunkingPrefs(strategy="late", chunker_id=chunker_id, **sizes)
        keys = self.shown()
        with self.database.connection() as conn:
            return self.late.evidence(conn, keys, self.question, prefs, cache or CachePrefs(), cancel=cancel)

    def embedded(self) -> int:
        """How many texts were embedded since this was last asked."""
        count = len(self.embedder.texts)
        self.embedder.texts.clear()
        return count

    def rows(self, columns: str = "count(*)") -> list[tuple[Any, ...]]:
        """Rows of the cache, in order of documents."""
        with self.database.connection() as conn:
            return conn.execute(f"SELECT {columns} FROM chunk_cache".encode()).fetchall()

    def run(self, statement: str) -> None:
        """Change the library by hand."""
        with self.database.connection() as conn:
            conn.execute(statement.encode())
