"""Article-like pages: trafilatura decides which blocks belong to the article; conversion stays ours."""

import re

from webrag_desktop.ingestion.charsets import codec_of
from webrag_desktop.ingestion.html_segments import HEADINGS, Segment
from webrag_desktop.models import Capture

LARGEST_PAGE = 2_000_000  # bytes; above, the library takes many seconds
MOST_BLOCKS = 3_000  # the library's time grows with the square of it
_KEPT_STRUCTURE = 0.7  # share of headings and tables that must survive, else our own rules decide
_KEPT_TEXT = 0.25  # share of the text that must survive
_LONG_ARTICLE = 1500  # characters that are an article, whatever else stands on the page
_SHORT = 25  # characters below which a block must be a whole line of the article
_TOO_LITTLE = 250  # characters of text that need no choosing
_SPACE = re.compile(r"\W+")


def article_segments(
    found: list[Segment], capture: Capture, encoding: str | None, title: str | None = None
) -> list[Segment]:
    """The segments that belong to the article, or all of them when that would lose too much.

    A headline that the library leaves out stays, unless it is the ``title`` of the document anyway.
    """
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
    for place in range(len(found)):
        chosen[place] = chosen[place] or _stands_between(found, chosen, place)
    kept = [segment for segment, belongs in zip(found, chosen, strict=True) if belongs]
    return _with_headline(found, kept, title) if _is_enough(found, chosen) else found


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


def _stands_between(found: list[Segment], chosen: list[bool], place: int) -> bool:
    """Whether a block is a heading or a picture without words between blocks of the article.

    A heading opens what comes next; the library may leave it out where it keeps its section.
    """
    if not 0 < place < len(found) - 1 or not chosen[place - 1] or not chosen[place + 1]:
        return False
    element = found[place].element
    return element.tag in HEADINGS or (not _key(element.text) and element.select_one("img") is not None)


def _with_headline(found: list[Segment], kept: list[Segment], title: str | None) -> list[Segment]:
    headline = next((segment for segment in found if segment.element.tag == "h1"), None)
    if headline is None or not kept or headline in kept or _key(headline.element.text) == _key(title or ""):
        return kept
    return [headline, *kept]


def _is_enough(found: list[Segment], chosen: list[bool]) -> bool:
    """Whether the choice keeps the article's structure, and is not a small part of a page of another kind.

    What stands before the first and after the last chosen block is beside the article.
    """
    if not any(chosen):
        return False
    first, last = chosen.index(True), len(chosen) - chosen[::-1].index(True)
    inside = list(zip(found[first:last], chosen[first:last], strict=True))
    for tags in (HEADINGS, ("table",)):
        kept = [belongs for segment, belongs in inside if segment.element.tag in tags]
        if len(kept) >= 3 and sum(kept) < _KEPT_STRUCTURE * len(kept):
            return False
    length = sum(len(segment.element.text) for segment, belongs in inside if belongs)
    return length >= min(_LONG_ARTICLE, _KEPT_TEXT * sum(len(segment.element.text) for segment in found))
