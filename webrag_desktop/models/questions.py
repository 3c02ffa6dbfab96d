"""The ways to read a question and to score words; imports nothing, since the settings need it."""

import re
from typing import Literal, get_args

# ``web``: quotations and minus count, all words first, then any of them. ``plain``: the same without any syntax.
# ``phrase``: the words side by side in their order. ``strict``: the syntax of ``to_tsquery``, and nothing beside it.
TsqueryMode = Literal["web", "plain", "phrase", "strict"]


TSQUERY_MODES: tuple[TsqueryMode, ...] = get_args(TsqueryMode)

# By postings that the program scores itself, or by one of the server's own functions.
LexicalScore = Literal["bm25", "ts_rank", "ts_rank_cd"]
LEXICAL_SCORES: tuple[LexicalScore, ...] = get_args(LexicalScore)

# A text search configuration of the server's, by a name that needs no quotation marks.
CONFIGURATION_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?")
