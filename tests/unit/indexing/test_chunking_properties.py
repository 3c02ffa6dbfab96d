"""What holds for the chunks of every document, however it is written."""

import tempfile
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.chunk_checks import check_chunks
from tests.support.markdown_documents import (
    ANY_TEXT,
    DIFFICULT_DOCUMENTS,
    DOCUMENTS,
    GeneratedDocument,
    is_heading,
    is_section,
)
from tests.support.tokenizer_file import unigram_file
from tests.support.tokenizers import ByteTokenizer, LongWordTokenizer, WordTokenizer
from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.indexing.splitting import TokenRuler
from webrag_desktop.models.documents import Block

TOKENIZERS = st.sampled_from([WordTokenizer(), ByteTokenizer(), LongWordTokenizer()])
SIZES = st.builds(
    lambda child, factor, window: ChunkingOptions(
        window_tokens=window, child_tokens=child, parent_tokens=child * factor
    ),
    st.integers(8, 60),
    st.integers(1, 5),
    st.integers(16, 120),
)


@cache
def real_tokenizer(name: str) -> Tokenizer:
    """A shipped tokenizer by its name, or one from a file as users bring it."""
    if name != "file":
        return open_tokenizer(name)
    with tempfile.TemporaryDirectory() as folder:
        return open_tokenizer(f"file:{unigram_file(Path(folder) / 'tokenizer.json')}")


@given(DOCUMENTS, TOKENIZERS, SIZES, st.booleans())
@settings(max_examples=150, deadline=None)
def test_invariants_hold_for_generated_documents(
    document: GeneratedDocument, tokenizer: Tokenizer, options: ChunkingOptions, with_blocks: bool
) -> None:
    blocks = document.blocks if with_blocks else ()
    check_chunks(document.markdown, blocks, tokenizer, options)


@pytest.mark.parametrize(
    "name", ["bert-base-uncased", "cl100k_base", "granite-embedding-30m-english", "file"]
)
@given(document=DIFFICULT_DOCUMENTS, options=SIZES, with_blocks=st.booleans())
@settings(max_examples=80, deadline=None)
def test_invariants_hold_for_difficult_documents(
    name: str, document: GeneratedDocument, options: ChunkingOptions, with_blocks: bool
) -> None:
    blocks = document.blocks if with_blocks else ()
    check_chunks(document.markdown, blocks, real_tokenizer(name), options)


@given(DIFFICULT_DOCUMENTS, TOKENIZERS, SIZES, st.booleans())
@settings(max_examples=150, deadline=None)
def test_invariants_hold_for_difficult_documents_in_simple_tokens(
    document: GeneratedDocument, tokenizer: Tokenizer, options: ChunkingOptions, with_blocks: bool
) -> None:
    blocks = document.blocks if with_blocks else ()
    check_chunks(document.markdown, blocks, tokenizer, options)


@given(ANY_TEXT, TOKENIZERS, SIZES)
@settings(max_examples=300, deadline=None)
def test_invariants_hold_for_any_text(text: str, tokenizer: Tokenizer, options: ChunkingOptions) -> None:
    check_chunks(text, (), tokenizer, options)


@given(ANY_TEXT, st.lists(st.tuples(st.integers(0, 300), st.integers(1, 80)), max_size=6))
@settings(deadline=None)
def test_invariants_hold_for_blocks_that_do_not_fit_the_text(text: str, cuts: list[tuple[int, int]]) -> None:
    blocks: list[Block] = []
    for start, length in sorted(cuts):
        if start + length <= len(text) and (not blocks or blocks[-1].char_end <= start):
            blocks.append(Block(char_start=start, char_end=start + length, heading_path=("Somewhere",)))
    check_chunks(text, blocks, WordTokenizer(), ChunkingOptions(window_tokens=30, child_tokens=10))


@pytest.mark.parametrize("text", ["", " ", "\n\n\t \n"])
def test_text_without_anything_to_read_gives_no_chunks(text: str) -> None:
    blocks: Sequence[Block] = ()
    assert chunk_document(text, blocks, WordTokenizer(), ChunkingOptions(window_tokens=100)) == ()


