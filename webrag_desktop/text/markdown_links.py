"""Links and pictures in Markdown: the sentences that links are in, and what pictures are described and addressed by."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from webrag_desktop.text.markdown_grammar import DEFINITION, without_escapes
from webrag_desktop.text.plain_blocks import link_definitions
from webrag_desktop.text.plain_inline import InlineStyle, link_target, normal_label
from webrag_desktop.text.plain_text import PlainText, project_blocks
from webrag_desktop.text.sentences import Sentence, split_sentences

_LONGEST = 200_000  # characters of one block that are looked through
_LONGEST_SENTENCE = 1000
_LABEL = re.compile(r"\[([^\[\]]{1,999})\]")


class PlacedLink(NamedTuple):
    """A link by its address and words, in the block that begins at ``char_start`` of the markdown."""

    char_start: int
    url: str
    text: str


def linked_sentences(markdown: str, links: Sequence[PlacedLink]) -> list[str]:
    """The sentence around each of these links, in their order; empty where the link is not found.

    White space is a blank, markup is left out, and what is longer than 1,000 characters is cut. ``links`` are in the
    order of the text. Takes time in proportion to the length of the blocks that they are in.
    """
    found: list[str] = []
    targets = link_definitions(markdown)
    blocks = [(start, list(group)) for start, group in groupby(links, key=lambda link: link.char_start)]
    following = [start for start, _here in blocks[1:]]
    for (start, here), after in zip(blocks, [*following, len(markdown)], strict=False):  # there may be none
        stop = after if start < after < start + _LONGEST else start + _LONGEST
        found.extend(_in_block(markdown[start:stop], here, targets))
    return found


def _in_block(text: str, links: list[PlacedLink], targets: Mapping[str, str]) -> Iterator[str]:
    """``text`` begins with the block, and ends before the next that has links."""
    block = text[: _end(text, links)]
    plain, blocks = project_blocks(block + _definitions(block, targets))
    styles = [style for one in blocks for style in one.styles if style.style == "link"]
    sentences = split_sentences(block)
    at = 0
    for link in links:
        place = _place(plain, styles, link, at)
        if place is None:
            yield ""
            continue
        at = place + 1
        yield _sentence(plain, sentences, styles[place])


def _definitions(block: str, targets: Mapping[str, str]) -> str:
    """The lines that define the labels of a block, which are elsewhere in the text."""
    labels = dict.fromkeys(normal_label(found[1]) for found in _LABEL.finditer(block)) if targets else ()
    return "".join(f"\n\n[{label}]: <{targets[label]}>" for label in labels if label in targets)


def _end(text: str, links: list[PlacedLink]) -> int:
    """Where the paragraph of the last of these links ends, whatever blank lines are inside the block before it."""
    last = 0
    for link in links:
        last = _written(text, link, last) or last
    end = text.find("\n\n", last)
    return end if end >= 0 else len(text)


def _written(text: str, link: PlacedLink, start: int) -> int | None:
    """Where a link ends; None where it is not found. An address that only defines a label is elsewhere."""
    place = text.find(link.url, start)
    if place >= 0 and not _defines(text, place):
        return place + len(link.url)
    words = text.find(link.text, start) if link.text else -1
    return words + len(link.text) if words >= 0 else None


def _defines(text: str, place: int) -> bool:
    """Whether a line only gives the address at ``place`` a label."""
    line = DEFINITION.match(text, text.rfind("\n", 0, place) + 1)
    return line is not None and line.start(2) == place - text.startswith("<", line.start(2))


def _place(plain: PlainText, styles: list[InlineStyle], link: PlacedLink, at: int) -> int | None:
    """Which of the links found is this one; the next of its address, else of its words."""
    for place in range(at, len(styles)):
        if styles[place].target == link.url:
            return place
    for place in range(at, len(styles)):
        if " ".join(plain.text[styles[place].start : styles[place].end].split()) == link.text:
            return place
    return None


def _sentence(plain: PlainText, sentences: list[Sentence], style: InlineStyle) -> str:
    start, _end = plain.to_markdown_span(style.start, style.end)
    around = next((one for one in sentences if one.start <= start < one.end), None)
    if around is None:
        return ""
    return " ".join(plain.reading(around.start, around.end).split())[:_LONGEST_SENTENCE].rstrip()


_IMAGE = re.compile(
    r"!\[(?P<alt>(?:\\.|[^\[\]\\]){0,2000})\]"
    r"\((?P<url><[^<>\n]{1,4000}>|(?:[^()\s]|\([^()\s]*\))+)(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
)


class MarkdownImage(NamedTuple):
    """A picture at ``[start, end)`` of a text; ``alt`` is on one line, ``url`` the address as it is followed."""

    start: int
    end: int
    alt: str
    url: str


def markdown_images(text: str) -> Iterator[MarkdownImage]:
    """The pictures of a text, in order."""
    for found in _IMAGE.finditer(text):
        alt = " ".join(without_escapes(found["alt"]).split())
        yield MarkdownImage(found.start(), found.end(), alt, link_target(found["url"]))


def without_images(text: str) -> str:
    """The text without its pictures."""
    return _IMAGE.sub("", text)


def data_uris(text: str) -> list[tuple[int, int]]:
    """Where addresses are that are pictures themselves, and mean nothing to readers of the text."""
    return [found.span("url") for found in _IMAGE.finditer(text) if found["url"].lower().startswith("data:")]
