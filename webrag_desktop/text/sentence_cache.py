"""The sentence cache: the sentences of a child as they are stored with it, so that a search need not split its text."""

import struct
from collections.abc import Sequence

from webrag_desktop.text.sentences import split_sentences
from webrag_desktop.text.spans import Span

# Raise it whenever the same text is split otherwise: what was cached by other rules is not used.
RULES = 1

_LONGEST = 2**16 - 1  # characters: each place is stored in two bytes


def readable_sentences(text: str, cached: bytes | None = None) -> Sequence[Span]:
    """The sentences of a text without headings, which name evidence but are none, unless there is nothing else.

    Read from ``cached`` where that was encoded by the same rules, else found in the text.
    """
    if cached and cached[0] == RULES:
        numbers = struct.unpack_from(f"<{len(cached) // 2}H", cached, 1)
        return list(zip(numbers[::2], numbers[1::2], strict=True))
    return _found(text)


def encode_sentences(text: str) -> bytes | None:
    """What to store of a text for :func:`readable_sentences`; None where the text is too long for that."""
    if len(text) > _LONGEST:
        return None
    numbers = [number for span in _found(text) for number in span]
    return struct.pack(f"<B{len(numbers)}H", RULES, *numbers)


def _found(text: str) -> list[Span]:
    sentences = split_sentences(text)
    wordy = [sentence for sentence in sentences if sentence.kind != "mark"]
    body = [sentence for sentence in wordy if sentence.kind != "heading"]
    return [(one.start, one.end) for one in body or wordy or sentences] or [(0, len(text))]
