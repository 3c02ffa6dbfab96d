"""Index one document: cut it, make its words searchable, embed it, and land it whole."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID, uuid4

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.errors import IndexingError
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.indexing.headers import context_header, embed_text
from webrag_desktop.indexing.metadata import publication_time, search_language, site_of
from webrag_desktop.indexing.plain_text import project
from webrag_desktop.models import Chunk, NormalizedDocument
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage import documents, renewal, spaces
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.terms import identifier_terms

Outcome = Literal["added", "changed", "renewed", "unchanged"]
Report = Callable[[Literal["chunking", "embedding"], int | None, int | None], None]
Guard = Callable[[Connection], None]
EMBEDDING_STRIDE = 32  # texts between two savings of progress; a crash costs at most these


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a document's text came from: its capture, sha256 of the raw bytes, and who extracted it."""

    capture_id: UUID
    raw_hash: bytes
    extractor_version: int


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A document cut into chunks, with what the full text and the embedder are given of each."""

    chunks: tuple[Chunk, ...]
    contexts: list[str]
    terms: list[list[str]]
    embed_texts: list[str | None]

    def hashes(self) -> list[bytes | None]:
        return [None if text is None else _text_hash(text) for text in self.embed_texts]


def _unguarded(_conn: Connection) -> None:
    """Let everything be written."""


def _facts(document: NormalizedDocument) -> documents.PublishedFacts:
    published = publication_time(document.published_time)
    return documents.PublishedFacts(
        site=site_of(document.source_url),
        search_language=search_language(document.language, document.markdown),
        published_at=published[0] if published else None,
        published_precision=published[1] if published else None,
    )


def _new_version(version_id: UUID, document: NormalizedDocument, origin: Origin) -> documents.NewVersion:
    plain = project(document.markdown)
    return documents.NewVersion(
        version_id,
        document,
        origin.capture_id,
        origin.raw_hash,
        origin.extractor_version,
        plain.text,
        plain.runs,
    )


def _text_hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


@dataclass(frozen=True, slots=True)
class Indexer:
    """Writes documents into one embedding space. ``embedder`` must be the space's own model."""

    database: Database
    space: spaces.StoredSpace
    embedder: Embedder
    tokenizer: Tokenizer
    chunking: ChunkingOptions

    def index(
        self,
        source_id: UUID,
        document: NormalizedDocument,
        origin: Origin,
        *,
        report: Report,
        cancel: CancelToken | None = None,
        guard: Guard = _unguarded,
    ) -> Outcome:
        """Make ``document`` the text that its source shows, searchable by word and by meaning.

        A first text can be found by its words before its vectors are there; a changed text replaces the old
        one, words and vectors together, only when it is complete. Of an unchanged text only what is told of it is
        renewed (blocks, HTML, title, who extracted it), where anything differs; its chunks and vectors keep their ids.
        ``guard`` is called first in every transaction that writes; what it raises leaves all as it is.

        Raises:
            IndexingError: the document holds no text.
            EmbeddingError: the model failed; a first text stays searchable by word, an old text stays.
            Cancelled: ``cancel`` was set; as for EmbeddingError.
        """
        cancel = cancel or CancelToken()
        with self.database.connection() as conn:
            active = documents.active_version(conn, source_id)
            shown = active is not None and self._shows(active, document, origin)
            if shown and not documents.children_without_vector(conn, source_id, self.space.table):
                guard(conn)
                documents.touch(conn, source_id, document, _facts(document))
                return "unchanged"
        report("chunking", None, None)
        prepared = self._prepare(document, cancel)
        same = active is not None and self._has_text(active, document)
        version_id = active.version_id if active and same else uuid4()
        if (
            same
            and not shown
            and self._renew_in_place(source_id, version_id, document, origin, prepared, guard)
        ):
            return "renewed"
        if active is None:
            with self.database.connection() as conn:
                guard(conn)
                self._land_text(conn, source_id, version_id, document, origin, prepared)
        vectors = self._embed(source_id, prepared, report, cancel, guard)
        with self.database.connection() as conn:
            guard(conn)
            if active is not None and not shown:
                self._land_text(conn, source_id, version_id, document, origin, prepared, renews=same)
            self._land_vectors(conn, source_id, version_id, prepared, vectors)
        if active is None or shown:
            return "added"
        return "renewed" if same else "changed"

    def _shows(self, active: documents.ActiveVersion, document: NormalizedDocument, origin: Origin) -> bool:
        return (
            self._has_text(active, document)
            and active.extractor_version == origin.extractor_version
            and (active.title, active.source_url)
            == (document.title, document.source_url)  # parts of the index
        )

    def _has_text(self, active: documents.ActiveVersion, document: NormalizedDocument) -> bool:
        return (
            active.content_hash == document.content_hash
            and self.space.space.chunking_id in active.chunking_ids
        )

    def _renew_in_place(
        self,
        source_id: UUID,
        version_id: UUID,
        document: NormalizedDocument,
        origin: Origin,
        prepared: _Prepared,
        guard: Guard,
    ) -> bool:
        """Renew what is told of a text whose chunks and vectors all stay; False where some would not."""
        chunking_id = self.space.space.chunking_id
        ids = [documents.chunk_identity(version_id, chunking_id, chunk) for chunk in prepared.chunks]
        facts = _facts(document)
        with self.database.connection() as conn:
            if renewal.landed_hashes(conn, source_id, chunking_id, self.space.table) != dict(
                zip(ids, prepared.hashes(), strict=True)
            ):
                return False
            guard(conn)
            renewal.renew_version(conn, _new_version(version_id, document, origin))
            documents.publish(
                conn, source_id, version_id, document, facts, prepared.chunks, keeps_chunks=True
            )
            renewal.renew_chunks(
                conn,
                dict(zip(ids, prepared.chunks, strict=True)),
                source_url=document.source_url,
                search_language=facts.search_language,
                contexts=prepared.contexts,
                extra_terms=prepared.terms,
            )
        return True

    def _prepare(self, document: NormalizedDocument, cancel: CancelToken) -> _Prepared:
        chunks = chunk_document(
            document.markdown, document.blocks, self.tokenizer, self.chunking, cancel=cancel
        )
        if not chunks:
            raise IndexingError("There is no text in this document.", "Open it to see whether it is empty.")
        chunks = tuple(self._with_html_tokens(chunk) for chunk in chunks)
        contexts, terms, texts = [], [], []
        for chunk in chunks:
            cancel.raise_if_cancelled()
            child = chunk.level == "child"
            contexts.append(" ".join(filter(None, (document.title, *chunk.heading_path))))
            terms.append(identifier_terms(chunk.chunk_text) if child else [])
            texts.append(self._text_to_embed(document, chunk) if child else None)
        return _Prepared(chunks, contexts, terms, texts)

    def _with_html_tokens(self, chunk: Chunk) -> Chunk:
        if chunk.level == "child" or chunk.html_text is None:
            return chunk
        return replace(chunk, html_tokens=self.tokenizer.count(chunk.html_text))

    def _text_to_embed(self, document: NormalizedDocument, chunk: Chunk) -> str:
        header = context_header(
            document.title, chunk.heading_path, self.tokenizer, self.space.space.header_tokens
        )
        text = embed_text(header, chunk.chunk_text)
        return text if text.strip() else document.source_url  # models refuse a stretch of nothing but blanks

    def _embed(
        self, source_id: UUID, prepared: _Prepared, report: Report, cancel: CancelToken, guard: Guard
    ) -> dict[bytes, Sequence[float]]:
        texts = {_text_hash(text): text for text in prepared.embed_texts if text is not None}
        with self.database.connection() as conn:
            known: dict[bytes, Sequence[float]] = dict(spaces.known_vectors(conn, self.space, texts))
        missing = [key for key in texts if key not in known]
        for start in range(0, len(missing), EMBEDDING_STRIDE):
            cancel.raise_if_cancelled()
            report("embedding", len(known), len(texts))
            keys = missing[start : start + EMBEDDING_STRIDE]
            fresh = dict(zip(keys, self.embedder.embed_texts([texts[key] for key in keys]), strict=True))
            with self.database.connection() as conn:
                guard(conn)
                spaces.cache_vectors(conn, self.space, source_id, fresh)
            known |= fresh
        return known

    def _land_text(
        self,
        conn: Connection,
        source_id: UUID,
        version_id: UUID,
        document: NormalizedDocument,
        origin: Origin,
        prepared: _Prepared,
        *,
        renews: bool = False,
    ) -> None:
        facts = _facts(document)
        version = _new_version(version_id, document, origin)
        if renews:
            renewal.renew_version(conn, version)
        else:
            documents.save_version(conn, source_id, version)
        documents.publish(conn, source_id, version_id, document, facts, prepared.chunks)
        documents.write_chunks(
            conn,
            source_id,
            version_id,
            self.space.space.chunking_id,
            prepared.chunks,
            source_url=document.source_url,
            search_language=facts.search_language,
            contexts=prepared.contexts,
            extra_terms=prepared.terms,
        )

    def _land_vectors(
        self,
        conn: Connection,
        source_id: UUID,
        version_id: UUID,
        prepared: _Prepared,
        vectors: dict[bytes, Sequence[float]],
    ) -> None:
        landing = [
            spaces.ChunkVector(
                documents.chunk_identity(version_id, self.space.space.chunking_id, chunk), key, vectors[key]
            )
            for chunk, key in zip(prepared.chunks, prepared.hashes(), strict=True)
            if key is not None
        ]
        spaces.land_vectors(conn, self.space, source_id, landing)
