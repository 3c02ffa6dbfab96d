"""Terms that PostgreSQL's text parser would split or never split: identifiers, and writing without spaces.

Writing a chunk and asking a question must find the same terms, so both call this module.
"""

import re
from collections.abc import Iterator

# Longer runs are data (hashes, encoded images), and a lexeme must stay under 2046 bytes.
LONGEST_TERM = 128

# Scripts written without spaces between words: Thai and Lao, Burmese, Khmer, Japanese and Chinese; and Hangul, whose
# words carry endings.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
)
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_RUN = re.compile(r"[\w$@#+.:/\-]+")
_PLAIN_WORD = re.compile(r"[A-Za-z]?[a-z]*[.:]?|[A-Z]+[.:]?|[0-9]+")  # no identifier; most words are one
_LINK_TARGET = re.compile(r"\]\([^)\s]*\)|<?\b[a-zA-Z][a-zA-Z0-9+.\-]*://\S+")
_MARKDOWN_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")

_OPTION = re.compile(r"--?[^\W_][\w\-]*(?:\.[\w\-]+)*")
_JOINED = re.compile(r"[^\W_](?:::|[./:\-])+[^\W_]")
_LETTER_BY_DIGIT = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_SIGN_AT_END = re.compile(r"[^\W\d_]\w*(?:\+\+|#)")


def identifier_terms(text: str) -> list[str]:
    """The lexemes to index beside a text's ordinary words: its identifiers, then its bigrams.

    Lower case, in order of appearance, each once. Markdown escapes are undone and link targets left out.
    """
    return list(dict.fromkeys((*identifiers(text), *bigrams(text))))


def identifiers(text: str) -> list[str]:
    """Words such as ``max_depth``, ``E0308``, ``--no-cache``, ``sklearn.ensemble``, ``C++``, in lower case.

    A part that is itself an identifier counts too: ``ensemble.RandomForest`` gives ``randomforest`` as well.
    """
    found: dict[str, None] = {}
    words = _MARKDOWN_ESCAPE.sub(r"\1", _LINK_TARGET.sub("] ", without_unspaced(text)))
    for run in dict.fromkeys(_RUN.findall(words)):
        if _PLAIN_WORD.fullmatch(run):
            continue
        for form in _forms(run):
            if len(form) <= LONGEST_TERM:
                found[form.lower()] = None
    return list(found)


def bigrams(text: str) -> list[str]:
    """Overlapping pairs of characters of every run without spaces; a run of one character stands for itself."""
    found: dict[str, None] = {}
    for run in _UNSPACED_RUN.findall(text):
        for start in range(max(1, len(run) - 1)):
            found[run[start : start + 2]] = None
    return list(found)


def without_unspaced(text: str) -> str:
    """The text with its runs of such writing blanked, since the parser takes each for one long word."""
    return _UNSPACED_RUN.sub(" ", text)


def _forms(run: str) -> Iterator[str]:
    """A run of word and joining characters in every form worth finding."""
    word = _trimmed(run)
    if _OPTION.fullmatch(run.rstrip(".:/-")):
        yield run.rstrip(".:/-")
    if _is_identifier(word):
        yield word
    bare = word.strip("_")  # emphasis looks the same as a private name
    if bare != word and _is_identifier(bare):
        yield bare
    parts = [part for part in re.split(r"[./:]+", word) if part]
    if len(parts) > 1:
        yield from (part for part in parts if _is_identifier(part))


def _trimmed(run: str) -> str:
    """Without punctuation at the ends; signs that belong to a name (``C++``, ``F#``) stay."""
    core = run.lstrip("$@#+.:/-").rstrip("$@.:/-")
    return core if _SIGN_AT_END.fullmatch(core) else core.rstrip("$@#+.:/-")


def _is_identifier(word: str) -> bool:
    if not any(map(str.isalnum, word)):
        return False
    return (
        "_" in word
        or _JOINED.search(word) is not None
        or _LETTER_BY_DIGIT.search(word) is not None
        or _INNER_CAPITAL.search(word) is not None
        or _SIGN_AT_END.fullmatch(word) is not None
    )
