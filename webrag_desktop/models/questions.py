"""How a question is read."""

from typing import Literal, get_args

# ``web``: quotations and minus count, all words first, then any of them. ``plain``: the same without any syntax.
# ``phrase``: the words side by side in their order. ``strict``: the syntax of ``to_tsquery``, and nothing beside it.
TsqueryMode = Literal["web", "plain", "phrase", "strict"]


TSQUERY_MODES: tuple[TsqueryMode, ...] = get_args(TsqueryMode)
