"""The language of a text, guessed where it does not name its own, and the stemmer that its words are indexed by."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# A tag of BCP 47, or a locale with underscores; not "C".
_TAG = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{1,8}){0,5}", re.IGNORECASE)
READ_CHARACTERS = 4000
LEAST_CERTAINTY = 0.9
# Languages that PostgreSQL can stem; the function webrag_regconfig has the same list.
SEARCH_LANGUAGES = frozenset("ar da de el en es fi fr hi hu id it nl no pt ro ru sv tr".split())
_NORWEGIAN = {"nb": "no", "nn": "no"}
# For each script the search language that stands for it; of all other search languages it is the Latin one.
_SCRIPTS = {
    "en": re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
    "ru": re.compile("[\u0400-\u04ff]"),
    "el": re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
    "hi": re.compile("[\u0900-\u097f]"),
}
_SCRIPT_OF = {code: code for code in _SCRIPTS}
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


def search_language(
    language: str | None, text: str, usual: Callable[[], Iterable[str]] = tuple[str, ...]
) -> str:
    """The stemming for a language tag such as ``en-GB``, or for the text's own language where none is stated.

    Where that is not clear, as with code and numbers, it is the first of the ``usual`` languages in the text's script;
    without any the one that is read in that script most. ``simple`` (no stemming) where the language has no stemmer.
    """
    stated = guess_language(text) if language is None else language
    if stated is None:
        script = _script(text)
        return next((code for code in usual() if _SCRIPT_OF.get(code, "en") == script), script)
    code = primary_language(stated)
    code = _NORWEGIAN.get(code, code)
    return code if code in SEARCH_LANGUAGES else "simple"


def _script(text: str) -> str:
    """The search language that stands for the script of most letters of a text; ``simple`` for all other scripts."""
    letters = "".join(filter(str.isalpha, text[:READ_CHARACTERS]))
    counts = {code: len(found.findall(letters)) for code, found in _SCRIPTS.items()}
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] * 2 > len(letters) else "simple"


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
