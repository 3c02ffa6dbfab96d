"""Words that need care: identifiers and writing without spaces, and words that no text holds.

A word that no text holds is read as the most likely similar ones: every spelling with one letter left out, inserted,
changed, or two swapped is looked up. The server parses the spellings as it parses texts, so that endings do not
matter, and finds them in the BM25 postings; nothing else is stored. On generated misspellings this found more, and
fewer wrong words, than the similarity of trigrams.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from psycopg import Cursor, sql

from webrag_desktop.storage.database import Connection
from webrag_desktop.text.markdown_grammar import without_escapes

# More words that no text holds are a question about something else.
MOST_WORDS_READ = 3

# How many words may be meant by one; and how much less likely than the likeliest they may be, in the measure of the
# statement: every one is a slip away, and only the texts show which is meant.
MOST_READINGS = 3
LIKELIHOOD_MARGIN = 4.0

# Letters that a slip may have left out or changed, by the writing of the word; a word of another one is looked up
# with two letters swapped and with one left out.
_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyzäöüßáàâãéèêëíîïóôõúùûñçåæøœ",
    "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ",
    "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ",
    "אבגדהוזחטיכךלמםנןסעפףצץקרשת",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأإؤئةى",
)


@dataclass(frozen=True, slots=True)
class SimilarWord:
    """A ``word`` of the question that is read as the ``spelling``, in one language of the library.

    A word may have several readings, of different lexemes; the likeliest comes first.
    The word's own lexemes there, ``unknown``, have no postings; the lexeme ``term`` of the spelling has.
    """

    word: str
    spelling: str
    language: str
    unknown: tuple[str, ...]
    term: str


Postings = dict[tuple[str, str], list[bytes]]


def ask_similar_words(conn: Connection, words: Sequence[str], config: str | None) -> "Cursor[_Row]":
    """Request words similar to the unknown ones, in a pipeline; :func:`received_similar_words` reads the answer.

    ``config`` is as in :class:`~webrag_desktop.storage.searching.word_query.WordQuery`.
    """
    parameters = {
        "words": list(words),
        "letters": [_alphabet_of(word) for word in words],
        "config": config,
        "most": MOST_WORDS_READ,
        "readings": MOST_READINGS,
        "margin": LIKELIHOOD_MARGIN,
    }
    cursor: Cursor[_Row] = conn.cursor(binary=True)
    return cursor.execute(_SIMILAR_WORDS, parameters, prepare=True)


def received_similar_words(answer: "Cursor[_Row]") -> tuple[tuple[SimilarWord, ...], Postings]:
    """The similar words, and the postings of their lexemes by language and lexeme."""
    found: dict[SimilarWord, None] = {}
    postings: Postings = {}
    for word, spelling, language, unknown, term, run in answer.fetchall():
        found[SimilarWord(word, spelling, language, tuple(unknown), term)] = None
        postings.setdefault((language, term), []).append(run)
    return tuple(found), postings


def _alphabet_of(word: str) -> str:
    return next((letters for letters in _ALPHABETS if word[0] in letters), "")


_Row = tuple[str, str, str, list[str], str, bytes]

# Commoner words are meant more often, the first letter is seldom wrong, and swapping is likelier than changing
# ("step"): measured, these weights name the right word for 93 of 100 slips in words of four letters and more.
_SIMILAR_WORDS = sql.SQL(
    """
    WITH active AS MATERIALIZED (
        SELECT l.id, l.language
          FROM lexical_segments l, corpus c LEFT JOIN embedding_spaces s ON s.id = c.active_space
         WHERE s.id IS NULL OR l.chunking_id = s.chunking_id),
    languages AS MATERIALIZED (
        SELECT language, coalesce(%(config)s::regconfig, webrag_regconfig(language)) AS config,
               array_agg(id) AS segments, bool_and(language = 'en') OVER () AS only_english
          FROM active GROUP BY language),
    asked AS MATERIALIZED (
        SELECT w.word, w.letters, w.place, l.language, l.config, l.segments, l.only_english,
               tsvector_to_array(to_tsvector(l.config, w.word)) AS lexemes
          FROM unnest(%(words)s::text[], %(letters)s::text[]) WITH ORDINALITY AS w (word, letters, place)
          CROSS JOIN languages l),
    unknown AS MATERIALIZED (
        SELECT a.word, a.letters, a.only_english
          FROM asked a
         GROUP BY a.word, a.letters, a.only_english, a.place
        HAVING bool_and(cardinality(a.lexemes) > 0 AND NOT EXISTS (
                   SELECT FROM lexical_postings p WHERE p.term = ANY(a.lexemes) AND p.segment = ANY(a.segments)))
         ORDER BY a.place LIMIT %(most)s),
    spellings AS MATERIALIZED (
        SELECT u.word, e.spelling, min(e.step) AS step
          FROM unknown u CROSS JOIN generate_series(0, length(u.word)) AS at
          CROSS JOIN LATERAL (
            SELECT left(word, at) || substr(word, at + 2, 1) || substr(word, at + 1, 1) || substr(word, at + 3), 0
             WHERE at + 1 < length(word)
             UNION ALL
            SELECT left(word, at) || substr(word, at + 2), 1 WHERE at < length(word)
             UNION ALL
            SELECT left(word, at) || letter || substr(word, at + 1 + step), 1 + step
              FROM unnest(string_to_array(letters, NULL)) AS letter CROSS JOIN generate_series(0, 1) AS step
             WHERE (NOT only_english OR ascii(letter) < 128) AND at + step <= length(word)) AS e (spelling, step)
         WHERE e.spelling <> u.word
         GROUP BY u.word, e.spelling),
    held AS MATERIALIZED (
        SELECT s.word, s.spelling, s.step, a.language, a.lexemes AS unknown, t.lexemes[1] AS term, f.holding
          FROM spellings s JOIN asked a ON a.word = s.word
          CROSS JOIN LATERAL (  -- OFFSET, so that the words are taken apart once and not at every mention
            SELECT tsvector_to_array(to_tsvector(a.config, s.spelling)) AS lexemes OFFSET 0) t
          CROSS JOIN LATERAL (
            SELECT sum(octet_length(p.postings)) / 7.0 AS holding
              FROM lexical_postings p WHERE p.term = t.lexemes[1] AND p.segment = ANY(a.segments)) f
         WHERE cardinality(t.lexemes) = 1 AND f.holding > 0),
    likely AS (
        SELECT word, spelling, term, step,
               ln(holding::float8 + 1) + 1.5 * (left(spelling, 1) = left(word, 1))::integer - 0.7 * step AS likelihood
          FROM held),
    by_lexeme AS (
        SELECT DISTINCT ON (word, term) word, spelling, step, likelihood
          FROM likely
         ORDER BY word, term, likelihood DESC, step, spelling COLLATE "C"),
    by_spelling AS (
        SELECT word, spelling, min(step) AS step, max(likelihood) AS likelihood
          FROM by_lexeme GROUP BY word, spelling),
    best AS (
        SELECT word, spelling, place
          FROM (SELECT word, spelling, likelihood, max(likelihood) OVER (PARTITION BY word) AS greatest,
                       row_number() OVER (PARTITION BY word
                                          ORDER BY likelihood DESC, step, spelling COLLATE "C") AS place
                  FROM by_spelling) s
         WHERE place <= %(readings)s AND likelihood >= greatest - %(margin)s)
    SELECT h.word, h.spelling, h.language, h.unknown, h.term, p.postings
      FROM best b
      JOIN held h ON h.word = b.word AND h.spelling = b.spelling
      JOIN active a ON a.language = h.language
      JOIN lexical_postings p ON p.segment = a.id AND p.term = h.term
     ORDER BY h.word COLLATE "C", b.place, h.language, p.segment
    """
).as_bytes()

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

_OPTION = re.compile(r"--?[^\W_][\w\-]*(?:\.[\w\-]+)*")
_JOINED = re.compile(r"[^\W_](?:::|[./:\-])+[^\W_]")
_LETTER_BY_DIGIT = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")
# Names with capitals or digits within, and their parts: HTTP, Server and 2 of HTTPServer2.
_NAME = re.compile(
    r"(?<![A-Za-z0-9])(?![A-Z]+s\b)[A-Za-z]+(?:(?<=[a-z])[A-Z]|(?<=[A-Z])[A-Z][a-z]|[0-9])[A-Za-z0-9]*"
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
SHORTEST_PART = 2
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
    words = _without_targets(without_unspaced(text))
    for run in dict.fromkeys(_RUN.findall(words)):
        if _PLAIN_WORD.fullmatch(run):
            continue
        for form in _forms(run):
            if len(form) <= LONGEST_TERM:
                found[form.lower()] = None
    return list(found)


def name_parts(text: str) -> list[str]:
    """The words that names such as ``AVChapterSetId`` or ``utf8mb4`` are made of, in order of appearance, each once.

    The parser takes such a name for one word. Names of no words (hashes, encoded data) have no parts.
    """
    found: dict[str, None] = {}
    words = _without_targets(text)
    for name in dict.fromkeys(_NAME.findall(words)):
        parts = _PARTS.findall(name)
        telling = [part for part in parts if len(part) >= SHORTEST_PART and part.isalpha()]
        if len(name) <= LONGEST_TERM and len(parts) > 1 and 2 * sum(map(len, telling)) > len(name):
            found.update(dict.fromkeys(part.lower() for part in parts if len(part) >= SHORTEST_PART))
    return list(found)


@lru_cache(maxsize=2)  # names and identifiers of a text are looked for one after the other
def _without_targets(text: str) -> str:
    """The text without the targets of its links and without escapes."""
    if "](" in text or "://" in text:  # looking for targets takes long
        text = _LINK_TARGET.sub("] ", text)
    return without_escapes(text) if "\\" in text else text


def bigrams(text: str) -> list[str]:
    """Overlapping pairs of characters of every run without spaces; a run of one character is kept."""
    if text.isascii():
        return []
    found: dict[str, None] = {}
    for run in _UNSPACED_RUN.findall(text):
        for start in range(max(1, len(run) - 1)):
            found[run[start : start + 2]] = None
    return list(found)


def without_unspaced(text: str) -> str:
    """The text with runs without spaces blanked, since the parser reads each as one long word."""
    return text if text.isascii() else _UNSPACED_RUN.sub(" ", text)


def _forms(run: str) -> Iterator[str]:
    """A run of word and joining characters in every form that is indexed."""
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
