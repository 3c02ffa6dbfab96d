"""Real pages, cut with the tokenizer of the shipped model."""

from datetime import UTC, datetime
from functools import cache
from itertools import pairwise

import pytest

from tests.support.chunk_checks import check_chunks
from tests.support.fidelity import FIDELITY_PAGES, fidelity_document
from tests.support.pages import PAGES_DIRECTORY
from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import Capture, Chunk, NormalizedDocument
from webrag_desktop.text.plain_text import project

PAGES = sorted(path.name for path in PAGES_DIRECTORY.iterdir() if path.is_file() and path.name != "README.md")
OPTIONS = ChunkingOptions(window_tokens=478)
TOKENIZERS = ["bert-base-uncased", "cl100k_base", "granite-embedding-30m-english"]


@cache
def document_of(name: str) -> NormalizedDocument:
    url = f"https://example.org/{name}"
    body = (PAGES_DIRECTORY / name).read_bytes()
    fetched = datetime(2026, 1, 1, tzinfo=UTC)
    return extract(Capture(url=url, final_url=url, body=body, fetched_at=fetched, filename=name))


@cache
def tokenizer_of(name: str) -> Tokenizer:
    return open_tokenizer(name)


@cache
def chunks_of(name: str) -> tuple[Chunk, ...]:
    document = document_of(name)
    return chunk_document(document.markdown, document.blocks, tokenizer_of(TOKENIZERS[0]), OPTIONS)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("sizes", [(478, 256, 1000), (60, 40, 120)])
@pytest.mark.parametrize("name", PAGES)
def test_invariants_hold(name: str, sizes: tuple[int, int, int], tokenizer: str) -> None:
    document = document_of(name)
    check_chunks(document.markdown, document.blocks, tokenizer_of(tokenizer), ChunkingOptions(*sizes))


@pytest.mark.parametrize("sizes", [(478, 256, 1000), (60, 40, 120)])
@pytest.mark.parametrize("name", sorted(path.stem for path in FIDELITY_PAGES.glob("*.yaml")))
def test_invariants_hold_for_pages_of_many_builders(name: str, sizes: tuple[int, int, int]) -> None:
    document = fidelity_document(name)
    check_chunks(document.markdown, document.blocks, tokenizer_of(TOKENIZERS[0]), ChunkingOptions(*sizes))


@pytest.mark.parametrize("name", PAGES)
def test_no_child_is_blank_or_only_a_heading_that_introduces_text(name: str) -> None:
    children = [chunk for chunk in chunks_of(name) if chunk.level == "child"]
    for child, following in pairwise(children):
        lines = child.chunk_text.strip().splitlines()
        assert lines
        alone = len(lines) == 1 and lines[0].startswith("#")
        assert not alone or following.chunk_text.startswith("#")


@pytest.mark.parametrize("name", PAGES)
def test_rows_and_lines_of_code_are_not_torn(name: str) -> None:
    markdown = document_of(name).markdown
    for chunk in chunks_of(name):
        start = markdown.rfind("\n", 0, chunk.char_start) + 1
        assert chunk.char_start == start or not markdown.startswith(("|", ">>> ", "... ", "    "), start)


def test_sections_of_the_user_guide() -> None:
    parents = [chunk for chunk in chunks_of("sklearn_ensemble.html") if chunk.level == "parent"]
    headings = list(dict.fromkeys(parent.section_heading for parent in parents))
    assert "1.11.2. Forests of randomized trees" in headings
    formulas = [parent for parent in parents if parent.flags.has_math]
    assert formulas
    assert all(parent.html_text for parent in formulas)
    anchors = {parent.anchor for parent in parents}
    assert "forest" in anchors or "forests-of-randomized-trees" in anchors


def test_glossary_terms_stay_with_their_definitions() -> None:
    chunks = chunks_of("python_glossary.html")
    child = next(c for c in chunks if c.level == "child" and "**decorator**" in c.chunk_text)
    assert "A function returning another function" in child.chunk_text


@pytest.mark.parametrize("name", PAGES)
def test_plain_text_traces_back(name: str) -> None:
    markdown = document_of(name).markdown
    plain = project(markdown)
    for start in range(0, len(plain.text) - 40, 97):
        first, last = plain.to_markdown_span(start, start + 40)
        assert markdown[first] == plain.text[start] or markdown[first] in "&| "
        source = iter(markdown[first:last])  # every letter of the plain text comes from there, in order
        assert all(letter in source for letter in plain.text[start : start + 40] if letter.isalnum())
