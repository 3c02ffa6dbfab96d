"""What the user gave, the addresses it answers to, and how far it has come."""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal
from uuid import UUID, uuid4

from psycopg import sql
from psycopg.rows import class_row

from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.models.queue import SourceChanged
from webrag_desktop.models.sources import LARGEST_DEPTH, FollowedWithin, SourceKind, SourceRow
from webrag_desktop.progress import SourceState
from webrag_desktop.storage import document_columns as metadata
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.events import announce, announce_all, announce_if_cited

if TYPE_CHECKING:
    from webrag_desktop.models.documents import AddressClass, AddressKind

SHORTEST_ID_PREFIX = 4
NOTHING_KEPT = "The text of this document is lost, and no copy of the file is kept."
ADD_AGAIN = "Add the file again."


_SELECT_SOURCES = sql.SQL(
    """
    SELECT s.id, s.kind, s.state, s.state_reason, s.state_hint, s.progress_done, s.progress_total,
           a.url, s.added_at, d.id IS NOT NULL AS searchable,
           coalesce(d.source_url, r.source_url) AS source_url, {shown}, d.content_hash, d.fetched_at, d.indexed_at,
           s.depth,
           coalesce(d.parent_chunks, 0) AS parent_chunks, coalesce(d.child_chunks, 0) AS child_chunks,
           coalesce(d.tokens, 0) AS tokens, s.checked_at,
           CASE WHEN j.started_at IS NULL AND j.not_before > clock_timestamp() THEN j.not_before END AS waits_until,
           CASE WHEN j.started_at IS NULL AND j.not_before > clock_timestamp() THEN j.waits_for END AS waits_for,
           sign(j.priority)::int AS priority, s.removed_at,
           coalesce(j.started_at IS NULL AND j.not_before > clock_timestamp()
                    AND (j.waits_for IS DISTINCT FROM 'site' OR j.transient), false) AS may_come_sooner,
           coalesce(d.stated_facts, '{{}}') AS stated_facts,
           s.opened_at, CASE WHEN s.read_version = d.active_version THEN s.read_to END AS read_to, s.tags,
           (SELECT c.body_bytes FROM captures c WHERE c.source_id = s.id ORDER BY c.number DESC LIMIT 1)
               AS received_bytes
      FROM sources s
      JOIN LATERAL (SELECT url FROM source_addresses
                     WHERE source_id = s.id AND kind = 'given' ORDER BY id LIMIT 1) a ON true
      LEFT JOIN documents d ON d.id = s.id
      LEFT JOIN removed_documents r ON r.id = s.id
      LEFT JOIN jobs j ON j.source_id = s.id AND j.finished_at IS NULL
"""
).format(shown=metadata.SHOWN)


def checked_depth(depth: int) -> int:
    """The number of links from what the user gave: a whole number, 0 for what the user gave.

    Raises:
        InputError: there is no such depth.
    """
    if type(depth) is not int or not 0 <= depth <= LARGEST_DEPTH:
        raise InputError(
            f"A depth of {depth!r} does not exist.",
            f"Give a whole number from 0 (what you chose yourself) to {LARGEST_DEPTH}.",
        )
    return depth


def key_hash(url_key: str) -> bytes:
    """sha256 of an address key, which is what is unique (keys themselves may be too long for an index)."""
    return hashlib.sha256(url_key.encode()).digest()


def owner_of(conn: Connection, url_key: str) -> UUID | None:
    """The source that answers to an address key, also where that is in the bin."""
    row = conn.execute(
        "SELECT source_id FROM source_addresses WHERE key_hash = %s", [key_hash(url_key)]
    ).fetchone()
    return row[0] if row else None


def found_by_hash(conn: Connection, key: bytes, *, in_bin: bool = False) -> UUID | None:
    """The source that answers to an address by the :func:`key_hash` of its key; not in the bin, or ``in_bin`` alone."""
    row = conn.execute(
        """
        SELECT s.id FROM source_addresses a JOIN sources s ON s.id = a.source_id
         WHERE a.key_hash = %s AND (s.removed_at IS NOT NULL) = %s
        """,
        [key, in_bin],
    ).fetchone()
    return row[0] if row else None


