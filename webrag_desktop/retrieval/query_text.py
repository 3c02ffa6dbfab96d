"""A question as typed, taken apart into what each arm of the search is given."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from webrag_desktop.errors import InputError
from webrag_desktop.storage.searching.candidates import WordQuery
from webrag_desktop.storage.searching.terms import cjk_bigrams, identifiers, without_cjk

LONGEST_QUERY = 50_000
# What a query of PostgreSQL's can hold: measured, its stack overflows somewhat above 15,000 lexemes, of which
# three in four characters ("a-b " has three) are the most that words can make.
LONGEST_WORDS = 12_000
MOST_LITERALS = 2_000

_UNUSABLE = re.compile("[\x00\ud800-\udfff]")
# A single dash right before a quotation or a word of three letters excludes; -v and -O2 are options.
_EXCLUDED = re.compile(r'(?<!\S)-("[^"]+"|[^\W\d_]{3}[\w.\-]*)')
# As an operator it would negate, and every one in a row takes a place of the few on the parser's stack.
_DASH_OUTSIDE_WORD = re.compile(r"(?<!\w)-|-(?!\w)")

_SHORTENED = (
    "The question has more words than a search by words takes, so its last words were not searched for."
)


@dataclass(frozen=True, slots=True)
class QueryText:
    """``meaning`` is what the embedder reads, ``words`` what the full text is asked.

    ``shortened`` says in a whole sentence where ``words`` leaves out words of the question.
    """

    meaning: str
    words: WordQuery
    shortened: str | None = None


def read_query(query: str) -> QueryText:
    """Take a question apart. Quotation marks hold a phrase together and ``-word`` excludes.

    NUL and lone surrogates, which no stored text can hold, are dropped. The full text is asked for the words in
    the first 12,000 characters and for 2,000 identifiers and CJK bigrams, which ``shortened`` says.

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
    return _taken_apart(positive, list(dict.fromkeys(term.strip('"') for term in _EXCLUDED.findall(text))))


def _taken_apart(text: str, excluded: Sequence[str]) -> QueryText:
    spoken = _DASH_OUTSIDE_WORD.sub(" ", without_cjk(text)).strip()
    phrases, kept = _leading_words(spoken), _leading_terms(excluded)
    names, pairs = identifiers(text), cjk_bigrams(text)
    words = WordQuery(
        phrases=phrases,
        words=phrases.replace('"', " "),
        excluded=kept,
        identifiers=tuple(names[:MOST_LITERALS]),
        bigrams=tuple(pairs[: max(0, MOST_LITERALS - len(names))]),
    )
    words_left = spoken[len(phrases) :].strip() or len(kept) < len(excluded)
    shortened = words_left or len(names) + len(pairs) > MOST_LITERALS
    return QueryText(meaning=text, words=words, shortened=_SHORTENED if shortened else None)


def _leading_words(text: str) -> str:
    """What the full text can hold of it, cut between words where there is a gap."""
    if len(text) <= LONGEST_WORDS:
        return text
    return text[: next((at for at in range(LONGEST_WORDS, 0, -1) if text[at].isspace()), LONGEST_WORDS)]


def _leading_terms(terms: Sequence[str]) -> tuple[str, ...]:
    """The first terms that the full text can hold together."""
    lengths = accumulate(map(len, terms))
    return tuple(term for term, length in zip(terms, lengths, strict=True) if length <= LONGEST_WORDS)
