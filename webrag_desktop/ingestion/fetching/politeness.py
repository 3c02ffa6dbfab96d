"""How often one site is asked: a page, then a rest, while other sites get their turn."""

import ipaddress
import time
from collections.abc import Callable
from threading import Lock
from urllib.parse import urlsplit

_TROUBLE_SECONDS = 60.0  # for how long a site that could not be reached is not asked twice for one page


class SiteSchedule:
    """When each site may be visited again, within one process; any thread may ask. Sites on this computer need no rest.

    A site is a host without ``www.`` and port. A page with its redirects is one visit, to every site on the way.
    """

    def __init__(self, delay_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Leave a site alone for ``delay_seconds`` after each visit."""
        self._delay = delay_seconds
        self._clock = clock
        self._rests_until: dict[str, float] = {}
        self._asked_until: dict[str, float] = {}
        self._troubled_until: dict[str, float] = {}
        self._lock = Lock()

    def visited(self, site: str | None, wanted: float = 0.0) -> None:
        """Note that a site was asked for a page just now, which wants ``wanted`` seconds between two visits."""
        self._prolong(self._rests_until, site, max(self._delay, wanted))

    def let_rest(self, site: str | None, seconds: float) -> None:
        """Leave a site alone for so long from now on, as it asked, or longer where it asked that before."""
        self._prolong(self._rests_until, site, seconds)
        self._prolong(self._asked_until, site, seconds)

    def asked_rest(self, url: str) -> float:
        """For how many seconds still the site of an address wants to be left alone, as it said itself."""
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
            for site in [site for site, until in self._rests_until.items() if until <= now]:
                del self._rests_until[site]
            return {site: until - now for site, until in self._rests_until.items()}

    def had_trouble(self, site: str | None) -> None:
        """Note that a site could not be reached, though it was asked again and again."""
        if site:
            self._troubled_until[site] = self._clock() + _TROUBLE_SECONDS

    def in_trouble(self, site: str | None) -> bool:
        """Whether a site could not be reached a moment ago: asking once is enough then."""
        return site is not None and self._troubled_until.get(site, 0.0) > self._clock()


def site_of_address(url: str) -> str | None:
    """The site of a web address: its host without ``www.`` and port, in lower case; None where there is none."""
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return None
    return (host.removeprefix("www.") or None) if host else None


def on_this_computer(site: str) -> bool:
    """Whether a host is this computer by its very name."""
    if site == "localhost" or site.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(site).is_loopback
    except ValueError:
        return False
