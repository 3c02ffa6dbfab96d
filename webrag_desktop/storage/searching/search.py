"""What a search reads beside its candidates: the figures of its scope, and the parent chunks it shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import Cursor, sql
from psycopg.rows import class_row

from webrag_desktop.models.documents import Place
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.restriction import Restriction
from webrag_desktop.storage.snapshot import plan_for_values
from webrag_desktop.storage.spaces.space_tables import understood


@dataclass(frozen=True, slots=True)
class Scope:
    """What is searched, with figures of it. ``document_ids`` is None for the whole library.

    ``parent_ids`` is None where all of these documents is searched; else only documents that hold some of them count.
    ``lexemes`` holds, for every text search language in the scope, the words of the question that count there,
    in the form in which that language's texts are indexed. ``space`` is None in a library without vectors. No child
    whose text is one of ``seen`` is a candidate.
    """

    documents: int
    parent_chunks: int
    child_chunks: int
    tokens: int
    document_ids: list[UUID] | None
    lexemes: dict[str, list[str]]
    space: StoredSpace | None
    parent_ids: list[UUID] | None = None
    seen: Sequence[str] = ()


class ParentRow(NamedTuple):
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


class ChildParts(NamedTuple):
    """What showing a child needs beside its text.

    ``places`` are lists; what an earlier version stored has no page. ``sentences`` say where its sentences stand, None
    where nobody noted it. ``heading_path`` are the headings above its beginning.
    """

    id: UUID
    places: list[Place]
    sentences: bytes | None
    section_heading: str | None = None
    heading_path: Sequence[str] = ()


class Shown(NamedTuple):
    """Parents in reading order, and the parts of children by id."""

    parents: list[ParentRow]
    children: dict[UUID, ChildParts]


def ask_scope(
    conn: Connection, words: str, restriction: Restriction | None, config: str | None = None
) -> "Cursor[_ScopeRow]":
    """Request figures, languages and embedding space of the library, or of what it is restricted to.

    It does not wait, for use in a pipeline: :func:`received_scope` reads the answer. ``config`` names the server's
    configuration to read the words with instead of each language's own.
    """
    cursor = conn.cursor(row_factory=class_row(_ScopeRow))
    if restriction is None:
        return cursor.execute(_WHOLE_LIBRARY, {"words": words, "config": config}, prepare=True)
    figures = _DOCUMENTS if restriction.parents is None else _PARENTS
    statement = _RESTRICTED.format(
        figures=figures.format(documents=restriction.documents, parents=restriction.parents), lexemes=_LEXEMES
    )
    return cursor.execute(statement, {"words": words, "config": config, **restriction.parameters})


def received_scope(answer: "Cursor[_ScopeRow]") -> Scope:
    """The answer to :func:`ask_scope`."""
    row = answer.fetchone()
    assert row is not None  # the corpus is one row, an aggregate gives one row
    return row.scope()


@dataclass(frozen=True, slots=True)
class _ScopeRow:
    documents: int
    parent_chunks: int
    child_chunks: int
    tokens: int
    document_ids: list[UUID] | None
    parent_ids: list[UUID] | None
    lexemes: dict[str, list[str]]
    space_id: int | None
    table_name: str | None
    definition: dict[str, Any] | None

    def scope(self) -> Scope:
        space = None
        if self.space_id is not None and self.table_name is not None:
            space = understood(self.space_id, self.table_name, self.definition)
        return Scope(
            self.documents,
            self.parent_chunks,
            self.child_chunks,
            self.tokens,
            self.document_ids,
            self.lexemes,
            space,
            self.parent_ids,
        )


# The question's lexemes in every language of the scope; shared by both statements below.
_LEXEMES = sql.SQL(
    """
    SELECT coalesce(jsonb_object_agg(l.language, to_jsonb(tsvector_to_array(
               to_tsvector(coalesce(%(config)s::regconfig, webrag_regconfig(l.language)),
               webrag_readable(%(words)s))))),
               '{{}}') AS lexemes
      FROM (SELECT DISTINCT search_language AS language FROM scoped WHERE search_language IS NOT NULL) l
    """
).format()

# The statistics row saves counting the whole library at every search; each language is one step in its index.
_WHOLE_LIBRARY = (
    sql.SQL(
        """
        WITH RECURSIVE scoped (search_language) AS (
            (SELECT search_language FROM documents ORDER BY 1 LIMIT 1)
            UNION ALL
            SELECT (SELECT d.search_language FROM documents d WHERE d.search_language > s.search_language
                     ORDER BY 1 LIMIT 1)
              FROM scoped s WHERE s.search_language IS NOT NULL)
        SELECT c.documents, c.parent_chunks, c.child_chunks, c.tokens,
               NULL::uuid[] AS document_ids, NULL::uuid[] AS parent_ids, l.lexemes,
               s.id AS space_id, s.table_name, s.definition
          FROM corpus c LEFT JOIN embedding_spaces s ON s.id = c.active_space CROSS JOIN ({lexemes}) l
    """
    )
    .format(lexemes=_LEXEMES)
    .as_bytes()
)

_RESTRICTED = sql.SQL(
    """
        WITH {figures}
        SELECT f.*, l.lexemes, s.id AS space_id, s.table_name, s.definition
          FROM corpus c LEFT JOIN embedding_spaces s ON s.id = c.active_space
          CROSS JOIN figures f CROSS JOIN ({lexemes}) l
    """
)
_DOCUMENTS = sql.SQL(
    """
        scoped AS MATERIALIZED (
            SELECT d.id, d.search_language, d.parent_chunks, d.child_chunks, d.tokens
              FROM documents d WHERE {documents}),
        figures AS (
            SELECT count(*) AS documents, coalesce(sum(parent_chunks), 0)::bigint AS parent_chunks,
                   coalesce(sum(child_chunks), 0)::bigint AS child_chunks, coalesce(sum(tokens), 0)::bigint AS tokens,
                   coalesce(array_agg(id ORDER BY id), '{{}}') AS document_ids, NULL::uuid[] AS parent_ids
              FROM scoped)
    """
)
# Of the chunking in use alone: while a library moves to another space, both lie there.
_PARENTS = sql.SQL(
    """
        scoped AS MATERIALIZED (
            SELECT p.id, p.document_id, p.token_end - p.token_start AS tokens, d.search_language
              FROM chunks p JOIN documents d ON d.id = p.document_id
             WHERE p.chunk_level = 'parent' AND {documents} AND {parents}
               AND NOT EXISTS (SELECT 1 FROM corpus u JOIN embedding_spaces a ON a.id = u.active_space
                                WHERE a.chunking_id <> p.chunking_id)),
        figures AS (
            SELECT count(DISTINCT document_id) AS documents, count(*) AS parent_chunks,
                   (SELECT count(*) FROM chunks c WHERE c.parent_id IN (SELECT id FROM scoped)) AS child_chunks,
                   coalesce(sum(tokens), 0)::bigint AS tokens,
                   coalesce(array_agg(DISTINCT document_id), '{{}}') AS document_ids,
                   coalesce(array_agg(id ORDER BY id), '{{}}') AS parent_ids
              FROM scoped)
    """
)


_PARENT_COLUMNS = sql.SQL(
    """
    p.id, p.document_id, p.version_id, d.source_url, coalesce(s.user_title, d.title) AS title, d.depth,
    d.fetched_at, p.chunk_index, p.section_heading, p.heading_path, p.anchor, p.page, p.chunk_text, p.html_text,
    p.has_table, p.has_code, p.has_math, p.has_definition_list, p.has_admonition, p.has_steps,
    p.char_start, p.char_end, p.token_start, p.token_end, p.html_tokens
    """
)


class AskedParents:
    """Parents and parts of children that were requested without waiting."""

    def __init__(
        self, conn: Connection, statement: bytes, parameters: dict[str, object], children: Sequence[UUID]
    ) -> None:
        self._parents = conn.cursor(binary=True).execute(statement, parameters, prepare=True)
        self._parts = conn.cursor(binary=True).execute(
            _CHILDREN_BY_ID, {"children": list(children)}, prepare=True
        )

    def received(self) -> Shown:
        """The answers; waits for them, unless the pipeline has ended."""
        parents = list(map(ParentRow._make, self._parents.fetchall()))
        return Shown(parents, {row.id: row for row in map(ChildParts._make, self._parts.fetchall())})


def ask_parents(conn: Connection, ids: Sequence[UUID], children: Sequence[UUID]) -> AskedParents:
    """Request parent chunks by id, in reading order of the library, and the parts of these children."""
    return AskedParents(conn, _PARENTS_BY_ID, {"ids": list(ids)}, children)


_CHILDREN_BY_ID = b"""
    SELECT id, places, sentences, section_heading, heading_path FROM chunks WHERE id = ANY(%(children)s::uuid[])
