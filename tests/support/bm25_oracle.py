"""BM25 worked out the plain way, chunk by chunk, from what PostgreSQL's own word vectors hold."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from webrag_desktop.storage.database import Connection

K1, B = 0.9, 0.4


@dataclass(frozen=True)
class Passage:
    """A child with its lexemes, each as often as it stands there."""

    id: UUID
    ordinal: int
    language: str
    words: Counter[str]


def passages(conn: Connection, chunking_id: str) -> list[Passage]:
    """Every child of a chunking."""
    rows = conn.execute(
        """
        SELECT c.id, c.ordinal, c.search_language,
               ARRAY(SELECT w.lexeme FROM unnest(c.search_vector) w ORDER BY w.lexeme COLLATE "C"),
               ARRAY(SELECT coalesce(cardinality(w.positions), 1) FROM unnest(c.search_vector) w
                      ORDER BY w.lexeme COLLATE "C")
          FROM chunks c WHERE c.chunk_level = 'child' AND c.chunking_id = %s
        """,
        [chunking_id],
    )
    return [
        Passage(id_, ordinal, language, Counter(dict(zip(lexemes, times, strict=True))))
        for id_, ordinal, language, lexemes, times in rows
    ]


def lexemes(conn: Connection, language: str, question: str, extra: Iterable[str] = ()) -> list[str]:
    """What a question asks for in a language, in order."""
    row = conn.execute(
        "SELECT tsvector_to_array(to_tsvector(webrag_regconfig(%s), %s))", [language, question]
    ).fetchone()
    assert row is not None
    return sorted({*row[0], *extra}, key=str.encode)


def scores(passages: Sequence[Passage], asked: dict[str, list[str]]) -> dict[int, float]:
    """By ordinal, of those that hold anything of what is asked in their language."""
    found: dict[int, float] = {}
    for language, terms in asked.items():
        alike = [passage for passage in passages if passage.language == language]
        mean = sum(passage.words.total() for passage in alike) / max(1, len(alike))
        for passage in alike:
            total = 0.0
            for term in terms:
                times = passage.words[term]
                if times:
                    holding = sum(term in other.words for other in alike)
                    weight = math.log1p((len(alike) - holding + 0.5) / (holding + 0.5))
                    total += weight * times / (times + K1 * (1 - B + B * passage.words.total() / mean))
            if total:
                found[passage.ordinal] = total
    return found
