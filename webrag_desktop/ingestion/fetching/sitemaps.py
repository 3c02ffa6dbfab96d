"""The addresses that a site lists itself: sitemaps of sitemaps.org, indexes of them, packed or not, and plain lists."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urljoin, urlsplit

from webrag_desktop.errors import FetchError, WebragError
from webrag_desktop.ingestion.fetching.decoding import decoded
from webrag_desktop.ingestion.fetching.fetch import fetch
from webrag_desktop.ingestion.fetching.following import LinkRules
from webrag_desktop.ingestion.fetching.network import Network
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.fetching.politeness import SiteSchedule, site_of_address
from webrag_desktop.ingestion.xml_parts import local_name, parse_xml
from webrag_desktop.models.documents import AddressClass, Capture
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers import retries

log = logging.getLogger(__name__)

LARGEST_SITEMAP: Final = 50 * 1024 * 1024  # bytes unpacked, sitemaps.org
MOST_SITEMAPS: Final = 200  # of one site, indexes included
MOST_ADDRESSES: Final = 200_000
_GZIP = b"\x1f\x8b"


@dataclass(slots=True)
class SitemapReader:
    """Reads what a site lists. Sitemaps that robots.txt names are asked for first, else ``/sitemap.xml``.

    Between two of them is the same pause as between two pages, by the clock of ``schedule``; ``rest`` waits for it.
    """

    options: FetchOptions
    rules: LinkRules
    schedule: SiteSchedule
    lies: AddressClass | None = None  # None: anywhere, since the user named the site
    network: Network | None = None
    rest: retries.Wait = retries.wait
    asked: set[str] = field(default_factory=set)

    def addresses(self, url: str, cancel: CancelToken | None = None) -> Iterator[str]:
        """The addresses on the site of ``url`` that it lists, in its order, each as often as it is listed.

        What a sitemap lists on other sites is left out (sitemaps.org).

        Raises:
            FetchError: there is no sitemap that can be read, or the site wants to be left alone before all were.
            Cancelled: the token was set.
        """
        named = self.rules.sitemaps(url, self.lies, cancel)
        waiting = [one for one in named if site_of_address(one) == site_of_address(url)] or [
            urljoin(url, "/sitemap.xml")
        ]
        problem: WebragError | None = None
        listed = 0
        while waiting and len(self.asked) < MOST_SITEMAPS:
            address = waiting.pop(0)
            if address in self.asked:
                continue
            self.asked.add(address)
            try:
                pages, further = read_sitemap(self._fetched(address, cancel))
            except FetchError as error:
                if error.retry_after:
                    raise
                problem = problem or error
                log.info("the sitemap at %s could not be read: %s", urlsplit(address).hostname, error.message)
                continue
            waiting += [one for one in further if site_of_address(one) == site_of_address(url)]
            for page in pages:
                if site_of_address(page) == site_of_address(url) and listed < MOST_ADDRESSES:
                    listed += 1
                    yield page
        if problem is not None and not listed:
            raise problem

    def _fetched(self, address: str, cancel: CancelToken | None) -> Capture:
        self.rest(self.schedule.resting().get(site_of_address(address) or "", 0.0), cancel or CancelToken())
        with self.rules.visiting(address, self.lies, "site", self.schedule, cancel) as may_follow:
            return fetch(address, self.options, cancel=cancel, network=self.network, may_follow=may_follow)


def read_sitemap(capture: Capture) -> tuple[list[str], list[str]]:
    """The pages and the further sitemaps that a sitemap lists; raises FetchError where it is none."""
    body = capture.body
    if body.startswith(_GZIP):
        body = _unpacked(body)
    text = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text.startswith(b"<"):
        return _listed_in_text(text), []
    try:
        root = parse_xml(text, recover=True)
    except WebragError as error:
        raise _no_sitemap() from error
    pages: list[str] = []
    further: list[str] = []
    kind = local_name(root)
    if kind not in ("urlset", "sitemapindex"):
        raise _no_sitemap()
    for entry in root:
        for part in entry:
            if local_name(part) == "loc" and part.text and part.text.strip():
                (pages if kind == "urlset" else further).append(part.text.strip())
    return pages, further


def _unpacked(body: bytes) -> bytes:
    """What a packed sitemap holds, within the size that one may have."""
    unpacked = bytearray()
    for piece in decoded([body], "gzip"):
        unpacked += piece
        if len(unpacked) > LARGEST_SITEMAP:
            raise _no_sitemap()
    return bytes(unpacked)


def _listed_in_text(text: bytes) -> list[str]:
    lines = [line.strip() for line in text.decode("utf-8", "replace").splitlines()]
    # In lower case only: with any other line the whole text is no sitemap.
    pages = [line for line in lines if line.startswith(("http://", "https://"))]
    if not pages or len(pages) < len([line for line in lines if line]):
        raise _no_sitemap()
    return pages


def _no_sitemap() -> FetchError:
    return FetchError(
        "The site has no sitemap that can be read",
        "Capture it by its links instead: a section, or the whole site.",
    )
