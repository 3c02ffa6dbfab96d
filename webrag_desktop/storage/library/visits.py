"""The pages that runs following links visit, from their selection to their outcome."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from webrag_desktop.models.links import VisitOutcome
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library.sources import key_hash

if TYPE_CHECKING:
    from webrag_desktop.models.documents import AddressClass


class VisitRow(NamedTuple):
    """A page of a run; see the table. The fields from ``title`` on describe its document as it is now."""

    url: str
    key: bytes
    parent_url: str | None
    depth: int
    source_id: UUID | None
    added: bool
    outcome: VisitOutcome | None
    gave_evidence: bool
    problem: str | None
    title: str | None = None
    description: str | None = None
    source_url: str | None = None


class NewVisit(NamedTuple):
    """A page that a run is to visit, or (with ``outcome``) has settled at once."""

    url: str
    url_key: str
    parent_url: str | None
    depth: int
    source_id: UUID | None = None
    added: bool = False
    outcome: VisitOutcome | None = None
    problem: str | None = None
    shape: str | None = None


def put_visits(conn: Connection, run_id: UUID, visits: Sequence[NewVisit]) -> int:
    """Record pages of a run, each once; returns how many rows this changed.

    A page whose links were followed, and that is to be fetched now, is open from now on.
    """
    if not visits:
        return 0
    return conn.execute(
        """
        INSERT INTO expansion_visits
               (expansion_id, key_hash, url, parent_url, depth, source_id, added, outcome, problem, shape_hash)
        SELECT %s, v.* FROM unnest(%s::bytea[], %s::text[], %s::text[], %s::int[], %s::uuid[], %s::bool[], %s::text[],
                                   %s::text[], %s::bytea[]) AS v
        ON CONFLICT (expansion_id, key_hash) DO UPDATE SET outcome = NULL, source_id = excluded.source_id
         WHERE expansion_visits.outcome = 'known' AND excluded.outcome IS NULL AND excluded.source_id IS NOT NULL
        """,
        [
            run_id,
            [key_hash(visit.url_key) for visit in visits],
            [visit.url for visit in visits],
            [visit.parent_url for visit in visits],
            [visit.depth for visit in visits],
            [visit.source_id for visit in visits],
            [visit.added for visit in visits],
            [visit.outcome for visit in visits],
            [visit.problem for visit in visits],
            [None if visit.shape is None else key_hash(visit.shape) for visit in visits],
        ],
    ).rowcount


def known_visits(conn: Connection, run_id: UUID, url_keys: Sequence[str]) -> set[str]:
    """Which of these address keys a run has already recorded."""
    by_hash = {key_hash(key): key for key in url_keys}
    rows = conn.execute(
        "SELECT key_hash FROM expansion_visits WHERE expansion_id = %s AND key_hash = ANY(%s)",
        [run_id, list(by_hash)],
    )
    return {by_hash[row[0]] for row in rows}


def visits_of_shapes(conn: Connection, run_id: UUID, shapes: Sequence[str]) -> dict[str, int]:
    """How many pages of a run have each of these URL shapes; shapes without pages are left out."""
    by_hash = {key_hash(shape): shape for shape in shapes}
    rows = conn.execute(
        """
        SELECT shape_hash, count(*) FROM expansion_visits WHERE expansion_id = %s AND shape_hash = ANY(%s) GROUP BY 1
        """,
        [run_id, list(by_hash)],
    )
    return {by_hash[row[0]]: row[1] for row in rows}


def known_keys(conn: Connection, keys: Sequence[bytes]) -> set[bytes]:
    """Which of these hashes of address keys belong to a source that is not in the bin."""
    rows = conn.execute(
        """
        SELECT a.key_hash FROM source_addresses a JOIN sources s ON s.id = a.source_id
         WHERE a.key_hash = ANY(%s) AND s.removed_at IS NULL
        """,
        [list(keys)],
    )
    return {row[0] for row in rows}


_VISITS = """
    SELECT v.url, v.key_hash, v.parent_url, v.depth, v.source_id, v.added, v.outcome, v.gave_evidence, v.problem,
           coalesce(s.user_title, d.title), d.description, d.source_url
      FROM expansion_visits v
      LEFT JOIN sources s ON s.id = v.source_id LEFT JOIN documents d ON d.id = v.source_id
