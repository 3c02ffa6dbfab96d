"""Real pages through extraction and chunking: every rule checked on every page, and what each stage costs.

``python -m benchmarks.chunking FOLDER --pages N`` draws N pages evenly over the folders below FOLDER, such as one that
``python -m benchmarks.debian_pages fetch`` filled; ``--tokenizer`` and the sizes are those that users get, or others.
The exit status is 1 when the chunks of a page break a rule, or when there was no page to look at.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from benchmarks.debian_pages import sample
from benchmarks.extraction_parts.extractors import capture_of
from benchmarks.extraction_parts.gold import page_address
from benchmarks.measuring import EMBEDDED, table
from tests.support.chunk_checks import ChunkCheck
from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.embedding.factory import open_tokenizer, resolve
from webrag_desktop.errors import WebragError
from webrag_desktop.indexing.chunkers import context_header
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.indexing.corpus_space import HEADER_TOKENS, chunking_options
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.indexing.structure import read_structure
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import Chunk, NormalizedDocument
from webrag_desktop.storage.searching.words import identifier_terms
from webrag_desktop.text.plain_text import project

_SHOWN_FAULTS = 30

ResultT = TypeVar("ResultT")


@dataclass
class Stages:
    """CPU seconds by stage, in the order in which they first ran."""

    seconds: dict[str, float] = field(default_factory=dict)

    def run(self, name: str, work: Callable[[], ResultT]) -> ResultT:
        """Do some work of a stage."""
        begun = time.process_time()
        result = work()
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - begun
        return result


@dataclass
class Tally:
    """Sums over pages."""

    pages: int = 0
    refused: int = 0
    html: int = 0
    characters: int = 0
    parents: int = 0
    children: int = 0
    tokens: int = 0
    faults: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Measurement:
    """Reads and cuts pages with one tokenizer and one set of sizes."""

    tokenizer: Tokenizer
    options: ChunkingOptions
    stages: Stages = field(default_factory=Stages)
    tally: Tally = field(default_factory=Tally)

    def add(self, name: str, body: bytes, url: str) -> None:
        """Take one page through every stage and look for broken rules."""
        self.tally.pages += 1
        try:
            document = self.stages.run("extraction", lambda: extract(capture_of(body, url)))
        except WebragError:
            self.tally.refused += 1
            return
        chunks = self._cut(document)
        again = chunk_document(document.markdown, document.blocks, self.tokenizer, self.options)
        check = ChunkCheck(
            document.markdown, document.blocks, self.tokenizer, self.options, chunks, document.title
        )
        self.tally.faults += [(name, fault) for fault in check.faults()]
        if again != chunks:
            self.tally.faults.append((name, "cut differently the second time"))
        self.tally.html += len(body)
        self.tally.characters += len(document.markdown)
        self.tally.parents += len(check.parents)
        self.tally.children += len(check.children)
        self.tally.tokens += chunks[-1].token_end if chunks else 0

    def _cut(self, document: NormalizedDocument) -> tuple[Chunk, ...]:
        markdown, tokenizer, run = document.markdown, self.tokenizer, self.stages.run
        run("  its tokens", lambda: tokenizer.token_starts(markdown))
        run("  its structure", lambda: read_structure(markdown, document.blocks))
        chunks = run(
            "chunking, these included",
            lambda: chunk_document(markdown, document.blocks, tokenizer, self.options),
        )
        run("plain text", lambda: project(markdown))
        run("headers", lambda: [self._header(document, chunk) for chunk in chunks if chunk.level == "child"])
        run(
            "terms",
            lambda: [identifier_terms(chunk.chunk_text) for chunk in chunks if chunk.level == "child"],
        )
        run(
            "tokens of HTML",
            lambda: [tokenizer.count(chunk.html_text or "") for chunk in chunks if chunk.level == "parent"],
        )
        return chunks

    def _header(self, document: NormalizedDocument, chunk: Chunk) -> str:
        return context_header(document.title, chunk.heading_path, self.tokenizer, HEADER_TOKENS)

    def report(self) -> str:
        """Figures, speed by stage, and every rule that was broken."""
        tally = self.tally
        figures = [
            ("pages / refused with a reason", f"{tally.pages:,} / {tally.refused:,}"),
            ("MB of HTML / of Markdown", f"{tally.html / 1e6:,.1f} / {tally.characters / 1e6:,.1f}"),
            ("parents / children / tokens", f"{tally.parents:,} / {tally.children:,} / {tally.tokens:,}"),
            ("broken rules", f"{len(tally.faults):,}"),
        ]
        parts = [table(f"Chunking with {self.tokenizer.name}", ("", ""), figures)]
        parts.append(table("Speed", ("stage", "CPU s", "MB of Markdown per CPU s"), list(self._speeds())))
        if tally.faults:
            parts.append(table("Broken", ("page", "rule"), tally.faults[:_SHOWN_FAULTS]))
        return "\n".join(parts)

    def _speeds(self) -> Iterator[tuple[str, float, float]]:
        for stage, seconds in self.stages.seconds.items():
            yield stage, seconds, self.tally.characters / 1e6 / max(seconds, 1e-9)


def run(folder: Path, pages: int, tokenizer_name: str | None, targets: ChunkTargets) -> Measurement:
    """Take a sample of pages through all stages."""
    model = resolve(EMBEDDED)
    tokenizer = open_tokenizer(tokenizer_name or model.tokenizer)
    measurement = Measurement(tokenizer, chunking_options(targets, model, tokenizer))
    for path in sample(folder, pages):
        name = path.relative_to(folder).as_posix()
        measurement.add(name, path.read_bytes(), page_address(path, folder))
        if measurement.tally.pages % 500 == 0:
            state = f"{measurement.tally.pages} pages, {len(measurement.tally.faults)} broken rules"
            print(state, file=sys.stderr, flush=True)
    return measurement


def main() -> int:
    """The command line; returns the exit status."""
    usual = ChunkTargets()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chunking", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--tokenizer", help="bert-base-uncased, cl100k_base or the path of a tokenizer.json")
    parser.add_argument("--child-tokens", type=int, default=usual.child_tokens)
    parser.add_argument("--parent-tokens", type=int, default=usual.parent_tokens)
    given = parser.parse_args()
    targets = ChunkTargets(given.child_tokens, given.parent_tokens)
    measurement = run(given.folder, given.pages, given.tokenizer, targets)
    print(measurement.report())
    return 1 if measurement.tally.faults or measurement.tally.pages == measurement.tally.refused else 0


if __name__ == "__main__":
    sys.exit(main())
