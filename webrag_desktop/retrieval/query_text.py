"""A question as each arm of the search takes it: its words, and its vector or the reason why there is none."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice
from typing import Self

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.errors import ConfigurationError, EmbeddingError, InputError
from webrag_desktop.models.questions import TsqueryMode
from webrag_desktop.models.spaces import EmbeddingModel, StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.function_words import is_function_word, without_function_words
from webrag_desktop.storage.searching.word_query import OR_OPERATOR, WordQuery
from webrag_desktop.storage.searching.words import UNSPACED, bigrams, identifiers, without_unspaced
from webrag_desktop.text.printable import UNSTORABLE
from webrag_desktop.text.quotation_marks import DOUBLE_MARK, paired

LONGEST_QUERY = 50_000
# What a query of PostgreSQL's can hold: measured, its stack overflows somewhat above 15,000 lexemes, of which
# three in four characters ("a-b " has three) are the most that words can make.
LONGEST_WORDS = 12_000
MOST_LITERALS = 2_000
SHORTEST_CORRECTED, LONGEST_CORRECTED = 6, 30
MOST_CORRECTABLE = 50
MOST_PHRASES = 20

# A single dash right before a quotation, a word of three letters or one of a writing without spaces excludes; -v and
# -O2 are options, and within a quotation a dash is only a sign.
_EXCLUDED = re.compile(rf'(?<!\S)-("[^"]+"|(?:[^\W\d_]{{3}}|[{UNSPACED}])[^\s"]*)|"[^"]*"')
# As an operator it would negate, and every one in a row takes a place of the few on the parser's stack.
_DASH_OUTSIDE_WORD = re.compile(r"(?<!\w)-|-(?!\w)")
_NEGATED = re.compile(r"!\s*('(?:[^']|'')*'|[\w\-.]+)(:[*A-Da-d]*)?")
_QUOTED = re.compile(r'"[^"]*(?:"|$)')
_CLOSED_QUOTATION = re.compile(r'"([^"]*)"')
_AT_ENDS = " \t\r\n.,;:!?…"
_QUOTED_PART = re.compile(r'("[^"]*(?:"|$))')
# Words of letters joined by hyphens; what has other signs, digits or capitals within is an identifier.
_HYPHENATED = re.compile(r"(?<![\w$@#+.:/\-])[^\W\d_]{2,}(?:-[^\W\d_]{2,})+(?![\w$@#+:/\-]|\.\w)")
_APOSTROPHE = re.compile("['’]")
_LETTERS_ALONE = re.compile(r"\W*?([^\W\d_]+)[.,;:!?)\]}…»”\"]*")
_STRICT_SYNTAX = re.compile(r"<(?:-|\d+)>|:[*A-Da-d]+|[&|!()'\\]")

_SHORTENED = (
    "The question has more words than a search by words takes, so its last words were not searched for."
)


@dataclass(frozen=True, slots=True)
class QueryText:
    """``meaning`` is the text for the embedder, ``words`` the query for the full text.

    ``shortened`` is a sentence for the user where ``words`` leaves out words of the question.
    """

    meaning: str
    words: WordQuery
    shortened: str | None = None


def read_query(
    query: str, mode: TsqueryMode = "web", config: str | None = None, *, corrections: bool = True
) -> QueryText:
    """Take a question apart. In the ``mode`` web, quotation marks hold a phrase together and ``-word`` excludes.

    What holds a quoted phrase comes before all that does not.

    NUL and lone surrogates, which no stored text contains, are dropped. The full text is searched for the words in
    the first 12,000 characters and for 2,000 identifiers and bigrams; ``shortened`` then says so. Words may be left out
    or read as similar ones in the modes web and plain alone: function words of the language that the question is
    plainly in, unless a ``config`` says how to read, and with ``corrections`` words that no text holds.

    Raises:
        InputError: the question is empty or longer than 50,000 characters; in the mode strict, than 12,000.
    """
    text = UNSTORABLE.sub("", query).strip()
    if not text:
        raise InputError("There is no question to search for.", "Type some words.")
    if len(text) > LONGEST_QUERY:
        raise InputError(
            f"The question has {len(text):,} characters; {LONGEST_QUERY:,} are the most a search takes.",
            "Shorten it to what should be found.",
        )
    read = _READERS[mode](text, config)
    if read.words.exact:
        return read
    words = read.words if config else _in_its_language(read.words)
    return replace(read, words=replace(words, correctable=_correctable(words.phrases) if corrections else ()))


def _read_web(text: str, config: str | None) -> QueryText:
    text = _with_straight_marks(text)
    positive = _EXCLUDED.sub(lambda found: " " if found[1] else found[0], text).strip()
    if not positive:  # nothing but exclusions: search for the words themselves
        return _taken_apart(text, (), config)
    excluded = dict.fromkeys(term.strip('"') for term in _EXCLUDED.findall(text) if term)
    read = _taken_apart(positive, list(excluded), config)
    return replace(read, words=replace(read.words, quoted=_quoted_phrases(positive)))


def _with_straight_marks(text: str) -> str:
    """Double quotation marks of any form as the server's syntax knows them."""
    if not DOUBLE_MARK.search(text.replace('"', "")):
        return text
    marks = [at for start, end in paired(text)[0] for at in (start - 1, end) if DOUBLE_MARK.match(text, at)]
    characters = list(text)
    for at in marks:
        characters[at] = '"'
    return "".join(characters)


