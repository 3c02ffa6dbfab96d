"""Article-like pages: trafilatura decides which blocks belong to the article; conversion stays ours."""

import re

from webrag_desktop.ingestion.charsets import codec_of
from webrag_desktop.ingestion.html_segments import HEADINGS, Segment
from webrag_desktop.models import Capture

LARGEST_PAGE = 2_000_000  # bytes; above, the library takes many seconds
MOST_BLOCKS = 3_000  # the library's time grows with the square of it
_KEPT_STRUCTURE = 0.7  # share of headings and tables that must survive, else our own rules decide
_KEPT_TEXT = 0.25  # share of the text that must survive
_SHORT = 25  # characters below which a block must be a whole line of the article
_TOO_LITTLE = 250  # characters of text that need no choosing
_SPACE = re.compile(r"\W+")


def article_segments(found: list[Segment], capture: Capture, encoding: str | None) -> list[Segment]:
    """The segments that belong to the article, or all of them when that would lose too much."""
    if len(capture.body) > LARGEST_PAGE or len(found) > MOST_BLOCKS:
        return found
    if sum(len(segment.element.text) for segment in found) < _TOO_LITTLE:
        return found
    article = _article_text(capture.body.decode(codec_of(encoding or "") or "utf-8", "replace"))
    if not article:
        return found
    lines = {_key(line) for line in article.split("\n")}
    whole = _key(article)
    chosen = [_belongs(segment, lines, whole) for segment in found]
    kept = [segment for place, segment in enumerate(found) if chosen[place] or _illustrates(found, chosen, place)]
    kept = _with_headline(found, kept)
    return kept if _is_enough(found, kept) else found


def _article_text(html: str) -> str:
    import trafilatura

    text = trafilatura.extract(html, include_comments=False, include_tables=True)
    return text or ""


def _key(text: str) -> str:
    return _SPACE.sub("", text).lower()


def _belongs(segment: Segment, lines: set[str], whole: str) -> bool:
    key = _key(segment.element.text)
    if not key:
        return segment.element.select_one("img") is not None and segment.element.tag == "figure"
    if len(key) < _SHORT:
        return key in lines
    if key in whole:
        return True
    pieces = [key[start : start + _SHORT] for start in range(0, len(key) - _SHORT + 1, _SHORT)]
    return sum(piece in whole for piece in pieces) > len(pieces) / 2


def _illustrates(found: list[Segment], chosen: list[bool], place: int) -> bool:
    """Whether a block is a picture without words between two blocks of the article."""
    between = 0 < place < len(found) - 1 and chosen[place - 1] and chosen[place + 1]
    return between and not _key(found[place].element.text) and found[place].element.select_one("img") is not None


def _with_headline(found: list[Segment], kept: list[Segment]) -> list[Segment]:
    """The article's own title is metadata to the library; here it stays a heading."""
    headline = next((segment for segment in found if segment.element.tag == "h1"), None)
    if headline is None or not kept or headline in kept:
        return kept
    return [headline, *kept]


def _is_enough(found: list[Segment], kept: list[Segment]) -> bool:
    for tags in (HEADINGS, ("table",)):
        before = sum(segment.element.tag in tags for segment in found)
        after = sum(segment.element.tag in tags for segment in kept)
        if before >= 3 and after < _KEPT_STRUCTURE * before:
            return False
    length = sum(len(segment.element.text) for segment in found)
    return sum(len(segment.element.text) for segment in kept) >= _KEPT_TEXT * length
