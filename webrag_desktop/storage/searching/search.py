"""What a search reads beside its candidates: the figures of its scope, and the parent chunks it shows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import sql
from psycopg.rows import class_row

from webrag_desktop.models import EmbeddingSpace
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.spaces.space_tables import StoredSpace

_NEVER_STORED = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Scope:
    """What is searched, with figures of it. ``document_ids`` is None for the whole library.

    ``lexemes`` holds, for every text search language in the scope, the words of the question that count there,
    in the form in which that language's texts are indexed. ``space`` is None in a library without vectors.
    """

    documents: int
    parent_chunks: int
    child_chunks: int
    tokens: int
    document_ids: list[UUID] | None
    lexemes: dict[str, list[str]]
    space: StoredSpace | None


@dataclass(frozen=True, slots=True)
class ParentRow:
    """A parent chunk as results show it; ``title`` is the user's own where there is one."""

    id: UUID
    document_id: UUID
    version_id: UUID
    source_url: str
    title: str | None
    depth: int
    fetched_at: datetime
    chunk_index: int
    section_heading: str | None
    heading_path: list[str]
    anchor: str | None
    page: int | None
    chunk_text: str
    html_text: str | None
    has_table: bool
    has_code: bool
    has_math: bool
    has_definition_list: bool
    has_admonition: bool
    has_steps: bool
    char_start: int
    char_end: int
    token_start: int
    token_end: int
    html_tokens: int | None


def read_scope(conn: Connection, words: str, source_urls: Sequence[str] | None) -> Scope:
    """Figures, languages and embedding space of the library, or of the documents at ``source_urls``, if any.

    Addresses that cannot be stored (they hold NUL or a lone surrogate) match nothing.
    """
    statement = _NAMED_DOCUMENTS if source_urls else _WHOLE_LIBRARY
    storable = [url for url in source_urls or () if not _NEVER_STORED.search(url)]
    parameters = {"words": words, "urls": storable}
    with conn.cursor(row_factory=class_row(_ScopeRow)) as cursor:
        row = cursor.execute(statement, parameters).fetchone()
    assert row is not None  # the corpus is one row, an aggregate gives one row
    return row.scope()


@dataclass(frozen=True, slots=True)
class _ScopeRow:
    documents: int
    parent_chunks: int
    child_chunks: int
    tokens: int
    document_ids: list[UUID] | None
    lexemes: dict[str, list[str]]
    space_id: int | None
    table_name: str | None
    definition: dict[str, Any] | None

    def scope(self) -> Scope:
        space = None
        if self.space_id is not None and self.table_name is not None:
            definition = EmbeddingSpace.model_validate(self.definition)
            space = StoredSpace(self.space_id, self.table_name, definition)
        return Scope(
            self.documents,
            self.parent_chunks,
            self.child_chunks,
            self.tokens,
            self.document_ids,
            self.lexemes,
            space,
        )


# The question's lexemes in every language of the scope; shared by both statements below.
_LEXEMES = sql.SQL(
    """
    SELECT coalesce(jsonb_object_agg(l.language, to_jsonb(tsvector_to_array(
               to_tsvector(webrag_regconfig(l.language), %(words)s)))), '{{}}') AS lexemes
      FROM (SELECT DISTINCT search_language AS language FROM scoped) l
    """
).format()

# The statistics row spares counting the whole library anew at every search.
_WHOLE_LIBRARY = sql.SQL(
    """
        WITH scoped AS (SELECT DISTINCT search_language FROM documents)
        SELECT c.documents, c.parent_chunks, c.child_chunks, c.tokens, NULL::uuid[] AS document_ids, l.lexemes,
               s.id AS space_id, s.table_name, s.definition
          FROM corpus c LEFT JOIN embedding_spaces s ON s.id = c.active_space CROSS JOIN ({lexemes}) l
    """
).format(lexemes=_LEXEMES)

_NAMED_DOCUMENTS = sql.SQL(
    """
        WITH scoped AS MATERIALIZED (
            SELECT id, search_language, parent_chunks, child_chunks, tokens
              FROM documents WHERE source_url = ANY(%(urls)s::text[])),
        figures AS (
            SELECT count(*) AS documents, coalesce(sum(parent_chunks), 0)::bigint AS parent_chunks,
                   coalesce(sum(child_chunks), 0)::bigint AS child_chunks, coalesce(sum(tokens), 0)::bigint AS tokens,
                   coalesce(array_agg(id ORDER BY id), '{{}}') AS document_ids
              FROM scoped)
        SELECT f.*, l.lexemes, s.id AS space_id, s.table_name, s.definition
          FROM corpus c LEFT JOIN embedding_spaces s ON s.id = c.active_space
          CROSS JOIN figures f CROSS JOIN ({lexemes}) l
    """
).format(lexemes=_LEXEMES)


_PARENT_COLUMNS = sql.SQL(
    """
    p.id, p.document_id, p.version_id, d.source_url, coalesce(s.user_title, d.title) AS title, d.depth,
    d.fetched_at, p.chunk_index, p.section_heading, p.heading_path, p.anchor, p.page, p.chunk_text, p.html_text,
    p.has_table, p.has_code, p.has_math, p.has_definition_list, p.has_admonition, p.has_steps,
    p.char_start, p.char_end, p.token_start, p.token_end, p.html_tokens
    """
)


def load_parents(conn: Connection, ids: Sequence[UUID]) -> list[ParentRow]:
    """Parent chunks by id, in reading order of the library."""
    with conn.cursor(row_factory=class_row(ParentRow)) as cursor:
        return cursor.execute(_PARENTS_BY_ID, {"ids": list(ids)}).fetchall()


_PARENTS_BY_ID = sql.SQL(
    """
        SELECT {columns}
          FROM chunks p JOIN documents d ON d.id = p.document_id JOIN sources s ON s.id = d.id
         WHERE p.id = ANY(%(ids)s::uuid[])
         ORDER BY d.depth, d.source_url COLLATE "C", p.chunk_index, p.id
    """
).format(columns=_PARENT_COLUMNS)


def load_leading_documents(conn: Connection, scope: Scope, token_budget: int) -> list[ParentRow]:
    """All parents of the first documents, by depth and address, that fit the budget together, and at least one.

    A first document that alone exceeds the budget comes whole; so the caller cuts it.
    """
    parameters = {
        "documents": scope.document_ids,
        "budget": token_budget,
        "chunking": scope.space.space.chunking_id if scope.space else None,
    }
    with conn.cursor(row_factory=class_row(ParentRow)) as cursor:
        return cursor.execute(_LEADING_DOCUMENTS, parameters).fetchall()


_LEADING_DOCUMENTS = sql.SQL(
    """
        WITH ranked AS (
            SELECT id, sum(tokens) OVER w AS running, row_number() OVER w AS place
              FROM documents
             WHERE (%(documents)s::uuid[] IS NULL OR id = ANY(%(documents)s::uuid[])) AND parent_chunks > 0
            WINDOW w AS (ORDER BY depth, source_url COLLATE "C", id))
        SELECT {columns}
          FROM ranked r
          JOIN documents d ON d.id = r.id
          JOIN sources s ON s.id = d.id
          JOIN chunks p ON p.document_id = d.id AND p.chunk_level = 'parent'
                       AND (%(chunking)s::text IS NULL OR p.chunking_id = %(chunking)s)
         WHERE r.running <= %(budget)s OR r.place = 1
         ORDER BY d.depth, d.source_url COLLATE "C", p.chunk_index, p.id
    """
).format(columns=_PARENT_COLUMNS)
