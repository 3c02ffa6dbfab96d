"""What a part of a document is about: its words, and the vectors that are stored for it."""

from dataclasses import dataclass
from uuid import UUID

from psycopg import sql

from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.spaces.space_tables import active_space


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
