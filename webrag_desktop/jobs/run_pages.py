"""The pages that captures of sites and expansions queue and their outcomes; how captures of sites begin and end."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID, uuid4

from pydantic import ValidationError

from webrag_desktop.errors import InputError
from webrag_desktop.expansion.url_shapes import url_shape
from webrag_desktop.ingestion.addresses import parse_source, url_key
from webrag_desktop.ingestion.fetching.errors import FORBIDDEN_TO_PROGRAMS
from webrag_desktop.models.documents import AddressClass
from webrag_desktop.models.intake import Accepted
from webrag_desktop.models.links import CaptureLimits, CaptureState, VisitOutcome
from webrag_desktop.models.queue import Priority
from webrag_desktop.models.sources import FollowedWithin, Labels, SourceRow
from webrag_desktop.progress import FINAL_STATES
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.events import announce_topic
from webrag_desktop.storage.library import expansions, sources
from webrag_desktop.storage.library import visits as stored_visits
from webrag_desktop.storage.library.expansions import RunRow
from webrag_desktop.storage.library.visits import NewVisit, VisitRow
from webrag_desktop.storage.queue import jobs, queue_control
from webrag_desktop.text.printable import sentences

MOST_OPEN = 1000
_GONE = "It was removed from the library meanwhile."
IN_BIN = "It is in the bin. Restore it there, or add it, to have it back."
_OUTCOMES: dict[str | None, VisitOutcome] = {"added": "new", "changed": "changed", "renewed": "changed"}


class Settled(NamedTuple):
    """What became of a page: its document, if there is one, and why there is none."""

    outcome: VisitOutcome
    document_id: UUID | None
    problem: str | None = None


def settle(conn: Connection, run_id: UUID, visit: VisitRow) -> Settled | None:
    """Note what became of a page, in the transaction of ``conn``; None while that is open, or where it was taken back.

    A page that the run brought and that could not be had leaves the library again: only the run requested it.
    """
    row = sources.get_source(conn, visit.source_id) if visit.source_id else None
    if row is not None and row.state not in FINAL_STATES:
        return None
    settled = _settled(conn, visit, row)
    return settled if stored_visits.settle_visit(conn, run_id, visit.key, *settled) else None


def _settled(conn: Connection, visit: VisitRow, row: SourceRow | None) -> Settled:
    if row is None:  # joined to the document that its page turned out to be, or removed
        if (owner := sources.found_by_hash(conn, visit.key)) is not None:
            return Settled("unchanged", owner)
        in_bin = sources.found_by_hash(conn, visit.key, in_bin=True) is not None
        return Settled("in_bin", None, IN_BIN) if in_bin else Settled("failed", None, _GONE)
    if row.state == "ready":
        outcome = _OUTCOMES.get(stored_visits.last_job_outcome(conn, row.id), "unchanged")
        return Settled("new" if visit.added and outcome != "changed" else outcome, row.id)
    problem = sentences(row.state_reason, row.state_hint)
    refused = row.state_reason == FORBIDDEN_TO_PROGRAMS
    return Settled("forbidden" if refused else "failed", row.id if row.searchable else None, problem)


def withdraw(conn: Connection, run_id: UUID, visits: Sequence[VisitRow]) -> list[tuple[VisitRow, Settled]]:
    """Have a run wait for pages no longer. Those that are through are settled and returned; the others are taken back.

    Work that only the run requested is cancelled; what the user or another run requested continues.
    """
    ids = [visit.source_id for visit in visits if visit.source_id is not None]
    stopped = (
        queue_control.cancel(conn, stored_visits.wanted_by_nobody_else(conn, run_id, ids)) if ids else []
    )
    settled_visits: list[tuple[VisitRow, Settled]] = []
    for visit in visits:
        is_old = visit.source_id in stopped and not visit.added  # and shows its old text, not refreshed
        if not is_old and (settled := _settled_whole(conn, run_id, visit)) is not None:
            settled_visits.append((visit, settled))
    whole = {visit.key for visit, _settled in settled_visits}
    stored_visits.take_back_visits(conn, run_id, [visit.key for visit in visits if visit.key not in whole])
    drop_not_had(conn, run_id, visits)
    return settled_visits


def _settled_whole(conn: Connection, run_id: UUID, visit: VisitRow) -> Settled | None:
    row = sources.get_source(conn, visit.source_id) if visit.source_id else None
    return settle(conn, run_id, visit) if row is not None and row.state == "ready" else None


def drop_not_had(conn: Connection, run_id: UUID, visits: Sequence[VisitRow]) -> None:
    """Remove those sources that came by runs, were not had, and that no other run awaits."""
    ids = [visit.source_id for visit in visits if visit.source_id is not None]
    of_others = stored_visits.awaited_by_others(conn, run_id, ids)
    if gone := stored_visits.not_had(conn, [id_ for id_ in ids if id_ not in of_others]):
        sources.remove_sources(conn, gone)


@contextmanager
def counting_bytes(database: Database, source_id: UUID) -> Iterator[Callable[[int], object]]:
    """Yields what to call with the bytes received for a page; at its end the runs that await the page count them."""
    received: list[int] = []
    try:
        yield received.append
    finally:
        if received:
            _count_bytes(database, source_id, sum(received))


def _count_bytes(database: Database, source_id: UUID, received: int) -> None:
    """Count bytes; runs that reach their limit by them wait no longer for pages that are not being fetched yet."""
    with database.connection() as conn:
        full = expansions.count_bytes(conn, source_id, received)
    for run_id in full:
        with database.connection() as conn:
            expansions.lock_run(conn, run_id)  # first, as stopping it does
            withdraw(conn, run_id, stored_visits.visits_not_begun(conn, run_id))


class QueuedLink(NamedTuple):
    """The source that answers to a link, and whether it came into the library by it.

    ``in_bin``: nothing is queued, since the user removed it.
    """

    source_id: UUID
    added: bool
    in_bin: bool = False


@lru_cache(maxsize=8192)  # each round of an expansion checks the links of all pages again
def address_of_link(url: str) -> str | None:
    """The web address that a link leads to, without its fragment; None where it leads to nothing that is fetched."""
    try:
        kind, address = parse_source(url.partition("#")[0])
    except InputError:
        return None
    return address if kind == "url" else None


def queue_link(
    conn: Connection,
    url: str,
    *,
    depth: int,
    followed: FollowedWithin,
    kind: AddressClass,
    priority: Priority,
) -> QueuedLink | None:
    """Have the page at ``url`` (of :func:`address_of_link`) fetched: a new one, or one that is there refreshed.

    One that is in the bin stays there: only the user takes out what he removed.

    Redirects may lead as far as ``followed`` says; a new page may be in the internet, or where ``kind`` says.
    None where it was removed in this very moment.
    """
    key = url_key(url)
    added = sources.add_source(conn, "url", url, key, depth=depth, followed=(followed, kind))
    owner = added or sources.owner_of(conn, key)
    if owner is not None and sources.is_in_bin(conn, owner):
        return QueuedLink(owner, added=False, in_bin=True)
    if owner is None or (state := sources.lock_source(conn, owner)) is None:
        return None
    if added is None:
        sources.come_nearer(conn, owner, depth)
        if state in FINAL_STATES:
            sources.set_state(conn, owner, "queued")
    jobs.enqueue(conn, owner, priority=priority, wish="added" if added else "refreshed", for_runs=True)
    return QueuedLink(owner, added is not None)


def follow_links(
    conn: Connection,
    start: Accepted,
    url: str,
    links: int,
    labels: Labels,
    depth: int,
    subresources: bool | None,
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
        subresources=subresources,
    )
    return replace(start, capture_id=begin_capture(conn, url.partition("#")[0], start, state))


def begin_capture(
    conn: Connection, address: str, start: Accepted, state: CaptureState, listed: Sequence[str] = ()
) -> UUID:
    """Have a site captured from the page at ``address`` on, which was taken in as ``start``, in the transaction.

    The ``listed`` pages are a link away from it. Where the very same capture is open, that continues instead: what was
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
        if (open_state := capture_state_of(run)) is not None and _wish(open_state) == _wish(state):
            return run.id
    return None


