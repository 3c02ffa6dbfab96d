"""The user's hand on the capture of sites."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID, uuid4

from pydantic import ValidationError

from webrag_desktop.expansion.url_shapes import url_shape
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.jobs import run_pages
from webrag_desktop.models.intake import Accepted
from webrag_desktop.models.links import CaptureLimits, CaptureState
from webrag_desktop.models.sources import Labels
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.events import announce_topic
from webrag_desktop.storage.library import expansions
from webrag_desktop.storage.library import visits as stored_visits
from webrag_desktop.storage.library.expansions import RunRow
from webrag_desktop.storage.library.visits import NewVisit

MOST_OPEN = 1000


def follow_links(
    conn: Connection, start: Accepted, url: str, links: int, labels: Labels, depth: int
) -> Accepted:
    """The page at ``url`` as it was taken in, with the capture of its site to so many ``links``, if any, begun."""
    if not links:
        return start
    state = CaptureState(
        scope="site",
        prefix="/",
        limits=CaptureLimits(depth=links),
        depth=depth,
        tags=labels.tags,
        collections=labels.collections,
    )
    return replace(start, capture_id=begin(conn, url.partition("#")[0], start, state))


def begin(
    conn: Connection, address: str, start: Accepted, state: CaptureState, listed: Sequence[str] = ()
) -> UUID:
    """Have a site captured from the page at ``address`` on, which was taken in as ``start``, in the transaction.

    The ``listed`` pages are a link away from it. Where the very same capture is open, that goes on instead: what was
    given is taken in again after a crash. Returns its id.
    """
    if (there := _same(conn, address, state)) is not None:
        return there
    run_id = uuid4()
    expansions.insert_run(conn, run_id, "site", address, state.model_dump_json())
    first = NewVisit(
        address,
        url_key(address),
        None,
        0,
        start.source_id,
        start.verdict == "added",
        shape=url_shape(address),
    )
    others = [NewVisit(one, url_key(one), None, 1, shape=url_shape(one)) for one in listed]
    stored_visits.put_visits(conn, run_id, [first, *others])
    announce_topic(conn, "queue")
    return run_id


def _same(conn: Connection, address: str, state: CaptureState) -> UUID | None:
    for run in expansions.open_runs_of(conn, "site", address):
        if (open_state := state_of(run)) is not None and _wish(open_state) == _wish(state):
            return run.id
    return None


def _wish(state: CaptureState) -> tuple[object, ...]:
    """What the user wants of a capture, however far it has come."""
    return state.scope, state.prefix, state.limits, state.depth, state.tags, state.collections


def cancel(conn: Connection, run_id: UUID) -> None:
    """Stop the capture of a site in the transaction of ``conn``. What was had stays.

    Nothing happens where it has ended, or a newer program began it.
    """
    row = expansions.lock_run(conn, run_id)
    if row is None or row.ended_at is not None or (known := state_of(row)) is None:
        return
    run_pages.withdraw(conn, run_id, stored_visits.visits_under_way(conn, run_id))
    state = known.model_copy(update={"reason": "cancelled"})
    expansions.end_run(conn, run_id, state.model_dump_json())
    announce_topic(conn, "queue")


def work_waits(conn: Connection) -> bool:
    """Whether a worker would find something to do about a capture of a site that this program can read."""
    runs = expansions.list_runs(conn, "site", MOST_OPEN, is_open=True)
    return expansions.site_work_waits(conn, [run.id for run in runs if state_of(run) is None])


def state_of(run: RunRow) -> CaptureState | None:
    """How far the capture of a site has come; None where a newer program wrote it."""
    try:
        return CaptureState.model_validate_json(run.state)
    except ValidationError:
        return None


def cancel_all(conn: Connection) -> None:
    """Stop every capture of a site."""
    for run in expansions.list_runs(conn, "site", MOST_OPEN, is_open=True):
        cancel(conn, run.id)
