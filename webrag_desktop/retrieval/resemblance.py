"""Which of many texts may be near-duplicates at all: a look at three letters at a time, before words are compared.

Finding the words of every passage would take as long as the rest of a search. The runs of three bytes within words,
first and last letters marked, do not depend on the order of words; texts of nearly the same words have nearly the same.
"""

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

# Runs are put into so many bins by a hash of 16 bits; a passage of 4,000 characters fills about a fifth of them.
_BINS, _SPARE_BITS = 4096, 4
# The least Jaccard similarity of runs. Other passages of one language share up to .6, tables of one report up to .8,
# copies with a thirtieth of the words changed .93; only where few, very long words differ is a copy overlooked.
LEAST_RESEMBLANCE = 0.75
_SPACE = ord(" ")
_FIRST, _SECOND, _THIRD = np.uint16(961), np.uint16(31), np.uint16(7919)
# Letters and digits of ASCII without their case, and all bytes of other letters; what else there is parts words.
_WORDS_ALONE = bytes(
    byte if byte > 127 else ord(chr(byte).lower()) if chr(byte).isalnum() else _SPACE for byte in range(256)
)


def resembling(texts: Sequence[str], documents: Sequence[Hashable]) -> list[int]:
    """The places of the texts that resemble one of another document, in order."""
    if len(set(documents)) < 2:
        return []
    runs = _runs(texts)
    shared = runs @ runs.T
    sizes = runs.sum(axis=1)
    alike = shared >= LEAST_RESEMBLANCE * (sizes[:, None] + sizes[None, :] - shared)
    numbers = {document: number for number, document in enumerate(documents)}
    owners = np.array([numbers[document] for document in documents])
    alike &= owners[:, None] != owners[None, :]
    return [int(place) for place in np.flatnonzero(alike.any(axis=1))]


def _runs(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """A row for each text: which bins its runs fall into."""
    words = [b" %b  " % text.encode("utf-8", "surrogatepass").translate(_WORDS_ALONE) for text in texts]
    codes = np.frombuffer(b"".join(words), np.uint8)
    inside = np.flatnonzero(codes[1:-1] != _SPACE)  # else it would be a run of two words
    wide = codes.astype(np.uint16)
    hashed = (wide[:-2] * _FIRST + wide[1:-1] * _SECOND + wide[2:] * _THIRD) >> np.uint16(_SPARE_BITS)
    rows = np.repeat(np.arange(len(words), dtype=np.int32) * _BINS, [len(one) for one in words])
    runs = np.zeros(len(words) * _BINS, np.float32)
    runs[(rows[:-2] + hashed)[inside]] = 1
    return runs.reshape(len(words), _BINS)
