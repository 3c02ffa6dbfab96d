"""What a search reads beside its candidates: their documents, the neighbours of chunks, parts of texts."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import sql
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from webrag_desktop.models.documents import Block, Place
from webrag_desktop.models.metadata import DocumentMetadata
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.document_columns import SELECTED
from webrag_desktop.storage.searching.search import ChildParts
from webrag_desktop.storage.searching.word_query import WordQuery
from webrag_desktop.storage.searching.words import identifier_terms
from webrag_desktop.storage.snapshot import in_pipeline
from webrag_desktop.storage.spaces.space_tables import active_space
from webrag_desktop.text.spans import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow(DocumentMetadata):
    """A document as a source of evidence; ``title`` is the user's own where there is one."""

    id: UUID
    version_id: UUID
    source_url: str
    site: str | None
    fetched_at: datetime
    depth: int
    content_hash: str


class PassageRow(NamedTuple):
    """The position of a child, beside what the search for candidates reads of it."""

    id: UUID
    document_id: UUID
    tokens: int
    heading_path: list[str]
    anchor: str | None
    page: int | None
    parts: ChildParts


class Items(NamedTuple):
    """Documents and children by id."""

    documents: dict[UUID, ItemRow]
    passages: dict[UUID, PassageRow]


class TextKey(NamedTuple):
    """Which text a document shows."""

    document_id: UUID
    version_id: UUID
    content_hash: str


class ItemText(NamedTuple):
    """The text that a document shows, with its blocks; ``title`` is the one that the text came with."""

    document_id: UUID
    version_id: UUID
    content_hash: str
    title: str | None
    markdown: str
    blocks: tuple[Block, ...]


def load_items(conn: Connection, children: Sequence[UUID]) -> Items:
    """These children and the documents they are of."""
    parameters = {"children": list(children)}
    with in_pipeline(conn):
        documents = conn.cursor(row_factory=class_row(ItemRow)).execute(_DOCUMENTS, parameters)
        passages = conn.cursor().execute(_PASSAGES, parameters)
    rows = [PassageRow._make([*row[:6], ChildParts._make([row[0], *row[6:]])]) for row in passages]
    return Items({item.id: item for item in documents}, {row.id: row for row in rows})


def load_documents(conn: Connection, ids: Sequence[UUID]) -> dict[UUID, ItemRow]:
    """These documents by id, without deleted ones."""
    rows = conn.cursor(row_factory=class_row(ItemRow)).execute(_DOCUMENTS_BY_ID, {"ids": list(ids)})
    return {item.id: item for item in rows}


_ITEMS = sql.SQL("""
    SELECT d.id, d.active_version AS version_id, d.source_url, d.site, d.fetched_at, d.depth, d.content_hash, {metadata}
      FROM documents d JOIN sources s ON s.id = d.id
""").format(metadata=SELECTED)
_DOCUMENTS = _ITEMS + sql.SQL(
    "WHERE d.id IN (SELECT document_id FROM chunks WHERE id = ANY(%(children)s::uuid[]))"
)
_DOCUMENTS_BY_ID = _ITEMS + sql.SQL("WHERE d.id = ANY(%(ids)s::uuid[])")
_PASSAGES = b"""
    SELECT id, document_id, token_end - token_start, heading_path, anchor, page, places, sentences, section_heading,
           heading_path
      FROM chunks WHERE id = ANY(%(children)s::uuid[])
"""


def load_item_text(conn: Connection, key: TextKey) -> ItemText | None:
    """That text; None where the version was deleted or its text has changed."""
    row = conn.execute(_TEXT, key._asdict()).fetchone()
    if row is None:
        return None
    title, markdown, blocks = row
    return ItemText(*key, title, markdown, tuple(map(Block.model_validate, blocks)))


_TEXT = b"""
    SELECT title, markdown, blocks FROM document_versions
     WHERE id = %(version_id)s AND document_id = %(document_id)s AND content_hash = %(content_hash)s
"""


def load_parent_spans(
    conn: Connection, document_ids: Sequence[UUID], parents: Sequence[UUID]
) -> dict[UUID, list[Span]]:
    """The spans of the parents that are of these documents, in text order."""
    spans: dict[UUID, list[Span]] = defaultdict(list)
    rows = conn.execute(_SPANS, {"documents": list(document_ids), "parents": list(parents)})
    for id_, start, end in rows:
        spans[id_].append((start, end))
    return spans


_SPANS = b"""
    SELECT document_id, char_start, char_end FROM chunks
     WHERE id = ANY(%(parents)s::uuid[]) AND document_id = ANY(%(documents)s::uuid[])
     ORDER BY document_id, char_start
"""


class CheckedText(NamedTuple):
    """A text that is not stored; ``context`` is its title and headings."""

    language: str
    context: str
    text: str


def hold_excluded(conn: Connection, words: WordQuery, passages: Sequence[CheckedText]) -> list[bool]:
    """Which of the passages hold what must not occur, if they were indexed."""
    rows = [
        {**passage._asdict(), "place": place, "terms": identifier_terms(passage.text)}
        for place, passage in enumerate(passages)
    ]
    parameters = {"rows": Jsonb(rows), "config": words.config, "excluded": words.excluded_query}
    return [row[0] for row in conn.execute(_HOLD_EXCLUDED, parameters)]


