"""Collections as a tree: made, renamed, put into one another, coloured, deleted, and put back as they were."""

from collections.abc import Sequence
from uuid import UUID, uuid4

from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.models.sources import CollectionColour, CollectionRow, DeletedCollection
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library.labels import announce_labels

# A collection's documents are counted once, however deep they are within it.
_SELECT = """
    WITH RECURSIVE within (ancestor, id) AS (
        SELECT k.id, k.id FROM collections k
        UNION SELECT within.ancestor, k.id FROM within JOIN collections k ON k.parent_id = within.id
    ), filed AS (
        SELECT within.ancestor, count(DISTINCT m.source_id) AS documents
          FROM within JOIN source_collections m ON m.collection_id = within.id
          JOIN sources s ON s.id = m.source_id AND s.removed_at IS NULL
         GROUP BY within.ancestor
    )
    SELECT k.id, k.name, coalesce(filed.documents, 0), k.parent_id, k.colour
      FROM collections k LEFT JOIN filed ON filed.ancestor = k.id
"""


def all_collections(conn: Connection) -> list[CollectionRow]:
    """Every collection by name, also those that are empty."""
    return [CollectionRow(*row) for row in conn.execute(_SELECT + " ORDER BY lower(k.name), k.name")]


def get_collection(conn: Connection, collection_id: UUID) -> CollectionRow:
    """One collection.

    Raises:
        NotFoundError: it is gone.
    """
    row = conn.execute(_SELECT + " WHERE k.id = %s", [collection_id]).fetchone()
    if row is None:
        raise NotFoundError("This collection was deleted.", "`webrag collection` lists those that there are.")
    return CollectionRow(*row)


def find_collection(conn: Connection, name: str) -> UUID | None:
    """The collection of that name, in any case."""
    row = conn.execute(
        "SELECT id FROM collections WHERE lower(name) = lower(%s) ORDER BY added_at, id LIMIT 1", [name]
    ).fetchone()
    return row[0] if row else None


def names_of(conn: Connection, collection_ids: Sequence[UUID]) -> dict[UUID, str]:
    """The names of those of these collections that there are."""
    rows = conn.execute("SELECT id, name FROM collections WHERE id = ANY(%s)", [list(collection_ids)])
    return dict(rows.fetchall())


def create_collection(conn: Connection, name: str, parent_id: UUID | None) -> UUID:
    """A new collection, within another where one is named.

    Raises:
        InputError: there is one of that name.
        NotFoundError: the other is gone.
    """
    _lock(conn)
    _refuse_taken(conn, name, None)
    if parent_id is not None:
        get_collection(conn, parent_id)
    made = uuid4()
    conn.execute("INSERT INTO collections (id, name, parent_id) VALUES (%s, %s, %s)", [made, name, parent_id])
    return made


def rename_collection(conn: Connection, collection_id: UUID, name: str) -> None:
    """Give a collection another name, also in the filters of kept searches.

    Raises:
        InputError: another one has that name.
        NotFoundError: it is gone.
    """
    from webrag_desktop.storage.library.searches import rename_in_filters  # a start only lists

    _lock(conn)
    before = get_collection(conn, collection_id).name
    _refuse_taken(conn, name, collection_id)
    conn.execute("UPDATE collections SET name = %s WHERE id = %s", [name, collection_id])
    rename_in_filters(conn, before, name)
    announce_labels(conn, _members(conn, collection_id))


def nest_collection(conn: Connection, collection_id: UUID, parent_id: UUID | None) -> None:
    """Put a collection with all that is within it into another one, or at the top.

    Raises:
        InputError: the other one is the same, or is within it.
        NotFoundError: one of them is gone.
    """
    _lock(conn)
    moved = get_collection(conn, collection_id)
    if parent_id is not None:
        parent = get_collection(conn, parent_id)
        if parent_id in _within(conn, collection_id):
            raise InputError(
                f"“{moved.name}” cannot be put into “{parent.name}”, which is within it."
                if parent_id != collection_id
                else f"“{moved.name}” cannot be put into itself.",
                "Put the other one elsewhere first.",
            )
    conn.execute("UPDATE collections SET parent_id = %s WHERE id = %s", [parent_id, collection_id])


