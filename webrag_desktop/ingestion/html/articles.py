"""Article-like pages: trafilatura decides which blocks belong to the article; conversion stays ours."""

import re
from collections import Counter
from collections.abc import Sequence

from webrag_desktop.ingestion.charsets import codec_of
from webrag_desktop.ingestion.html.article_headings import add_openings, drop_loose_headings
from webrag_desktop.ingestion.html.article_marks import Claim
from webrag_desktop.ingestion.html.article_shape import Shape, is_article
from webrag_desktop.ingestion.html.segments import Segment
from webrag_desktop.models import Capture

LARGEST_PAGE = 2_000_000  # bytes; above, the library takes many seconds
MOST_BLOCKS = 3_000  # the library's time grows with the square of it
_SHORT = 25  # characters below which a block must be a whole line of the article
_TOO_LITTLE = 250  # characters of text that need no choosing
_STRUCTURE = frozenset({"table", "pre", "dl"})
_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\W+")


def article_segments(
    found: list[Segment],
    capture: Capture,
    encoding: str | None,
    title: str | None = None,
    claim: Claim = Claim.NONE,
) -> list[Segment]:
    """The segments that belong to the article, or all of them when that would lose too much.

    ``claim`` is what the page says of itself. A headline that the library leaves out stays, unless it is the
    ``title`` of the document anyway.
    """
    if len(capture.body) > LARGEST_PAGE or len(found) > MOST_BLOCKS:
        return found
    if sum(len(segment.element.text) for segment in found) < _TOO_LITTLE:
        return found
    article = _article_text(capture.body.decode(codec_of(encoding or "") or "utf-8", "replace"))
    if not article:
        return found
    chosen = _choose(found, article)
    shape = Shape.of(found, chosen)
    if not is_article(shape, claim):
        return found
    home = shape.home()
    for place in shape.strays(home) if home is not None else ():
        chosen[place] = False
    return _with_headline(found, chosen, title)


def _article_text(html: str) -> str:
    import trafilatura

    text = trafilatura.extract(html, include_comments=False, include_tables=True)
    return text or ""


def _choose(found: Sequence[Segment], article: str) -> list[bool]:
    keys = [_key(segment.element.text) for segment in found]
    lines = Counter(_key(line) for line in article.split("\n"))
    whole = _key(article)
    chosen = [_belongs(segment, key, lines, whole) for segment, key in zip(found, keys, strict=True)]
    _drop_repeats(keys, chosen, lines, whole)
    add_openings(found, keys, chosen)
    _add_between(found, keys, chosen)
    drop_loose_headings(found, keys, chosen)
    return chosen


def _key(text: str) -> str:
    return _SPACE.sub("", text).lower()


def _belongs(segment: Segment, key: str, lines: Counter[str], whole: str) -> bool:
    if not key:
        return segment.element.select_one("img") is not None and segment.element.tag == "figure"
    if len(key) < _SHORT:
        return key in lines
    if key in whole:
        return True
    pieces = [key[start : start + _SHORT] for start in range(0, len(key) - _SHORT + 1, _SHORT)]
    return sum(piece in whole for piece in pieces) > len(pieces) / 2


def _drop_repeats(keys: Sequence[str], chosen: list[bool], lines: Counter[str], whole: str) -> None:
    """Of blocks with the same words, keep as many as the article holds, those among chosen blocks first."""
    places: dict[str, list[int]] = {}
    for place, (key, belongs) in enumerate(zip(keys, chosen, strict=True)):
        if belongs and key:
            places.setdefault(key, []).append(place)
    for key, repeated in places.items():
        if len(repeated) == 1:
            continue  # counting takes the length of the article
        held = lines[key] if len(key) < _SHORT else max(1, whole.count(key))
        if len(repeated) > held:
            repeated.sort(key=lambda place: (-_neighbours(chosen, place), place))
            for place in repeated[held:]:
                chosen[place] = False


def _neighbours(chosen: Sequence[bool], place: int) -> int:
    return sum(chosen[max(0, place - 2) : place + 3])


def _add_between(found: Sequence[Segment], keys: Sequence[str], chosen: list[bool]) -> None:
    """Pictures without words, tables and code between blocks of the article that stand beside them."""
    before = list(chosen)
    for place in range(1, len(found) - 1):
        element = found[place].element
        if chosen[place] or not before[place - 1] or not before[place + 1]:
            continue
        if element.tag in _STRUCTURE:
            chosen[place] = (
                found[place - 1].element.parent == element.parent == found[place + 1].element.parent
            )
        elif not keys[place]:
            chosen[place] = element.select_one("img") is not None


def _with_headline(found: list[Segment], chosen: Sequence[bool], title: str | None) -> list[Segment]:
    """The chosen segments, after the first-level heading before them that names the page in other words."""
    kept = [segment for segment, belongs in zip(found, chosen, strict=True) if belongs]
    named = set(_WORD.findall((title or "").casefold()))
    for segment in reversed(found[: chosen.index(True)]):
        if segment.element.tag != "h1" or _key(segment.element.text) == _key(title or ""):
            continue
        words = set(_WORD.findall(segment.element.text.casefold()))
        if 2 * len(words & named) > len(words):
            return [segment, *kept]
    return kept