"""
_PARENTS_BY_ID = (
    sql.SQL(
        """
        SELECT {columns}
          FROM chunks p JOIN documents d ON d.id = p.document_id JOIN sources s ON s.id = d.id
         WHERE p.id = ANY(%(ids)s::uuid[])
         ORDER BY d.depth, d.source_url COLLATE "C", p.chunk_index, p.id
    """
    )
    .format(columns=_PARENT_COLUMNS)
    .as_bytes()
)


def ask_documents(
    conn: Connection, scope: Scope, documents: Sequence[UUID] | None, children: Sequence[UUID]
) -> AskedParents:
    """Request all parents of these documents in the scope, None for all documents, by depth and address.

    The parts of these ``children`` come along.
    """
    parameters = {
        **_of_scope(scope),
        "documents": scope.document_ids if documents is None else list(documents),
    }
    plan_for_values(conn)
    return AskedParents(conn, _DOCUMENTS_WHOLE, parameters, children)


class DocumentSize(NamedTuple):
    """How much of a document is in a scope: tokens of all its parents, and of the first one for the first document."""

    id: UUID
    source_url: str
    tokens: int
    first_parent: int | None = None


def document_sizes(conn: Connection, scope: Scope) -> list[DocumentSize]:
    """All documents of a scope that have a text, in reading order: by depth and address."""
    counted = _WHOLE_DOCUMENTS if scope.parent_ids is None else _PARTS_OF_DOCUMENTS
    plan_for_values(conn)
    rows = conn.execute(
        _SIZES.format(counted=counted, parents=_PARENTS_IN_SCOPE), _of_scope(scope)
    ).fetchall()
    return list(map(DocumentSize._make, rows))


def _of_scope(scope: Scope) -> dict[str, object]:
    return {
        "documents": scope.document_ids,
        "parents": scope.parent_ids,
        "chunking": scope.space.space.chunking_id if scope.space else None,
    }


_WHOLE_DOCUMENTS = sql.SQL(
    """
        SELECT id, tokens FROM documents
         WHERE (%(documents)s::uuid[] IS NULL OR id = ANY(%(documents)s::uuid[])) AND parent_chunks > 0
    """
)
_PARTS_OF_DOCUMENTS = sql.SQL(
    """
        SELECT document_id AS id, sum(token_end - token_start) AS tokens
          FROM chunks WHERE id = ANY(%(parents)s::uuid[]) GROUP BY document_id
    """
)
_PARENTS_IN_SCOPE = sql.SQL(
    """
               p.document_id = d.id AND p.chunk_level = 'parent'
               AND (%(chunking)s::text IS NULL OR p.chunking_id = %(chunking)s)
               AND (%(parents)s::uuid[] IS NULL OR p.id = ANY(%(parents)s::uuid[]))
    """
)
_SIZES = sql.SQL(
    """
        WITH ranked AS (
            SELECT d.id, d.depth, d.source_url, c.tokens,
                   row_number() OVER (ORDER BY d.depth, d.source_url COLLATE "C", d.id) AS place
              FROM ({counted}) c JOIN documents d ON d.id = c.id)
        SELECT d.id, d.source_url, d.tokens::bigint,
               CASE WHEN d.place = 1
                    THEN (SELECT p.token_end - p.token_start FROM chunks p WHERE {parents}
                           ORDER BY p.chunk_index, p.id LIMIT 1) END
          FROM ranked d ORDER BY d.place
    """
)
_DOCUMENTS_WHOLE = (
    sql.SQL(
        """
        SELECT {columns}
          FROM documents d
          JOIN sources s ON s.id = d.id
          JOIN chunks p ON {parents}
         WHERE (%(documents)s::uuid[] IS NULL OR d.id = ANY(%(documents)s::uuid[])) AND d.parent_chunks > 0
         ORDER BY d.depth, d.source_url COLLATE "C", p.chunk_index, p.id
        """
    )
    .format(columns=_PARENT_COLUMNS, parents=_PARENTS_IN_SCOPE)
    .as_bytes()
)
