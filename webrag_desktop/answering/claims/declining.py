"""How models say, in a few languages, that they do not answer."""

import re

_DECLINES = re.compile(
    r"\b(?:sorry|can(?:not|['’]t) (?:answer|help|assist|provide|determine)|unable to|not able to"
    r"|(?:do|does)(?: not|n['’]t) (?:contain|provide|hold|say|state|tell|mention|include|specify)"
    r"|not enough|no (?:relevant )?information|insufficient|keine (?:Informationen|Angaben)|nicht genug|nicht beantwort"
    r"|kann (?:ich|dir|Ihnen|die|diese)\b.*\bnicht|ne (?:peux|contien)|no puedo|no contien)",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Whether a text that points at no sentence says that it does not answer."""
    return _DECLINES.search(text) is not None
