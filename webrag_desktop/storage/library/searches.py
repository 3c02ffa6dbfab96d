"""Searches that are kept: the history, and those that have a name."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from webrag_desktop.models.searches import KeptSearch
from webrag_desktop.storage.database import Connection

MOST_KEPT = 500  # of the history; the oldest go first


def note_search(
    conn: Connection, search_id: UUID, question: str, filters: Mapping[str, Any], most: int = MOST_KEPT
) -> None:
    """Put a search at the top of the history, once, and keep at most so many there."""
    conn.execute(
        "DELETE FROM searches WHERE name IS NULL AND question = %s AND filters = %s",
        [question, Jsonb(dict(filters))],
    )
    conn.execute(
        "INSERT INTO searches (id, question, filters) VALUES (%s, %s, %s)",
        [search_id, question, Jsonb(dict(filters))],
    )
    conn.execute(
        """
        DELETE FROM searches WHERE id IN (
            SELECT id FROM searches WHERE name IS NULL ORDER BY asked_at DESC, id DESC OFFSET %s)
        """,
        [most],
    )


def history(conn: Connection, limit: int) -> list[KeptSearch]:
    """The newest searches without a name, newest first."""
    with conn.cursor(row_factory=class_row(KeptSearch)) as cursor:
        cursor.execute(
            """
            SELECT id, name, question, filters, asked_at, seen_at FROM searches
             WHERE name IS NULL ORDER BY asked_at DESC, id DESC LIMIT %s
            """,
            [limit],
        )
        return cursor.fetchall()


def named(conn: Connection) -> list[KeptSearch]:
    """The searches that have a name, by it."""
    with conn.cursor(row_factory=class_row(KeptSearch)) as cursor:
        cursor.execute(
            """
            SELECT id, name, question, filters, asked_at, seen_at FROM searches
             WHERE name IS NOT NULL ORDER BY lower(name), id
            """,
        )
        return cursor.fetchall()


def get_search(conn: Connection, search_id: UUID) -> KeptSearch | None:
    """A search by its id."""
    with conn.cursor(row_factory=class_row(KeptSearch)) as cursor:
        cursor.execute(
            "SELECT id, name, question, filters, asked_at, seen_at FROM searches WHERE id = %s", [search_id]
        )
        return cursor.fetchone()


def ids_of(conn: Connection, reference: str, fewest: int) -> list[UUID]:
    """The search of a name, whatever its case; where there is none, those whose id begins so.

    Fewer than the ``fewest`` characters are no beginning of an id.
    """
    rows = conn.execute("SELECT id FROM searches WHERE lower(name) = lower(%s)", [reference]).fetchall()
    if not rows and len(reference) >= fewest:
        rows = conn.execute(
            "SELECT id FROM searches WHERE starts_with(id::text, lower(%s)) ORDER BY asked_at DESC, id DESC",
            [reference],
        ).fetchall()
    return [row[0] for row in rows]


def save_search(
    conn: Connection, search_id: UUID, name: str, question: str, filters: Mapping[str, Any]
) -> UUID | None:
    """Keep a search under a name; None where another one has it."""
    row = conn.execute(
        """
        INSERT INTO searches (id, name, question, filters) VALUES (%s, %s, %s, %s)
        ON CONFLICT (lower(name)) WHERE name IS NOT NULL DO NOTHING RETURNING id
        """,
        [search_id, name, question, Jsonb(dict(filters))],
    ).fetchone()
    return row[0] if row else None


def insert_search(conn: Connection, search: KeptSearch) -> bool:
    """Store a search as it was; False where it is there, or another one has its name."""
    return (
        conn.execute(
            """
            INSERT INTO searches (id, name, question, filters, asked_at, seen_at) VALUES (%s, %s, %s, %s, %s, %s)
            ON CONFLICT DO NOTHING
            """,
            [
                search.id,
                search.name,
                search.question,
                Jsonb(dict(search.filters)),
                search.asked_at,
                search.seen_at,
            ],
        ).rowcount
        == 1
    )


def rename_search(conn: Connection, search_id: UUID, name: str) -> bool:
    """Give a search another name; False where another one has it, or it is gone."""
    return (
        conn.execute(
            """
            UPDATE searches SET name = %(name)s WHERE id = %(id)s AND NOT EXISTS (
                SELECT 1 FROM searches o WHERE lower(o.name) = lower(%(name)s) AND o.id <> %(id)s)
            """,
            {"name": name, "id": search_id},
        ).rowcount
        == 1
    )


def rename_in_filters(conn: Connection, before: str, name: str) -> None:
    """Have every kept search, also of the history, name a collection as it is called now; filters ignore case."""
    conn.execute(
        """
        UPDATE searches SET filters = jsonb_set(filters, '{collections}', (
            SELECT jsonb_agg(CASE WHEN lower(one) = lower(%(before)s) THEN %(name)s ELSE one END ORDER BY place)
              FROM jsonb_array_elements_text(filters -> 'collections') WITH ORDINALITY AS named (one, place)))
         WHERE EXISTS (
            SELECT 1 FROM jsonb_array_elements_text(filters -> 'collections') one WHERE lower(one) = lower(%(before)s))
        """,
        {"before": before, "name": name},
    )


def mark_seen(conn: Connection, search_id: UUID) -> None:
    """Count from now on as new what comes into the library later."""
    conn.execute("UPDATE searches SET seen_at = clock_timestamp() WHERE id = %s", [search_id])


def delete_search(conn: Connection, search_id: UUID) -> bool:
    """Delete a search; False when there was none."""
    return conn.execute("DELETE FROM searches WHERE id = %s", [search_id]).rowcount == 1


def clear_history(conn: Connection) -> int:
    """Delete all searches without a name; returns how many there were."""
    return conn.execute("DELETE FROM searches WHERE name IS NULL").rowcount


def changed_since(conn: Connection, moment: datetime) -> set[UUID]:
    """The documents whose text in use is newer than a moment."""
    rows = conn.execute(
        """
        SELECT d.id FROM documents d JOIN document_versions v ON v.id = d.active_version
         WHERE v.created_at > %s
        """,
        [moment],
    )
    return {row[0] for row in rows}
