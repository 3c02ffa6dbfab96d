"""The corpus as a table for readers: ``python -m tests.hostile.table`` writes ``docs/hostile-input.md``."""

from collections.abc import Sequence
from pathlib import Path

from tests.hostile.beyond_reading import SECTIONS, Shown
from tests.hostile.cases import Case, SiteCase
from tests.hostile.corpus import CHAPTERS, CORPUS

DOCUMENT = Path(__file__).parents[2] / "docs" / "hostile-input.md"
_HEAD = f"""# Hostile input

Everything fetched or dropped is hostile. These {len(CORPUS)} inputs, each made by a few lines in `tests/hostile/`, go
through the real fetch and the real reading process with its usual limits (1 GB of memory, 60 s of work) in every test
run. Whatever comes of one, the worker and all other documents go on. Of every document that comes of a page it holds,
too: its HTML passes the allow-list unchanged and holds no script, handler, style, frame or form; links in its HTML and
its markdown are web addresses; offsets and hash are exact; it is known by no address that it only claims.

What pages, manuscripts and models can do [beyond reading](#beyond-reading) stands at the end.

Written by `python -m tests.hostile.table`; a test keeps it true.
"""
_BEYOND = """## Beyond reading

A text stays hostile once it is read: its formulas are drawn, its sentences are quoted and given to a model. So is what
a model writes, what is pasted, and a manuscript. Every row names the test that shows it, below `tests/`.
"""


def table() -> str:
    """The whole document."""
    chapters = (_chapter(title, cases) for title, cases in CHAPTERS.items())
    return "\n".join([_HEAD, *chapters, _BEYOND, *(_section(*one) for one in SECTIONS.items())])


def _chapter(title: str, cases: tuple[Case, ...]) -> str:
    heading, _, _rest = title.partition(":")
    rows = [f"| `{case.name}` | {_cell(_what(case))} | {_cell(case.outcome.sentence())} |" for case in cases]
    return "\n".join(
        [
            f"## {heading.removesuffix('.')}",
            "",
            title,
            "",
            "| name | what it is | what comes of it |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def _section(title: str, rows: Sequence[Shown]) -> str:
    return "\n".join(
        [
            f"### {title}",
            "",
            "| what it is | what comes of it | shown by |",
            "|---|---|---|",
            *(f"| {_cell(row.what)} | {_cell(row.outcome)} | `{row.test}` |" for row in rows),
            "",
        ]
    )


def _what(case: Case) -> str:
    limit = "" if isinstance(case, SiteCase) or case.memory_mb == 1024 else f" (limit: {case.memory_mb} MB)"
    return case.what + limit


def _cell(text: str) -> str:
    shown = "".join(sign if sign.isprintable() else f"U+{ord(sign):04X}" for sign in text)
    return (
        shown.replace("|", "\\|")
        .replace("<", "&lt;")
        .replace("*", "\\*")
        .replace("`", "\\`")
        .replace("_", "\\_")
    )


if __name__ == "__main__":
    DOCUMENT.write_text(table(), encoding="utf-8")
