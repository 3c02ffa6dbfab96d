"""The pages of a site that its capture knows of and does not fetch."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple
from uuid import UUID

from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library.sources import key_hash

# "shape": too many addresses look like it, as if they had no end; "depth": more links lie before it than are followed.
Why = Literal["shape", "depth"]


class LeftOut(NamedTuple):
    """How many pages were left out for each reason, and the first addresses of those left out for their shape."""

    shape: int
    depth: int
    examples: tuple[str, ...]


def note_left_out(conn: Connection, run_id: UUID, why: Why, urls: Mapping[str, str], most: int) -> None:
    """Note addresses, by their keys, each once however often it is given; at most so many of a run are kept."""
    conn.execute(
        """
        INSERT INTO expansion_left_out (expansion_id, key_hash, url, why)
        SELECT %(run)s, v.*, %(why)s FROM unnest(%(keys)s::bytea[], %(urls)s::text[]) AS v
         LIMIT greatest(0, %(most)s - (SELECT count(*) FROM expansion_left_out WHERE expansion_id = %(run)s))
        ON CONFLICT (expansion_id, key_hash) DO NOTHING
        """,
        {
            "run": run_id,
            "why": why,
            "keys": [key_hash(key) for key in urls],
            "urls": list(urls.values()),
            "most": most,
        },
    )


def left_out(conn: Connection, run_id: UUID, examples: int) -> LeftOut:
    """What a run left out, and at most so many examples; what it came to visit all the same does not count."""
    rows: Sequence[tuple[Why, int, list[str]]] = conn.execute(
        """
        SELECT why, count(*), (array_agg(url ORDER BY number))[:%(examples)s]
          FROM expansion_left_out l
         WHERE expansion_id = %(run)s
           AND NOT EXISTS (SELECT FROM expansion_visits v
                            WHERE v.expansion_id = l.expansion_id AND v.key_hash = l.key_hash)
         GROUP BY why
        """,
        {"run": run_id, "examples": examples},
    ).fetchall()
    found = {why: (count, urls) for why, count, urls in rows}
    shape, urls = found.get("shape", (0, []))
    return LeftOut(shape, found.get("depth", (0, []))[0], tuple(urls))
