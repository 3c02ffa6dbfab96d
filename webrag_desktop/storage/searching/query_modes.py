"""What a text search configuration may be called; imports nothing of the program, since the settings need it."""

import re

# A text search configuration of the server's, by a name that needs no quotation marks.
CONFIGURATION_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?")
