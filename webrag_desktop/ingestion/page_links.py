"""Which links of a document are kept: addresses that can be followed, in bounded number and length."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from webrag_desktop.models.documents import Link

MOST_CONTENT_LINKS = 5000  # of one document; what is more is only counted
MOST_NAVIGATION_LINKS = 2000
LONGEST_ADDRESS = 2048  # characters
LONGEST_WORDS = 500  # characters
_SCHEMES = ("http://", "https://")
# Most addresses; what is written otherwise is looked at closely, which takes ten times as long.
_PLAIN = re.compile(r"https?://[A-Za-z0-9.-]*[A-Za-z0-9](?:/[!-~]*+)?+", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def leads_to_the_web(address: str) -> bool:
    """Whether an absolute address names a host to be asked by http or https, in no more than 2,048 characters."""
    if len(address) > LONGEST_ADDRESS:
        return False
    if _PLAIN.fullmatch(address):
        return True
    if not address[:8].lower().startswith(_SCHEMES):
        return False
    if _CONTROL.search(address):
        return False
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.username is None and (parts.port or 1) > 0
    except ValueError:  # not an address
        return False


def kept_links(links: Iterable[Link]) -> tuple[tuple[Link, ...], int]:
    """The links of a document as far as they are kept, content first, and how many were too many.

    Addresses that lead nowhere are not links. Files of this computer are, where the reader found them in one.
    """
    room = {"content": MOST_CONTENT_LINKS, "navigation": MOST_NAVIGATION_LINKS}
    kept: dict[str, list[Link]] = {"content": [], "navigation": []}
    left_out = 0
    for link in links:
        if not (link.url.startswith("file://") or leads_to_the_web(link.url)):
            continue
        if len(kept[link.place]) == room[link.place]:
            left_out += 1
            continue
        kept[link.place].append(_shortened(link))
    return (*kept["content"], *kept["navigation"]), left_out


def _shortened(link: Link) -> Link:
    if len(link.text) <= LONGEST_WORDS:
        return link
    return link.model_copy(update={"text": link.text[:LONGEST_WORDS].rstrip()})
