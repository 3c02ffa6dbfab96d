"""Headings, code blocks and tables: those a page has, and which of them a conversion kept."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.extraction_parts.scoring import words

_SAME_TABLE = 0.9  # share of a table's words that one table must hold to count as that table


@dataclass(frozen=True)
class Structure:
    """Texts of each kind, in reading order."""

    headings: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kept:
    """How many of a kind there were, and how many came through."""

    of: int = 0
    kept: int = 0

    def __add__(self, other: "Kept") -> "Kept":
        return Kept(self.of + other.of, self.kept + other.kept)

    @property
    def share(self) -> float | None:
        """None where there was nothing to keep."""
        return self.kept / self.of if self.of else None


def compare(gold: Structure, found: Structure) -> tuple[Kept, Kept, Kept]:
    """Headings kept (same words), code blocks (same characters but for spaces), tables (their words in one table)."""
    headings = _same([_heading(text) for text in gold.headings], [_heading(text) for text in found.headings])
    code = _same([_code(text) for text in gold.code], [_code(text) for text in found.code])
    return headings, code, _tables(gold.tables, found.tables)


def lost(gold: Structure, found: Structure) -> list[str]:
    """What a person should look at: each heading and code block that did not come through."""
    headings = Counter(_heading(text) for text in found.headings)
    code = Counter(_code(text) for text in found.code)
    gone = [f"heading: {text}" for text in gold.headings if not headings[_heading(text)]]
    return gone + [f"code: {text.strip()[:70]!r}" for text in gold.code if not code[_code(text)]]


def _same(gold: Sequence[str], found: Sequence[str]) -> Kept:
    wanted = Counter(text for text in gold if text)
    return Kept(wanted.total(), (wanted & Counter(found)).total())


def _heading(text: str) -> str:
    return " ".join(words(text)).lower()


def _code(text: str) -> str:
    return "".join(text.split())


def _tables(gold: Sequence[str], found: Sequence[str]) -> Kept:
    wanted = [Counter(words(text)) for text in gold]
    wanted = [table for table in wanted if table]
    left = [Counter(words(text)) for text in found]
    kept = 0
    for table in wanted:
        same = next((one for one in left if (table & one).total() >= _SAME_TABLE * table.total()), None)
        if same is not None:
            left.remove(same)
            kept += 1
    return Kept(len(wanted), kept)
