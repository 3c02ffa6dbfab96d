"""The stretch of a passage that is judged: what lies around its best child, ending where sentences end."""

from collections.abc import Sequence

from webrag_desktop.text.sentences import Sentence, split_sentences


def window(text: str, focus_start: int, focus_end: int, limit: int) -> tuple[int, int]:
    """The ``[start, end)`` of at most ``limit`` characters of ``text`` around a focus.

    It begins and ends with whole sentences where that leaves the focus whole, else between words, else anywhere. A
    focus that is itself too long is shown from its beginning.
    """
    if len(text) <= limit:
        return 0, len(text)
    focus_start = min(max(focus_start, 0), len(text))
    focus_end = min(max(focus_end, focus_start), focus_start + limit, len(text))
    room = limit - (focus_end - focus_start)
    end = min(len(text), max(focus_start - room // 2, 0) + limit)
    start = end - limit
    sentences = split_sentences(text)
    first = _begin(text, start, focus_start, sentences) if start else 0
    last = _stop(text, end, max(focus_end, first + 1), sentences) if end < len(text) else end
    return first, last


def _begin(text: str, start: int, latest: int, sentences: Sequence[Sentence]) -> int:
    """The first beginning of a sentence, else of a word, from ``start`` to ``latest``."""
    if found := next((one.start for one in sentences if start <= one.start <= latest), None):
        return found
    words = (
        at for at in range(start, latest + 1) if text[at - 1].isspace() and not text[at : at + 1].isspace()
    )
    return next(words, start)


def _stop(text: str, end: int, earliest: int, sentences: Sequence[Sentence]) -> int:
    """The last end of a sentence, else of a word, from ``earliest`` to ``end``."""
    if found := next((one.end for one in reversed(sentences) if earliest <= one.end <= end), None):
        return found
    words = (at for at in range(end, earliest - 1, -1) if text[at].isspace() and not text[at - 1].isspace())
    return next(words, end)
