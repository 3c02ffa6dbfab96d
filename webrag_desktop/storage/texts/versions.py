"""The versions of documents, reading stored captures again, and renewing what is stored with an unchanged text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from uuid import UUID

from psycopg import sql
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from webrag_desktop.models.queue import Priority, priority_of
from webrag_desktop.storage import document_columns as metadata
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.document_columns import stored_map
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.texts.documents import NewVersion, chunk_columns

if TYPE_CHECKING:
    from webrag_desktop.models.documents import Chunk
    from webrag_desktop.models.versions import ReadingState, VersionRow


def reread(conn: Connection, source_ids: Sequence[UUID]) -> list[UUID]:
    """Queue reading the newest capture of these sources, where there is one and no open work; returns which.

    What is shown now stays until the reading is complete. Many wait for all that is asked for meanwhile.
    """
    locked = conn.execute(
        """
        SELECT s.id FROM sources s
         WHERE s.id = ANY(%s) AND s.removed_at IS NULL
           AND EXISTS (SELECT 1 FROM captures c WHERE c.source_id = s.id)
           AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.source_id = s.id AND j.finished_at IS NULL)
         ORDER BY s.id FOR UPDATE OF s
        """,
        [list(source_ids)],
    ).fetchall()
    wanted = [row[0] for row in locked]
    queued = conn.execute(
        """
        INSERT INTO jobs (source_id, capture_id, priority, wish)
        SELECT s.id, c.id, %s, 'reread' FROM sources s
          JOIN LATERAL (SELECT id FROM captures WHERE source_id = s.id ORDER BY number DESC LIMIT 1) c ON true
         WHERE s.id = ANY(%s) ORDER BY s.added_at, s.id
        ON CONFLICT (source_id) WHERE finished_at IS NULL DO NOTHING
        RETURNING source_id
        """,
        [int(priority_of(len(source_ids), Priority.BEHIND)), wanted],
    ).fetchall()
    taken = [row[0] for row in queued]
    sources.set_states(conn, taken, "queued")
    return taken


def read_by_older(conn: Connection, extractor_version: int) -> list[UUID]:
    """Documents whose shown text was read by an older reader, in the order of adding."""
    rows = conn.execute(
        """
        SELECT d.id FROM documents d
          JOIN document_versions v ON v.id = d.active_version JOIN sources s ON s.id = d.id
         WHERE v.extractor_version < %s ORDER BY s.added_at, s.id
        """,
        [extractor_version],
    )
    return [row[0] for row in rows]


def reading_states(conn: Connection, source_ids: Sequence[UUID]) -> "dict[UUID, ReadingState]":
    """How the existing ones of these sources have been read, in the order of adding."""
    from webrag_desktop.models.versions import ReadingState

    with conn.cursor(row_factory=class_row(ReadingState)) as cursor:
        rows = cursor.execute(_SELECT_READINGS, [list(source_ids)]).fetchall()
    return {row.id: row for row in rows}


_SELECT_READINGS = sql.SQL(
    """
    SELECT s.id, s.state, s.state_reason AS reason, s.state_hint AS hint,
           coalesce(d.source_url, a.url) AS address, c.id AS capture_id, v.id AS version_id, d.title,
           v.extractor_version, v.content_hash, length(v.markdown) AS characters,
           CASE WHEN v.id IS NOT NULL THEN
               md5(concat_ws(chr(10), v.blocks::text, v.html, {compared}))
           END AS derived_hash,
           CASE WHEN d.id IS NOT NULL THEN v.capture_id ELSE (
               SELECT o.capture_id FROM document_versions o WHERE o.document_id = s.id
                ORDER BY o.created_at DESC, o.id DESC LIMIT 1) END AS shown_capture_id
      FROM sources s
      JOIN LATERAL (SELECT url FROM source_addresses
                     WHERE source_id = s.id AND kind = 'given' ORDER BY id LIMIT 1) a ON true
      LEFT JOIN LATERAL (SELECT id FROM captures WHERE source_id = s.id ORDER BY number DESC LIMIT 1) c ON true
      LEFT JOIN documents d ON d.id = s.id
      LEFT JOIN document_versions v ON v.id = d.active_version
     WHERE s.id = ANY(%s) AND s.removed_at IS NULL
     ORDER BY s.added_at, s.id
    """
).format(compared=metadata.COMPARED)


def last_text(conn: Connection, document_id: UUID) -> tuple[UUID, str] | None:
    """The newest text of a document and its content hash: what it showed before it was put into the bin."""
    return conn.execute(
        """
        SELECT id, content_hash FROM document_versions WHERE document_id = %s ORDER BY created_at DESC, id DESC LIMIT 1
        """,
        [document_id],
    ).fetchone()


def list_versions(conn: Connection, document_id: UUID) -> "list[VersionRow]":
    """Every text of a document, the oldest first."""
    from webrag_desktop.models.versions import VersionRow

    with conn.cursor(row_factory=class_row(VersionRow)) as cursor:
        return cursor.execute(
            """
            SELECT v.id, (row_number() OVER came)::int AS number,
                   CASE WHEN row_number() OVER came = 1 THEN 'first'
                        WHEN v.raw_hash = lag(v.raw_hash) OVER came THEN 'reread' ELSE 'changed' END AS reason,
                   coalesce(v.id = d.active_version, false) AS active, v.title, v.source_url,
                   length(v.markdown) AS characters, v.content_hash, v.extractor_version, v.fetched_at, v.created_at,
                   (SELECT count(*)::int FROM citations c WHERE c.version_id = v.id) AS citations
              FROM document_versions v LEFT JOIN documents d ON d.id = v.document_id
             WHERE v.document_id = %s
            WINDOW came AS (ORDER BY v.created_at, v.id)
             ORDER BY number
            """,
            [document_id],
        ).fetchall()


@dataclass(frozen=True, slots=True)
class CitedVersion:
    """A stored text and a span of it: ``text``, under these headings, on this page. ``number`` counts from 1.

    ``active``: the document shows it, or did before it was put into the bin, where it is (``in_bin``).
    """

    id: UUID
    document_id: UUID
    number: int
    active: bool
    in_bin: bool
    title: str | None
    source_url: str
    characters: int
    text: str
    heading_path: list[str] | None
    page: int | None


CITED_VERSIONS: Final = """
    SELECT v.id, v.document_id,
           (SELECT count(*)::int FROM document_versions o WHERE o.document_id = v.document_id
               AND (o.created_at, o.id) <= (v.created_at, v.id)) AS number,
           v.id = coalesce(d.active_version, (
               SELECT o.id FROM document_versions o WHERE o.document_id = v.document_id
                ORDER BY o.created_at DESC, o.id DESC LIMIT 1)) AS active,
           s.removed_at IS NOT NULL AS in_bin, v.title, v.source_url, length(v.markdown) AS characters,
           substring(v.markdown FROM least(%(start)s::bigint, length(v.markdown))::int + 1
                     FOR (least(%(end)s::bigint, length(v.markdown))
                          - least(%(start)s::bigint, length(v.markdown)))::int) AS text,
           (SELECT array_agg(h ORDER BY i) FROM jsonb_array_elements_text(b.block -> 'heading_path')
              WITH ORDINALITY AS t(h, i)) AS heading_path,
           (b.block ->> 'page')::int AS page
      FROM document_versions v
      JOIN sources s ON s.id = v.document_id
      LEFT JOIN documents d ON d.id = v.document_id
      LEFT JOIN LATERAL (
           SELECT block FROM jsonb_array_elements(v.blocks) AS a(block)
            WHERE (block ->> 'char_start')::bigint <= %(start)s::bigint
            ORDER BY (block ->> 'char_start')::bigint DESC LIMIT 1) b ON true
     WHERE v.id BETWEEN %(first)s AND %(last)s
     ORDER BY v.id
     LIMIT 2
"""


def versions_between(
    conn: Connection, first: UUID, last: UUID, char_start: int, char_end: int | None
) -> list[CitedVersion]:
    """The texts with ids from one to the other, two at most, with ``[char_start, char_end)`` of each.

    None: to the end. What a text does not have is left out.
    """
    with conn.cursor(row_factory=class_row(CitedVersion)) as cursor:
        return cursor.execute(
            CITED_VERSIONS, {"first": first, "last": last, "start": char_start, "end": char_end}
        ).fetchall()


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
    chunks: Mapping[UUID, "Chunk"],
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
