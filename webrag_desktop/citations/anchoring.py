"""Finding a quote again in a text that changed: by its words, then by what is around it, then by nearness."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice, takewhile

from webrag_desktop.citations.reading import QuoteAsRead, ReadText, WordIndex, nearest_first
from webrag_desktop.models.citations import AnchorState

MOST_PLACES = 1000  # whose surroundings are compared; a word of one letter is everywhere


@dataclass(frozen=True, slots=True)
class Anchored:
    """The state of a quote in a text: ``exact`` in its place, ``moved`` to ``[start, end)``, or ``lost``.

    ``as_rendered``: the words are the same, the markup or the spacing in between is not. Of a lost quote
    ``[start, end)`` is what is nearest to it, if anything is, and ``similarity`` the share of its words there: never to
    be shown as verified.
    """

    state: AnchorState
    start: int | None
    end: int | None
    as_rendered: bool = False
    similarity: float = 0.0


def reanchor(verbatim: str, prefix: str, suffix: str, old_start: int, markdown: str) -> Anchored:
    """Where ``verbatim``, which was at ``old_start`` of an older text, is in ``markdown``, letter for letter.

    Of several occurrences the one whose surroundings are most like ``prefix`` and ``suffix`` is taken, then the
    nearest to the old place, then the first. The very same words at the very same place are exact, unless they only
    came there from elsewhere while the quote with its surroundings is at another place.
    """
    if _is_in_place(verbatim, prefix, suffix, old_start, markdown):
        return Anchored("exact", old_start, old_start + len(verbatim))
    start = _best_place(verbatim, prefix, suffix, old_start, markdown)
    if start is None:
        return Anchored("lost", None, None)
    return Anchored("moved", start, start + len(verbatim))


def reanchor_as_read(
    found: Anchored, verbatim: str, quote: QuoteAsRead | None, text: ReadText, index: Callable[[], WordIndex]
) -> Anchored:
    """The same where markup and spacing may differ: words in the place where they were read before are exact.

    ``found`` is where they are letter for letter, ``quote`` how they read in the older text, None where they were
    markup alone. ``index`` finds what is nearest where they are lost.
    """
    if found.state == "exact" or quote is None:
        return found
    if _is_in_place(quote.words, quote.before, quote.after, quote.place, text.spaced.text):
        return _rendered("exact", quote.place, quote, verbatim, text)
    if found.state == "moved":
        return found
    place = _best_place(quote.words, quote.before, quote.after, quote.place, text.spaced.text)
    if place is not None:
        return _rendered("moved", place, quote, verbatim, text)
    near = index().nearest(quote.words)
    if near is None:
        return found
    start, end = text.to_markdown(near.start, near.end)
    return Anchored("lost", start, end, similarity=near.share)


def _rendered(state: AnchorState, place: int, quote: QuoteAsRead, verbatim: str, text: ReadText) -> Anchored:
    start, end = text.markdown_of(place, place + len(quote.words))
    # Marks at the ends of the quote belong to it where they are still there.
    at = text.markdown.find(verbatim, max(0, start - len(verbatim)), end + len(verbatim))
    if at >= 0:
        return Anchored(state, at, at + len(verbatim))
    return Anchored(state, start, end, as_rendered=True)


def _is_in_place(words: str, before: str, after: str, old_place: int, text: str) -> bool:
    if not text.startswith(words, old_place):
        return False
    whole = before + words + after
    return text.startswith(whole, old_place - len(before)) or whole not in text


def _best_place(words: str, before: str, after: str, old_place: int, text: str) -> int | None:
    """Where ``words`` are in ``text``, in the surroundings most like theirs; None where they are not found."""
    whole = nearest_first(before + words + after, old_place - len(before), text)
    as_it_was = next(whole, None)
    if as_it_was is not None:
        return as_it_was + len(before)
    places = islice(nearest_first(words, old_place, text), MOST_PLACES)

    def rank(start: int) -> tuple[int, int, int]:
        likeness = _likeness(text, start, start + len(words), before, after)
        return -likeness, abs(start - old_place), start

    return min(places, key=rank, default=None)


def _likeness(text: str, start: int, end: int, before: str, after: str) -> int:
    """How many characters next to ``[start, end)`` are those of the surroundings, counted outwards."""
    there = text[max(0, start - len(before)) : start]
    return _in_common(reversed(there), reversed(before)) + _in_common(text[end : end + len(after)], after)


def _in_common(one: Iterable[str], other: Iterable[str]) -> int:
    """How many characters are the same from the beginning on."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
