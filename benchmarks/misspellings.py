"""How often a misspelt word is read as the right one, and how often a made-up word is read as some word.

``python -m benchmarks.misspellings --texts FOLDER``: the vocabulary is that of the folder's text files (``.txt``,
``.md``, ``.jsonl``, ``.jsonl.gz``). Words are drawn from it half as often as they occur and half each alike, and each
has one slip: a letter left out, put in, changed, or two swapped. Beside it stands the similarity of trigrams
(``pg_trgm``) over the same words in the same run, where the server has it.
"""

import argparse
import gzip
import random
import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.measuring import library, median_ms, table
from webrag_desktop.retrieval.query_text import SHORTEST_CORRECTED
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.words import ask_similar_words, received_similar_words

DRAWN = 600
MADE_UP = 150
LEAST_SIMILARITIES = (0.3, 0.4, 0.5)
_WORD = re.compile(r"[^\W\d_]+")
_PASSAGE = 1_500
_LENGTHS = ((6, 7), (8, 30), (6, 30))


@dataclass(frozen=True, slots=True)
class Slip:
    """A misspelt word and the lexeme that was meant."""

    kind: str
    word: str
    meant: str


def slip(word: str, kind: str, chance: random.Random) -> str:
    """The word with one slip of a kind."""
    at, letter = chance.randrange(len(word)), chance.choice(string.ascii_lowercase)
    if kind == "left out":
        return word[:at] + word[at + 1 :]
    if kind == "put in":
        return word[:at] + letter + word[at:]
    if kind == "changed":
        return word[:at] + letter + word[at + 1 :]
    at = min(at, len(word) - 2)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


KINDS = ("left out", "put in", "changed", "swapped")


def _passages(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.name.endswith((".txt", ".md", ".jsonl")):
            text = path.read_text(encoding="utf-8", errors="replace")
        elif path.name.endswith(".jsonl.gz"):
            text = gzip.decompress(path.read_bytes()).decode()
        else:
            continue
        text = text.replace("\0", "")
        yield from (text[at : at + _PASSAGE] for at in range(0, len(text), _PASSAGE))


def _fill(conn: Connection, passages: Sequence[str]) -> None:
    """Put their words down as a library does, without what only searching needs."""
    conn.execute("CREATE TEMPORARY TABLE held (n integer, words tsvector)")
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO held VALUES (%s, to_tsvector('english', %s))", list(enumerate(passages))
        )
    conn.execute(
        """
        INSERT INTO lexical_segments (chunking_id, language, children, length, ordinals)
        SELECT 'benchmark', 'en', count(*), count(*), array_agg(n) FROM held
        """
    )
    conn.execute(
        """
        INSERT INTO lexical_postings (segment, term, postings)
        SELECT (SELECT id FROM lexical_segments), lexeme, string_agg(int4send(n) || int2send(1::int2) || '\\x00', '')
          FROM held, unnest(words) GROUP BY lexeme
        """
    )
    conn.execute("ANALYZE lexical_postings")
    conn.execute("SET jit = off")  # as in a search


