"""When documents were opened to be read, and how far."""

from uuid import UUID

from webrag_desktop.storage.database import Connection


def note_opened(conn: Connection, source_id: UUID) -> bool:
    """Record that a source is opened to be read now; False when there is none."""
    noted = conn.execute(
        "UPDATE sources SET opened_at = clock_timestamp() WHERE id = %s RETURNING id", [source_id]
    )
    return noted.fetchone() is not None


def keep_place(conn: Connection, source_id: UUID, version_id: UUID, char_start: int) -> bool:
    """Keep how far a document was read, in the text that it shows; False where it shows another one, or none.

    No change is announced: no list depends on it, and it changes with every pause in reading.
    """
    kept = conn.execute(
        """
        UPDATE sources SET read_to = %(place)s, read_version = %(version)s FROM documents d
         WHERE sources.id = %(source)s AND d.id = sources.id AND d.active_version = %(version)s
        RETURNING sources.id
        """,
        {"source": source_id, "version": version_id, "place": char_start},
    )
    return kept.fetchone() is not None
