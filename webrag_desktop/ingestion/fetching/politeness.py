"""How often one site is asked, and what it lets programs fetch that follow links (robots.txt, RFC 9309)."""

import ipaddress
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final
from urllib.parse import urlsplit

from protego import Protego

from webrag_desktop.errors import FetchError, InputError
from webrag_desktop.ingestion.addresses import parse_source, url_key
from webrag_desktop.ingestion.fetching import errors as fetch_errors
from webrag_desktop.ingestion.fetching.fetch import fetch_beginning
from webrag_desktop.ingestion.fetching.network import Network
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.retries import retry_after
from webrag_desktop.text.links import site_of

_TROUBLE_SECONDS = 60.0  # for how long a site that could not be reached is not requested twice for one page


class SiteSchedule:
    """When each site may be visited again, within one process; any thread may ask. This computer needs no pause.

    A site is a host without ``www.`` and port. A page with its redirects is one visit, to every site on the way.
    """

    def __init__(self, delay_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Leave a site alone for ``delay_seconds`` after each visit."""
        self._delay = delay_seconds
        self._clock = clock
        self._paused_until: dict[str, float] = {}
        self._asked_until: dict[str, float] = {}
        self._troubled_until: dict[str, float] = {}
        self._lock = Lock()

    def visited(self, site: str | None, wanted: float = 0.0) -> None:
        """Note a visit to a site, which wants ``wanted`` seconds between two of them."""
        self._prolong(self._paused_until, site, max(self._delay, wanted))

    def pause_site(self, site: str | None, seconds: float) -> None:
        """Do not visit a site for so long from now on, as it asked, or longer where it asked for that before."""
        self._prolong(self._paused_until, site, seconds)
        self._prolong(self._asked_until, site, seconds)

    def requested_pause(self, url: str) -> float:
        """The seconds that remain of the pause that the site of an address asked for."""
        return max(0.0, self._asked_until.get(site_of_address(url) or "", 0.0) - self._clock())

    def _prolong(self, rests: dict[str, float], site: str | None, seconds: float) -> None:
        if site and seconds > 0 and not on_this_computer(site):
            until = self._clock() + seconds
            with self._lock:
                rests[site] = max(until, rests.get(site, until))

    def resting(self) -> dict[str, float]:
        """The sites that are to be left alone, each for how many seconds still."""
        now = self._clock()
        with self._lock:
            for site in [site for site, until in self._paused_until.items() if until <= now]:
                del self._paused_until[site]
            return {site: until - now for site, until in self._paused_until.items()}

    def had_trouble(self, site: str | None) -> None:
        """Note that a site could not be reached, in spite of retries."""
        if site:
            self._troubled_until[site] = self._clock() + _TROUBLE_SECONDS

    def in_trouble(self, site: str | None) -> bool:
        """Whether a site could not be reached a moment ago: asking once is enough then."""
        return site is not None and self._troubled_until.get(site, 0.0) > self._clock()


def site_of_address(url: str) -> str | None:
    """The site of a web address: its host without ``www.`` and port, in lower case; None where there is none."""
    try:
        return site_of(url)
    except ValueError:
        return None


def on_this_computer(site: str) -> bool:
    """Whether a host is this computer by its very name."""
    if site == "localhost" or site.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(site).is_loopback
    except ValueError:
        return False


logger = logging.getLogger(__name__)

PRODUCT: Final = "WebRAG-Desktop"
"""The product token that a site can name us by."""

LARGEST_FILE = 500 * 1024  # bytes; what follows is ignored (RFC 9309, 2.5)
MOST_REDIRECTS = 5  # RFC 9309, 2.3.1.2
LONGEST_DELAY_SECONDS = 60.0  # a longer crawl-delay is a no in other words, and is cut to this
MOST_SITES = 1000  # remembered at once
_KEPT_SECONDS = 86_400.0  # RFC 9309, 2.4
_KEPT_AFTER_FAILURE_SECONDS = (
    60.0  # at least: the next pages of a site that is away need not wait for it, too
)
_TOTAL_SECONDS = 30.0
_TOO_MANY_REQUESTS = 429


@dataclass(frozen=True, slots=True)
class _Rules:
    """What one origin said, which counts until ``until``: its ``rules``, or None where it has none.

    ``problem`` is why it could not say anything.
    """

    until: float
    rules: Protego | None = None
    problem: FetchError | None = None


class Robots:
    """Asks origins for their robots.txt and remembers what they say. One thread uses it."""

    def __init__(
        self,
        options: FetchOptions,
        *,
        network: Network | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Fetch with the guards and limits of ``options``, where those of the standard are not tighter."""
        self._options = replace(
            options,
            max_bytes=LARGEST_FILE,
            max_redirects=MOST_REDIRECTS,
            total_seconds=min(_TOTAL_SECONDS, options.total_seconds),
        )
        self._network = network
        self._clock = clock
        self._known: dict[str, _Rules] = {}

    def may_fetch(self, url: str, cancel: CancelToken | None = None) -> bool:
        """Whether the site lets us fetch an address that a link led to; False for what is no web address.

        Servers may read an address as its key has it, so both must be allowed.

        Raises:
            FetchError: the site does not say so for now (then it is transient), or cannot be asked.
            Cancelled: the token was set.
        """
        try:
            kind, address = parse_source(url)
        except InputError:
            return False
        if kind != "url":
            return False
        rules = self._rules(address, cancel)
        return rules is None or all(rules.can_fetch(one, PRODUCT) for one in (address, url_key(address)))

    def crawl_delay(self, url: str, cancel: CancelToken | None = None) -> float | None:
        """The seconds that the site of a web address wants between two visits, at most 60; None: it does not say.

        Raises :class:`~webrag_desktop.errors.InputError`, and what :meth:`may_fetch` raises.
        """
        _kind, address = parse_source(url)
        rules = self._rules(address, cancel)
        delay = rules.crawl_delay(PRODUCT) if rules is not None else None
        return None if delay is None else min(max(delay, 0.0), LONGEST_DELAY_SECONDS)

    def sitemaps(self, url: str, cancel: CancelToken | None = None) -> list[str]:
        """The sitemaps that the site of a web address names.

        Raises :class:`~webrag_desktop.errors.InputError`, and what :meth:`may_fetch` raises.
        """
        _kind, address = parse_source(url)
        rules = self._rules(address, cancel)
        return list(rules.sitemaps) if rules is not None else []

    def _rules(self, address: str, cancel: CancelToken | None) -> Protego | None:
        parts = urlsplit(address)
        origin = f"{parts.scheme}://{parts.netloc}"
        known = self._known.pop(origin, None)
        if known is None or known.until <= self._clock():
            known = self._asked(origin, cancel)
        self._known[origin] = known  # the last in order: used last
        if len(self._known) > MOST_SITES:
            del self._known[next(iter(self._known))]
        if known.problem is not None:
            rest = known.until - self._clock() if known.problem.retry_after else None
            raise fetch_errors.no_rules(known.problem, origin, rest)
        return known.rules

    def _asked(self, origin: str, cancel: CancelToken | None) -> _Rules:
        try:
            return self._read(origin, cancel)
        except FetchError as error:
            logger.info("no robots.txt from %s: %s", origin, error.message)
            kept = min(max(error.retry_after or 0.0, _KEPT_AFTER_FAILURE_SECONDS), _KEPT_SECONDS)
            return _Rules(self._clock() + kept, problem=error)

    def _read(self, origin: str, cancel: CancelToken | None) -> _Rules:
        answer = fetch_beginning(f"{origin}/robots.txt", self._options, cancel=cancel, network=self._network)
        status = answer.status_code or 0
        if 200 <= status < 300:
            text = answer.body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
            return _Rules(self._clock() + _KEPT_SECONDS, rules=Protego.parse(text))
        if 400 <= status < 500 and status != _TOO_MANY_REQUESTS:
            return _Rules(self._clock() + _KEPT_SECONDS)
        raise fetch_errors.refused_status(status, retry_after(answer.headers))
