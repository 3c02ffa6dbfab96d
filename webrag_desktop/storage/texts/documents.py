"""Documents, their immutable versions and their chunks, and how a new text takes an old one's place."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from psycopg import sql
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from webrag_desktop.storage import document_columns as metadata
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.document_columns import stored_map
from webrag_desktop.storage.events import announce_if_cited
from webrag_desktop.storage.texts import bibliography
from webrag_desktop.storage.texts.chunks import insert_chunks
from webrag_desktop.storage.texts.links import write_links

if TYPE_CHECKING:
    from webrag_desktop.models.documents import Chunk, ChunkRow, DocumentVersion, NormalizedDocument


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version about to be stored: the document, where it came from, and its plain-text projection.

    ``plain_map`` holds runs (plain_start, markdown_start, length) of code points.
    """

    id: UUID
    document: "NormalizedDocument"
    capture_id: UUID
    raw_hash: bytes
    extractor_version: int
    plain_text: str
    plain_map: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class PublishedFacts:
    """What indexing derives about a document so that it can be filtered, stemmed and found by links.

    ``link_keys`` are the keys of the addresses of its links, one to one.
    """

    site: str | None
    search_language: str
    link_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActiveVersion:
    """What a document shows now; ``chunking_ids`` are the chunkings its chunks exist in."""

    version_id: UUID
    content_hash: str
    extractor_version: int
    title: str | None
    source_url: str
    chunking_ids: tuple[str, ...]


def chunk_identity(version_id: UUID, chunking_id: str, chunk: "Chunk") -> UUID:
    """A chunk's id: equal text position in an equal version under equal rules gives an equal id."""
    return uuid5(version_id, f"{chunking_id}\n{chunk.level}\n{chunk.char_start}\n{chunk.char_end}")


def active_version(conn: Connection, document_id: UUID) -> ActiveVersion | None:
    """What the document shows now, or None before its first text is searchable."""
    row = conn.execute(
        """
        SELECT v.id, v.content_hash, v.extractor_version, d.title, d.source_url,
               ARRAY(SELECT DISTINCT chunking_id FROM chunks WHERE version_id = v.id ORDER BY 1)
          FROM documents d JOIN document_versions v ON v.id = d.active_version
         WHERE d.id = %s
        """,
        [document_id],
    ).fetchone()
    if row is None:
        return None
    version_id, content_hash, extractor_version, title, source_url, chunking_ids = row
    return ActiveVersion(version_id, content_hash, extractor_version, title, source_url, tuple(chunking_ids))


