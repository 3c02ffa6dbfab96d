"""Fetching the queue's pages: politely and only what changed; which document the addresses of a page belong to."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import urlsplit
from uuid import UUID

from webrag_desktop.errors import FetchError, IngestionError
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.fetching import errors as fetch_errors
from webrag_desktop.ingestion.fetching.fetch import fetch_if_changed
from webrag_desktop.ingestion.fetching.following import LinkRules
from webrag_desktop.ingestion.fetching.network import Network, assumed_class
from webrag_desktop.ingestion.fetching.options import FetchOptions, validators_of
from webrag_desktop.ingestion.fetching.politeness import SiteSchedule, site_of_address
from webrag_desktop.ingestion.reading_process.process import Addresses
from webrag_desktop.models.documents import AddressClass, Capture
from webrag_desktop.models.sources import FollowedWithin
from webrag_desktop.progress import CancelToken, ProgressCallback
from webrag_desktop.storage import removal
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.captures.captures import CaptureHead, StoredCapture, raw_hash_of
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs
from webrag_desktop.storage.queue.jobs import PATIENCE_SECONDS, Job
from webrag_desktop.storage.texts import bibliography

SILENT_SITES = 2  # one may be down by itself


@dataclass(frozen=True, slots=True)
class PageFetcher:
    """Fetches one page at a time. ``schedule`` says which sites are paused at present."""

    options: FetchOptions
    network: Network = field(default_factory=Network)
    schedule: SiteSchedule = field(init=False)
    rules: LinkRules = field(init=False)
    _silent: set[str | None] = field(default_factory=set, init=False)  # sites, since one answered

    def __post_init__(self) -> None:
        object.__setattr__(self, "schedule", SiteSchedule(self.options.host_delay_seconds))
        object.__setattr__(self, "rules", LinkRules(self.options, self.network))

    def fetch(
        self,
        url: str,
        known: CaptureHead | None,
        *,
        progress: ProgressCallback,
        cancel: CancelToken,
        within: AddressClass | None = None,
        arrived: Callable[[AddressClass], object] = lambda _kind: None,
        received: Callable[[int], object] = lambda _bytes: None,
        followed: FollowedWithin | None = None,
        options: FetchOptions | None = None,
        is_page: bool = True,
    ) -> Capture | None:
        """The page, or None when its site says that it is as ``known``.

        ``within``, ``arrived`` and ``received`` are those of
        :func:`~webrag_desktop.ingestion.fetching.fetch.fetch_if_changed`, and it raises what that raises. ``followed``
        says that a program came to the page by a link, so that the site's robots.txt is obeyed, and how far its
        redirects may lead. ``options`` are other limits for this one. Where it is no page (``is_page``) but a file
        of one, a failure says nothing of the site: only a pause that it asks for is kept for pages, too.
        """
        site = site_of_address(url)
        validators = validators_of(known.final_url, known.headers) if known is not None else None
        try:
            with self.rules.visiting(url, within or "public", followed, self.schedule, cancel) as may_follow:
                capture = fetch_if_changed(
                    url,
                    self._options_for(site, options or self.options),
                    validators,
                    progress=progress,
                    cancel=cancel,
                    network=self.network,
                    rest_of=self.schedule.requested_pause,
                    within=within,
                    arrived=arrived,
                    received=received,
                    may_follow=may_follow,
                )
        except FetchError as error:
            self._note_pause(site, error)
            if is_page:
                self._note_trouble(site, error)
            raise
        self._silent.clear()
        return capture

    @property
    def nothing_answers(self) -> bool:
        """Whether several sites in a row gave no page, so that it may be the network that is missing."""
        return len(self._silent) >= SILENT_SITES

    def _options_for(self, site: str | None, options: FetchOptions) -> FetchOptions:
        """One attempt is enough at a site that could not be reached a moment ago."""
        return replace(options, retry_seconds=0.0) if self.schedule.in_trouble(site) else options

    def _note_pause(self, site: str | None, error: FetchError) -> None:
        """Pause the site that requested it, which may be where a redirect led; sites that lead there are not."""
        if error.retry_after:
            requesting = site_of_address(error.address) if error.address else site
            self.schedule.pause_site(requesting, min(error.retry_after, PATIENCE_SECONDS))

    def _note_trouble(self, site: str | None, error: FetchError) -> None:
        if error.retryable and not error.retry_after:
            self.schedule.had_trouble(site)
        if error.transient:
            self._silent.add(site)


def is_as_stored(known: CaptureHead, capture: Capture) -> bool:
    """Whether a page came again as it is stored: the same bytes, of the same kind, by the same way."""
    before = next((value for name, value in known.headers if name.lower() == "content-type"), None)
    return (
        raw_hash_of(capture) == known.raw_hash
        and (capture.final_url, capture.redirects) == (known.final_url, known.redirects)
        and capture.header("content-type") == before
    )


def is_named_otherwise(known: CaptureHead, capture: Capture) -> bool:
    """Whether a page that is as it is stored has another entity tag or date, or came from elsewhere in the network."""
    tags = validators_of(known.final_url, known.headers), validators_of(capture.final_url, capture.headers)
    return tags[0] != tags[1] or known.reached != capture.reached


def keep(
    conn: Connection, job: Job, capture: Capture | None, known: CaptureHead | None
) -> StoredCapture | UUID:
    """Store what was fetched for a job; the id of ``known`` where that is what is stored already and was read well."""
    if known is not None and (capture is None or is_as_stored(known, capture)):
        if capture is not None:
            captures.put_back_body(conn, known.id, capture.body)
            if is_named_otherwise(known, capture):
                captures.renew_headers(conn, known.id, capture)
        captures.note_checked(conn, job.source_id, datetime.now(UTC))
        jobs.read_capture(conn, job, known.id)
        return known.id
    assert capture is not None, "no site can say that an unknown page is unchanged"
    stored = _kept_unread(conn, job.source_id, capture) or captures.save_capture(conn, job.source_id, capture)
    jobs.read_capture(conn, job, stored.id)
    return stored


def _kept_unread(conn: Connection, source_id: UUID, capture: Capture) -> StoredCapture | None:
    """The newest capture where it is the very same page: a page that cannot be read is not stored at every refresh."""
    newest = captures.latest_head(conn, source_id)
    if newest is None or not is_as_stored(newest, capture):
        return None
    try:
        stored = captures.load_capture(conn, newest.id)
    except IngestionError:  # damaged: the new one takes its place
        return None
    if stored is None or stored.capture.body != capture.body:
        return None
    captures.note_checked(conn, source_id, capture.fetched_at)
    return stored


def bound_of(url: str, first: AddressClass | Literal["unknown"] | None) -> AddressClass | None:
    """How far into the user's network an address may lead now that lay ``first`` at its adding; None: anywhere.

    Of libraries from before that was noted, captures do not tell it either. Then what the address says of itself
    counts, and a name is taken for one of the internet, since that is where names can be made to lead elsewhere.
    """
    return assumed_class(urlsplit(url).hostname or "") if first == "unknown" else first


def note_of_way(head: CaptureHead) -> tuple[str, str] | None:
    """What is reported of a page from another port, or another name, of a computer in the user's network.

    None where it came from the requested address, or from the internet.
    """
    for address, kind in zip(head.redirects, head.reached[1:], strict=False):
        if kind != "public" and _server_of(address) != _server_of(head.url):
            return (
                f"The address leads to {urlsplit(address).netloc}, another place on the same computer of this network",
                "It was followed, since you gave an address on that computer. Remove this if you did not mean it.",
            )
    return None


def _server_of(address: str) -> tuple[str | None, int | None]:
    """Host and port; that of HTTP is the same as that of HTTPS."""
    parts = urlsplit(address)
    port = {None: 443, 80: 443}.get(parts.port, parts.port)
    return parts.hostname, port


def settle_addresses(
    conn: Connection, job: Job, stored: StoredCapture, addresses: Addresses, *, has_text: bool
) -> bool:
    """Give the source the addresses its page answers to; False where it was joined to the source that has one already.

    A source with a text is never joined: a login page, to which all of a site may lead one day, must not
    swallow what was read before, with its captures and what was cited.

    Raises:
        FetchError: a source with a text has come to lead to where another one is.
    """
    for url, kind in addresses:
        owner = sources.claim_address(conn, job.source_id, url, url_key(url), kind)
        if owner == job.source_id:
            continue
        if has_text:
            _keep_apart(url, stored)
        elif _joined(conn, job, owner, stored):
            return False
    return True


def _keep_apart(url: str, stored: StoredCapture) -> None:
    """Leave the address to the source that has it; raises when it is where the page itself was found."""
    if url_key(url) == url_key(stored.capture.final_url):
        raise fetch_errors.leads_elsewhere(url)


def _merge(conn: Connection, duplicate: UUID, kept: UUID) -> None:
    bibliography.take_over(conn, duplicate, kept)
    sources.merge_source(conn, duplicate, kept)


def _joined(conn: Connection, job: Job, owner: UUID, stored: StoredCapture) -> bool:
    """Join the source to ``owner``, which takes the capture where it has no text; False when that one is gone.

    An owner that is in the bin is restored, since its page was added again, but not where only links led to the source.
    """
    if not (jobs.is_for_runs_alone(conn, job) and sources.followed_within(conn, job.source_id)):
        removal.restore(conn, [owner])
    elif sources.is_in_bin(conn, owner):
        _merge(conn, job.source_id, owner)
        return True
    state = sources.lock_source(conn, owner)
    if state is None:
        return False
    if state in ("queued", "failed", "cancelled"):
        captures.move_capture(conn, stored.id, owner)
        if stored.capture.reached:
            sources.note_reached(conn, owner, stored.capture.reached[-1])
        sources.set_state(conn, owner, "queued")
        jobs.enqueue(conn, owner, stored.id, priority=job.priority, wish="joined")
    _merge(conn, job.source_id, owner)
    return True
