"""Pages through the real extraction and chunking, with every invariant of offsets checked."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from benchmarks.extraction_parts.extractors import capture_of
from benchmarks.extraction_parts.html_reading import shown_words
from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.errors import WebragError
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import Chunk, NormalizedDocument

EMPTY_PAGE = 60  # words in its body up to which a page may be refused: search forms, frames, pages of scripts


@dataclass(frozen=True)
class Outcome:
    """What became of a page. ``refusal`` is the message for the user; ``fault`` says what must not happen."""

    refusal: str = ""
    fault: str = ""
    extracting: float = 0.0  # CPU seconds
    chunking: float = 0.0  # CPU seconds
    chunks: int = 0
    characters: int = 0


@dataclass
class Tally:
    """Sums over pages, and every page that did not go through."""

    pages: int = 0
    ready: int = 0
    bytes: int = 0
    extracting: float = 0.0
    chunking: float = 0.0
    chunks: int = 0
    characters: int = 0
    slowest: tuple[float, str] = (0.0, "")
    refusals: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, str]] = field(default_factory=list)

    def add(self, name: str, size: int, outcome: Outcome) -> None:
        """Count a page of ``size`` bytes."""
        self.pages += 1
        self.bytes += size
        self.ready += not (outcome.refusal or outcome.fault)
        self.extracting += outcome.extracting
        self.chunking += outcome.chunking
        self.chunks += outcome.chunks
        self.characters += outcome.characters
        self.slowest = max(self.slowest, (outcome.extracting + outcome.chunking, name))
        if outcome.refusal:
            self.refusals[outcome.refusal] += 1
        if outcome.fault:
            self.faults.append((name, outcome.fault))


def check_page(body: bytes, url: str, tokenizer: Tokenizer, options: ChunkingOptions) -> Outcome:
    """Extract and chunk one page; whatever is not a message to the user is a fault."""
    begun = time.process_time()
    try:
        document = extract(capture_of(body, url))
        read = time.process_time()
        chunks = chunk_document(document.markdown, document.blocks, tokenizer, options)
    except WebragError as error:
        fault = _refused_words(body, error.message)
        return Outcome(error.message, fault, time.process_time() - begun)
    except Exception as error:  # noqa: BLE001  a page must never bring the extractor down: that is what is counted
        return Outcome(fault=f"{type(error).__name__}: {error}", extracting=time.process_time() - begun)
    done = time.process_time()
    fault = next(iter([*document_faults(document), *chunk_faults(document.markdown, chunks)]), "")
    return Outcome("", fault, read - begun, done - read, len(chunks), len(document.markdown))


def document_faults(document: NormalizedDocument) -> Iterable[str]:
    """What is wrong with offsets and blocks of a document."""
    markdown, position = document.markdown, 0
    if not document.blocks:
        yield "no blocks"
    for block in document.blocks:
        if not position <= block.char_start < block.char_end <= len(markdown):
            yield f"block [{block.char_start}, {block.char_end}) is out of order"
        if markdown[position : block.char_start].strip():
            yield f"text between blocks at {position}"
        if not markdown[block.char_start : block.char_end].strip():
            yield f"block at {block.char_start} is blank"
        if not block.html:
            yield f"block at {block.char_start} has no HTML"
        position = block.char_end
    if markdown[position:].strip():
        yield f"text behind the last block at {position}"


def chunk_faults(markdown: str, chunks: tuple[Chunk, ...]) -> Iterable[str]:
    """What is wrong with the chunks of a document."""
    for level in ("parent", "child"):
        of_level = [chunk for chunk in chunks if chunk.level == level]
        if not of_level:
            yield f"no {level} chunks"
            continue
        if of_level[0].char_start or of_level[-1].char_end != len(markdown):
            yield f"{level} chunks do not cover the text"
        if any(one.char_end != other.char_start for one, other in pairwise(of_level)):
            yield f"{level} chunks leave gaps"
    for chunk in chunks:
        if chunk.chunk_text != markdown[chunk.char_start : chunk.char_end]:
            yield f"chunk at {chunk.char_start} is not the text it names"


def _refused_words(body: bytes, message: str) -> str:
    """A refusal is a fault where an independent parser finds words outside its menus."""
    shown = shown_words(body)
    return f"refused ({message}) although it shows {shown} words" if shown > EMPTY_PAGE else ""