def is_in_bin(conn: Connection, source_id: UUID) -> bool:
    """Whether a source is in the bin; its row is locked until the transaction ends, so that this stays so."""
    row = conn.execute(
        "SELECT removed_at IS NOT NULL FROM sources WHERE id = %s FOR UPDATE", [source_id]
    ).fetchone()
    return bool(row and row[0])


def url_keys_of(conn: Connection, source_id: UUID) -> frozenset[str]:
    """The keys of all addresses that a source answers to."""
    rows = conn.execute("SELECT url_key FROM source_addresses WHERE source_id = %s", [source_id])
    return frozenset(row[0] for row in rows)


def add_source(
    conn: Connection,
    kind: "SourceKind",
    url: str,
    url_key: str,
    *,
    depth: int = 0,
    followed: "tuple[FollowedWithin, AddressClass] | None" = None,
) -> UUID | None:
    """Accept a new source in state queued; None when another source answers to that address already.

    ``followed`` is of a page that a program followed a link to: how far its redirects may lead, and where it may lie.
    """
    within, reach = followed or (None, None)
    source_id = uuid4()
    conn.execute(  # many may come in one transaction, and they keep their order
        """
        INSERT INTO sources (id, kind, depth, followed, reached, added_at)
        VALUES (%s, %s, %s, %s, %s, clock_timestamp())
        """,
        [source_id, kind, depth, within, reach],
    )
    if claim_address(conn, source_id, url, url_key, "given") != source_id:
        conn.execute("DELETE FROM sources WHERE id = %s", [source_id])
        return None
    announce(conn, SourceChanged(source_id, "queued"))
    return source_id


def come_nearer(conn: Connection, source_id: UUID, depth: int) -> None:
    """Lower a source's depth to at most so many links from what the user gave."""
    wanted = {"source": source_id, "depth": depth}
    conn.execute("UPDATE sources SET depth = %(depth)s WHERE id = %(source)s AND depth > %(depth)s", wanted)
    conn.execute("UPDATE documents SET depth = %(depth)s WHERE id = %(source)s AND depth > %(depth)s", wanted)


def claim_address(conn: Connection, source_id: UUID, url: str, url_key: str, kind: "AddressKind") -> UUID:
    """Make ``source_id`` answer to an address unless another source already does; return the owner."""
    conn.execute(
        """
        INSERT INTO source_addresses (source_id, kind, url, url_key, key_hash) VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (key_hash) DO NOTHING
        """,
        [source_id, kind, url, url_key, key_hash(url_key)],
    )
    owner = owner_of(conn, url_key)
    if owner is None:
        raise NotFoundError(f"The document at {url} was removed meanwhile.", "Add it again if you want it.")
    return owner


def reached_first(conn: Connection, source_id: UUID) -> "AddressClass | Literal['unknown'] | None":
    """The class of network in which the given address was when it was first requested.

    None: it was not asked for yet; unknown: that was before this was noted.
    """
    row = conn.execute("SELECT reached FROM sources WHERE id = %s", [source_id]).fetchone()
    return row[0] if row else None


def note_reached(conn: Connection, source_id: UUID, kind: "AddressClass") -> None:
    """Record the class of network of the given address, unless it is recorded already."""
    conn.execute(
        "UPDATE sources SET reached = %s WHERE id = %s AND coalesce(reached, 'unknown') = 'unknown'",
        [kind, source_id],
    )


def followed_within(conn: Connection, source_id: UUID) -> FollowedWithin | None:
    """How far redirects may lead of a page that a program followed a link to; None: the user gave it himself."""
    row = conn.execute("SELECT followed FROM sources WHERE id = %s", [source_id]).fetchone()
    return row[0] if row else None


def note_given(conn: Connection, source_id: UUID) -> None:
    """Record that the user gave the address, even if a link led to it before."""
    conn.execute("UPDATE sources SET followed = NULL WHERE id = %s AND followed IS NOT NULL", [source_id])


def forget_reached(conn: Connection, source_id: UUID) -> None:
    """Delete the recorded class of network of the given address: the user gave it again.

    Not where it was read and is known to have lain elsewhere then: only a new document may lead to another place.
    """
    conn.execute(
        """
        UPDATE sources SET reached = NULL
         WHERE id = %(source)s
           AND (reached = 'unknown' OR NOT EXISTS (SELECT FROM documents WHERE id = %(source)s))
        """,
        {"source": source_id},
    )


