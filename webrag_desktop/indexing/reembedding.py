"""Bringing a document's text into another embedding space, beside the one that searches use."""

from uuid import UUID

from webrag_desktop.indexing.pipeline import Guard, Indexer, Prepared, text_hash
from webrag_desktop.models.documents import DocumentVersion
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.spaces import space_swap, space_tables
from webrag_desktop.storage.spaces.space_swap import ShownText
from webrag_desktop.storage.texts import documents


def reembed_document(
    indexer: Indexer, text: ShownText, origin: StoredSpace, *, cancel: CancelToken, guard: Guard
) -> bool:
    """Bring the text that a document shows in ``origin`` into the indexer's space too, all of it at once.

    Searches see nothing of that. Chunks that both spaces have are taken as they are, vectors too where both have one
    model. False when the document shows something else by now, or nothing. ``guard`` is called first in every
    transaction that writes.

    Raises:
        EmbeddingError: the model failed.
        Cancelled: ``cancel`` was set; what was embedded until then is kept.
    """
    version, target = text.version, indexer.space
    shared = target.space.chunking_id == origin.space.chunking_id
    prepared = None if shared else indexer.prepare(version, cancel)
    children = _stored_texts(indexer, version) if prepared is None else _cut_texts(indexer, version, prepared)
    vectors = indexer.embed(
        version.document_id,
        {text_hash(one): one for one in children.values()},
        lambda *_step: None,
        cancel,
        guard,
        also_known_in=origin if origin.space.model == target.space.model else None,
    )
    landing = [
        space_tables.ChunkVector(id_, text_hash(one), vectors[text_hash(one)])
        for id_, one in children.items()
    ]
    with indexer.database.connection() as conn:
        guard(conn)
        if not space_swap.still_shows(conn, text):
            return False
        space_tables.forget_document(conn, target, version.document_id)
        if prepared is not None:
            _write_chunks(conn, target, text, prepared)
        space_tables.land_vectors(conn, target, version.document_id, landing)
    return True


def _stored_texts(indexer: Indexer, version: DocumentVersion) -> dict[UUID, str]:
    """What to embed of the chunks that are there already."""
    with indexer.database.connection() as conn:
        stored = space_swap.stored_children(conn, version.id, indexer.space.space.chunking_id)
    return {
        child.id: indexer.text_to_embed(version, child.heading_path, child.chunk_text) for child in stored
    }


def _cut_texts(indexer: Indexer, version: DocumentVersion, prepared: Prepared) -> dict[UUID, str]:
    """What to embed of the chunks that were cut for the new space."""
    chunking_id = indexer.space.space.chunking_id
    return {
        documents.chunk_identity(version.id, chunking_id, chunk): one
        for chunk, one in zip(prepared.chunks, prepared.embed_texts, strict=True)
        if one is not None
    }


def _write_chunks(conn: Connection, target: StoredSpace, text: ShownText, prepared: Prepared) -> None:
    space_swap.delete_chunks(conn, text.version.document_id, target.space.chunking_id)
    documents.write_chunks(
        conn,
        text.version.document_id,
        text.version.id,
        target.space.chunking_id,
        prepared.chunks,
        source_url=text.version.source_url,
        search_language=text.search_language,
        contexts=prepared.contexts,
        extra_terms=prepared.terms,
    )
