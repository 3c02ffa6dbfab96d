"""Index one document: cut it, make its words searchable, embed it, and land it whole."""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID, uuid4

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.errors import ConfigurationError, EmbeddingError, IndexingError
from webrag_desktop.indexing.chunkers import ChunkerRegistry, SizedChunker
from webrag_desktop.indexing.chunking import ChunkingOptions
from webrag_desktop.indexing.facts import published_facts
from webrag_desktop.indexing.leads import leads_of
from webrag_desktop.indexing.structure import read_structure
from webrag_desktop.indexing.text_vectors import BegunTexts, Guard, Report, TextVectors
from webrag_desktop.models.documents import HEADINGS, Chunk, DocumentVersion, NormalizedDocument
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.searching.words import identifier_terms, name_parts
from webrag_desktop.storage.spaces import space_swap, space_tables
from webrag_desktop.storage.texts import documents, versions
from webrag_desktop.text.plain_text import project
from webrag_desktop.text.units.evidence_units import encode_units

log = logging.getLogger(__name__)
Outcome = Literal["added", "changed", "renewed", "unchanged"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a document's text came from: its capture, sha256 of the raw bytes, and who extracted it."""

    capture_id: UUID
    raw_hash: bytes
    extractor_version: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document cut into chunks, with what the full text and the embedder are given of each.

    ``begun`` are the first of its texts, where they are being embedded already.
    """

    chunks: tuple[Chunk, ...]
    contexts: list[str]
    terms: list[list[str]]
    embed_texts: list[str | None]
    begun: BegunTexts | None = None

    def texts_by_hash(self) -> dict[bytes, str]:
        """What is to be embedded, every text once."""
        return {text_hash(text): text for text in self.embed_texts if text is not None}

    def hashes(self) -> list[bytes | None]:
        """The hash of each chunk's text to embed; None for a parent."""
        return [None if text is None else text_hash(text) for text in self.embed_texts]


def unguarded(_conn: Connection) -> None:
    """Let everything be written."""


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


def text_hash(text: str) -> bytes:
    """The key of a text to embed."""
    return hashlib.sha256(text.encode()).digest()


def titles(document: NormalizedDocument | DocumentVersion, chunk: Chunk) -> str:
    """The title and the headings above a chunk, and what leads it, by which it is found, too."""
    return " ".join(filter(None, (document.title, *chunk.heading_path, *chunk.leads)))


@dataclass(frozen=True, slots=True)
class Indexer:
    """Writes documents into one embedding space. ``embedder`` must be the space's own model."""

    database: Database
    space: StoredSpace
    embedder: Embedder
    tokenizer: Tokenizer
    chunking: ChunkingOptions

    @property
    def vectors(self) -> TextVectors:
        """The vectors of texts in the indexer's space."""
        return TextVectors(self.database, self.space, self.embedder)

    @property
    def _chunker(self) -> SizedChunker:
        return ChunkerRegistry(self.tokenizer, self.chunking, self.space.space.header_tokens).open(HEADINGS)

    def index(
        self,
        source_id: UUID,
        document: NormalizedDocument,
        origin: Origin,
        *,
        report: Report,
        cancel: CancelToken | None = None,
        guard: Guard = unguarded,
        prepared: Prepared | None = None,
    ) -> Outcome:
        """Make ``document`` the text that its source shows, searchable by word and by meaning.

        A first text, and one restored from the bin, can be found by its words before its vectors are there; a changed
        text replaces the old one, words and vectors together, only when it is complete. Of an unchanged text only its
        description is renewed (blocks, HTML, title, extractor version), where it differs; its chunks and vectors keep
        their ids.
        ``guard`` is called first in every transaction that writes; what it raises leaves all as it is. ``prepared``
        is what :meth:`prepare` gave for this document, if that was done ahead.

        Raises:
            IndexingError: the document holds no text.
            EmbeddingError: the model failed; a first text stays searchable by word, an old text stays.
            Cancelled: ``cancel`` was set; as for EmbeddingError.
        """
        cancel = cancel or CancelToken()
        guard = self._in_the_active_space(guard)
        with self.database.connection() as conn:
            active = documents.active_version(conn, source_id)
            shown = active is not None and self._shows(active, document, origin)
            if shown and self._has_vectors(conn, source_id):
                guard(conn)
                facts = published_facts(conn, source_id, document)
                documents.touch(conn, source_id, document, facts, origin.capture_id)
                space_tables.forget_waiting(conn, self.space, source_id)
                return "unchanged"
        report("chunking", None, None)
        prepared = prepared or self.prepare(document, cancel)
        same = active is not None and self._has_text(active, document)
        kept = self._kept_version(source_id, document) if active is None else None
        version_id = active.version_id if active and same else kept or uuid4()
        if (
            same
            and not shown
            and self._renew_in_place(source_id, version_id, document, origin, prepared, guard)
        ):
            return "renewed"
        if active is None:
            with self.database.connection() as conn:
                guard(conn)
                self._land_text(
                    conn, source_id, version_id, document, origin, prepared, renews=kept is not None
                )
        vectors = self.vectors.embed(
            source_id, prepared.texts_by_hash(), report, cancel, guard, begun=prepared.begun
        )
        with self.database.connection() as conn:
            guard(conn)
            if active is not None and not shown:
                self._land_text(conn, source_id, version_id, document, origin, prepared, renews=same)
            self._land_vectors(conn, source_id, version_id, prepared, vectors)
        if active is None or shown:
            return "added"
        return "renewed" if same else "changed"

    def is_unchanged(self, source_id: UUID, document: NormalizedDocument, origin: Origin) -> bool:
        """Whether a source shows exactly this already, so that :meth:`index` would cut and embed nothing."""
        with self.database.connection() as conn:
            active = documents.active_version(conn, source_id)
            return (
                active is not None
                and self._shows(active, document, origin)
                and self._has_vectors(conn, source_id)
            )

    def _has_vectors(self, conn: Connection, source_id: UUID) -> bool:
        chunking_id = self.space.space.chunking_id
        return not documents.children_without_vector(conn, source_id, chunking_id, self.space.table)

    def _in_the_active_space(self, guard: Guard) -> Guard:
        """The guard, and with it the promise that this is the space that searches use."""

        def both(conn: Connection) -> None:
            guard(conn)
            space_tables.hold_active(conn, self.space)

        return both

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

    def _kept_version(self, source_id: UUID, document: NormalizedDocument) -> UUID | None:
        """The text that a document showed before it was put into the bin, where it is this one: its id stays."""
        with self.database.connection() as conn:
            last = versions.last_text(conn, source_id)
        return last[0] if last is not None and last[1] == document.content_hash else None

    def _renew_in_place(
        self,
        source_id: UUID,
        version_id: UUID,
        document: NormalizedDocument,
        origin: Origin,
        prepared: Prepared,
        guard: Guard,
    ) -> bool:
        """Renew the description of a text whose chunks and vectors all stay; False where some would not."""
        chunking_id = self.space.space.chunking_id
        ids = [documents.chunk_identity(version_id, chunking_id, chunk) for chunk in prepared.chunks]
        with self.database.connection() as conn:
            if versions.landed_hashes(conn, source_id, chunking_id, self.space.table) != dict(
                zip(ids, prepared.hashes(), strict=True)
            ):
                return False
            guard(conn)
            facts = published_facts(conn, source_id, document)
            versions.renew_version(conn, _new_version(version_id, document, origin))
            space_swap.keep_vectors(conn, source_id)
            documents.publish(
                conn, source_id, version_id, document, facts, prepared.chunks, keeps_chunks=True
            )
            versions.renew_chunks(
                conn,
                dict(zip(ids, prepared.chunks, strict=True)),
                source_url=document.source_url,
                search_language=facts.search_language,
                contexts=prepared.contexts,
                extra_terms=prepared.terms,
            )
            space_tables.forget_waiting(conn, self.space, source_id)
        return True

    def prepare(self, document: NormalizedDocument | DocumentVersion, cancel: CancelToken) -> Prepared:
        """Cut a text and determine what is embedded of it.

        Raises:
            IndexingError: it is empty.
            Cancelled: ``cancel`` was set.
        """
        chunks = self._chunker.families(document.markdown, document.blocks, cancel=cancel)
        if not chunks:
            raise IndexingError("There is no text in this document.", "Open it to see whether it is empty.")
        contexts, terms, texts = [], [], []
        for chunk in chunks:
            cancel.raise_if_cancelled()
            child = chunk.level == "child"
            parts = name_parts(chunk.chunk_text) if child else []
            contexts.append(" ".join(filter(None, (titles(document, chunk), *parts))))
            terms.append(identifier_terms(chunk.chunk_text) if child else [])
            texts.append(
                self.text_to_embed(document, (*chunk.heading_path, *chunk.leads), chunk.chunk_text)
                if child
                else None
            )
        return Prepared(tuple(map(self._completed, chunks)), contexts, terms, texts)

    def _completed(self, chunk: Chunk) -> Chunk:
        """The chunk with its encoded units of evidence, or with the token count of its HTML."""
        if chunk.level == "child":
            return replace(chunk, sentences=encode_units(chunk.chunk_text))
        if chunk.html_text is None:
            return chunk
        return replace(chunk, html_tokens=self.tokenizer.count(chunk.html_text))

    def leads_of(self, version: DocumentVersion, starts: Sequence[int]) -> list[tuple[str, ...]]:
        """What leads the children of a version that begin there, in order, as where it is cut."""
        if not self.chunking.by_units:
            return [()] * len(starts)
        return leads_of(version.markdown, read_structure(version.markdown, version.blocks), starts)

    def text_to_embed(
        self, document: NormalizedDocument | DocumentVersion, heading_path: Sequence[str], chunk_text: str
    ) -> str:
        """What the model is given for a chunk of a document."""
        text = self._chunker.text_to_embed(document.title, heading_path, chunk_text)
        return text if text.strip() else document.source_url  # models refuse texts of nothing but white space

    def begin_ahead(self, prepared: Prepared, cancel: CancelToken) -> Prepared:
        """The same document, with the first of its texts being embedded where the embedder can work ahead.

        A model that cannot be used is met again by :meth:`index`, once the words of the document can be found.
        """
        try:
            begun = self.vectors.begin_ahead(prepared.texts_by_hash(), cancel)
        except (ConfigurationError, EmbeddingError) as error:
            log.info("nothing is embedded ahead: %s", error)
            return prepared
        return replace(prepared, begun=begun)

    def _land_text(
        self,
        conn: Connection,
        source_id: UUID,
        version_id: UUID,
        document: NormalizedDocument,
        origin: Origin,
        prepared: Prepared,
        *,
        renews: bool = False,
    ) -> None:
        facts = published_facts(conn, source_id, document)
        version = _new_version(version_id, document, origin)
        if renews:
            versions.renew_version(conn, version)
        else:
            documents.save_version(conn, source_id, version)
        space_swap.keep_vectors(conn, source_id)
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
        prepared: Prepared,
        vectors: dict[bytes, Sequence[float]],
    ) -> None:
        landing = [
            space_tables.ChunkVector(
                documents.chunk_identity(version_id, self.space.space.chunking_id, chunk), key, vectors[key]
            )
            for chunk, key in zip(prepared.chunks, prepared.hashes(), strict=True)
            if key is not None
        ]
        space_tables.land_vectors(conn, self.space, source_id, landing)
