"""Which headings of a page belong to its article: those whose words do."""

from collections.abc import Sequence

from turbohtml import Element

from webrag_desktop.ingestion.html.segments import HEADINGS, Segment

_SEVERAL = 2  # chosen blocks that make a post
_BYLINE = 40  # characters that author and date may take
_BYLINES = 2  # lines of them


def add_openings(found: Sequence[Segment], keys: Sequence[str], chosen: list[bool]) -> None:
    """Headings whose words are in the article: right above them, or with a byline between as posts have it.

    The one before the first chosen block is the headline, unless later ones are its like: a list of posts.
    """
    first = chosen.index(True) if True in chosen else len(chosen)
    kinds: set[tuple[str, str | None]] = set()
    blocks = apart = 0  # chosen since the next heading; short lines left out above the first of them
    for place in range(len(found) - 1, -1, -1):
        element = found[place].element
        if not keys[place] or element.tag == "figure":
            continue
        if not _is_heading(found[place]):
            if chosen[place]:
                blocks, apart = blocks + 1, 0
            elif len(keys[place]) < _BYLINE:
                apart += 1
            else:
                blocks = 0
            continue
        kind = (element.tag, element.parent.attr("class") if isinstance(element.parent, Element) else None)
        near = blocks > 0 and not apart and not _is_link(element)
        opens = near or (blocks >= _SEVERAL and apart <= _BYLINES and _heads_post(element))
        if opens and (place > first or kind in kinds):
            chosen[place] = True
            kinds.add(kind)
        blocks = apart = 0


def _heads_post(element: Element) -> bool:
    post = element.closest("article")
    return post is not None and post.select_one(",".join(HEADINGS)) == element


def _is_link(element: Element) -> bool:
    return sum(len(link.text) for link in element.select("a[href]")) > len(element.text) / 2


def drop_loose_headings(found: Sequence[Segment], keys: Sequence[str], chosen: list[bool]) -> None:
    """Headings without a chosen block before the next heading, or right above one, open something else."""
    first = next(
        (place for place, belongs in enumerate(chosen) if belongs and not _is_heading(found[place])), 0
    )
    opens = follows = False  # whether words of the article, or such a heading, come next
    for place in range(len(found) - 1, first, -1):
        if not keys[place]:
            continue
        if _is_heading(found[place]):
            chosen[place] = chosen[place] and (opens or follows)
            opens, follows = False, chosen[place]
        else:
            opens, follows = opens or chosen[place], False


def _is_heading(segment: Segment) -> bool:
    return segment.element.tag in HEADINGS
