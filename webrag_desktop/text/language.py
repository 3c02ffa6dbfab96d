"""The language of a text that does not name its own, good enough to choose a stemmer."""

import re
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# A tag of BCP 47, or a locale with underscores; not "C".
_TAG = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{1,8}){0,5}", re.IGNORECASE)
READ_CHARACTERS = 4000
LEAST_CERTAINTY = 0.9
_LOADING = Lock()  # who asks while it is being loaded waits for that


def is_language_tag(text: str) -> bool:
    """Whether a text is a language tag such as ``en``, ``pt-BR`` or ``zh_Hans``."""
    return _TAG.fullmatch(text) is not None


def normal_tag(tag: str) -> str:
    """A tag or locale in lower case, with hyphens: ``pt-br`` of ``pt_BR``."""
    return tag.lower().replace("_", "-")


def primary_language(tag: str) -> str:
    """The language of a tag without script and region, in lower case: ``pt`` of ``pt-BR``."""
    return normal_tag(tag).partition("-")[0]


def guess_language(text: str) -> str | None:
    """ISO 639-1 code of the language a text begins in; None where that is not clear."""
    language, certainty = _identifier().classify(text[:READ_CHARACTERS])
    return str(language) if certainty >= LEAST_CERTAINTY else None


def load() -> None:
    """Read the model that the first guess would wait for; it takes about a second."""
    _identifier()


def _identifier() -> "LanguageIdentifier":
    with _LOADING:
        return _loaded()


@cache
def _loaded() -> "LanguageIdentifier":
    # Reads a model of 5 MB, so only when a text needs it.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