"""


def visits_of(conn: Connection, run_id: UUID) -> list[VisitRow]:
    """Every page of a run, in the order of selection."""
    rows = conn.execute(f"{_VISITS} WHERE v.expansion_id = %s ORDER BY v.number", [run_id])
    return [VisitRow(*row) for row in rows]


def visits_under_way(conn: Connection, run_id: UUID) -> list[VisitRow]:
    """The visits that are in the queue, or were when last checked."""
    rows = conn.execute(
        f"{_VISITS} WHERE v.expansion_id = %s AND v.outcome IS NULL AND v.source_id IS NOT NULL ORDER BY v.number",
        [run_id],
    )
    return [VisitRow(*row) for row in rows]


def visits_waiting(conn: Connection, run_id: UUID, limit: int) -> list[VisitRow]:
    """The first waiting visits, nearest first."""
    rows = conn.execute(
        f"""
        {_VISITS} WHERE v.expansion_id = %s AND v.outcome IS NULL AND v.source_id IS NULL
         ORDER BY v.depth, v.number LIMIT %s
        """,
        [run_id, limit],
    )
    return [VisitRow(*row) for row in rows]


def begin_visit(conn: Connection, run_id: UUID, key: bytes, source_id: UUID, *, added: bool) -> None:
    """Record that the page is queued."""
    conn.execute(
        "UPDATE expansion_visits SET source_id = %s, added = %s WHERE expansion_id = %s AND key_hash = %s",
        [source_id, added, run_id, key],
    )


def settle_visit(
    conn: Connection,
    run_id: UUID,
    key: bytes,
    outcome: VisitOutcome,
    source_id: UUID | None,
    problem: str | None = None,
) -> bool:
    """Record the outcome of a page; False where its visit was deleted or already has an outcome."""
    settled = conn.execute(
        """
        UPDATE expansion_visits SET outcome = %s, source_id = %s, problem = %s
         WHERE expansion_id = %s AND key_hash = %s AND outcome IS NULL
        """,
        [outcome, source_id, problem, run_id, key],
    )
    return settled.rowcount > 0


def take_back_visits(conn: Connection, run_id: UUID, keys: Sequence[bytes]) -> None:
    """Delete open visits that will not be made.

    Of the capture of a site they wait again; a question chooses its links again, so they are deleted.
    """
    wanted = {"run": run_id, "keys": list(keys)}
    conn.execute(
        """
        DELETE FROM expansion_visits
         WHERE expansion_id = %(run)s AND key_hash = ANY(%(keys)s)
           AND EXISTS (SELECT FROM expansions WHERE id = %(run)s AND kind = 'question')
        """,
        wanted,
    )
    conn.execute(
        """
        UPDATE expansion_visits SET source_id = NULL, added = false
         WHERE expansion_id = %(run)s AND key_hash = ANY(%(keys)s)
        """,
        wanted,
    )


def awaited_by_others(conn: Connection, run_id: UUID, source_ids: Sequence[UUID]) -> set[UUID]:
    """Those of these sources that another open run is also visiting."""
    rows = conn.execute(
        """
        SELECT v.source_id FROM expansion_visits v JOIN expansions e ON e.id = v.expansion_id
         WHERE v.source_id = ANY(%s) AND v.outcome IS NULL AND e.id <> %s AND e.ended_at IS NULL
        """,
        [list(source_ids), run_id],
    )
    return {row[0] for row in rows}


def wanted_by_nobody_else(conn: Connection, run_id: UUID, source_ids: Sequence[UUID]) -> list[UUID]:
    """Those of these sources whose open work only this run requested: neither the user nor another open run.

    All of them are locked from now on, so that it stays so until the transaction ends.
    """
    ids = list(source_ids)
    conn.execute("SELECT FROM sources WHERE id = ANY(%s) ORDER BY id FOR UPDATE", [ids])
    rows = conn.execute(
        """
        SELECT source_id FROM jobs WHERE source_id = ANY(%s) AND finished_at IS NULL AND for_runs ORDER BY source_id
        """,
        [ids],
    )
    of_others = awaited_by_others(conn, run_id, ids)
    return [row[0] for row in rows if row[0] not in of_others]


def visits_not_begun(conn: Connection, run_id: UUID) -> list[VisitRow]:
    """Open visits whose work has not begun."""
    rows = conn.execute(
        f"""
        {_VISITS} WHERE v.expansion_id = %s AND v.outcome IS NULL
           AND EXISTS (SELECT FROM jobs j
                        WHERE j.source_id = v.source_id AND j.finished_at IS NULL AND j.started_at IS NULL)
         ORDER BY v.number
        """,
        [run_id],
    )
    return [VisitRow(*row) for row in rows]


def note_evidence(conn: Connection, run_id: UUID, source_ids: Sequence[UUID]) -> None:
    """Record exactly these pages of a run as the ones that give evidence."""
    conn.execute(
        """
        UPDATE expansion_visits SET gave_evidence = (source_id = ANY(%(ids)s))
         WHERE expansion_id = %(run)s AND source_id IS NOT NULL
           AND gave_evidence IS DISTINCT FROM (source_id = ANY(%(ids)s))
        """,
        {"run": run_id, "ids": list(source_ids)},
    )


class Figures(NamedTuple):
    """Counts of a run: pages found; of these waiting, in progress, failed, refused by robots.txt, and in the bin."""

    found: int
    waiting: int
    under_way: int
    failed: int
    forbidden: int
    in_bin: int

    @property
    def ended(self) -> int:
        """Visits that have ended, with any outcome."""
        return self.found - self.waiting - self.under_way

    @property
    def fetched(self) -> int:
        """Visits that have ended and whose page was fetched, or tried to."""
        return self.ended - self.forbidden - self.in_bin


def figures(conn: Connection, run_id: UUID) -> Figures:
    """How many pages of a run have each outcome."""
    row = conn.execute(
        """
        SELECT count(*), count(*) FILTER (WHERE outcome IS NULL AND source_id IS NULL),
               count(*) FILTER (WHERE outcome IS NULL AND source_id IS NOT NULL),
               count(*) FILTER (WHERE outcome = 'failed'), count(*) FILTER (WHERE outcome = 'forbidden'),
               count(*) FILTER (WHERE outcome = 'in_bin')
          FROM expansion_visits WHERE expansion_id = %s
        """,
        [run_id],
    ).fetchone()
    assert row is not None  # an aggregate always gives a row
    return Figures(*row)


def last_job_outcome(conn: Connection, source_id: UUID) -> str | None:
    """The outcome of the last closed job of a source, where it is known."""
    row = conn.execute(
        "SELECT outcome FROM jobs WHERE source_id = %s AND finished_at IS NOT NULL ORDER BY id DESC LIMIT 1",
        [source_id],
    ).fetchone()
    return row[0] if row else None


def not_had(conn: Connection, source_ids: Sequence[UUID]) -> list[UUID]:
    """Which of these sources no user added, and whose text is missing or incomplete; none that had one before."""
    rows = conn.execute(
        """
        SELECT id FROM sources s
         WHERE id = ANY(%s) AND followed IS NOT NULL AND removed_at IS NULL
           AND (state = 'cancelled'
                OR state = 'failed' AND NOT EXISTS (SELECT FROM document_versions v WHERE v.document_id = s.id))
         ORDER BY id
        """,
        [list(source_ids)],
    )
    return [row[0] for row in rows]


def reach_of_pages(
    conn: Connection, source_ids: Sequence[UUID]
) -> "dict[UUID, tuple[str, AddressClass | None]]":
    """For pages, the address that each was last fetched from, and its class of network, where known."""
    rows = conn.execute(
        """
        SELECT s.id, c.final_url, c.reached[array_upper(c.reached, 1)]
          FROM sources s
          JOIN LATERAL (SELECT final_url, reached FROM captures WHERE source_id = s.id
                         ORDER BY number DESC LIMIT 1) c ON true
         WHERE s.id = ANY(%s)
        """,
        [list(source_ids)],
    )
    return {row[0]: (row[1], row[2]) for row in rows}