def _quoted_phrases(text: str) -> tuple[str, ...]:
    """What is in quotation marks, without punctuation at its ends; nothing of a quotation that is not closed."""
    phrases = (quoted.strip(_AT_ENDS) for quoted in _CLOSED_QUOTATION.findall(text))
    telling = (phrase for phrase in phrases if any(map(str.isalnum, phrase)))
    return tuple(islice(_leading_terms(list(dict.fromkeys(telling))), MOST_PHRASES))


def _read_plain(text: str, config: str | None) -> QueryText:
    """Every sign is only a sign, and "or" only a word."""
    read = _taken_apart(text, (), config)
    phrases = OR_OPERATOR.sub(r'"\g<0>"', read.words.words)
    return replace(read, words=replace(read.words, phrases=phrases, mode="plain"))


def _read_phrase(text: str, config: str | None) -> QueryText:
    """The words side by side; an identifier is found by its parts, which are adjacent, too."""
    read = _taken_apart(text, (), config)
    words = replace(read.words, phrases=f'"{read.words.words}"', identifiers=(), mode="phrase")
    return replace(read, words=words)


def _read_strict(text: str, config: str | None) -> QueryText:
    """A query in the server's own syntax; the meaning is that of its words, without the excluded ones."""
    if len(text) > LONGEST_WORDS:
        raise InputError(
            f"The query has {len(text):,} characters; {LONGEST_WORDS:,} are the most one in strict syntax takes.",
            "Shorten it, or search without the strict syntax.",
        )
    spoken = " ".join(_STRICT_SYNTAX.sub(" ", _NEGATED.sub(" ", text)).split())
    return QueryText(spoken or text, WordQuery(phrases=text, words=spoken, mode="strict", config=config))


_READERS: dict[TsqueryMode, Callable[[str, str | None], QueryText]] = {
    "web": _read_web,
    "plain": _read_plain,
    "phrase": _read_phrase,
    "strict": _read_strict,
}


def _taken_apart(text: str, excluded: Sequence[str], config: str | None) -> QueryText:
    spoken = _DASH_OUTSIDE_WORD.sub(" ", without_unspaced(text)).strip()
    ordinary: set[str] = set()
    if len(spoken.split()) > 1:  # a hyphenated word alone is looked up as it is written
        spoken = _parted_at_hyphens(spoken)
        ordinary = {word.lower() for word in _HYPHENATED.findall(text) if _is_ordinary(word)}
    phrases, kept = _leading_words(spoken), _leading_terms(excluded)
    names, pairs = [name for name in identifiers(text) if name not in ordinary], bigrams(text)
    words = WordQuery(
        phrases=phrases,
        words=_unquoted(phrases),
        excluded=kept,
        identifiers=tuple(names[:MOST_LITERALS]),
        bigrams=tuple(pairs[: max(0, MOST_LITERALS - len(names))]),
        config=config,
    )
    words_left = spoken[len(phrases) :].strip() or len(kept) < len(excluded)
    shortened = words_left or len(names) + len(pairs) > MOST_LITERALS
    return QueryText(meaning=text, words=words, shortened=_SHORTENED if shortened else None)


def _parted_at_hyphens(text: str) -> str:
    """The text with ordinary hyphenated words outside quotation marks as several words.

    The server makes a lexeme of the whole and one of each part, side by side: one word would count several times.
    """
    parts = _QUOTED_PART.split(text)  # every second one is a quotation
    parts[::2] = [_HYPHENATED.sub(lambda word: _parted(word[0]), part) for part in parts[::2]]
    return "".join(parts)


def _parted(word: str) -> str:
    return word.replace("-", " ") if _is_ordinary(word) else word


def _is_ordinary(word: str) -> bool:
    """Whether a hyphenated word has capitals at most where its parts begin."""
    return all(part[1:].islower() for part in word.split("-"))


def _in_its_language(words: WordQuery) -> WordQuery:
    phrases = without_function_words(words.phrases)
    return replace(words, phrases=phrases, words=_unquoted(phrases))


def _unquoted(phrases: str) -> str:
    return phrases.replace('"', " ")


def _correctable(phrases: str) -> tuple[str, ...]:
    """Words that may be misspelt: none in quotation marks, no part of an identifier, no function word of any language,
    none so short or so long.

    A made-up word of five letters is one slip away from some other word half of the time, one of six seldom.
    """
    runs = _APOSTROPHE.sub(" ", _QUOTED.sub(" ", phrases)).split()
    words = (found[1].lower() for run in runs if (found := _LETTERS_ALONE.fullmatch(run)))
    fitting = (
        word
        for word in words
        if SHORTEST_CORRECTED <= len(word) <= LONGEST_CORRECTED and not is_function_word(word)
    )
    return tuple(islice(dict.fromkeys(fitting), MOST_CORRECTABLE))


