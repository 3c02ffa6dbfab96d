"""What stands around passages that were found: the children beside them, of the very text that was searched."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from webrag_desktop.models.documents import Place
from webrag_desktop.storage.database import Connection


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
    """A text that is no longer cut into these passages: a newer one took its place, or other rules cut it.

    ``blocks`` are as :class:`~webrag_desktop.models.documents.Block` stores itself, without HTML; what has its default
    is left out.
    """

    version_id: UUID
    markdown: str
    blocks: list[dict[str, Any]]


class Neighbours(NamedTuple):
    """Children of passages and those beside them, and the texts whose passages are chunks no longer."""

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
