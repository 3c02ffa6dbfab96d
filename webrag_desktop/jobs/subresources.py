"""Fetching what shows pages as they looked: the worker does it page by page whenever no job can be begun.

The page itself is stored and ready before. Files of a page are part of its visit, as in a browser: they are requested
one after the other, and its site is left alone afterwards for as long as after a page.
"""

import logging
import re
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from webrag_desktop.errors import (
    Cancelled,
    DatabaseError,
    FetchError,
    IngestionError,
    InputError,
    ResourceError,
    TooLargeError,
    WebragError,
    resource_error,
)
from webrag_desktop.ingestion.fetching.following import reach_of_link
from webrag_desktop.ingestion.fetching.options import FetchOptions, SubresourceOptions
from webrag_desktop.ingestion.fetching.politeness import site_of_address
from webrag_desktop.ingestion.page_look.addresses import MOST_REFERENCES
from webrag_desktop.ingestion.page_look.content import media_type_of
from webrag_desktop.jobs.fetching import PageFetcher
from webrag_desktop.jobs.subresource_pages import MOST_BEGUN, CapturedPage, open_page
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.markup import Markup, Reference
from webrag_desktop.models.queue import SourceChanged
from webrag_desktop.models.subresources import StoredBody
from webrag_desktop.progress import CancelToken, no_progress
from webrag_desktop.storage.captures import page_looks, subresources
from webrag_desktop.storage.captures.subresources import KnownSubresource
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.events import announce

if TYPE_CHECKING:
    from webrag_desktop.progress import IdleTask

log = logging.getLogger(__name__)

SECONDS = 30.0  # for one file
MOST_SILENT = (
    3  # files in a row for which a site does not answer, before the rest of a page is not asked for there
)
AWAY_SECONDS = 900.0  # until files are fetched again after nothing answered
STOPPED = "Fetching them was stopped"
OWN_FAULT = "The program could not read the page for them; the fault is its own"
SILENT = "The site did not answer for others"
_PAGE = re.compile(r"(?<![\w./-])page(?![\w./-])")
_NOT_THIS = {"stylesheet": "It is no stylesheet", "image": "It is no image", "font": "It is no image or font"}
ReadMarkup = Callable[[Capture, CancelToken], Markup]


class SubresourceFetching:
    """What the worker does beside the jobs: first files of pages, then what it did before."""

    def __init__(
        self,
        database: Database,
        fetcher: PageFetcher,
        options: SubresourceOptions,
        markup: ReadMarkup,
        then: "IdleTask",
    ) -> None:
        """Fetch by ``fetcher`` within the limits of ``options``; ``markup`` reads pages and stylesheets."""
        self._database = database
        self._fetcher = fetcher
        self._options = options
        self._markup = markup
        self._then = then

    def step(self, give_way: CancelToken, cancel: CancelToken) -> bool:
        """Fetch the files of one page, as far as no job can be begun; else what comes after it."""
        with self._database.connection() as conn:
            found = page_looks.next_open(conn, list(self._fetcher.schedule.resting()))
            page = None if found is None else open_page(conn, *found)
        if found is None or cancel.cancelled:
            return self._then.step(give_way, cancel)
        if page is not None:
            self._fetch_files(page, give_way)
        return True

    def _fetch_files(self, page: CapturedPage, cancel: CancelToken) -> None:
        work = _PageWork(self._database, self._fetcher, self._options, self._markup, page, cancel)
        try:
            work.run()
        except Cancelled:
            self._leave(page, 0.0)
        except _Away as away:
            self._leave(page, away.seconds, counts=True)
            self._ask_again(page)
        except DatabaseError:
            raise
        except IngestionError as error:  # the page cannot be read as markup, or is damaged
            self._give_up(page, error.message)
        except Exception as error:  # a page that we read wrongly must not stop all the others
            if isinstance(error, ResourceError) or resource_error(error) is not None:
                self._leave(page, AWAY_SECONDS)
                return
            log.exception("the files of a page could not be fetched")
            self._give_up(page, OWN_FAULT)

    def _give_up(self, page: CapturedPage, reason: str) -> None:
        log.info("the files of a page are not fetched: %s", reason)
        with self._database.connection() as conn:
            page_looks.finish(conn, page.capture_id, 0, reason)

    def _leave(self, page: CapturedPage, seconds: float, *, counts: bool = False) -> None:
        with self._database.connection() as conn:
            page_looks.leave(conn, page.capture_id, seconds, counts=counts)

    def _ask_again(self, page: CapturedPage) -> None:
        """Have those fetched later, too, that did not come now but may come then."""
        with self._database.connection() as conn:
            subresources.forget_transient(conn, page.capture_id)

    def due(self) -> float | None:
        """In how many seconds there may be files to fetch, or something of what comes after it."""
        with self._database.connection() as conn:
            own = page_looks.next_due(conn)
        return min((one for one in (own, self._then.due()) if one is not None), default=None)

    def comes_first(self) -> bool:
        """As for what comes after it."""
        return self._then.comes_first()

    def takes_over(self, error: WebragError) -> bool:
        """As for what comes after it."""
        return self._then.takes_over(error)

    def postpone_jobs(self) -> None:
        """As for what comes after it."""
        self._then.postpone_jobs()