def _leading_words(text: str) -> str:
    """What the full text can hold of it, cut between words where there is a gap."""
    if len(text) <= LONGEST_WORDS:
        return text
    return text[: next((at for at in range(LONGEST_WORDS, 0, -1) if text[at].isspace()), LONGEST_WORDS)]


def _leading_terms(terms: Sequence[str]) -> tuple[str, ...]:
    """The first terms that the full text can hold together."""
    lengths = accumulate(map(len, terms))
    return tuple(term for term, length in zip(terms, lengths, strict=True) if length <= LONGEST_WORDS)


_TAKE_BACK = "Give back the query_embedding of an earlier result of this library unchanged, or leave it out."
_WORDS_ONLY = "so the question was searched by its words only"


@dataclass(frozen=True, slots=True)
class QuestionVector:
    """``values`` of ``model``, empty where there is no vector; a model of None is unknown.

    ``degraded`` says why, or what is less than it can be.
    """

    values: list[float] = field(default_factory=list)
    degraded: str | None = None
    model: EmbeddingModel | None = None

    def also(self, reason: str | None) -> Self:
        """The same with one reason more, if there is one."""
        return replace(self, degraded=" ".join(filter(None, (self.degraded, reason))) or None)

    def within(self, space: StoredSpace | None) -> "QuestionVector":
        """What may be compared with the vectors of ``space``: nothing, where those are of another model.

        Raises:
            InputError: a vector of an unknown model has another length than those of the space.
        """
        if space is None:
            return _words_only("This library has no vectors yet")
        dimensions = space.space.model.dimensions
        if self.model is None and self.values and len(self.values) != dimensions:
            raise InputError(
                f"The vector given for the question has {len(self.values)} numbers, but those of this library have "
                f"{dimensions}.",
                _TAKE_BACK,
            )
        if self.model is not None and not _same_model(self.model, space.space.model):
            made_with = space.space.model.model
            return _words_only(
                f"This library was made with the embedding model {made_with}, not {self.model.model}"
            )
        return self


def embed_question(
    text: str, embedder: Embedder | None, tokenizer: Tokenizer | None, cancel: CancelToken | None = None
) -> QuestionVector:
    """Embed a question. Nothing but a cancellation is raised: what fails here leaves the full text to answer.

    A question beyond the model's window is cut for the model, which ``degraded`` says, where there is a
    ``tokenizer`` to count with; otherwise the embedder refuses it.
    """
    if embedder is None:
        return _words_only("There is no embedding model at hand")
    readable = _within_window(text, embedder.model, tokenizer)
    try:
        values = embedder.embed_query(readable, cancel=cancel)
    except (EmbeddingError, ConfigurationError) as error:
        remedy = f" {error.hint}" if error.hint and not error.transient else ""
        return QuestionVector(
            degraded=f"The question could not be embedded, {_WORDS_ONLY}. {error.message}{remedy}"
        )
    if not _usable(values, embedder.model.dimensions):
        return _words_only("The embedding model gave no usable vector")
    return QuestionVector(values, _cut_notice(text, readable), embedder.model)


def given_question(
    values: Sequence[float], text: str, embedder: Embedder | None, tokenizer: Tokenizer | None
) -> QuestionVector:
    """A question whose vector is given; of the ``embedder`` only the length of its window is used.

    Raises:
        InputError: these are no numbers, not all of them are finite, or all are zero.
    """
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        numbers = [math.nan]
    if not (all(map(math.isfinite, numbers)) and any(numbers)):
        raise InputError(
            "The vector given for the question is none: it needs finite numbers that are not all zero.",
            _TAKE_BACK,
        )
    readable = _within_window(text, embedder.model, tokenizer) if embedder else text
    return QuestionVector(numbers, _cut_notice(text, readable))


def _cut_notice(text: str, readable: str) -> str | None:
    """A notice of how much of a question the model read; None where that was all."""
    if readable == text:
        return None
    return (
        f"The question is longer than the embedding model reads: its first {len(readable):,} characters were "
        "searched by meaning."
    )


def _words_only(reason: str) -> QuestionVector:
    return QuestionVector(degraded=f"{reason}, {_WORDS_ONLY}.")


def _same_model(one: EmbeddingModel, other: EmbeddingModel) -> bool:
    """Whether vectors compare; the floor is a matter of judging them."""
    return one.model_copy(update={"similarity_floor": other.similarity_floor}) == other


def _within_window(text: str, model: EmbeddingModel, tokenizer: Tokenizer | None) -> str:
    if tokenizer is None:
        return text
    room = model.max_tokens - tokenizer.special_tokens - tokenizer.count(model.query_prefix)
    starts = tokenizer.token_starts(text)
    return text if len(starts) <= room else text[: starts[room]].rstrip()


def _usable(values: list[float], dimensions: int) -> bool:
    return len(values) == dimensions and all(map(math.isfinite, values)) and any(values)
