"""Capturing sites: the worker continues it whenever no job can be begun, some pages at a time."""

import logging
import sys
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import UUID

from webrag_desktop.errors import FetchError, ForbiddenToProgramsError, UnsafeAddressError, WebragError
from webrag_desktop.expansion.url_shapes import most_of, url_shape
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.fetching.following import LinkRules, reach_of_link
from webrag_desktop.ingestion.fetching.network import assumed_class
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.fetching.politeness import site_of_address
from webrag_desktop.jobs import run_pages
from webrag_desktop.jobs.run_pages import address_of_link, queue_link
from webrag_desktop.models.documents import AddressClass
from webrag_desktop.models.links import CaptureEnd, CaptureState
from webrag_desktop.models.queue import Priority
from webrag_desktop.models.sources import Labels
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures import page_looks
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.events import announce_topic
from webrag_desktop.storage.library import expansions
from webrag_desktop.storage.library import visits as stored_visits
from webrag_desktop.storage.library.expansions import RunRow, left_out, note_left_out
from webrag_desktop.storage.library.labels import add_labels
from webrag_desktop.storage.library.visits import NewVisit, VisitRow
from webrag_desktop.storage.queue import queue_control
from webrag_desktop.storage.texts import links
from webrag_desktop.text.printable import sentences

if TYPE_CHECKING:
    from webrag_desktop.progress import IdleTask

log = logging.getLogger(__name__)

AT_ONCE = 20  # pages of one site in the queue; the rest waits in the table, where it costs nothing to drop it
MOST_FOUND = 20  # times as many pages as may be fetched: what is found beyond is not recorded
EXPECTED_SECONDS = 20.0  # after which the worker checks whether links are still being followed for a question
LEAST_OF_A_SHAPE = 50  # pages whose addresses differ only in dates, ids, choices of filters and the like
OF_A_SHAPE = (
    5  # and a fifth of the pages, where that is more; plain numbers are bounded by the limit of pages alone
)


def in_scope(url: str, start: str, prefix: str) -> bool:
    """Whether a page is on the site of ``start``, below the path ``prefix``."""
    try:
        path = urlsplit(url).path or "/"
    except ValueError:
        return False
    return site_of_address(url) == site_of_address(start) and path.startswith(prefix)


class SiteCapturing:
    """What the worker does beside the jobs: first the next pages of sites, then what it did before."""

    def __init__(self, database: Database, options: FetchOptions, then: "IdleTask") -> None:
        """Continue every open capture, and with ``then`` where none can be."""
        self._database = database
        self._rules = LinkRules(options)
        self._then = then
        self._unreadable: set[UUID] = set()  # captures that a newer program began

    def step(self, give_way: CancelToken, cancel: CancelToken) -> bool:
        """Settle what is through and put the next pages into the queue; else what comes after it."""
        with self._database.connection() as conn:
            runs = (
                [] if queue_control.is_paused(conn) else expansions.list_runs(conn, "site", 100, is_open=True)
            )
        got_on = [self._advance(run.id, cancel) for run in runs if self._reads(run) and not cancel.cancelled]
        return any(got_on) or self._then.step(give_way, cancel)

    def _reads(self, run: RunRow) -> bool:
        if run_pages.capture_state_of(run) is not None:
            return True
        if run.id not in self._unreadable:
            self._unreadable.add(run.id)
            log.warning("The capture of %s was begun by a newer program.", site_of_address(run.subject))
        return False

    def due(self) -> float | None:
        """As for what comes after it: whatever a capture waits for is in the queue.

        While links are followed for a question the worker stays, since the next batch comes within moments.
        """
        with self._database.connection() as conn:
            expected = EXPECTED_SECONDS if expansions.somebody_expands(conn) else None
        due = self._then.due()
        return min((one for one in (due, expected) if one is not None), default=None)

    def comes_first(self) -> bool:
        """As for what comes after it."""
        return self._then.comes_first()

    def takes_over(self, error: WebragError) -> bool:
        """As for what comes after it."""
        return self._then.takes_over(error)

    def postpone_jobs(self) -> None:
        """As for what comes after it."""
        self._then.postpone_jobs()

    # -- One capture ---------------------------------------------------------------------------------------------------

    def _advance(self, run_id: UUID, cancel: CancelToken) -> bool:
        """One step of a capture; False where it waits for its pages."""
        with self._database.connection() as conn:
            run = _open_run(conn, run_id)
            if run is None:
                return False
            capture = _Capture(conn, *run)
            settled = capture.settle()
            if not (end := capture.end()):
                wanted = capture.wanted()
                if not wanted:
                    return settled
            else:
                capture.close(end)
                return True
            reach = capture.reach()
        refused = self._refused(wanted, reach, cancel)
        with self._database.connection() as conn:
            run = _open_run(conn, run_id)
            if run is not None:
                _Capture(conn, *run).begin(wanted, reach, refused)
        return True

    def _refused(
        self, visits: list[VisitRow], reach: tuple[str, AddressClass], cancel: CancelToken
    ) -> dict[str, str]:
        """Why sites refuse pages, by address; fetched outside of any transaction.

        A page whose site does not answer goes into the queue, which puts it off until the site does.
        """
        found: dict[str, str] = {}
        for visit in visits:
            try:
                self._rules.check(visit.url, reach_of_link(visit.url, *reach), cancel)
            except (ForbiddenToProgramsError, UnsafeAddressError) as error:
                found[visit.url] = sentences(error.message, error.hint)
            except FetchError as error:
                log.info("a page is put into the queue unasked: %s", error.message)
        return found


