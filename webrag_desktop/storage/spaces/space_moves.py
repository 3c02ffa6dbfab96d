"""The record of moves to another embedding space: one is open at most, and its state follows from its times."""

from typing import Any

from psycopg import sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from pydantic import ValidationError

from webrag_desktop.errors import InputError
from webrag_desktop.models.spaces import EmbeddingSpace, SpaceMove, StoredSpace
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.events import announce_topic
from webrag_desktop.storage.queue.postponement import OPEN
from webrag_desktop.storage.spaces.space_tables import (
    SpaceDamagedError,
    active_space,
    ensure_space,
    hold_space_lock,
)

# A new table's references need a lock that a VACUUM of what they refer to holds, and writers wait behind us. An
# autovacuum makes room after a second.
LOCK_MILLISECONDS = 2000


class MoveDamagedError(SpaceDamagedError):
    """The record of a move cannot be read."""


def latest_move(conn: Connection) -> SpaceMove | None:
    """The last requested move, open or ended.

    Raises:
        MoveDamagedError: what is noted of it means nothing.
    """
    with conn.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(
            """
            SELECT m.id, m.origin, m.definition, m.paused, m.failures, m.problem, m.hint, m.added_at,
                   CASE WHEN m.not_before > clock_timestamp() THEN m.not_before END AS waits_until,
                   m.swapped_at, m.cancelled_at, m.tidied_at, m.target, s.table_name
              FROM space_moves m LEFT JOIN embedding_spaces s ON s.id = m.target
             ORDER BY m.id DESC LIMIT 1
            """
        ).fetchone()
    return _move(row) if row else None


def _move(row: dict[str, Any]) -> SpaceMove:
    if row["swapped_at"] or row["cancelled_at"]:  # what kept it last keeps it from nothing any more
        row |= dict.fromkeys(("waits_until", "problem", "hint"))
    table, target_id = row.pop("table_name"), row.pop("target")
    try:
        origin, space = (EmbeddingSpace.model_validate(row.pop(name)) for name in ("origin", "definition"))
    except ValidationError as error:
        raise MoveDamagedError(
            "What the library notes of its move to another embedding space is damaged. Texts and vectors are unharmed.",
            "`webrag space cancel` puts the note right and ends the move; `webrag space move` begins another one.",
        ) from error
    target = None if table is None else StoredSpace(target_id, table, space)
    return SpaceMove(origin=origin, space=space, target=target, **row)


def open_move(conn: Connection) -> SpaceMove | None:
    """The open move, also when it is paused."""
    move = latest_move(conn)
    return move if move is not None and move.is_open else None


def begin(conn: Connection, space: EmbeddingSpace) -> bool:
    """Begin a move of the library to another space; resumes an open move there.

    False where it is in that space already, or in none.

    Raises:
        InputError: a move to yet another space is under way.
        DatabaseConflictError: another transaction holds what it needs for long; at the end of the connection's block.
    """
    conn.execute("SELECT set_config('lock_timeout', %s, true)", [f"{LOCK_MILLISECONDS}ms"])
    hold_space_lock(conn)
    origin, present = active_space(conn), open_move(conn)
    if origin is None or origin.space.fingerprint == space.fingerprint:
        return False
    if present is None:
        target = ensure_space(conn, space, indexed=False)
        conn.execute(
            "INSERT INTO space_moves (origin, definition, target) VALUES (%s, %s, %s)",
            [Jsonb(origin.space.model_dump(mode="json")), Jsonb(space.model_dump(mode="json")), target.id],
        )
    elif present.space.fingerprint != space.fingerprint:
        raise InputError(
            f"The library is being moved to {present.space.model.model} ({present.space.chunking_id}). "
            "Nothing was changed.",
            "Wait for it, or end it with `webrag space cancel`; what the library holds now stays as it is.",
        )
    else:
        conn.execute(
            sql.SQL("UPDATE space_moves SET paused = false, not_before = NULL WHERE {}").format(OPEN)
        )
    announce_topic(conn, "queue")
    return True