@given(DOCUMENTS, SIZES)
@settings(deadline=None)
def test_the_same_document_is_always_cut_alike(document: GeneratedDocument, options: ChunkingOptions) -> None:
    once = chunk_document(document.markdown, document.blocks, WordTokenizer(), options)
    again = chunk_document(document.markdown, document.blocks, WordTokenizer(), options)
    assert once == again


@given(DOCUMENTS)
@settings(deadline=None)
def test_a_heading_stays_with_the_text_below_it(document: GeneratedDocument) -> None:
    options = ChunkingOptions(window_tokens=60, child_tokens=30, parent_tokens=90)
    chunks = chunk_document(document.markdown, document.blocks, WordTokenizer(), options)
    starts = {chunk.char_start for chunk in chunks}
    for above, below in pairwise(document.blocks):
        if is_heading(above) and not is_heading(below):
            assert below.char_start not in starts


@given(st.one_of(DOCUMENTS, DIFFICULT_DOCUMENTS), SIZES)
@settings(deadline=None)
def test_no_parent_reaches_over_the_border_of_a_section(
    document: GeneratedDocument, options: ChunkingOptions
) -> None:
    chunks = chunk_document(document.markdown, document.blocks, WordTokenizer(), options)
    borders = section_borders(document)
    for parent in (chunk for chunk in chunks if chunk.level == "parent"):
        first, last = (bisect_right(borders, at) for at in (parent.char_start, parent.char_end - 1))
        assert first == last
    if sum(map(is_heading, document.blocks)):
        ruler = TokenRuler(document.markdown, WordTokenizer())
        for start, end in pairwise([0, *borders, len(document.markdown)]):
            if ruler.weight(start, end) <= options.parent_tokens:
                inside = [c for c in chunks if c.level == "parent" and start <= c.char_start < end]
                assert len(inside) == 1


def section_borders(document: GeneratedDocument) -> list[int]:
    """Where sections begin, the except the first, derived from what was generated."""
    sections = [block for block in document.blocks if is_section(block)]
    first = next(iter(document.blocks)).char_start
    borders = [block.char_start for block in sections if block.char_start != first]
    joins_title = bool(borders) and not is_section(document.blocks[0]) and is_section(sections[0]) == 1
    return borders[1:] if joins_title and any(is_section(one) == 2 for one in sections) else borders


@given(DOCUMENTS)
@settings(deadline=None)
def test_children_stand_under_the_nearest_heading_of_the_first_two_levels(
    document: GeneratedDocument,
) -> None:
    options = ChunkingOptions(window_tokens=60, child_tokens=30, parent_tokens=90)
    chunks = chunk_document(document.markdown, document.blocks, WordTokenizer(), options)
    for child in (chunk for chunk in chunks if chunk.level == "child"):
        above = [
            b.heading_path[-1] for b in document.blocks if is_section(b) and b.char_start <= child.char_start
        ]
        if child.char_start >= document.blocks[0].char_start:
            assert child.section_heading == (above[-1] if above else None)


@given(DOCUMENTS)
@settings(deadline=None)
def test_parents_begin_where_sections_begin(document: GeneratedDocument) -> None:
    options = ChunkingOptions(window_tokens=5000, child_tokens=2000, parent_tokens=20000)
    chunks = chunk_document(document.markdown, document.blocks, WordTokenizer(), options)
    texts = [document.markdown[block.char_start : block.char_end] for block in document.blocks]
    sections = [text for text in texts if text.startswith(("# ", "## "))]
    parents = [chunk for chunk in chunks if chunk.level == "parent"]
    if any(is_heading(block) for block in document.blocks):
        headings = [parent.section_heading for parent in parents if parent.section_heading is not None]
        assert headings == [text.lstrip("# ") for text in sections]
        assert len(parents) - len(headings) in {0, 1}
    else:
        assert all(parent.section_heading is None for parent in parents)
