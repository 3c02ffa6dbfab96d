"""What stands around passages that were found: the children beside them, of the very text that was searched."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.models import Place
from webrag_desktop.storage.database import Connection


class ChildRow(NamedTuple):
    """A child chunk in or beside a passage; ``places`` are lists, each as long as it was stored."""

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


class BlockRow(NamedTuple):
    """A block of a text that is no longer cut into chunks, since a newer one took its place or other rules cut it."""

    version_id: UUID
    char_start: int
    char_end: int
    text: str
    heading_path: list[str]
    anchor: str | None
    page: int | None


class Neighbours(NamedTuple):
    """Children of passages and those beside them, and the blocks of texts whose passages are chunks no longer."""

    children: list[ChildRow]
    blocks: list[BlockRow]


def load_neighbours(conn: Connection, passages: Sequence[tuple[UUID, UUID]], reach: int) -> Neighbours:
    """What belongs to these parents (chunk, version) and up to ``reach`` children before and behind each; one round trip.

    Everything is of the versions named, in text order. Of a removed document there is nothing.
    """
    parameters = {
        "ids": [chunk for chunk, _ in passages],
        "versions": [version for _, version in passages],
        "reach": reach,
    }
    with conn.pipeline():
        children = conn.cursor().execute(_CHILDREN, parameters)
        blocks = conn.cursor().execute(_BLOCKS, parameters)
    return Neighbours(list(map(ChildRow._make, children)), list(map(BlockRow._make, blocks)))


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
# Offsets count code points, as substr() does; a block ends where the next begins, so that blocks leave out nothing.
_BLOCKS = """
    WITH gone AS (
        SELECT DISTINCT p.version_id
          FROM unnest(%(ids)s::uuid[], %(versions)s::uuid[]) AS p (id, version_id)
         WHERE NOT EXISTS (SELECT FROM chunks c WHERE c.id = p.id)),
    blocks AS (
        SELECT v.id, v.markdown, b.block, (b.block ->> 'char_start')::int AS char_start,
               coalesce(lead((b.block ->> 'char_start')::int) OVER (PARTITION BY v.id ORDER BY b.number),
                        length(v.markdown)) AS char_end, b.number
          FROM gone g JOIN document_versions v ON v.id = g.version_id
          CROSS JOIN LATERAL jsonb_array_elements(v.blocks) WITH ORDINALITY AS b (block, number))
    SELECT id, char_start, char_end, substr(markdown, char_start + 1, char_end - char_start),
           ARRAY(SELECT jsonb_array_elements_text(coalesce(block -> 'heading_path', '[]'))),
           block ->> 'anchor', (block ->> 'page')::int
      FROM blocks ORDER BY id, number
"""