_HOLD_EXCLUDED = b"""
    SELECT webrag_search_vector(p.language, p.context, p.text, p.terms)
           @@ websearch_to_tsquery(coalesce(%(config)s::regconfig, webrag_regconfig(p.language)),
                                   webrag_readable(%(excluded)s))
      FROM jsonb_to_recordset(%(rows)s) AS p (place integer, language text, context text, text text, terms text[])
     ORDER BY p.place
"""


class ChildRow(NamedTuple):
    """A child chunk in or beside a passage; ``places`` are lists, and what an earlier version stored has no page."""

    id: UUID
    version_id: UUID
    char_start: int
    char_end: int
    chunk_text: str
    section_heading: str | None
    heading_path: list[str]
    anchor: str | None
    page: int | None
    places: list[Place]


class FormerText(NamedTuple):
    """A text that is no longer divided into these passages: it was replaced, or divided by other rules.

    ``blocks`` are as :class:`~webrag_desktop.models.documents.Block` stores itself, without HTML; what has its default
    is left out.
    """

    version_id: UUID
    markdown: str
    blocks: list[dict[str, Any]]


class Neighbours(NamedTuple):
    """Children of passages, their neighbours, and the texts whose passages are no longer chunks."""

    children: list[ChildRow]
    former: list[FormerText]


def load_neighbours(conn: Connection, passages: Sequence[tuple[UUID, UUID]], reach: int) -> Neighbours:
    """The children of these parents (chunk, version), and up to ``reach`` on either side of them; one round trip.

    Everything is of the versions named, in text order. Of a removed document there is nothing.
    """
    parameters = {
        "ids": [chunk for chunk, _ in passages],
        "versions": [version for _, version in passages],
        "reach": reach,
    }
    with conn.pipeline():
        children = conn.cursor().execute(_CHILDREN, parameters)
        former = conn.cursor().execute(_FORMER, parameters)
    return Neighbours(list(map(ChildRow._make, children)), list(map(FormerText._make, former)))


# ``chunk_index`` of children counts over the whole document, so neighbours are those of the next numbers.
_CHILDREN = """
    WITH around AS (
        SELECT c.version_id, c.chunking_id, min(c.chunk_index) - %(reach)s AS first,
               max(c.chunk_index) + %(reach)s AS last
          FROM chunks c WHERE c.parent_id = ANY(%(ids)s::uuid[])
         GROUP BY c.parent_id, c.version_id, c.chunking_id)
    SELECT DISTINCT ON (n.version_id, n.char_start)
           n.id, n.version_id, n.char_start, n.char_end, n.chunk_text, n.section_heading, n.heading_path, n.anchor,
           n.page, n.places
      FROM around a JOIN chunks n ON n.version_id = a.version_id AND n.chunking_id = a.chunking_id
                                 AND n.chunk_level = 'child' AND n.chunk_index BETWEEN a.first AND a.last
     ORDER BY n.version_id, n.char_start, n.id
"""
_FORMER = """
    SELECT v.id, v.markdown,
           ARRAY(SELECT b.block - 'html' FROM jsonb_array_elements(v.blocks) WITH ORDINALITY AS b (block, number)
                  ORDER BY b.number)
      FROM document_versions v
     WHERE v.id IN (SELECT p.version_id FROM unnest(%(ids)s::uuid[], %(versions)s::uuid[]) AS p (id, version_id)
                     WHERE NOT EXISTS (SELECT FROM chunks c WHERE c.id = p.id))
     ORDER BY v.id
"""


@dataclass(frozen=True, slots=True)
class PartOfText:
    """The beginning of a part of the text that a document shows, and the vectors of the children in it, in order."""

    words: str
    vectors: list[list[float]]


def part_of_text(
    conn: Connection, document_id: UUID, char_start: int, char_end: int, *, most_words: int, most_vectors: int
) -> PartOfText | None:
    """``[char_start, char_end)`` of what a document shows; None where there is no text, or no vectors of it.

    ``most_words`` are characters of the words, ``most_vectors`` how many children at most.
    """
    space = active_space(conn)
    found = conn.execute(
        """
        SELECT substring(v.markdown FROM least(%(start)s::bigint, length(v.markdown))::int + 1 FOR %(most)s)
          FROM documents d JOIN document_versions v ON v.id = d.active_version WHERE d.id = %(document)s
        """,
        {
            "start": char_start,
            "most": max(0, min(most_words, char_end - char_start)),
            "document": document_id,
        },
    ).fetchone()
    if space is None or found is None:
        return None
    rows = conn.execute(
        sql.SQL(
            """
            SELECT e.embedding FROM chunks c JOIN {} e ON e.chunk_id = c.id
             WHERE c.document_id = %(document)s AND c.chunking_id = %(chunking)s AND c.chunk_level = 'child'
               AND c.char_start < %(end)s AND c.char_end > %(start)s
             ORDER BY c.char_start, c.id LIMIT %(most)s
            """
        ).format(sql.Identifier(space.table)),
        {
            "document": document_id,
            "chunking": space.space.chunking_id,
            "start": char_start,
            "end": char_end,
            "most": most_vectors,
        },
    ).fetchall()
    vectors = [[float(value) for value in row[0].to_list()] for row in rows]
    return PartOfText(found[0], vectors) if vectors else None
