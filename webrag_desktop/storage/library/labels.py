"""Tags and collections: what the user calls documents, and where he puts them."""

from collections.abc import Sequence
from uuid import UUID, uuid4

from webrag_desktop.models.queue import SourceChanged
from webrag_desktop.models.sources import NO_LABELS, LabelCount, Labels
from webrag_desktop.progress import SourceState
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.events import announce


def labels_of(conn: Connection, source_id: UUID) -> Labels:
    """The labels of a source; none where there is no such source."""
    return labels_of_all(conn, [source_id]).get(source_id, NO_LABELS)


def labels_of_all(conn: Connection, source_ids: Sequence[UUID]) -> dict[UUID, Labels]:
    """The labels of those of these sources that there are."""
    rows = conn.execute(
        """
        SELECT s.id, s.tags,
               ARRAY(SELECT k.name FROM source_collections m JOIN collections k ON k.id = m.collection_id
                      WHERE m.source_id = s.id ORDER BY lower(k.name), k.name)
          FROM sources s WHERE s.id = ANY(%s)
        """,
        [list(source_ids)],
    )
    return {id_: Labels(tuple(tags), tuple(collections)) for id_, tags, collections in rows}


def add_labels(conn: Connection, source_ids: Sequence[UUID], labels: Labels) -> None:
    """Tag these sources and put them into collections, creating these where needed."""
    wanted = {"sources": list(source_ids), "tags": list(labels.tags)}
    if labels.tags:
        conn.execute(_ADD_TAGS, wanted)
    for name in labels.collections:
        collection = _collection_of(conn, name)
        conn.execute(
            """
            INSERT INTO source_collections (source_id, collection_id)
            SELECT id, %s FROM sources WHERE id = ANY(%s) ON CONFLICT DO NOTHING
            """,
            [collection, wanted["sources"]],
        )
    announce_labels(conn, source_ids)


def remove_labels(conn: Connection, source_ids: Sequence[UUID], labels: Labels) -> None:
    """Remove these tags, and remove the sources from these collections; what they do not have is ignored."""
    conn.execute(_REMOVE_TAGS, {"sources": list(source_ids), "tags": list(labels.tags)})
    conn.execute(
        """
        DELETE FROM source_collections m USING collections k
         WHERE k.id = m.collection_id AND m.source_id = ANY(%s)
           AND lower(k.name) IN (SELECT lower(n) FROM unnest(%s::text[]) n)
        """,
        [list(source_ids), list(labels.collections)],
    )
    announce_labels(conn, source_ids)


_ADD_TAGS = """
    UPDATE sources s
       SET tags = ARRAY(SELECT t FROM (SELECT unnest(s.tags) AS t UNION ALL
                                       SELECT n FROM unnest(%(tags)s::text[]) n
                                        WHERE lower(n) NOT IN (SELECT lower(o) FROM unnest(s.tags) o)) named
                         ORDER BY lower(t), t)
     WHERE id = ANY(%(sources)s)
"""
_REMOVE_TAGS = """
    UPDATE sources s
       SET tags = ARRAY(SELECT t FROM unnest(s.tags) t
                         WHERE lower(t) NOT IN (SELECT lower(n) FROM unnest(%(tags)s::text[]) n)
                         ORDER BY lower(t), t)
     WHERE id = ANY(%(sources)s)
"""


def all_tags(conn: Connection) -> list[LabelCount]:
    """Every tag by name; of spellings that differ in case alone, the most frequent one."""
    rows = conn.execute(
        """
        SELECT mode() WITHIN GROUP (ORDER BY t), count(DISTINCT s.id)
          FROM sources s CROSS JOIN unnest(s.tags) t WHERE s.removed_at IS NULL
         GROUP BY lower(t) ORDER BY lower(t)
        """
    )
    return [LabelCount(*row) for row in rows]


def _collection_of(conn: Connection, name: str) -> UUID:
    """The collection of that name in any case, or a new one; another program may create it at the same moment."""
    row = conn.execute(
        """
        WITH known AS (SELECT id FROM collections WHERE lower(name) = lower(%(name)s) ORDER BY added_at, id LIMIT 1),
             made AS (
            INSERT INTO collections (id, name) SELECT %(id)s, %(name)s WHERE NOT EXISTS (SELECT 1 FROM known)
            ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id)
        SELECT id FROM known UNION ALL SELECT id FROM made
        """,
        {"id": uuid4(), "name": name},
    ).fetchone()
    assert row is not None  # inserted, or there
    found: UUID = row[0]
    return found


def announce_labels(conn: Connection, source_ids: Sequence[UUID]) -> None:
    """Tell who follows the library that the labels of these sources changed."""
    rows = conn.execute("SELECT id, state FROM sources WHERE id = ANY(%s) ORDER BY id", [list(source_ids)])
    changed: list[tuple[UUID, SourceState]] = rows.fetchall()
    for source_id, state in changed:
        announce(conn, SourceChanged(source_id, state))
