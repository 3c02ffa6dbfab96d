"""Quotes cut from chunks and versions."""

from bisect import bisect_left
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.markdown_documents import DOCUMENTS, GeneratedDocument
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.citations.spans import CitationSpan, extract_citation, resolve_span
from webrag_desktop.errors import InputError
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.models.documents import Block, DocumentVersion

TEXT = "Bäume 🎉 wachsen; שלום עולם und 検索 auch: $O(n)$."
FORMULA = TEXT.index("$O")


@dataclass(frozen=True)
class ShownChunk:
    """A chunk as retrieval hands it out."""

    chunk_text: str = TEXT
    char_start: int = 100
    char_end: int = 100 + len(TEXT)
    token_start: int = 20
    token_end: int = 35
    source_url: str = "https://example.org/trees#top"
    title: str | None = "Trees"
    section_heading: str | None = "Über Bäume"
    anchor: str | None = None
    version_id: UUID | None = None
    selected_text: str = "<p>Bäume <math><mi>O</mi></math></p>"
    surface: str = "html"
    has_math: bool = True


@pytest.mark.parametrize("quote", ["Bäume", "🎉 wachsen", "שלום עולם", "検索", "$O(n)$.", TEXT])
def test_the_quote_is_the_markdown_also_where_html_is_shown(quote: str) -> None:
    start = 100 + TEXT.index(quote)
    span = extract_citation(ShownChunk(), start, start + len(quote))
    assert span is not None
    assert span.verbatim_text == quote
    assert (span.char_start, span.char_end) == (start, start + len(quote))
    assert (span.token_start, span.token_end) == (20, 35)
    assert (span.title, span.section_heading) == ("Trees", "Über Bäume")


@pytest.mark.parametrize(
    ("start", "end"),
    [(99, 105), (100, 101 + len(TEXT)), (0, 50), (500, 501), (105, 105), (106, 105), (-5, -1)],
)
def test_spans_that_the_chunk_does_not_hold_give_nothing(start: int, end: int) -> None:
    assert extract_citation(ShownChunk(), start, end) is None


def test_a_citation_carries_its_surroundings_version_and_address() -> None:
    version = uuid4()
    chunk = replace(ShownChunk(), anchor="bäume", version_id=version)
    span = extract_citation(chunk, 100 + FORMULA, 100 + FORMULA + 6)
    assert span is not None
    assert (span.prefix, span.suffix) == (TEXT[FORMULA - 32 : FORMULA], ".")
    assert span.version_id == version
    assert span.url == "https://example.org/trees#b%C3%A4ume"
    assert extract_citation(replace(chunk, anchor=None), 100, 101) == CitationSpan(
        verbatim_text="B",
        source_url=chunk.source_url,
        section_heading="Über Bäume",
        char_start=100,
        char_end=101,
        token_start=20,
        token_end=35,
        title="Trees",
        version_id=version,
        suffix=TEXT[1:33],
        url="https://example.org/trees#%C3%BCber-b%C3%A4ume",
    )


def version_of(markdown: str, blocks: tuple[Block, ...] = ()) -> DocumentVersion:
    return DocumentVersion(
        id=uuid4(),
        document_id=uuid4(),
        source_url="https://example.org/page",
        title="Page",
        markdown=markdown,
        html=None,
        content_hash="0" * 64,
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
        blocks=blocks,
    )


MARKDOWN = "# One\n\nFirst.\n\n### Deep\n\nText.\n\nTwo\n---\n\nLast."
BLOCKS = (
    Block(char_start=0, char_end=5, heading_path=("One",), anchor="one"),
    Block(char_start=7, char_end=13, heading_path=("One",)),
    Block(char_start=15, char_end=23, heading_path=("One", "Deep"), anchor="deep"),
    Block(char_start=25, char_end=30, heading_path=("One", "Deep")),
    Block(char_start=32, char_end=39, heading_path=("One", "Two")),
    Block(char_start=41, char_end=46, heading_path=("One", "Two")),
)


@pytest.mark.parametrize(
    ("start", "end", "heading", "anchor"),
    [(0, 5, "One", "one"), (7, 30, "One", "one"), (25, 46, "One", "deep"), (41, 46, "Two", "deep")],
)
def test_a_span_of_a_version_finds_its_heading_and_anchor(
    start: int, end: int, heading: str, anchor: str
) -> None:
    span = resolve_span(version_of(MARKDOWN, BLOCKS), start, end)
    assert span.verbatim_text == MARKDOWN[start:end]
    assert (span.section_heading, span.anchor) == (heading, anchor)
    assert span.url == f"https://example.org/page#{anchor}"
    assert (span.token_start, span.token_end) == (None, None)
    assert MARKDOWN[: span.char_start].endswith(span.prefix)
    assert MARKDOWN[span.char_end :].startswith(span.suffix)


def test_without_blocks_a_span_has_neither_heading_nor_anchor() -> None:
    span = resolve_span(version_of(MARKDOWN), 7, 13)
    assert (span.section_heading, span.anchor, span.url) == (None, None, "https://example.org/page")


def test_text_above_every_heading_has_no_section() -> None:
    block = Block(char_start=2, char_end=5)
    assert resolve_span(version_of("\n\nabc", (block,)), 0, 5).section_heading is None


@pytest.mark.parametrize(("start", "end"), [(0, 0), (5, 4), (-1, 3), (0, 47)])
def test_spans_outside_a_version_are_refused(start: int, end: int) -> None:
    with pytest.raises(InputError):
        resolve_span(version_of(MARKDOWN, BLOCKS), start, end)


@given(DOCUMENTS, st.data())
@settings(deadline=None)
def test_spans_are_verbatim_wherever_chunks_end(document: GeneratedDocument, data: st.DataObject) -> None:
    markdown, starts = document.markdown, WordTokenizer().token_starts(document.markdown)
    start = data.draw(st.integers(0, len(markdown) - 1))
    end = data.draw(st.integers(start + 1, len(markdown)))
    span = resolve_span(version_of(markdown, document.blocks), start, end, token_starts=starts)
    assert span.verbatim_text == markdown[start:end]
    assert (span.token_start, span.token_end) == (bisect_left(starts, start), bisect_left(starts, end))


@given(DOCUMENTS)
@settings(deadline=None)
def test_versions_and_chunks_agree_on_the_section(document: GeneratedDocument) -> None:
    options = ChunkingOptions(window_tokens=60, child_tokens=30, parent_tokens=90)
    version = version_of(document.markdown, document.blocks)
    for chunk in chunk_document(document.markdown, document.blocks, WordTokenizer(), options):
        if chunk.level == "child":
            assert (
                resolve_span(version, chunk.char_start, chunk.char_end).section_heading
                == chunk.section_heading
            )


def test_versions_and_chunks_agree_on_a_heading_too_long_to_be_a_name() -> None:
    heading = "word " * 400
    markdown = f"# {heading}\n\nText."
    block = Block(char_start=0, char_end=len(heading) + 1, heading_path=(heading.strip(),))
    version = version_of(markdown, (block,))
    (_, chunk) = chunk_document(markdown, version.blocks, WordTokenizer(), ChunkingOptions(5000, 5000, 5000))
    assert chunk.section_heading == resolve_span(version, 0, 5).section_heading
    assert len(chunk.section_heading or "") < 500
