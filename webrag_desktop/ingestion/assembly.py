"""Blocks joined into the one markdown text that all offsets refer to, and which links of a document are kept."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import TypeAdapter

from webrag_desktop.errors import ExtractionError
from webrag_desktop.models.documents import Block, ContentFlags, Link
from webrag_desktop.models.metadata import NO_METADATA, DocumentMetadata
from webrag_desktop.text.links import is_web
from webrag_desktop.text.printable import CONTROLS, SURROGATES

LONGEST_MARKDOWN = 100_000_000  # characters; expansion of a hostile page ends here
LONGEST_HEADING = 500  # characters; titles and heading paths precede every chunk
_SEPARATOR = "\n\n"
_BLOCKS = TypeAdapter(tuple[Block, ...])  # all at once, which costs a third
_LINKS = TypeAdapter(tuple[Link, ...])


class DraftLink(NamedTuple):
    """A link in a block: its address, its words, and its types."""

    url: str
    text: str
    rel: tuple[str, ...] = ()


class DraftBlock(NamedTuple):
    """A block before it has its place; ``heading`` is level and words when it is a heading."""

    markdown: str
    html: str | None = None
    heading: tuple[int, str] | None = None
    anchor: str | None = None
    page: int | None = None
    flags: ContentFlags = ContentFlags()
    links: tuple[DraftLink, ...] = ()


@dataclass(frozen=True)
class AssembledText:
    """Markdown, its blocks with exact offsets, and the links in them."""

    markdown: str
    blocks: tuple[Block, ...]
    links: tuple[Link, ...] = ()


@dataclass(frozen=True)
class ReadDocument:
    """What a reader finds in a capture: its text, and what the document says of itself."""

    text: AssembledText
    metadata: DocumentMetadata = NO_METADATA


class HeadingStack:
    """The headings above a position, outermost first; ``path`` holds their words."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []
        self.path: tuple[str, ...] = ()

    def push(self, level: int, title: str) -> None:
        """Enter the section of a heading; sections of its level and below end. Long headings are cut."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, title[:LONGEST_HEADING].rstrip()))
        self.path = tuple(title for _, title in self._open)


def assemble(drafts: Iterable[DraftBlock]) -> AssembledText:
    """Join drafts with blank lines; empty ones are left out, heading paths and offsets are filled in.

    Raises :class:`~webrag_desktop.errors.ExtractionError` above :data:`LONGEST_MARKDOWN`.
    """
    parts: list[str] = []
    blocks: list[dict[str, object]] = []
    links: list[dict[str, object]] = []
    headings = HeadingStack()
    position = 0
    for draft in drafts:
        if not draft.markdown:
            continue
        if parts:
            position += len(_SEPARATOR)
        if draft.heading is not None:
            headings.push(*draft.heading)
        end = position + len(draft.markdown)
        if end > LONGEST_MARKDOWN:
            raise ExtractionError(
                "The page holds more text than can be read", "Add the part you need as a file."
            )
        parts.append(draft.markdown)
        blocks.append(_block(draft, position, end, headings.path))
        if draft.links:
            heading = headings.path[-1] if headings.path else None
            links += [
                {"url": url, "text": text, "rel": rel, "char_start": position, "heading": heading}
                for url, text, rel in draft.links
            ]
        position = end
    return AssembledText(_SEPARATOR.join(parts), _BLOCKS.validate_python(blocks), made_links(links))


def made_links(stated: list[dict[str, object]]) -> tuple[Link, ...]:
    """Links of their fields, which takes half the time of making one by one."""
    return _LINKS.validate_python(stated)


def _block(draft: DraftBlock, start: int, end: int, path: tuple[str, ...]) -> dict[str, object]:
    return {
        "char_start": start,
        "char_end": end,
        "html": draft.html,
        "heading_path": path,
        "anchor": draft.anchor,
        "page": draft.page,
        "flags": draft.flags,
    }


MOST_CONTENT_LINKS = 5000  # of one document; what is more is only counted
MOST_NAVIGATION_LINKS = 2000
LONGEST_ADDRESS = 2048  # characters
LONGEST_WORDS = 500  # characters
# Most addresses; what is written otherwise is parsed, which takes ten times as long.
_PLAIN = re.compile(r"https?://[A-Za-z0-9.-]*[A-Za-z0-9](?:/[!-~]*+)?+", re.ASCII)
_CONTROL = re.compile(f"[{CONTROLS}{SURROGATES}]")


def leads_to_the_web(address: str) -> bool:
    """Whether an absolute address names a host to be asked by http or https, in no more than 2,048 characters."""
    if len(address) > LONGEST_ADDRESS:
        return False
    if _PLAIN.fullmatch(address):
        return True
    if not is_web(address):
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
        url, place = link.url, link.place
        if not (leads_to_the_web(url) or url.startswith("file://")):
            continue
        if len(kept[place]) == room[place]:
            left_out += 1
            continue
        kept[place].append(link if len(link.text) <= LONGEST_WORDS else _shortened(link))
    return (*kept["content"], *kept["navigation"]), left_out


def _shortened(link: Link) -> Link:
    return link.model_copy(update={"text": link.text[:LONGEST_WORDS].rstrip()})