class _Away(Exception):
    """Nothing can be fetched for now: the site asked for a pause, or nothing answers."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(slots=True)
class _PageWork:
    """The files of one page: what it refers to, and what its stylesheets refer to."""

    database: Database
    fetcher: PageFetcher
    options: SubresourceOptions
    markup: ReadMarkup
    page: CapturedPage
    cancel: CancelToken
    known: dict[str, KnownSubresource] = field(default_factory=dict)
    waiting: deque[Reference] = field(default_factory=deque)
    seen: set[str] = field(default_factory=set)
    kept: int = 0
    kept_bytes: int = 0
    left_out: int = 0
    silent: Counter[str | None] = field(
        default_factory=Counter
    )  # by site, failures without an answer in a row
    answered: bool = False

    def run(self) -> None:
        """Fetch what is not there yet.

        Raises:
            Cancelled: a job can be begun, or the user stopped this; what was fetched stays.
            IngestionError: the page cannot be read.
            _Away: it is to go on later.
        """
        with self.database.connection() as conn:
            self.known = subresources.known(conn, self.page.capture_id)
        self._await(self.markup(self.page.stored.capture, self.cancel))
        while self.waiting:
            self.cancel.raise_if_cancelled()
            self._settle(self.waiting.popleft())
        self._finish()

    def _await(self, markup: Markup) -> None:
        """Have fetched what is referred to; stylesheets, which refer to more, come first."""
        new = [one for one in markup.references if one.url not in self.seen]
        room = MOST_REFERENCES - len(self.seen)
        self.left_out += len(new[room:])
        del new[room:]
        self.seen.update(one.url for one in new)
        for one in reversed(new):
            if one.kind == "stylesheet":
                self.waiting.appendleft(one)
        self.waiting.extend(one for one in new if one.kind != "stylesheet")

    def _settle(self, reference: Reference) -> None:
        before = self.known.get(reference.url)
        if before is None and self._is_beyond_limits():
            self.left_out += 1
            return
        stored = self._obtained(reference) if before is None else self._stored(before)
        if stored is None:
            return
        self.kept += 1
        self.kept_bytes += len(stored.body) if before is None else before.body_bytes
        if reference.kind == "stylesheet":
            self._read_stylesheet(self.known[reference.url].final_url or reference.url, stored)

    def _is_beyond_limits(self) -> bool:
        return len(self.known) >= self.options.files or self.kept_bytes >= self.options.page_bytes

    def _stored(self, before: KnownSubresource) -> StoredBody | None:
        """What was kept of an address before; its body is read only of a stylesheet."""
        if before.sha256 is None or before.media_type is None:
            return None
        if before.kind != "stylesheet":
            return StoredBody(before.media_type, b"")
        with self.database.connection() as conn:
            body = _sound_body(conn, before.sha256)
        return None if body is None else StoredBody(before.media_type, body)

    def _read_stylesheet(self, address: str, stored: StoredBody) -> None:
        try:
            self._await(self.markup(as_capture(address, stored), self.cancel))
        except IngestionError as error:
            log.info("a stylesheet cannot be read: %s", error.message)

    def _obtained(self, reference: Reference) -> StoredBody | None:
        """A file that was kept for another page a moment ago, or that is fetched now; None where it is absent."""
        with self.database.connection() as conn:
            self._hold(conn)
            lately = subresources.lately_kept(conn, self.page.capture_id, reference.url)
            if lately is not None:
                body = _sound_body(conn, lately[0])
                if body is not None:
                    subresources.refer(conn, self.page.capture_id, reference, *lately)
                    return self._noted(reference, StoredBody(lately[1], body), lately[2])
        site = site_of_address(reference.url)
        if self.silent[site] >= MOST_SILENT:
            self._note_absent(reference, SILENT, transient=True)
            return None
        try:
            stored = self._fetched(reference)
            self._note_answer(site)
            return stored
        except TooLargeError as error:
            self._note_answer(site)
            self._note_too_large(reference, error)
        except FetchError as error:
            self._check_site(site, error)
            self._note_absent(reference, _about_file(error), transient=error.transient)
        except InputError as error:
            self._note_absent(reference, error.message, transient=False)
        return None

    def _fetched(self, reference: Reference) -> StoredBody | None:
        capture = self.fetcher.fetch(
            reference.url,
            None,
            progress=no_progress,
            cancel=self.cancel,
            within=reach_of_link(reference.url, self.page.stored.capture.final_url, self.page.lies),
            followed=None if self.page.followed is None else "web",
            options=self._limits(),
            is_page=False,
        )
        assert capture is not None  # nothing was said to be known
        media_type = media_type_of(capture, reference.kind)
        if media_type is None:
            self._note_absent(reference, _NOT_THIS[reference.kind], transient=False)
            return None
        stored = StoredBody(media_type, capture.body)
        with self.database.connection() as conn:
            self._hold(conn)
            subresources.keep(conn, self.page.capture_id, reference, stored, capture.final_url)
        return self._noted(reference, stored, capture.final_url)

    @property
    def _bytes_left(self) -> int:
        return max(1, self.options.page_bytes - self.kept_bytes)

    def _limits(self) -> FetchOptions:
        options = self.fetcher.options
        return replace(
            options,
            max_bytes=min(options.max_bytes, self.options.file_bytes, self._bytes_left),
            total_seconds=min(options.total_seconds, SECONDS),
            retry_seconds=0.0,
        )

    def _noted(self, reference: Reference, stored: StoredBody, final_url: str) -> StoredBody:
        self.known[reference.url] = KnownSubresource(
            reference.url, reference.kind, b"", stored.media_type, final_url, len(stored.body)
        )
        return stored

    def _note_too_large(self, reference: Reference, error: TooLargeError) -> None:
        """Note a file that is too large by itself; one that only the others leave no room for is left out."""
        if self._bytes_left < min(self.options.file_bytes, self.fetcher.options.max_bytes):
            self.left_out += 1
        else:
            self._note_absent(reference, _about_file(error), transient=False)

    def _note_answer(self, site: str | None) -> None:
        self.answered = True
        self.silent.pop(site, None)

    def _check_site(self, site: str | None, error: FetchError) -> None:
        """Go on later where a site asks for a pause, or nothing answers at all; but not again and again."""
        if error.address:  # it did answer, with a refusal
            self._note_answer(site)
        elif error.transient:
            self.silent[site] += 1
        if self.page.begun + 1 >= MOST_BEGUN:
            return
        if error.retry_after:
            raise _Away(min(error.retry_after, AWAY_SECONDS)) from error
        if not self.answered and self.silent.total() >= MOST_SILENT:
            raise _Away(AWAY_SECONDS) from error

    def _note_absent(self, reference: Reference, reason: str, *, transient: bool) -> None:
        with self.database.connection() as conn:
            self._hold(conn)
            subresources.note_absent(conn, self.page.capture_id, reference, reason, transient=transient)
        self.known[reference.url] = KnownSubresource(reference.url, reference.kind, None, None, None, 0)

    def _hold(self, conn: Connection) -> None:
        """Keep the work until the transaction ends; ends it where the user stopped it or removed the page."""
        if not page_looks.is_open(conn, self.page.capture_id):
            raise Cancelled(STOPPED)

    def _finish(self) -> None:
        with self.database.connection() as conn:
            if not page_looks.is_open(conn, self.page.capture_id):
                return
            reason = self._limit_met() if self.left_out else None
            page_looks.finish(conn, self.page.capture_id, self.left_out, reason)
            announce(conn, SourceChanged(self.page.source_id, "ready"))

    def _limit_met(self) -> str:
        if len(self.known) >= self.options.files:
            return f"A page may have {self.options.files:,} of them"
        return f"All of a page may be {self.options.page_bytes:,} bytes large"


def _sound_body(conn: Connection, sha256: bytes) -> bytes | None:
    """A stored body; None where it is gone or damaged, which doctor reports and fetching mends."""
    try:
        return subresources.body(conn, sha256)
    except IngestionError:
        log.warning("a stored file of pages is damaged: %s", sha256.hex())
        return None


def as_capture(url: str, stored: StoredBody) -> Capture:
    """A kept file as it is read."""
    return Capture(
        url=url,
        final_url=url,
        headers=(("Content-Type", stored.media_type),),
        body=stored.body,
        fetched_at=datetime.now(UTC),
    )


def _about_file(error: FetchError) -> str:
    """What fetching says of a page, said of a file of one."""
    return _PAGE.sub("file", error.message)
