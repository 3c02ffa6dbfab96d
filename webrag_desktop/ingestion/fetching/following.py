"""Which links a program may follow by itself: those that the site allows, to where their page may lead."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import urlsplit

from webrag_desktop.ingestion.fetching import errors as fetch_errors
from webrag_desktop.ingestion.fetching.network import Network
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.fetching.politeness import Robots, SiteSchedule, site_of_address
from webrag_desktop.models.documents import AddressClass
from webrag_desktop.models.sources import FollowedWithin
from webrag_desktop.progress import CancelToken

_PORTS = {"http": 80, "https": 443}


class LinkRules:
    """What sites allow programs that follow links, requested once a day. One thread uses it at a time.

    It is not for addresses that the user gave himself.
    """

    def __init__(self, options: FetchOptions, network: Network | None = None) -> None:
        """Request with the limits of ``options``; pages of the internet never lead into the user's network."""
        self._inside = Robots(options, network=network)
        self._public = Robots(replace(options, allow_private=False), network=network)

    def _robots(self, within: AddressClass | None) -> Robots:
        return self._public if within == "public" else self._inside

    def check(self, url: str, within: AddressClass | None, cancel: CancelToken | None = None) -> None:
        """Refuse an address where its site does. ``within`` is its class; None is any, for what the user named.

        Raises:
            ForbiddenToProgramsError: the site does not let programs fetch it.
            UnsafeAddressError: the link may not lead to addresses of its class.
            FetchError: the site does not say so for now (then it is transient), or cannot be asked.
            Cancelled: the token was set.
        """
        if not self._robots(within).may_fetch(url, cancel):
            raise fetch_errors.forbidden_to_programs(url)

    def rest(self, url: str, within: AddressClass | None, cancel: CancelToken | None = None) -> float:
        """The seconds that the site wants between two visits, 0 where it names none; raises what :meth:`check` does."""
        return self._robots(within).crawl_delay(url, cancel) or 0.0

    def sitemaps(self, url: str, within: AddressClass | None, cancel: CancelToken | None = None) -> list[str]:
        """The sitemaps that the site of an address names in its robots.txt. Raises what :meth:`check` raises."""
        return self._robots(within).sitemaps(url, cancel)

    @contextmanager
    def visiting(
        self,
        url: str,
        within: AddressClass | None,
        followed: FollowedWithin | None,
        schedule: SiteSchedule,
        cancel: CancelToken | None = None,
    ) -> Iterator[Callable[[str], None]]:
        """A visit of ``url`` and of the redirects of it, each of which is to be given to what this yields.

        That raises for where they may not lead by a link that was ``followed``; None is for what the user gave himself.
        Afterwards no site on the way is visited for as long as it asks. Raises what :meth:`check` raises.
        """
        rests: dict[str, float] = {}

        def ask(address: str) -> None:
            rests[address] = 0.0 if followed is None else self._asked(address, url, within, followed, cancel)

        ask(url)
        try:
            yield ask
        finally:
            for address, rest in rests.items():
                schedule.visited(site_of_address(address), rest)

    def _asked(
        self,
        address: str,
        url: str,
        within: AddressClass | None,
        followed: FollowedWithin,
        cancel: CancelToken | None,
    ) -> float:
        """The pause after the visit that is asked for by the site of an address to which ``url`` leads."""
        if followed == "site" and site_of_address(address) != site_of_address(url):
            raise fetch_errors.link_leads_off_site(address)
        lies = within if same_server(address, url) else "public"
        self.check(address, lies, cancel)
        return self.rest(address, lies, cancel)


def reach_of_link(url: str, page_url: str, page_lies: AddressClass) -> AddressClass:
    """The class that the address of a link may have: public, or that of its page on the same server."""
    return page_lies if same_server(url, page_url) else "public"


def same_server(one: str, other: str) -> bool:
    """Whether two web addresses name one host and port."""
    return _server(one) == _server(other)


def _server(address: str) -> tuple[str | None, int | None]:
    try:
        parts = urlsplit(address)
        return parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:  # no port
        return None, None
