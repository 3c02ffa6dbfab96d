"""Headings of a book's chapters, made to agree with its table of contents."""

from collections.abc import Sequence

from turbohtml import Element, Text

from webrag_desktop.ingestion.epub.package import ContentsEntry

_HEADINGS = "h1,h2,h3,h4,h5,h6"
_DEEPEST = 6
_TITLE_LIKE = "p,div,span,b,strong"
_FIRST_ELEMENTS = 12  # of a chapter or a place, in which its title may stand as a plain paragraph
_MOST_SKIPPED = 8  # entries of the contents between two headings that are not found


class HeadingLevels:
    """Levels of headings through a book; many books set the title of every section as if it were a chapter's."""

    def __init__(self) -> None:
        self._outermost: int | None = None

    def sink(self, body: Element, entries: Sequence[ContentsEntry]) -> None:
        """Lower headings that stand higher than the contents list them, with those below them."""
        shift, first = 0, 0
        for heading in body.select(_HEADINGS):
            level, near = int(heading.tag[1]), entries[first : first + _MOST_SKIPPED]
            found = next((at for at, entry in enumerate(near) if _names(heading, entry)), None)
            if found is not None:
                first += found + 1
                depth = near[found].depth
                self._outermost = depth if self._outermost is None else min(self._outermost, depth)
                shift = max(0, depth - self._outermost + 1 - level)
            if shift:
                heading.tag = f"h{min(_DEEPEST, level + shift)}"


def _names(heading: Element, entry: ContentsEntry) -> bool:
    """Whether a heading is that of an entry; one of both may have a number or “Chapter” before it."""
    shown, listed = _words(heading.text), _words(entry.title)
    return shown == listed or shown.endswith(f" {listed}") or listed.endswith(f" {shown}")


def name_parts(body: Element, entries: Sequence[ContentsEntry]) -> None:
    """Head the parts of a chapter without headings with their titles in the table of contents."""
    if not entries or body.select_one(_HEADINGS) is not None:
        return
    places = {part.attr("id"): part for part in reversed(body.select("[id]"))}
    for entry in entries:
        place = places.get(entry.fragment, body)
        heading = Element(f"h{entry.depth + 1}", {}, [Text(entry.title)])
        shown = next((part for part in _first_parts(place) if _same_words(part, entry.title)), None)
        if shown is not None:
            if shown.attr("id"):
                heading.attrs["id"] = shown.attr("id") or ""
            shown.replace_with(heading)
        elif place is body:
            body.insert(0, heading)
        else:
            place.insert_before(heading)


def _first_parts(place: Element) -> list[Element]:
    around = [place] if place.matches(_TITLE_LIKE) else []
    return [*around, *place.select(_TITLE_LIKE)[:_FIRST_ELEMENTS]]


def _same_words(part: Element, title: str) -> bool:
    return _words(part.text) == _words(title)


def _words(text: str) -> str:
    return " ".join(text.split()).casefold()
