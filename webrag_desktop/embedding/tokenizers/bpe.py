"""OpenAI's cl100k_base encoding from the shipped ranks, without tiktoken's download."""

import base64
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import tiktoken

from webrag_desktop.embedding.catalog import CL100K, CL100K_RANKS_SHA256
from webrag_desktop.embedding.tokenizers.wordpiece import pieces
from webrag_desktop.resources import resource_path, verified_bytes

# How the encoding splits text before merging; part of its published definition (tiktoken, MIT).
_SPLIT = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)

# No alternative of the expression above matches across a newline followed by something visible.
BOUNDARY = re.compile(r"\n(?=\S)")


class Cl100kTokenizer:
    """Tokens of cl100k_base. Markers such as ``<|endoftext|>`` in a text are ordinary text."""

    name = CL100K
    special_tokens = 0

    def __init__(self) -> None:
        table = verified_bytes(resource_path("tokenizers", CL100K, f"{CL100K}.tiktoken"), CL100K_RANKS_SHA256)
        pairs = (line.split() for line in table.splitlines())
        ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
        self._encoding = tiktoken.Encoding(CL100K, pat_str=_SPLIT, mergeable_ranks=ranks, special_tokens={})
        self._lengths = np.array(
            [len(token) for token in sorted(ranks, key=ranks.__getitem__)], dtype=np.int64
        )

    def token_starts(self, text: str) -> Sequence[int]:
        """The offset of every token's first code point; a token inside a code point has that one's offset."""
        starts: list[int] = []
        for offset, piece in pieces(text, BOUNDARY):
            starts.extend((self._starts(piece) + offset).tolist())
        return starts

    def count(self, text: str) -> int:
        """The number of tokens."""
        return sum(len(self._encoding.encode_ordinary(piece)) for _, piece in pieces(text, BOUNDARY))

    def _starts(self, piece: str) -> npt.NDArray[np.int64]:
        lengths = self._lengths[self._encoding.encode_ordinary(piece)]
        byte_starts = np.cumsum(lengths) - lengths
        encoded = np.frombuffer(piece.encode("utf-8"), dtype=np.uint8)
        begins_code_point = (encoded & 0xC0) != 0x80
        code_point = np.cumsum(begins_code_point, dtype=np.int64) - 1
        starts: npt.NDArray[np.int64] = code_point[byte_starts]
        return starts