def colour_collection(conn: Connection, collection_id: UUID, colour: CollectionColour | None) -> None:
    """Give a collection a colour, or none.

    Raises:
        NotFoundError: it is gone.
    """
    get_collection(conn, collection_id)
    conn.execute("UPDATE collections SET colour = %s WHERE id = %s", [colour, collection_id])


def delete_collection(conn: Connection, collection_id: UUID) -> DeletedCollection:
    """Delete a collection. Its documents stay in the library, the collections within it move up to where it was.

    Raises:
        NotFoundError: it is gone.
    """
    _lock(conn)
    row = get_collection(conn, collection_id)
    members = _members(conn, collection_id)
    moved_up = conn.execute(
        "UPDATE collections SET parent_id = %s WHERE parent_id = %s RETURNING id",
        [row.parent_id, collection_id],
    )
    deleted = DeletedCollection(row, tuple(members), tuple(one for (one,) in moved_up))
    conn.execute("DELETE FROM collections WHERE id = %s", [collection_id])
    announce_labels(conn, members)
    return deleted


def restore_collection(conn: Connection, deleted: DeletedCollection) -> None:
    """Put a deleted collection back with those of its documents, and of the collections within it, that are there.

    Raises:
        InputError: another one has its name by now.
    """
    _lock(conn)
    row = deleted.row
    _refuse_taken(conn, row.name, row.id)
    conn.execute(
        """
        INSERT INTO collections (id, name, parent_id, colour)
        VALUES (%s, %s, (SELECT id FROM collections WHERE id = %s), %s) ON CONFLICT (id) DO NOTHING
        """,
        [row.id, row.name, row.parent_id, row.colour],
    )
    conn.execute(
        """
        INSERT INTO source_collections (source_id, collection_id)
        SELECT id, %s FROM sources WHERE id = ANY(%s) ON CONFLICT DO NOTHING
        """,
        [row.id, list(deleted.members)],
    )
    beyond = _above(conn, row.id)
    conn.execute(
        "UPDATE collections SET parent_id = %s WHERE id = ANY(%s) AND parent_id IS NOT DISTINCT FROM %s",
        [row.id, [one for one in deleted.moved_up if one not in beyond], row.parent_id],
    )
    announce_labels(conn, deleted.members)


def _lock(conn: Connection) -> None:
    """Two that put collections into one another at the same moment would make a ring."""
    conn.execute("LOCK TABLE collections IN SHARE ROW EXCLUSIVE MODE")


def _refuse_taken(conn: Connection, name: str, by: UUID | None) -> None:
    taken = find_collection(conn, name)
    if taken is not None and taken != by:
        raise InputError(
            f"There is a collection “{name}” already.", "Names of collections are unique; choose another one."
        )


def _members(conn: Connection, collection_id: UUID) -> list[UUID]:
    rows = conn.execute(
        "SELECT source_id FROM source_collections WHERE collection_id = %s ORDER BY source_id",
        [collection_id],
    )
    return [row[0] for row in rows]


def _within(conn: Connection, collection_id: UUID) -> set[UUID]:
    """A collection and all below it."""
    rows = conn.execute(
        """
        WITH RECURSIVE inside (id) AS (
            SELECT %s::uuid UNION SELECT k.id FROM collections k JOIN inside ON k.parent_id = inside.id)
        SELECT id FROM inside
        """,
        [collection_id],
    )
    return {row[0] for row in rows}


def _above(conn: Connection, collection_id: UUID) -> set[UUID]:
    """A collection and all that it is in."""
    rows = conn.execute(
        """
        WITH RECURSIVE outside (id, parent_id) AS (
            SELECT k.id, k.parent_id FROM collections k WHERE k.id = %s
            UNION SELECT k.id, k.parent_id FROM collections k JOIN outside ON k.id = outside.parent_id)
        SELECT id FROM outside
        """,
        [collection_id],
    )
    return {row[0] for row in rows}
