"""Pictures in a markdown text: what is said of them, and where they lie."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from webrag_desktop.text.plain_inline import link_target

_IMAGE = re.compile(
    r"!\[(?P<alt>(?:\\.|[^\[\]\\]){0,2000})\]"
    r"\((?P<url><[^<>\n]{1,4000}>|(?:[^()\s]|\([^()\s]*\))+)(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


class MarkdownImage(NamedTuple):
    """A picture at ``[start, end)`` of a text; ``alt`` is on one line, ``url`` the address as it is followed."""

    start: int
    end: int
    alt: str
    url: str


def markdown_images(text: str) -> Iterator[MarkdownImage]:
    """The pictures of a text, in order."""
    for found in _IMAGE.finditer(text):
        alt = " ".join(_ESCAPED.sub(r"\1", found["alt"]).split())
        yield MarkdownImage(found.start(), found.end(), alt, link_target(found["url"]))


def without_images(text: str) -> str:
    """The text without its pictures."""
    return _IMAGE.sub("", text)


def data_uris(text: str) -> list[tuple[int, int]]:
    """Where addresses stand that are pictures themselves, and say nothing to whoever reads the text."""
    return [found.span("url") for found in _IMAGE.finditer(text) if found["url"].lower().startswith("data:")]