def list_sources(conn: Connection) -> list[SourceRow]:
    """Every source that is not in the bin, in the order of adding."""
    with conn.cursor(row_factory=class_row(SourceRow)) as cursor:
        return cursor.execute(
            _SELECT_SOURCES + sql.SQL(" WHERE s.removed_at IS NULL ORDER BY s.added_at, s.id")
        ).fetchall()


def get_source(conn: Connection, source_id: UUID, *, or_in_bin: bool = False) -> SourceRow | None:
    """One source, or None when there is none of that id, or it is in the bin, unless that may be."""
    return get_sources(conn, [source_id], or_in_bin=or_in_bin).get(source_id)


def get_sources(
    conn: Connection, source_ids: Sequence[UUID], *, or_in_bin: bool = False
) -> dict[UUID, SourceRow]:
    """Those of the given sources that exist; those in the bin only where that may be."""
    with conn.cursor(row_factory=class_row(SourceRow)) as cursor:
        rows = cursor.execute(
            _SELECT_SOURCES + sql.SQL(" WHERE s.id = ANY(%s) AND (s.removed_at IS NULL OR %s)"),
            [list(source_ids), or_in_bin],
        ).fetchall()
    return {row.id: row for row in rows}


def find_by_id_prefix(conn: Connection, prefix: str) -> SourceRow | None:
    """The source, also in the bin, whose id starts with ``prefix`` (at least 4 characters); None when there is none.

    Raises:
        InputError: several ids start so.
    """
    if len(prefix) < SHORTEST_ID_PREFIX:
        return None
    with conn.cursor(row_factory=class_row(SourceRow)) as cursor:
        rows = cursor.execute(
            _SELECT_SOURCES + sql.SQL(" WHERE starts_with(s.id::text, %s) LIMIT 2"), [prefix.lower()]
        ).fetchall()
    if len(rows) > 1:
        raise InputError(f"Several documents have an id that begins with {prefix}.", "Give more of the id.")
    return rows[0] if rows else None


def set_state(
    conn: Connection,
    source_id: UUID,
    state: SourceState,
    *,
    reason: str | None = None,
    hint: str | None = None,
    done: int | None = None,
    total: int | None = None,
    claim: tuple[int, int] | None = None,
) -> bool:
    """Set the state of a source and announce it; False when nothing was changed.

    With ``claim`` (a job's id and the claim's number), only while that very claim still holds: a runner that lost
    its place must not touch what its successor works on.
    """
    job_id, number = claim or (None, None)
    if claim is not None:
        # A statement of its own: who waited for the row must see the claim as it is by then.
        conn.execute("SELECT FROM sources WHERE id = %s FOR UPDATE", [source_id])
    changed = conn.execute(
        """
        UPDATE sources SET state = %(state)s, state_reason = %(reason)s, state_hint = %(hint)s,
                           progress_done = %(done)s, progress_total = %(total)s, changed_at = clock_timestamp()
         WHERE id = %(source)s
           AND (%(job)s::bigint IS NULL OR EXISTS (
                SELECT 1 FROM jobs WHERE id = %(job)s AND claims = %(number)s
                                     AND started_at IS NOT NULL AND finished_at IS NULL))
        """,
        {
            "state": state,
            "reason": reason,
            "hint": hint,
            "done": done,
            "total": total,
            "source": source_id,
            "job": job_id,
            "number": number,
        },
    )
    if changed.rowcount:
        announce(conn, SourceChanged(source_id, state, done, total))
    return changed.rowcount > 0


def set_states(
    conn: Connection, source_ids: Sequence[UUID], state: SourceState, *, reason: str | None = None
) -> None:
    """Move many sources, whose rows the transaction has locked, to one state and announce it."""
    if not source_ids:
        return
    conn.execute(
        """
        UPDATE sources SET state = %s, state_reason = %s, state_hint = NULL,
                           progress_done = NULL, progress_total = NULL, changed_at = clock_timestamp()
         WHERE id = ANY(%s)
        """,
        [state, reason, list(source_ids)],
    )
    announce_all(conn, source_ids, state)


