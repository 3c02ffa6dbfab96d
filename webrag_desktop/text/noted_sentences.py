"""Where the sentences of a child stand, noted when it is indexed, so that no question has to look for them."""

import struct
from collections.abc import Sequence

from webrag_desktop.text.sentences import split_sentences

# Raise it whenever other sentences come out of the same text: what was noted by other rules is looked for anew.
RULES = 1

_LONGEST = 2**16 - 1  # what two bytes count

Stretch = tuple[int, int]


def readable_sentences(text: str, noted: bytes | None = None) -> Sequence[Stretch]:
    """The sentences of a text without headings, which name evidence but are none, unless there is nothing else.

    As they were ``noted``, where that was done by these rules; else they are looked for.
    """
    if noted and noted[0] == RULES:
        numbers = struct.unpack_from(f"<{len(noted) // 2}H", noted, 1)
        return list(zip(numbers[::2], numbers[1::2], strict=True))
    return _found(text)


def note_sentences(text: str) -> bytes | None:
    """What to keep of a text for :func:`readable_sentences`; None where it is too long for that."""
    if len(text) > _LONGEST:
        return None
    numbers = [number for stretch in _found(text) for number in stretch]
    return struct.pack(f"<B{len(numbers)}H", RULES, *numbers)


def _found(text: str) -> list[Stretch]:
    sentences = split_sentences(text)
    wordy = [sentence for sentence in sentences if sentence.kind != "mark"]
    body = [sentence for sentence in wordy if sentence.kind != "heading"]
    return [(one.start, one.end) for one in body or wordy or sentences] or [(0, len(text))]
