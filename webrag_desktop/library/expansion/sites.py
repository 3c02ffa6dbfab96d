"""Capturing sites: begun here, carried on by the worker, looked at and stopped from any process."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import get_args
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import ValidationError

from webrag_desktop.errors import ForbiddenToProgramsError, InputError, UnsafeAddressError
from webrag_desktop.ingestion.addresses import parse_source, url_key
from webrag_desktop.ingestion.fetching.following import LinkRules
from webrag_desktop.ingestion.fetching.politeness import SiteSchedule
from webrag_desktop.ingestion.fetching.sitemaps import SitemapReader
from webrag_desktop.jobs import run_pages
from webrag_desktop.jobs.run_pages import address_of_link
from webrag_desktop.jobs.site_capturing import in_scope
from webrag_desktop.library.expansion.growing import GrowingLibrary
from webrag_desktop.library.expansion.runs import id_of, unknown
from webrag_desktop.models.links import (
    CaptureLimits,
    CaptureState,
    Scope,
    SiteCapture,
    SitePreview,
)
from webrag_desktop.models.sources import NO_LABELS, Labels
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage import events
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import expansions as stored
from webrag_desktop.storage.library import visits as stored_visits
from webrag_desktop.storage.library.expansions import RunRow, left_out
from webrag_desktop.storage.library.sources import key_hash
from webrag_desktop.storage.queue import queue_control
from webrag_desktop.storage.snapshot import snapshot

SHOWN_EXAMPLES = 20
SHOWN_LEFT_OUT = 5
ASKED_ABOUT = 200  # pages of a preview that robots.txt is held against
TICK_SECONDS = 1.0


class SiteCaptures:
    """The captures of sites of a library. The worker continues them, also after the process that began them."""

    def __init__(self, library: GrowingLibrary) -> None:
        """Of that library."""
        self._library = library
        self._database = library.database

    def preview(
        self,
        url: str,
        scope: Scope = "section",
        limits: CaptureLimits | None = None,
        cancel: CancelToken | None = None,
    ) -> SitePreview:
        """What a capture would begin with. Fetched are robots.txt and, by ``scope``, sitemaps or the start page.

        Raises:
            InputError: it is no web address, or there is no such scope.
            FetchError: what describes it cannot be fetched.
            Cancelled: the token was set.
        """
        limits = limits or CaptureLimits()
        address, prefix = _start(url, scope)
        rules = LinkRules(self._library.fetch_options)
        found = self._found(address, prefix, scope, rules, cancel)
        asked = found[: min(len(found), limits.pages, ASKED_ABOUT)]
        forbidden = sum(_is_refused(rules, one, cancel) for one in asked)
        with self._database.connection() as conn:
            known = stored_visits.known_keys(conn, [key_hash(url_key(one)) for one in found])
        return SitePreview(
            url=address,
            scope=scope,
            prefix=prefix,
            limits=limits,
            found=len(found),
            known=len(known),
            forbidden=forbidden,
            examples=tuple(found[:SHOWN_EXAMPLES]),
            addresses=tuple(found),
            follows_links=scope != "sitemap" and limits.depth > 1,
            crawl_delay=rules.rest(address, None, cancel),
        )

    def begin(
        self,
        url: str,
        scope: Scope = "section",
        limits: CaptureLimits | None = None,
        *,
        labels: Labels = NO_LABELS,
        depth: int = 0,
        seen: SitePreview | None = None,
        cancel: CancelToken | None = None,
    ) -> SiteCapture:
        """Have a site captured: from now on it goes on by itself, over restarts, whenever a worker is at the queue.

        The start page is the user's own; robots.txt is asked about all others. ``labels`` are for all of its pages,
        which come in with ``depth`` and the links between them and the start page. With what was ``seen`` a moment ago
        of the same address and scope, sitemaps are not read again.

        Raises what :meth:`preview` raises.
        """
        limits = limits or CaptureLimits()
        address, prefix = _start(url, scope)
        listed: list[str] = []
        if scope == "sitemap" and seen is not None and (seen.url, seen.scope) == (address, scope):
            listed = list(seen.addresses)
        elif scope == "sitemap":
            listed = self._found(address, prefix, scope, LinkRules(self._library.fetch_options), cancel)
        state = CaptureState(
            scope=scope,
            prefix=prefix,
            limits=limits,
            depth=depth,
            tags=labels.tags,
            collections=labels.collections,
        )
        from webrag_desktop.library.intake import accept, read_intake

        with self._database.connection() as conn:
            start = accept(conn, address, read_intake(address, self._library.fetch_options, labels, depth))
            run_id = run_pages.begin_capture(conn, address, start, state, listed)
        return self.get(run_id)

    def _found(
        self, address: str, prefix: str, scope: Scope, rules: LinkRules, cancel: CancelToken | None
    ) -> list[str]:
        """The addresses in scope that are known before anything is captured, without the start page."""
        if scope == "sitemap":
            options = self._library.fetch_options
            reader = SitemapReader(options, rules, SiteSchedule(options.host_delay_seconds))
            listed: Sequence[str] = list(reader.addresses(address, cancel))
        else:
            listed = self._linked(address, cancel)
        own = url_key(address)
        found: dict[str, str] = {}
        for one in listed:
            bare = address_of_link(one)
            if bare is not None and in_scope(bare, address, prefix) and (key := url_key(bare)) != own:
                found.setdefault(key, bare)
        return list(found.values())

    def _linked(self, address: str, cancel: CancelToken | None) -> list[str]:
        """The links of the start page, as it is in the library, else fetched and read in a process of its own."""
        document = self._library.links.at(address)
        if document is not None and (known := self._library.links.of(document)):
            return [link.url for link in known]
        from webrag_desktop.ingestion.fetching.fetch import fetch
        from webrag_desktop.ingestion.reading_process.process import ReadingProcess

        capture = fetch(address, self._library.fetch_options, cancel=cancel)
        with ReadingProcess(self._library.settings.reading_options()) as reading:
            return [link.url for link in reading.read(capture, cancel or CancelToken()).document.links]

    # -- Looking at them -----------------------------------------------------------------------------------------------

    def all(self, limit: int = 50, *, is_open: bool = False) -> list[SiteCapture]:
        """The newest captures; with ``is_open`` those alone that have not ended."""
        with self._database.connection() as conn:
            found: list[SiteCapture] = []
            for row in stored.list_runs(conn, "site", limit, is_open=is_open):
                with suppress(ValidationError):  # a newer program wrote it; it stays for that
                    found.append(_site_capture(conn, row))
            return found

    def get(self, capture_id: UUID | str) -> SiteCapture:
        """The capture of an id, or of its first characters (at least four).

        Raises:
            NotFoundError: there is none.
            InputError: several begin so, or a newer program began it.
        """
        with self._database.connection() as conn:
            row = stored.get_run(conn, id_of(conn, "site", str(capture_id)))
            if row is None:
                raise unknown("site", str(capture_id))
            try:
                return _site_capture(conn, row)
            except ValidationError as error:
                raise InputError(
                    "A newer version of this program began this capture.", "Look at it with that version."
                ) from error

    def cancel(self, capture_id: UUID | str) -> SiteCapture:
        """Stop a capture; what was captured stays. Raises what :meth:`get` raises."""
        with self._database.connection() as conn:
            found = id_of(conn, "site", str(capture_id))
            run_pages.cancel_capture(conn, found)
        return self.get(found)

    def remove(self, capture_id: UUID | str) -> None:
        """Forget a capture, and stop it if it runs; its pages stay. Raises what :meth:`get` raises."""
        with self._database.connection() as conn:
            found = id_of(conn, "site", str(capture_id))
            run_pages.cancel_capture(conn, found)
            stored.delete_run(conn, found)

    def watch(self, capture_id: UUID | str, *, cancel: CancelToken | None = None) -> Iterator[SiteCapture]:
        """Yield the capture whenever it came on, until it has ended, with a worker kept at the queue.

        It ends early while the queue is paused, or all that is left waits for what is away.

        Raises:
            ConfigurationError, StackError: no worker can be kept running.
            Cancelled: the token was set; the capture goes on when a worker is at the queue.
        """
        cancel = cancel or CancelToken()
        supervisor = self._library.worker.supervisor
        supervisor.try_again()
        shown: SiteCapture | None = None
        with events.listening(self._database) as (listener, conn), cancel.calling(listener.wake):
            found = id_of(conn, "site", str(capture_id))
            while True:
                cancel.raise_if_cancelled()
                capture = self.get(found)
                if capture != shown:
                    supervisor.progressed()
                    shown = capture
                    yield capture
                if capture.ended_at is not None or queue_control.is_paused(conn):
                    return
                if not self._may_come_on(found):
                    if self.get(found) == shown:
                        return
                    continue  # it came on meanwhile
                supervisor.keep_working(conn)
                listener.hear(TICK_SECONDS)

    def _may_come_on(self, capture_id: UUID) -> bool:
        """Whether a page of it is under way, or a worker would find something to do; both as of one moment."""
        with self._database.connection() as conn, snapshot(conn):
            pages = [
                one.source_id for one in stored_visits.visits_under_way(conn, capture_id) if one.source_id
            ]
            return run_pages.capture_work_waits(conn) or queue_control.may_begin_soon(conn, pages)


def _start(url: str, scope: Scope) -> tuple[str, str]:
    """The address to begin at, and what the paths in scope begin with."""
    if scope not in get_args(Scope):
        raise InputError(f"There is no scope “{scope}”.", f"Choose one of {', '.join(get_args(Scope))}.")
    kind, address = parse_source(url)
    if kind != "url":
        raise InputError(f"“{url}” is not a web address.", "Give an address that begins with https://.")
    address = address.partition("#")[0]
    path = urlsplit(address).path
    return address, "/" if scope == "site" else path[: path.rfind("/") + 1] or "/"


def _is_refused(rules: LinkRules, url: str, cancel: CancelToken | None) -> bool:
    try:
        rules.check(url, None, cancel)
    except (ForbiddenToProgramsError, UnsafeAddressError):
        return True
    return False


def _site_capture(conn: Connection, row: RunRow) -> SiteCapture:
    state = CaptureState.model_validate_json(row.state)
    figures = stored_visits.figures(conn, row.id)
    left = left_out(conn, row.id, SHOWN_LEFT_OUT)
    return SiteCapture(
        id=row.id,
        url=row.subject,
        scope=state.scope,
        prefix=state.prefix,
        limits=state.limits,
        started_at=row.started_at,
        ended_at=row.ended_at,
        reason=state.reason,
        found=figures.found,
        visited=figures.ended,
        failed=figures.failed,
        forbidden=figures.forbidden,
        in_bin=figures.in_bin,
        under_way=figures.under_way,
        waiting=figures.waiting,
        left_out=left.shape,
        left_out_examples=left.examples,
        too_far=left.depth,
    )
