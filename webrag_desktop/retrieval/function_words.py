"""Leaves the function words of its own language out of a question, since texts in another one contain them by chance.

The server leaves them out in the language of the texts. In others "der" and "ist" occur only in names and quotations,
which makes them rare, and rare words have the highest idf.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from webrag_desktop.stack.postgres.binaries import stop_words

# The least number of function words that show a question's language: "the who" and "die hard" are unchanged.
LEAST_FUNCTION_WORDS = 2

# Question words that are in no list of stop words: they show the language, and are searched for all the same.
_QUESTION_WORDS = {
    "danish": "hvorfor hvornår",
    "dutch": "hoeveel waar waarom wanneer welke",
    "french": "combien comment où pourquoi quand quel quelle quelles quels",
    "german": "wann warum weil wem wen wer weshalb wieso wodurch wofür woher wohin womit woran worauf worin worüber",
    "italian": "cosa qual quale quali quando",
    "norwegian": "hva",
    "portuguese": "onde porquê quantas quantos",
    "russian": "почему сколько",
    "spanish": "cómo cuál cuáles cuándo cuánta cuántas cuánto cuántos dónde quién quiénes",
}

# Function words of other languages that are English words too: they show no language ("Soldiers die in war").
_ENGLISH_AS_WELL = frozenset(
    """
    also bare bin come con contra dell die dig dog dos dove due ellen end era fora fosse ham han hat hay hem her hoe hun
    inn kim man mange med men met mid min mine mint mir mod mon nada nun oder par pas per pour sea sei sin sine sit son
    soy sue till toe ton un van via vid volt war want weg
    """.split()
)

_QUOTED = re.compile(r'("[^"]*(?:"|$))')
_RUN = re.compile(r"\S+")
_APOSTROPHE = re.compile("['’]")
_SPOKEN = re.compile(r"\W*([^\W\d_]+(?:['’-][^\W\d_]+)*)\W*")
_WORD = re.compile(r"\w+")
_OPERATOR = "or"  # to the server, and not only a word


def is_function_word(word: str) -> bool:
    """Whether a word in lower case is one in any language whose function words are known."""
    return word in _languages()


def language_of(text: str) -> str | None:
    """The language that a text is plainly in by its function words, such as ``german``; None where it is not plain."""
    return _language_of(word for run in text.split() for word in _words(run))


def without_function_words(phrases: str) -> str:
    """The question without the function words of the language that it is plainly in.

    It is where two of that language's words are there, and more than twice as many that another language lacks as
    that one has for itself. Quotations, identifiers and words in capitals stay, and so does what is another word in
    English and begins with a capital within the question ("Iron Man"), and everything where nothing else would be left.
    """
    language = _language_of(word for run in _QUOTED.sub(" ", phrases).split() for word in _words(run))
    if language is None:
        return phrases
    dropped = stop_words()[language]
    parts = _QUOTED.split(phrases)  # every second one is a quotation
    parts[::2] = [_RUN.sub(lambda run: _without(run, language), part) for part in parts[::2]]
    left = "".join(parts)
    telling = any(word not in dropped and word != _OPERATOR for word in _WORD.findall(left.lower()))
    return left if telling else phrases


def _language_of(words: Iterable[str]) -> str | None:
    held: dict[str, set[str]] = defaultdict(set)
    for word in words:
        for language in _languages().get(word, ()):
            held[language].add(word)
    if not held:
        return None
    best = min(held, key=lambda language: (-len(held[language]), language))
    telling = held[best] if best == "english" else held[best] - _ENGLISH_AS_WELL - stop_words()["english"]
    if len(held[best]) < LEAST_FUNCTION_WORDS or not telling:
        return None
    rivals = (words for words in held.values() if words - held[best])
    return best if all(len(telling - words) > 2 * len(words - held[best]) for words in rivals) else None


@cache
def _languages() -> Mapping[str, frozenset[str]]:
    """The languages that each word shows."""
    found: dict[str, set[str]] = defaultdict(set)
    for language, words in stop_words().items():
        for word in (*words, *_QUESTION_WORDS.get(language, "").split()):
            found[word].add(language)
    return {word: frozenset(languages) for word, languages in found.items()}


def _words(run: str) -> Iterator[str]:
    """The words of a run without blanks; none where it may be a name or an identifier."""
    if spoken := _spoken(run):
        yield from _APOSTROPHE.split(spoken.lower())


def _spoken(run: str) -> str | None:
    found = _SPOKEN.fullmatch(run)
    if found is None or (len(found[1]) > 1 and found[1].isupper()):
        return None
    return found[1]


def _without(found: re.Match[str], language: str) -> str:
    """The run without function words; with all that is written around its word, where that stays whole."""
    run = found[0]
    spoken = _spoken(run)
    if spoken is None or spoken.lower() == _OPERATOR or (found.start() and _may_be_a_name(spoken)):
        return run
    words = _APOSTROPHE.split(spoken)
    kept = [word for word in words if not _is_dropped(word.lower(), language)]
    return run if kept == words else "'".join(kept)


def _may_be_a_name(word: str) -> bool:
    return word[0].isupper() and word.lower() in _ENGLISH_AS_WELL


def _is_dropped(word: str, language: str) -> bool:
    """Words joined by dashes are dropped where all are function words ("est-ce"), but "on-off" is a word in English."""
    parts = word.split("-")
    if len(parts) > 1 and language == "english":
        return False
    return stop_words()[language].issuperset(parts)
