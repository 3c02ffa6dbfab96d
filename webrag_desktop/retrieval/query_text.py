"""A question as typed, taken apart into what each arm of the search is given."""

import re
from dataclasses import dataclass

from webrag_desktop.errors import InputError
from webrag_desktop.storage.candidates import WordQuery
from webrag_desktop.storage.terms import cjk_bigrams, identifiers, without_cjk

LONGEST_QUERY = 50_000

_UNUSABLE = re.compile("[\x00\ud800-\udfff]")
# A single dash right before a quotation or a word of three letters excludes; -v and -O2 are options.
_EXCLUDED = re.compile(r'(?<!\S)-("[^"]+"|[^\W\d_]{3}[\w.\-]*)')
_LEADING_DASHES = re.compile(r"(?<!\S)-+")


@dataclass(frozen=True, slots=True)
class QueryText:
    """``meaning`` is what the embedder reads, ``words`` what the full text is asked."""

    meaning: str
    words: WordQuery


def read_query(query: str) -> QueryText:
    """Take a question apart. Quotation marks hold a phrase together and ``-word`` excludes.

    NUL and lone surrogates, which no stored text can hold, are dropped.

    Raises:
        InputError: the question is empty or longer than 50,000 characters.
    """
    text = _UNUSABLE.sub("", query).strip()
    if not text:
        raise InputError("There is no question to search for.", "Type some words.")
    if len(text) > LONGEST_QUERY:
        raise InputError(
            f"The question has {len(text):,} characters; {LONGEST_QUERY:,} are the most a search takes.",
            "Shorten it to what should be found.",
        )
    positive = _EXCLUDED.sub(" ", text).strip()
    if not positive:  # nothing but exclusions: look for the words themselves
        return _taken_apart(text, ())
    return _taken_apart(positive, tuple(match.strip('"') for match in _EXCLUDED.findall(text)))


def _taken_apart(text: str, excluded: tuple[str, ...]) -> QueryText:
    undashed = _LEADING_DASHES.sub("", without_cjk(text))
    words = WordQuery(
        phrases=undashed,
        words=undashed.replace('"', " "),
        excluded=excluded,
        identifiers=tuple(identifiers(text)),
        bigrams=tuple(cjk_bigrams(text)),
    )
    return QueryText(meaning=text, words=words)
