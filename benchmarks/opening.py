"""Opening a long text in the reader: how much of it is projecting, and what storing its blocks would save.

``python -m benchmarks.opening FOLDER [--characters N]``: a folder of Markdown and web pages. Processor time, since all
of it is done in a thread. Storing is measured without the database: what is read is JSON in memory.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import astuple
from datetime import UTC, datetime
from itertools import chain, cycle
from pathlib import Path
from uuid import UUID

from benchmarks.formulas import markdown_of
from benchmarks.measuring import table
from webrag_desktop.gui.reader.operations.reader_document import reader_document
from webrag_desktop.models.documents import DocumentVersion
from webrag_desktop.storage.document_columns import is_map_of, runs_of
from webrag_desktop.text.plain_blocks import Shape
from webrag_desktop.text.plain_inline import InlineStyle
from webrag_desktop.text.plain_text import PlainBlock, PlainText, project_blocks

RUNS = 11
CHARACTERS = 2_000_000


def text_of(folder: Path, characters: int) -> str:
    """The texts of a folder one after the other, from the first again where they are too few."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in {".html", ".md"})
    texts, length = list(map(markdown_of, paths)), 0
    taken: list[str] = []
    for text in cycle(filter(None, texts)):
        taken.append(text)
        length += len(text) + 2
        if length >= characters:
            return "\n\n".join(taken)[:characters]
    return ""


def version_of(markdown: str) -> DocumentVersion:
    """A stored text, without blocks of a page."""
    return DocumentVersion(
        id=UUID(int=2),
        document_id=UUID(int=1),
        source_url="file:///notes.md",
        title=None,
        markdown=markdown,
        html=None,
        content_hash="",
        fetched_at=datetime.now(UTC),
        blocks=(),
    )


def read_blocks(runs: str, plain: str, blocks: str) -> tuple[PlainText, list[PlainBlock]]:
    """What the projection gives, from JSON of its map and of its blocks."""
    traced = runs_of(json.loads(runs))
    if not is_map_of(traced, plain):
        raise ValueError("no map of this text")
    made = [
        PlainBlock(
            start, end, Shape(*shape), tuple(InlineStyle(*one) for one in styles), tuple(map(tuple, cells))
        )
        for start, end, shape, styles, cells in json.loads(blocks)
    ]
    return PlainText(plain, traced), made


def milliseconds(work: Callable[[], object]) -> float:
    """Median processor time of a call."""
    spent = []
    for _ in range(RUNS):
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    return statistics.median(spent) * 1000


def opening(markdown: str) -> str:
    """The parts of opening a text, and what they would be with stored blocks."""
    plain, parts = project_blocks(markdown)
    runs, blocks = json.dumps(plain.runs), json.dumps(list(map(astuple, parts)))
    if astuple(read_blocks(runs, plain.text, blocks)[1][0]) != astuple(parts[0]):
        raise ValueError("the blocks read are others")
    version = version_of(markdown)
    whole = milliseconds(lambda: reader_document(version, title="T", place="p", address="a"))
    projecting = milliseconds(lambda: project_blocks(markdown))
    reading = milliseconds(lambda: read_blocks(runs, plain.text, blocks))
    styles = sum(map(len, chain(one.styles for one in parts)))
    return table(
        f"Opening {len(markdown):,} characters: {len(parts):,} blocks, {styles:,} styles, {len(plain.runs):,} runs",
        ("", "ms", "of opening"),
        [
            ("opening", f"{whole:.0f}", "1"),
            ("projecting", f"{projecting:.0f}", f"{projecting / whole:.2f}"),
            ("reading stored blocks and map instead", f"{reading:.0f}", f"{reading / whole:.2f}"),
            ("they would take", f"{len(runs) + len(blocks):,} characters", ""),
        ],
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--characters", type=int, default=CHARACTERS)
    given = parser.parse_args()
    sys.stdout.write(opening(text_of(given.folder, given.characters)) + "\n")