def _wish(state: CaptureState) -> tuple[object, ...]:
    """What the user wants of a capture, however far it has come."""
    labels = state.tags, state.collections
    return state.scope, state.prefix, state.limits, state.depth, *labels, state.subresources


def cancel_capture(conn: Connection, run_id: UUID) -> None:
    """Stop the capture of a site in the transaction of ``conn``. What was had stays.

    Nothing happens where it has ended, or a newer program began it.
    """
    row = expansions.lock_run(conn, run_id)
    if row is None or row.ended_at is not None or (known := capture_state_of(row)) is None:
        return
    withdraw(conn, run_id, stored_visits.visits_under_way(conn, run_id))
    state = known.model_copy(update={"reason": "cancelled"})
    expansions.end_run(conn, run_id, state.model_dump_json())
    announce_topic(conn, "queue")


def capture_work_waits(conn: Connection) -> bool:
    """Whether a worker would find something to do about a capture of a site that this program can read."""
    runs = expansions.list_runs(conn, "site", MOST_OPEN, is_open=True)
    return expansions.site_work_waits(conn, [run.id for run in runs if capture_state_of(run) is None])


def capture_state_of(run: RunRow) -> CaptureState | None:
    """How far the capture of a site has come; None where a newer program wrote it."""
    try:
        return CaptureState.model_validate_json(run.state)
    except ValidationError:
        return None


def cancel_captures(conn: Connection) -> None:
    """Stop every capture of a site."""
    for run in expansions.list_runs(conn, "site", MOST_OPEN, is_open=True):
        cancel_capture(conn, run.id)
