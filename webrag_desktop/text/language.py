"""The language of a text that does not name its own, good enough to choose a stemmer."""

from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

READ_CHARACTERS = 4000
LEAST_CERTAINTY = 0.9
_LOADING = Lock()  # who asks while it is being loaded waits for that


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
