"""What sites let programs fetch that follow links by themselves: robots.txt as RFC 9309 has it.

There are three answers: yes, no, and that it is not known for now, since the site could not be asked: then
:class:`~webrag_desktop.errors.FetchError` is raised. An address that the user gave himself is never asked about:
there, the program is his browser. For links on pages of the internet, give :class:`Robots` options without
``allow_private``: else a link could have any computer of the user's network asked for its robots.txt.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
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