def drop_note(conn: Connection, source_id: UUID) -> None:
    """Delete the note of a ready document: the reason why it could not be checked has passed."""
    row = conn.execute(
        "SELECT FROM sources WHERE id = %s AND state = 'ready' AND state_reason IS NOT NULL", [source_id]
    ).fetchone()
    if row is not None:
        set_state(conn, source_id, "ready")


def lock_source(conn: Connection, source_id: UUID) -> SourceState | None:
    """The source's state, locked until the transaction ends; None when it was deleted, or put into the bin."""
    row = conn.execute(
        "SELECT state, removed_at FROM sources WHERE id = %s FOR UPDATE", [source_id]
    ).fetchone()
    return row[0] if row and row[1] is None else None


def merge_source(conn: Connection, duplicate: UUID, kept: UUID) -> None:
    """Two sources turned out to be one page: ``kept`` takes over addresses, tags, collections and a smaller depth.

    ``duplicate`` goes, with its captures. What the user said of it goes with
    :func:`~webrag_desktop.storage.texts.bibliography.take_over`, which comes before.
    """
    both = {"kept": kept, "duplicate": duplicate}
    row = conn.execute("SELECT depth FROM sources WHERE id = %(duplicate)s", both).fetchone()
    if row is not None:
        come_nearer(conn, kept, row[0])
    conn.execute(
        """
        UPDATE sources SET followed = NULL FROM sources d
         WHERE sources.id = %(kept)s AND d.id = %(duplicate)s AND d.followed IS NULL
        """,
        both,
    )
    conn.execute(
        "UPDATE source_addresses SET source_id = %(kept)s, kind = 'redirect' WHERE source_id = %(duplicate)s",
        both,
    )
    conn.execute(
        """
        UPDATE sources SET opened_at = greatest(sources.opened_at, d.opened_at) FROM sources d
         WHERE sources.id = %(kept)s AND d.id = %(duplicate)s AND d.opened_at IS NOT NULL
        """,
        both,
    )
    conn.execute(
        """
        UPDATE sources k SET tags = ARRAY(SELECT DISTINCT unnest(k.tags || d.tags) ORDER BY 1)
          FROM sources d WHERE k.id = %(kept)s AND d.id = %(duplicate)s AND d.tags <> '{}'
        """,
        both,
    )
    conn.execute(
        """
        INSERT INTO source_collections (source_id, collection_id)
        SELECT %(kept)s, collection_id FROM source_collections WHERE source_id = %(duplicate)s
        ON CONFLICT DO NOTHING
        """,
        both,
    )
    conn.execute(
        """
        UPDATE sources SET keep_subresources = d.keep_subresources FROM sources d
         WHERE sources.id = %(kept)s AND d.id = %(duplicate)s AND d.keep_subresources IS NOT NULL
        """,
        both,
    )
    remove_source(conn, duplicate)


def chunk_counts(conn: Connection, document_ids: Sequence[UUID]) -> dict[UUID, int]:
    """How many chunks these documents show, in the given order; 0 for those without a text."""
    rows = conn.execute(
        "SELECT id, parent_chunks + child_chunks FROM documents WHERE id = ANY(%s)", [list(document_ids)]
    )
    known: dict[UUID, int] = dict(rows.fetchall())
    return {document_id: known.get(document_id, 0) for document_id in document_ids}


def remove_source(conn: Connection, source_id: UUID) -> bool:
    """Delete a source with its captures, versions, chunks, vectors and jobs; False when there was none."""
    return bool(remove_sources(conn, [source_id]))


def remove_sources(conn: Connection, source_ids: Sequence[UUID]) -> list[UUID]:
    """Delete sources with all that was kept about them, except citations; returns which there were."""
    wanted = list(source_ids)
    conn.execute("SELECT id FROM sources WHERE id = ANY(%s) ORDER BY id FOR UPDATE", [wanted])
    announce_if_cited(conn, wanted)
    rows = conn.execute("DELETE FROM sources WHERE id = ANY(%s) RETURNING id", [wanted])
    removed = [row[0] for row in rows]
    announce_all(conn, removed, "removed")
    return removed
