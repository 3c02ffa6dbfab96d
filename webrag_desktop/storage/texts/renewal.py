"""Renewing what is stored beside a text: its markdown stays, and its chunks keep their ids and vectors."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from psycopg import sql
from psycopg.types.json import Jsonb

from webrag_desktop.models.documents import Chunk
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.plain_maps import stored_map
from webrag_desktop.storage.texts.documents import NewVersion, chunk_columns


def landed_hashes(
    conn: Connection, document_id: UUID, chunking_id: str, space_table: str
) -> dict[UUID, bytes | None]:
    """A document's chunks with the sha256 of the text of each vector (None: no vector)."""
    rows = conn.execute(
        sql.SQL(
            """
            SELECT c.id, e.text_hash FROM chunks c LEFT JOIN {} e ON e.chunk_id = c.id
             WHERE c.document_id = %s AND c.chunking_id = %s
            """
        ).format(sql.Identifier(space_table)),
        [document_id, chunking_id],
    )
    return {id_: None if hashed is None else bytes(hashed) for id_, hashed in rows}


def renew_version(conn: Connection, new: NewVersion) -> None:
    """Renew everything about a stored version but its markdown, which must be the same, and its time."""
    document = new.document
    conn.execute(
        """
        UPDATE document_versions
           SET capture_id = %(capture)s, source_url = %(source_url)s, title = %(title)s, html = %(html)s,
               blocks = %(blocks)s, plain_text = %(plain_text)s, plain_map = %(plain_map)s,
               raw_hash = %(raw_hash)s, extractor_version = %(extractor_version)s
         WHERE id = %(id)s AND content_hash = %(content_hash)s
        """,
        {
            "id": new.id,
            "content_hash": document.content_hash,
            "capture": new.capture_id,
            "source_url": document.source_url,
            "title": document.title,
            "html": document.html,
            "blocks": Jsonb(
                [block.model_dump(mode="json", exclude_defaults=True) for block in document.blocks]
            ),
            "plain_text": new.plain_text,
            "plain_map": stored_map(new.plain_map),
            "raw_hash": new.raw_hash,
            "extractor_version": new.extractor_version,
        },
    )


def renew_chunks(
    conn: Connection,
    chunks: Mapping[UUID, Chunk],
    *,
    source_url: str,
    search_language: str,
    contexts: Sequence[str],
    extra_terms: Sequence[Sequence[str]],
) -> None:
    """Renew everything about stored chunks but their text and place, one new chunk for each."""
    rows = [
        {
            "id": id_,
            "source_url": source_url,
            "language": search_language,
            "context": context,
            "terms": list(terms),
            "sentences": chunk.sentences,
            **chunk_columns(chunk),
        }
        for (id_, chunk), context, terms in zip(chunks.items(), contexts, extra_terms, strict=True)
    ]
    with conn.cursor() as cursor:
        cursor.executemany(_RENEW_CHUNK, rows)


_RENEW_CHUNK = """
    UPDATE chunks
       SET section_heading = %(heading)s, heading_path = %(path)s, anchor = %(anchor)s, page = %(page)s,
           html_text = %(html)s, has_table = %(has_table)s, has_code = %(has_code)s, has_math = %(has_math)s,
           has_definition_list = %(has_definition_list)s, has_admonition = %(has_admonition)s,
           has_steps = %(has_steps)s, html_tokens = %(html_tokens)s, places = %(places)s, sentences = %(sentences)s,
           source_url = %(source_url)s, search_language = %(language)s,
           search_vector = CASE WHEN %(level)s = 'child' THEN
               webrag_search_vector(%(language)s, %(context)s, %(text)s, %(terms)s::text[]) END
     WHERE id = %(id)s
"""