def save_version(conn: Connection, document_id: UUID, new: NewVersion) -> None:
    """Store an immutable text; nothing shows it until :func:`publish`."""
    document = new.document
    conn.execute(
        """
        INSERT INTO document_versions (id, document_id, capture_id, source_url, title, markdown, html, blocks,
                                       plain_text, plain_map, content_hash, raw_hash, extractor_version, fetched_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        [
            new.id,
            document_id,
            new.capture_id,
            document.source_url,
            document.title,
            document.markdown,
            document.html,
            Jsonb([block.model_dump(mode="json", exclude_defaults=True) for block in document.blocks]),
            new.plain_text,
            stored_map(new.plain_map),
            document.content_hash,
            new.raw_hash,
            new.extractor_version,
            document.fetched_at,
        ],
    )


def publish(
    conn: Connection,
    document_id: UUID,
    version_id: UUID,
    document: "NormalizedDocument",
    facts: PublishedFacts,
    chunks: "Sequence[Chunk]",
    *,
    keeps_chunks: bool = False,
) -> None:
    """Make a stored version the one that the document shows. Its old chunks and vectors are deleted.

    The chunks of the new version follow in the same transaction through :func:`write_chunks`; with
    ``keeps_chunks`` they are there already. What was cut for a space that the library moves to goes in any case.
    """
    announce_if_cited(conn, [document_id])
    conn.execute(_DELETE_OTHER_CHUNKS if keeps_chunks else _DELETE_CHUNKS, [document_id])
    conn.execute(
        _PUBLISH,
        {
            **asdict(facts),
            **_document_columns(conn, document_id, document),
            "id": document_id,
            "version": version_id,
            "parents": sum(chunk.level == "parent" for chunk in chunks),
            "children": sum(chunk.level == "child" for chunk in chunks),
            "tokens": sum(chunk.token_end - chunk.token_start for chunk in chunks if chunk.level == "parent"),
        },
    )
    conn.execute("DELETE FROM removed_documents WHERE id = %s", [document_id])
    write_links(conn, document_id, document, facts.link_keys)


_DELETE_CHUNKS = "DELETE FROM chunks WHERE document_id = %s"
_DELETE_OTHER_CHUNKS = """
    DELETE FROM chunks WHERE document_id = %s
       AND chunking_id NOT IN (SELECT s.chunking_id FROM corpus JOIN embedding_spaces s ON s.id = corpus.active_space)
"""
_PUBLISH = sql.SQL(
    """
    INSERT INTO documents (id, active_version, url, source_url, site, search_language, status_code,
                           published_at, published_precision, {columns},
                           content_hash, fetched_at, depth, parent_chunks, child_chunks, tokens)
    SELECT s.id, %(version)s, %(url)s, %(source_url)s, %(site)s, %(search_language)s, %(status_code)s,
           %(published_at)s, %(published_precision)s, {parameters},
           %(content_hash)s, %(fetched_at)s, s.depth, %(parents)s, %(children)s, %(tokens)s
      FROM sources s WHERE s.id = %(id)s
    ON CONFLICT (id) DO UPDATE SET
           active_version = excluded.active_version, url = excluded.url, source_url = excluded.source_url,
           site = excluded.site, search_language = excluded.search_language, status_code = excluded.status_code,
           published_at = excluded.published_at, published_precision = excluded.published_precision,
           {excluded},
           content_hash = excluded.content_hash, fetched_at = excluded.fetched_at, indexed_at = now(),
           parent_chunks = excluded.parent_chunks, child_chunks = excluded.child_chunks, tokens = excluded.tokens
"""
).format(columns=metadata.COLUMNS, parameters=metadata.PARAMETERS, excluded=metadata.EXCLUDED)
_TOUCH = sql.SQL(
    """
    UPDATE documents SET url = %(url)s, status_code = %(status_code)s, published_at = %(published_at)s,
                         published_precision = %(published_precision)s, fetched_at = %(fetched_at)s,
                         {renewed}
     WHERE id = %(id)s
"""
).format(renewed=metadata.RENEWED)


def _document_columns(
    conn: Connection, document_id: UUID, document: "NormalizedDocument"
) -> dict[str, object]:
    """The columns of a document's row that follow from the document and what the user set of it, by parameter."""
    columns = bibliography.document_columns(conn, document_id, document)
    return columns | {
        **bibliography.published_columns(columns),
        "url": document.url,
        "source_url": document.source_url,
        "status_code": document.status_code,
        "content_hash": document.content_hash,
        "fetched_at": document.fetched_at,
    }


def write_chunks(
    conn: Connection,
    document_id: UUID,
    version_id: UUID,
    chunking_id: str,
    chunks: "Sequence[Chunk]",
    *,
    source_url: str,
    search_language: str,
    contexts: Sequence[str],
    extra_terms: Sequence[Sequence[str]],
) -> list[UUID]:
    """Write a version's chunks and return their ids in the given order.

    ``contexts`` (title and headings) and ``extra_terms`` (words the text search parser would split) belong to
    ``chunks`` one to one; only children are given to the full text.
    """
    ids = [chunk_identity(version_id, chunking_id, chunk) for chunk in chunks]
    parents = {
        chunk.chunk_index: id_ for id_, chunk in zip(ids, chunks, strict=True) if chunk.level == "parent"
    }
    rows = [
        {
            "id": id_,
            "document": document_id,
            "version": version_id,
            "parent": None if chunk.parent_index is None else parents[chunk.parent_index],
            "chunking": chunking_id,
            "source_url": source_url,
            "language": search_language,
            "context": context,
            "terms": list(terms),
            "sentences": chunk.sentences,
            **chunk_columns(chunk),
        }
        for id_, chunk, context, terms in zip(ids, chunks, contexts, extra_terms, strict=True)
    ]
    insert_chunks(conn, rows)
    return ids


def chunk_columns(chunk: "Chunk") -> dict[str, object]:
    """The columns of a chunk's row that follow from the chunk, by parameter."""
    return {
        "level": chunk.level,
        "index": chunk.chunk_index,
        "heading": chunk.section_heading,
        "path": list(chunk.heading_path),
        "anchor": chunk.anchor,
        "page": chunk.page,
        "text": chunk.chunk_text,
        "html": chunk.html_text,
        **chunk.flags.model_dump(),
        "char_start": chunk.char_start,
        "char_end": chunk.char_end,
        "token_start": chunk.token_start,
        "token_end": chunk.token_end,
        "html_tokens": chunk.html_tokens,
        "places": Jsonb(chunk.places),
    }


def touch(
    conn: Connection,
    document_id: UUID,
    document: "NormalizedDocument",
    facts: PublishedFacts,
    capture_id: UUID | None,
) -> None:
    """Record that the page was read again with an unchanged text, and its present metadata.

    Where the text had lost what it was read from, that is ``capture_id`` from now on.
    """
    conn.execute(
        """
        UPDATE document_versions v SET capture_id = %s FROM documents d
         WHERE d.id = %s AND v.id = d.active_version AND v.capture_id IS NULL
        """,
        [capture_id, document_id],
    )
    conn.execute(
        _TOUCH,
        {**asdict(facts), **_document_columns(conn, document_id, document), "id": document_id},
    )
    write_links(conn, document_id, document, facts.link_keys)


def load_version(
    conn: Connection, document_id: UUID, version_id: UUID | None = None
) -> "DocumentVersion | None":
    """A version of a document, by default the one it shows; None when there is none."""
    row = conn.execute(
        _SELECT_VERSION + " WHERE v.document_id = %s AND v.id = coalesce(%s, d.active_version)",
        [document_id, version_id],
    ).fetchone()
    return _version(row)


def load_text(conn: Connection, version_id: UUID) -> "DocumentVersion | None":
    """A version by its own id, shown or superseded; None when it was deleted with its document."""
    return _version(conn.execute(_SELECT_VERSION + " WHERE v.id = %s", [version_id]).fetchone())


def load_shown_markdown(conn: Connection, document_id: UUID) -> tuple[str, str] | None:
    """Address and text of what a document shows; None while it shows none."""
    return conn.execute(
        """
        SELECT d.source_url, v.markdown FROM documents d JOIN document_versions v ON v.id = d.active_version
         WHERE d.id = %s
        """,
        [document_id],
    ).fetchone()


_SELECT_VERSION = """
    SELECT v.id, v.document_id, v.source_url, v.title, v.markdown, v.html, v.content_hash, v.fetched_at, v.blocks
      FROM document_versions v LEFT JOIN documents d ON d.id = v.document_id
"""


def _version(row: tuple[Any, ...] | None) -> "DocumentVersion | None":
    if row is None:
        return None
    from webrag_desktop.models.documents import Block, DocumentVersion

    names = ("id", "document_id", "source_url", "title", "markdown", "html", "content_hash", "fetched_at")
    blocks = tuple(Block.model_validate(block) for block in row[-1])
    return DocumentVersion(**dict(zip(names, row[:-1], strict=True)), blocks=blocks)


def chunks_of(conn: Connection, document_id: UUID) -> "list[ChunkRow]":
    """The chunks of the version a document shows: parents then children, each in reading order."""
    from webrag_desktop.models.documents import ChunkRow  # a window that starts needs none

    with conn.cursor(row_factory=class_row(ChunkRow)) as cursor:
        return cursor.execute(
            """
            SELECT id, parent_id, chunk_level, chunk_index, section_heading, heading_path, anchor, page, chunk_text,
                   html_text, has_table, has_code, has_math, has_definition_list, has_admonition, has_steps,
                   char_start, char_end, token_start, token_end, embedding IS NOT NULL AS embedded
              FROM corpus_chunks
             WHERE document_id = %s
             ORDER BY chunk_level DESC, chunk_index
            """,
            [document_id],
        ).fetchall()


def children_without_vector(conn: Connection, document_id: UUID, chunking_id: str, space_table: str) -> int:
    """How many of a document's child chunks of a chunking have no vector in a space's table."""
    row = conn.execute(
        sql.SQL(
            """
            SELECT count(*) FROM chunks c LEFT JOIN {} e ON e.chunk_id = c.id
             WHERE c.document_id = %s AND c.chunking_id = %s AND c.chunk_level = 'child' AND e.chunk_id IS NULL
            """
        ).format(sql.Identifier(space_table)),
        [document_id, chunking_id],
    ).fetchone()
    assert row is not None  # an aggregate always gives a row
    return int(row[0])


def complete_documents(conn: Connection, document_ids: Sequence[UUID]) -> set[UUID]:
    """Those of these documents whose text is searchable by word and by meaning, in the library's space."""
    space = conn.execute(
        "SELECT s.table_name, s.chunking_id FROM corpus JOIN embedding_spaces s ON s.id = corpus.active_space"
    ).fetchone()
    if space is None:
        return set()
    table, chunking_id = space
    rows = conn.execute(
        sql.SQL(
            """
            SELECT d.id FROM documents d
             WHERE d.id = ANY(%(ids)s)
               AND EXISTS (SELECT 1 FROM chunks c WHERE c.document_id = d.id AND c.chunking_id = %(chunking)s)
               AND NOT EXISTS (SELECT 1 FROM chunks c LEFT JOIN {} e ON e.chunk_id = c.id
                                WHERE c.document_id = d.id AND c.chunking_id = %(chunking)s
                                  AND c.chunk_level = 'child' AND e.chunk_id IS NULL)
            """
        ).format(sql.Identifier(table)),
        {"ids": list(document_ids), "chunking": chunking_id},
    )
    return {row[0] for row in rows}
