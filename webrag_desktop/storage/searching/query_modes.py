"""How the words of a question may be read; imports nothing of the program, since the settings need it."""

import re
from typing import Literal, get_args

# ``web``: quotations and minus count, all words first, then any of them. ``plain``: the same without any syntax.
# ``phrase``: the words side by side in their order. ``strict``: the syntax of ``to_tsquery``, and nothing beside it.
TsqueryMode = Literal["web", "plain", "phrase", "strict"]
TSQUERY_MODES: tuple[TsqueryMode, ...] = get_args(TsqueryMode)

# A text search configuration of the server's, by a name that needs no quotation marks.
CONFIGURATION_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?")
