"""Filters of several widths, by documents (a tag) and by passages (a flag), and what each leaves."""

from collections.abc import Iterator
from hashlib import md5
from typing import NamedTuple
from uuid import UUID

import numpy as np
import numpy.typing as npt

from benchmarks.retrieval_speed_parts.filling import CHILDREN_OF_A_PARENT, PARENTS_OF_A_DOCUMENT
from benchmarks.retrieval_speed_parts.vectors import Vectors
from webrag_desktop.retrieval.contracts.filters import ContentFlag, SearchFilters
from webrag_desktop.storage.database import Database

Numbers = npt.NDArray[np.int64]

# In thousandths of the library.
WIDTHS: dict[int, ContentFlag] = {1: "has_table", 10: "has_code", 100: "has_math", 300: "has_steps"}


class Filtered(NamedTuple):
    """A filter, its name, and how many children belong to one of what it chooses."""

    name: str
    thousandths: int
    filters: SearchFilters
    children: int

    def leaves(self, count: int) -> Numbers:
        """The children that it leaves, by number."""
        numbers = np.arange(count)
        return numbers[numbers // self.children % 1000 < self.thousandths]


def all_filters() -> Iterator[Filtered]:
    """Every width of both kinds."""
    for width, flag in WIDTHS.items():
        share = f"{width / 10:g} %"
        document = CHILDREN_OF_A_PARENT * PARENTS_OF_A_DOCUMENT
        yield Filtered(f"tag, {share}", width, SearchFilters(tags=[str(width)]), document)
        yield Filtered(f"flag, {share}", width, SearchFilters(content_flags=[flag]), CHILDREN_OF_A_PARENT)


def mark(database: Database) -> None:
    """Tag documents and flag parents, every n-th of them, in a filled library."""
    with database.connection() as conn:
        conn.execute("ALTER TABLE chunks DISABLE TRIGGER USER")
        conn.execute(_TAGS, {"widths": [*WIDTHS]})
        conn.execute(_FLAGS)
        conn.execute("ALTER TABLE chunks ENABLE TRIGGER USER")
    with database.dedicated() as conn:
        conn.execute("VACUUM ANALYZE")


_TAGS = """
    UPDATE sources s SET tags = ARRAY(SELECT w::text FROM unnest(%(widths)s::int[]) w
                                       WHERE mod(substring(d.source_url FROM '[0-9]+$')::int, 1000) < w)
      FROM documents d WHERE d.id = s.id
"""
_FLAGS = """
    UPDATE chunks c SET has_table = n % 1000 < 1, has_code = n % 1000 < 10, has_math = n % 1000 < 100,
                        has_steps = n % 1000 < 300
      FROM (SELECT id, substring(source_url FROM '[0-9]+$')::int * 5 + chunk_index AS n
              FROM chunks WHERE chunk_level = 'parent') p
     WHERE p.id = c.id AND n % 1000 < 300
"""


def child_id(number: int) -> UUID:
    """The id of the n-th child."""
    return UUID(md5(f"c{number}".encode(), usedforsecurity=False).hexdigest())


def nearest_of(vectors: Vectors, question: Vectors, numbers: Numbers, count: int) -> set[UUID]:
    """The exact neighbours among these children."""
    similarities = vectors[numbers] @ question
    return {child_id(int(numbers[place])) for place in np.argsort(-similarities)[:count]}
