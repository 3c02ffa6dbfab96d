"""Making chunks and vectors of a stored text anew, in place: for what was damaged, without reading the page again."""

from collections.abc import Sequence
from uuid import UUID

from webrag_desktop.errors import NotFoundError
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.models.documents import Chunk, DocumentVersion
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.checks import deep_reads, repair
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.spaces import space_tables
from webrag_desktop.storage.texts import documents
from webrag_desktop.text.graphemes import between_characters


def _everything_goes(_conn: Connection) -> None:
    """The caller keeps the worker away, so there is no claim to look after."""


def rebuild(indexer: Indexer, document_id: UUID, cancel: CancelToken) -> None:
    """Cut the text that a document shows anew and put all of it in the place of the chunks and vectors it has.

    Vectors are taken from those there are, as far as they are of exactly the same texts. The version keeps its id.

    Raises:
        NotFoundError: the document shows no text.
        EmbeddingError: a vector is missing and the model failed; nothing was changed.
        Cancelled: ``cancel`` was set; nothing was changed.
    """
    with indexer.database.connection() as conn:
        version = documents.load_version(conn, document_id)
        language = repair.search_language_of(conn, document_id)
    if version is None or language is None:
        raise NotFoundError("The document shows no text.")
    prepared = indexer.prepare(version, cancel)
    vectors = indexer.embed(
        document_id, prepared.texts_by_hash(), lambda *_step: None, cancel, _everything_goes
    )
    space = indexer.space
    with indexer.database.connection() as conn:
        space_tables.hold_active(conn, space)
        repair.drop_chunks(conn, document_id)
        ids = documents.write_chunks(
            conn,
            document_id,
            version.id,
            space.space.chunking_id,
            prepared.chunks,
            source_url=version.source_url,
            search_language=language,
            contexts=prepared.contexts,
            extra_terms=prepared.terms,
        )
        landing = [
            space_tables.ChunkVector(id_, key, vectors[key])
            for id_, key in zip(ids, prepared.hashes(), strict=True)
            if key is not None
        ]
        space_tables.land_vectors(conn, space, document_id, landing)
        repair.count_document(conn, document_id, space.space.chunking_id)


def is_as_cut(conn: Connection, indexer: Indexer, version: DocumentVersion, cancel: CancelToken) -> bool:
    """Whether a text's chunks, what they carry and what they are found by are what cutting it gives, or once gave.

    ``conn`` sees one state.

    Raises:
        IndexingError: there is no text.
        Cancelled: ``cancel`` was set.
    """
    prepared, space = indexer.prepare(version, cancel), indexer.space
    cut = zip(prepared.chunks, prepared.hashes(), prepared.contexts, prepared.terms, strict=True)
    in_order = sorted(cut, key=lambda one: (one[0].level != "parent", one[0].chunk_index))
    stored = deep_reads.stored_chunks(conn, version.document_id, space)
    if len(stored) != len(in_order) or not all(
        _is_stored_as(row, chunk, key)
        for row, (chunk, key, _context, _terms) in zip(stored, in_order, strict=True)
    ):
        return _tears_characters(version.markdown, stored)
    words = [
        (chunk.chunk_index, context, terms)
        for chunk, _key, context, terms in in_order
        if chunk.level == "child"
    ]
    return deep_reads.found_by_their_words(conn, version.document_id, space.space.chunking_id, words)


def _tears_characters(markdown: str, stored: Sequence[dict[str, object]]) -> bool:
    """Whether a chunk begins within a character as readers see it, as before these were kept whole.

    Nobody is asked to cut such a text anew; that its chunks are verbatim and partition it is asked elsewhere.
    """
    starts = (row["char_start"] for row in stored)
    return any(isinstance(start, int) and not between_characters(markdown, start) for start in starts)


def _is_stored_as(row: dict[str, object], chunk: Chunk, key: bytes | None) -> bool:
    carried = documents.chunk_columns(chunk) | {"places": [list(place) for place in chunk.places]}
    has_its_vector = row.pop("text_hash") in (None, key)  # whether there is one is asked elsewhere
    return has_its_vector and row == carried