def _slips(conn: Connection, passages: Sequence[str], chance: random.Random) -> list[Slip]:
    """Slips that no text holds, of words that some text holds."""
    counted = Counter(word.lower() for text in passages for word in set(_WORD.findall(text)))
    words = [word for word in counted if len(word) >= SHORTEST_CORRECTED and word.isascii()]
    drawn = chance.choices(words, [counted[word] for word in words], k=DRAWN // 2)
    drawn += chance.sample(words, DRAWN // 2)
    made = [(KINDS[n % 4], slip(word, KINDS[n % 4], chance), word) for n, word in enumerate(drawn)]
    slips = [Slip(kind, word, _lexeme(conn, meant)) for kind, word, meant in made]
    return [
        one
        for one in slips
        if one.meant and len(one.word) >= SHORTEST_CORRECTED and not _is_held(conn, one.word)
    ]


def _lexeme(conn: Connection, word: str) -> str:
    row = conn.execute("SELECT (tsvector_to_array(to_tsvector('english', %s)))[1]", [word]).fetchone()
    return (row and row[0]) or ""


def _is_held(conn: Connection, word: str) -> bool:
    lexeme = _lexeme(conn, word)
    row = conn.execute("SELECT EXISTS (SELECT FROM lexical_postings WHERE term = %s)", [lexeme]).fetchone()
    return not lexeme or (row is not None and bool(row[0]))


def _readings(conn: Connection, word: str) -> list[str]:
    """The lexemes that the word is read as, the likeliest first."""
    similar, _ = received_similar_words(ask_similar_words(conn, [word], None))
    return [one.term for one in similar]


def _read(conn: Connection, word: str) -> str | None:
    return next(iter(_readings(conn, word)), None)


def _row_of_readings(slips: Sequence[Slip], readings: Sequence[Sequence[str]]) -> tuple[object, ...]:
    """How often the right word is among the readings, and how many there are."""
    right = sum(one.meant in read for one, read in zip(slips, readings, strict=True))
    several = sum(len(read) > 1 for read in readings)
    each = sum(map(len, readings)) / max(1, sum(map(bool, readings)))
    return len(slips), 100 * right / len(slips), 100 * several / len(slips), each


def _ask(conn: Connection, words: Sequence[str]) -> None:
    ask_similar_words(conn, words, None).fetchall()


def _by_trigrams(conn: Connection, word: str, least: float) -> str | None:
    """The most similar lexeme by trigrams, the commonest of those."""
    row = conn.execute(
        """
        SELECT term FROM (SELECT term, octet_length(postings) AS size, similarity(term, %(word)s) AS likeness
                            FROM lexical_postings WHERE term %% %(word)s) t
         WHERE likeness >= %(least)s ORDER BY likeness DESC, size DESC, term LIMIT 1
        """,
        {"word": _lexeme(conn, word), "least": least},
    ).fetchone()
    return row[0] if row else None


def _made_up(conn: Connection, length: int, chance: random.Random) -> list[str]:
    words: list[str] = []
    while len(words) < MADE_UP:
        syllables = (chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(length))
        word = "".join(syllables)[:length]
        if not _is_held(conn, word):
            words.append(word)
    return words


def _row(name: str, slips: Sequence[Slip], found: Sequence[str | None]) -> tuple[object, ...]:
    right = sum(one.meant == read for one, read in zip(slips, found, strict=True))
    read = sum(one is not None for one in found)
    return name, len(slips), 100 * right / len(slips), 100 * (read - right) / len(slips)


def _rows(slips: Sequence[Slip], name: str, found: Sequence[str | None]) -> list[tuple[object, ...]]:
    rows = []
    for least, most in _LENGTHS:
        chosen = [n for n, one in enumerate(slips) if least <= len(one.word) <= most]
        letters = f"{least} letters" if least == most else f"{least} to {most} letters"
        rows.append(_row(f"{name}, {letters}", [slips[n] for n in chosen], [found[n] for n in chosen]))
    for kind in KINDS:
        chosen = [n for n, one in enumerate(slips) if one.kind == kind]
        rows.append(_row(f"{name}, {kind}", [slips[n] for n in chosen], [found[n] for n in chosen]))
    return rows


def _has_trigrams(conn: Connection) -> bool:
    try:
        with conn.transaction():
            conn.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            conn.execute("CREATE INDEX ON lexical_postings USING gin (term gin_trgm_ops)")
    except psycopg.Error:
        return False
    return True


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.misspellings",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--texts", type=Path, required=True)
    passages = list(_passages(parser.parse_args().texts))
    chance = random.Random(3)
    with library() as database, database.unmanaged() as conn:
        _fill(conn, passages)
        slips = _slips(conn, passages, chance)
        head = ("read by", "slips", "right %", "wrong %")
        readings = [_readings(conn, one.word) for one in slips]
        found = [next(iter(read), None) for read in readings]
        rows = _rows(slips, "one slip away", found)
        trigrams = _has_trigrams(conn)
        for least in LEAST_SIMILARITIES if trigrams else ():
            likest = [_by_trigrams(conn, one.word, least) for one in slips]
            rows.append(_row(f"trigrams, similarity {least}", slips, likest))
        print(table("Misspelt words", head, rows))
        head = ("slips", "right among the readings %", "of several readings %", "readings each")
        print(table("All readings", head, [_row_of_readings(slips, readings)]))
        made_up = []
        for length in range(SHORTEST_CORRECTED - 1, 10):  # the first shows why none is helped
            words = _made_up(conn, length, chance)
            made_up.append((length, 100 * sum(_read(conn, word) is not None for word in words) / len(words)))
        print(table("Made-up words", ("letters", "read as some word %"), made_up))
        right, wrong = passages[0].split()[:5], [one.word for one in slips[:3]]
        times = [
            (name, median_ms(partial(_ask, conn, words), 30))
            for name, words in (("five words that are held", right), ("three that are not", wrong))
        ]
        print(table("Milliseconds", ("question", "statement"), times))


if __name__ == "__main__":
    main()
