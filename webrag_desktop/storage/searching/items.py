"""What a search that answers with documents reads beside its candidates: the documents, and where children stand."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb

from webrag_desktop.models.documents import Block
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.candidates import WordQuery
from webrag_desktop.storage.searching.search import ChildParts
from webrag_desktop.storage.searching.terms import identifier_terms
from webrag_desktop.storage.snapshot import in_pipeline
from webrag_desktop.text.spans import Span


class ItemRow(NamedTuple):
    """A document as a source of evidence; ``title`` is the user's own where there is one."""

    id: UUID
    version_id: UUID
    source_url: str
    site: str | None
    doc_type: str
    title: str | None
    description: str | None
    language: str | None
    published_time: str | None
    modified_time: str | None
    fetched_at: datetime
    depth: int
    page_count: int | None
    content_hash: str


class PassageRow(NamedTuple):
    """Where a child stands, beside what the search for candidates reads of it."""

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
        documents = conn.cursor().execute(_DOCUMENTS, parameters)
        passages = conn.cursor().execute(_PASSAGES, parameters)
    rows = [PassageRow._make([*row[:6], ChildParts._make([row[0], *row[6:]])]) for row in passages]
    return Items({row[0]: ItemRow._make(row) for row in documents}, {row.id: row for row in rows})


def load_documents(conn: Connection, ids: Sequence[UUID]) -> dict[UUID, ItemRow]:
    """These documents by id; what was removed is missing."""
    rows = conn.execute(_DOCUMENTS_BY_ID, {"ids": list(ids)})
    return {row[0]: ItemRow._make(row) for row in rows}


_ITEMS = b"""
    SELECT d.id, d.active_version, d.source_url, d.site, d.doc_type, coalesce(s.user_title, d.title),
           d.description, d.language, d.published_time, d.modified_time, d.fetched_at, d.depth, d.page_count,
           d.content_hash
      FROM documents d JOIN sources s ON s.id = d.id
"""
_DOCUMENTS = _ITEMS + b"WHERE d.id IN (SELECT document_id FROM chunks WHERE id = ANY(%(children)s::uuid[]))"
_DOCUMENTS_BY_ID = _ITEMS + b"WHERE d.id = ANY(%(ids)s::uuid[])"
_PASSAGES = b"""
    SELECT id, document_id, token_end - token_start, heading_path, anchor, page, places, sentences, section_heading,
           heading_path
      FROM chunks WHERE id = ANY(%(children)s::uuid[])
"""


def load_item_text(conn: Connection, key: TextKey) -> ItemText | None:
    """That text; None where the version has gone, or has another one by now."""
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
    """Where those of the parents stand that are of these documents, in text order."""
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


class Passage(NamedTuple):
    """A stretch of text that is stored nowhere; ``context`` is its title and headings."""

    language: str
    context: str
    text: str


def hold_excluded(conn: Connection, words: WordQuery, passages: Sequence[Passage]) -> list[bool]:
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
