"""How the words of a passage may be scored; imports nothing, since the settings need it."""

from typing import Literal, get_args

# By postings that the program scores itself, or by one of the server's own functions.
LexicalScore = Literal["bm25", "ts_rank", "ts_rank_cd"]
LEXICAL_SCORES: tuple[LexicalScore, ...] = get_args(LexicalScore)
