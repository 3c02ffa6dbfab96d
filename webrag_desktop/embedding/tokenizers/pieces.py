"""Cutting long texts for a tokenizer where the cut changes nothing."""

import re
from collections.abc import Iterator

# Longer pieces only cost memory (measured: 1 MB of text in one piece takes 170 MB more than in pieces).
PIECE = 16_384

# A stretch without a harmless cut ends here all the same: tiktoken's expression overflows its stack on some
# hundred thousand spaces, and its merging and tokenizers' memory grow faster than the text.
LONGEST_PIECE = 65_536


def pieces(text: str, boundary: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The text in order as ``(offset, piece)``, cut after matches of ``boundary`` where there are any.

    Only a stretch of over 65,536 code points without one is cut elsewhere.
    """
    start = 0
    while len(text) - start > PIECE:
        match = boundary.search(text, start + PIECE, start + LONGEST_PIECE)
        end = match.end() if match else min(start + LONGEST_PIECE, len(text))
        yield start, text[start:end]
        start = end
    if start < len(text):
        yield start, text[start:]
