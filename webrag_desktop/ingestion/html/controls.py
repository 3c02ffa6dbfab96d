"""Controls of a page that are written as words (share, like, reply), and what a page shows twice, such as chapters."""

import re
from collections.abc import Sequence

from turbohtml import Element, Node

from webrag_desktop.ingestion.html.segments import HEADINGS, Segment

_ACTIONS = re.compile(
    r"(?:share(?: (?:this|on|via|with|to) .{1,30}| this| video| post| article)?|tweet(?: this)?|pin(?: it)?|"
    r"e-?mail(?: this)?|print(?: this)?(?: page)?|copy(?: link| url)?|save(?: for later)?|bookmark|(?:dis)?likes?|"
    r"upvotes?|downvotes?|votes?|repl(?:y|ies)|quote|report(?: (?:this|post|abuse|video))?|flag|follow(?: us| me)?|"
    r"subscribe|subscribed|views?|watch later|clip|download|embed|comments?|add (?:a )?comment|show (?:more|less)|"
    r"read more|see (?:more|less|all)|view all|transcript|show transcript|facebook|twitter|x|linkedin|reddit|whatsapp|"
    r"telegram|pinterest|mastodon|bluesky|play|pause|mute|unmute|full ?screen|settings|log ?in|sign (?:in|up)|join|"
    r"permalink|top|next|previous|back)",
    re.IGNORECASE,
)
_COUNT = re.compile(r"[#·•|,.()\-–—/]*|#?\d[\d,.]*\s*[KMB]?", re.IGNORECASE)
_ACT = re.compile(
    r"share|tweet|like|dislike|reply|report|follow|subscribe|upvote|downvote|save|copy|e-?mail|facebook|twitter",
    re.IGNORECASE,
)
_KEPT = frozenset({*HEADINGS, "table", "pre", "figure", "dl", "blockquote"})
_LONGEST = 200  # characters of a row of controls
_AROUND = 4  # blocks before and behind one, in the same container and of the same kind
_FEWEST_ENTRIES = 4  # of these, which are short but no controls: it is an entry of an index as they are
_LONGEST_ENTRY = 60  # characters
_FEWEST_ITEMS = 3  # of a list that is shown again
_FEWEST_BLOCKS = 3  # in a row that are shown again
_MOST_REPEATED = 0.3  # of the text
_LONG_ENOUGH = 40  # characters of what is shown again


def without_controls(found: Sequence[Segment]) -> list[Segment]:
    """The blocks of a page that is no documentation, without its controls and without what it shows twice.

    Controls are blocks all of whose pieces are names of actions or counts. Shown twice is a list of three items or
    more, or three blocks in a row, in the same words as before; words that are quoted stay. So do those that are words
    among others, as in an index.
    """
    controls = [_is_control(segment.element) for segment in found]
    if any(controls):
        entries = _entries(found, controls)
        found = [segment for place, segment in enumerate(found) if not controls[place] or place in entries]
    return _without_repeats(found)


def _entries(found: Sequence[Segment], controls: Sequence[bool]) -> set[int]:
    """Places of what reads like a control but stands in a row of short blocks that are none."""
    rows: dict[tuple[Node | None, str, str | None], list[int]] = {}
    for place, segment in enumerate(found):
        element = segment.element
        rows.setdefault((element.parent, element.tag, element.attr("class")), []).append(place)
    entries: set[int] = set()
    for row in rows.values():
        for at, place in enumerate(row):
            if controls[place]:
                near = [*row[max(0, at - _AROUND) : at], *row[at + 1 : at + 1 + _AROUND]]
                others = [one for one in near if not controls[one] and _is_short(found[one].element)]
                if len(others) >= max(_FEWEST_ENTRIES, len(near) / 2):
                    entries.add(place)
    return entries


def _is_short(element: Element) -> bool:
    return 0 < len(element.text.strip()) <= _LONGEST_ENTRY


def _is_control(element: Element) -> bool:
    if element.tag in _KEPT or not 0 < len(element.text.strip()) <= _LONGEST:
        return False
    pieces = [" ".join(piece.split()) for piece in element.stripped_strings]
    if not all(_ACTIONS.fullmatch(piece) or _COUNT.fullmatch(piece) for piece in pieces):
        return False
    return any(_ACT.match(piece) for piece in pieces)


def _without_repeats(found: Sequence[Segment]) -> list[Segment]:
    keys = [
        "" if segment.around else "".join(segment.element.text.split()).lower() for segment in found
    ]  # what is quoted is no repeat
    places: dict[tuple[str, ...], int] = {}
    gone: set[int] = set()
    for place, segment in enumerate(found):
        run = tuple(keys[place : place + _FEWEST_BLOCKS])
        if len(run) == _FEWEST_BLOCKS and all(run) and sum(map(len, run)) >= _LONG_ENOUGH:
            first = places.setdefault(run, place)
            if place - first >= _FEWEST_BLOCKS:
                gone.update(range(place, place + _FEWEST_BLOCKS))
        if segment.element.tag in {"ul", "ol"} and len(keys[place]) >= _LONG_ENOUGH:
            first = places.setdefault((keys[place],), place)
            if first < place and len(segment.element.select("li")) >= _FEWEST_ITEMS:
                gone.add(place)
    if sum(len(keys[place]) for place in gone) > _MOST_REPEATED * sum(map(len, keys)):
        return list(found)  # a page of lists
    return [segment for place, segment in enumerate(found) if place not in gone]
