"""The headings that are reported a place are those that stand above it, and never those of the section before."""

from bisect import bisect_right
from collections.abc import Sequence

import pytest

from tests.support.captures import page_capture
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.citations.spans import heading_path_at
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import NormalizedDocument, Place
from webrag_desktop.text.sentences import split_sentences

PAGE = """
<h1>Rebasing</h1><p>Words of the beginning.</p>
<h2>Recovering</h2><p>How to recover.</p>
<h3>The easy case</h3><p>The changes are the same.</p>
<h3>The hard case</h3><p>The changes are not the same.</p>
<h4>In detail</h4><p>Some were edited.</p>
<h3>Labelling</h3><p>Markers have labels.</p>
<h2>Interruptability</h2><p>It may be interrupted.</p><h3>Labelling</h3><p>Another label.</p>
"""


def document() -> NormalizedDocument:
    return extract(page_capture(f"<meta name=generator content=Sphinx>{PAGE}", "https://example.org/a/b"))


def is_within(some: Sequence[str], all_: Sequence[str]) -> bool:
    rest = iter(all_)
    return all(one in rest for one in some)


@pytest.mark.parametrize("size", [4, 8, 16, 30, 100, 1000])
def test_every_sentence_of_a_chunk_is_reported_under_its_own_headings(size: int) -> None:
    page = document()
    starts = [block.char_start for block in page.blocks]
    chunks = chunk_document(
        page.markdown, page.blocks, WordTokenizer(), ChunkingOptions(size, size, max(size, 60))
    )
    for chunk in (one for one in chunks if one.level == "child"):
        for sentence in split_sentences(chunk.chunk_text):
            position = chunk.char_start + sentence.start
            true = page.blocks[bisect_right(starts, position) - 1].heading_path
            reported = heading_path_at(chunk.heading_path, chunk.section_heading, chunk.places, position)
            assert is_within(reported, true), sentence
            assert reported[-1:] == true[-1:]
            assert is_within(true[:2], reported), "the section is named"


def test_siblings_are_not_reported_as_nested() -> None:
    places = (Place(0, None, "The easy case"), Place(50, None, "The hard case"))
    path = ("Rebasing", "Recovering", "The easy case")
    assert heading_path_at(path, "Recovering", places, 49) == path
    assert heading_path_at(path, "Recovering", places, 50) == ("Rebasing", "Recovering", "The hard case")
    assert heading_path_at(path[2:], None, places, 50) == ("The hard case",)
    assert heading_path_at(path, "Recovering", (), 50) == path


def test_a_new_page_or_anchor_under_one_heading_changes_no_path() -> None:
    places = (Place(0, None, "Recovering", 1), Place(50, "fig", "Recovering", 2))
    path = ("Rebasing", "Recovering")
    assert heading_path_at(path, "Recovering", places, 60) == path