def _open_run(conn: Connection, run_id: UUID) -> tuple[RunRow, CaptureState] | None:
    """A capture that has not ended, locked; None also where a newer program wrote it."""
    row = expansions.lock_run(conn, run_id)
    if row is None or row.ended_at is not None:
        return None
    state = run_pages.capture_state_of(row)
    return None if state is None else (row, state)


class _Capture:
    """One capture, within one transaction."""

    def __init__(self, conn: Connection, row: RunRow, state: CaptureState) -> None:
        self._conn = conn
        self._row = row
        self._state = state

    def settle(self) -> bool:
        """Note what became of pages, and which further ones they link to; whether any was through."""
        through: list[VisitRow] = []
        for visit in stored_visits.visits_under_way(self._conn, self._row.id):
            settled = run_pages.settle(self._conn, self._row.id, visit)
            if settled is None:
                continue
            through.append(visit)
            if settled.document_id is not None:
                self._find_links(visit, settled.document_id)
        run_pages.drop_not_had(self._conn, self._row.id, through)
        return bool(through)

    def _find_links(self, visit: VisitRow, document_id: UUID) -> None:
        state = self._state
        if state.scope == "sitemap":
            return
        most = state.limits.pages * MOST_FOUND
        kept, left = self._without_traps(self._new_links(visit, document_id))
        if visit.depth >= state.limits.depth:
            note_left_out(self._conn, self._row.id, "depth", _by_key([*kept, *left]), most)
            return
        room = most - stored_visits.figures(self._conn, self._row.id).found
        stored_visits.put_visits(self._conn, self._row.id, kept[: max(0, room)])
        note_left_out(self._conn, self._row.id, "shape", _by_key(left), most)

    def _new_links(self, visit: VisitRow, document_id: UUID) -> list[NewVisit]:
        """The pages in scope that a page links to and that are not known yet."""
        found: dict[str, NewVisit] = {}
        for link in links.links_of(self._conn, document_id):
            address = address_of_link(link.link.url)
            if address is not None and in_scope(address, self._row.subject, self._state.prefix):
                key, shape = url_key(address), url_shape(address)
                found.setdefault(key, NewVisit(address, key, visit.url, visit.depth + 1, shape=shape))
        known = stored_visits.known_visits(self._conn, self._row.id, list(found))
        return [one for key, one in found.items() if key not in known]

    def _without_traps(self, found: list[NewVisit]) -> tuple[list[NewVisit], list[NewVisit]]:
        """Those pages that are not too many of one shape, as calendars, filters and session ids make them; the rest.

        What is the same page as one that is visited, in another session or order, is in neither.
        """
        most = max(LEAST_OF_A_SHAPE, self._state.limits.pages // OF_A_SHAPE)
        shapes = [visit.shape for visit in found if visit.shape is not None]
        taken = Counter(stored_visits.visits_of_shapes(self._conn, self._row.id, shapes))
        kept: list[NewVisit] = []
        left: list[NewVisit] = []
        for visit in found:
            shape = visit.shape or visit.url
            allowed = most_of(shape, most, numbered=sys.maxsize)
            if taken[shape] < allowed:
                taken[shape] += 1
                kept.append(visit)
            elif allowed > 1:
                left.append(visit)
        return kept, left

    def end(self) -> CaptureEnd | None:
        """Why the capture has ended; None while it has not."""
        figures = stored_visits.figures(self._conn, self._row.id)
        if figures.under_way:
            return None
        limits = self._state.limits
        if figures.waiting and (figures.fetched >= limits.pages or self._bytes() >= limits.bytes):
            return "limits"
        if figures.waiting:
            return None
        return "limits" if left_out(self._conn, self._row.id, 0).shape else "done"

    def _bytes(self) -> int:
        return expansions.bytes_fetched(self._conn, self._row.id)

    def close(self, reason: CaptureEnd) -> None:
        """Note the end; what was found beyond the limits stays noted."""
        state = self._state.model_copy(update={"reason": reason})
        expansions.end_run(self._conn, self._row.id, state.model_dump_json())
        announce_topic(self._conn, "queue")

    def wanted(self) -> list[VisitRow]:
        """The pages to be put into the queue next: as many as may lie there at once, and as the limits let."""
        limits = self._state.limits
        figures = stored_visits.figures(self._conn, self._row.id)
        left = limits.pages - figures.fetched - figures.under_way
        room = min(AT_ONCE - figures.under_way, left)
        if room <= 0 or self._bytes() >= limits.bytes:
            return []
        return stored_visits.visits_waiting(self._conn, self._row.id, room)

    def reach(self) -> tuple[str, AddressClass]:
        """The address that the first page came from, and the class of that: the others may be of it, too."""
        first = stored_visits.visits_of(self._conn, self._row.id)[0]
        known = stored_visits.reach_of_pages(self._conn, [first.source_id] if first.source_id else [])
        address, kind = next(iter(known.values()), (self._row.subject, None))
        return address, kind or assumed_class(urlsplit(address).hostname or "") or "public"

    def begin(self, wanted: list[VisitRow], reach: tuple[str, AddressClass], refused: dict[str, str]) -> None:
        """Put those pages into the queue that their site does not refuse."""
        for visit in wanted:
            if visit.url in refused:
                stored_visits.settle_visit(
                    self._conn, self._row.id, visit.key, "forbidden", None, refused[visit.url]
                )
                continue
            queued = queue_link(
                self._conn,
                visit.url,
                depth=self._state.depth + visit.depth,
                followed="site",
                kind=reach_of_link(visit.url, *reach),
                priority=Priority.MANY,
            )
            if queued is not None and queued.in_bin:
                stored_visits.settle_visit(
                    self._conn, self._row.id, visit.key, "in_bin", None, run_pages.IN_BIN
                )
            elif queued is not None:
                stored_visits.begin_visit(
                    self._conn, self._row.id, visit.key, queued.source_id, added=queued.added
                )
                if labels := Labels(self._state.tags, self._state.collections):
                    add_labels(self._conn, [queued.source_id], labels)
                if self._state.subresources is not None:
                    page_looks.wish(self._conn, [queued.source_id], self._state.subresources)
        announce_topic(self._conn, "queue")


def _by_key(visits: list[NewVisit]) -> dict[str, str]:
    return {visit.url_key: visit.url for visit in visits}