def set_paused(conn: Connection, paused: bool) -> bool:
    """Pause or resume the open move, over restarts; False where there is none or it was so already.

    Resuming also ends the wait after a failure.
    """
    changed = conn.execute(
        sql.SQL(
            """
            UPDATE space_moves SET paused = %(paused)s, not_before = NULL
             WHERE {} AND (paused <> %(paused)s OR NOT %(paused)s AND not_before IS NOT NULL)
            """
        ).format(OPEN),
        {"paused": paused},
    )
    if changed.rowcount:
        announce_topic(conn, "queue")
    return changed.rowcount > 0


def cancel(conn: Connection) -> bool:
    """End the open move; what was built of the new space is dropped afterwards. False where there was none.

    A damaged record of the last move is corrected, open or not.
    """
    try:
        latest_move(conn)
    except MoveDamagedError:
        _reset_notes(conn)
    ended = conn.execute(
        sql.SQL("UPDATE space_moves SET cancelled_at = clock_timestamp() WHERE {}").format(OPEN)
    )
    if ended.rowcount:
        announce_topic(conn, "queue")
    return ended.rowcount > 0


def _reset_notes(conn: Connection) -> None:
    """Set origin and target of the last move to what the spaces say: the one in use, and the one being built, if any.

    The origin of the library before an ended move is not known any more.
    """
    conn.execute(
        """
        UPDATE space_moves m
           SET origin = a.definition,
               definition = coalesce((SELECT t.definition FROM embedding_spaces t WHERE t.id = m.target), a.definition)
          FROM corpus c JOIN embedding_spaces a ON a.id = c.active_space
         WHERE m.id = (SELECT max(id) FROM space_moves)
        """
    )


def hold(conn: Connection, move: SpaceMove) -> bool:
    """Lock a move against pausing and cancelling until the transaction ends; False when it is stopped already."""
    row = conn.execute(
        sql.SQL("SELECT NOT paused FROM space_moves WHERE id = %s AND {} FOR SHARE").format(OPEN), [move.id]
    ).fetchone()
    return bool(row and row[0])


def goes_on(conn: Connection, move: SpaceMove) -> bool:
    """Whether a move is still open, and neither paused itself nor by the pause of all indexing."""
    row = conn.execute(
        sql.SQL(
            "SELECT NOT paused AND NOT (SELECT paused FROM queue_control) FROM space_moves WHERE id = %s AND {}"
        ).format(OPEN),
        [move.id],
    ).fetchone()
    return bool(row and row[0])


def postpone_move(conn: Connection, move: SpaceMove, seconds: float, problem: str, hint: str) -> None:
    """Make an open move wait after a failure, and remember why."""
    conn.execute(
        """
        UPDATE space_moves SET failures = failures + 1, problem = %s, hint = %s,
                               not_before = clock_timestamp() + make_interval(secs => %s)
         WHERE id = %s
        """,
        [problem, hint, seconds, move.id],
    )
    announce_topic(conn, "space")


def note_progress(conn: Connection, move: SpaceMove) -> None:
    """Announce progress of a move and delete the reason why it waited."""
    if move.failures:
        conn.execute(
            "UPDATE space_moves SET failures = 0, not_before = NULL, problem = NULL, hint = NULL WHERE id = %s",
            [move.id],
        )
    announce_topic(conn, "space")


def waits_for_tidying(conn: Connection) -> bool:
    """Whether ended moves left something to drop."""
    row = conn.execute(
        sql.SQL("SELECT EXISTS (SELECT FROM space_moves WHERE NOT ({}) AND tidied_at IS NULL)").format(OPEN)
    ).fetchone()
    return bool(row and row[0])


def note_tidied(conn: Connection) -> None:
    """Record that ended moves left nothing to drop."""
    conn.execute(
        sql.SQL(
            "UPDATE space_moves SET tidied_at = clock_timestamp() WHERE NOT ({}) AND tidied_at IS NULL"
        ).format(OPEN)
    )
    announce_topic(conn, "space")
