from datetime import UTC, datetime
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.cli.searching import CONTEXT_CHARACTERS, best_chunks, is_of_site, passage, place_of
from webrag_desktop.errors import InputError
from webrag_desktop.retrieval.models import MatchedSpan, RetrievedChunk

TEXT = "First sentence here. The one that matches. " + "And more words follow. " * 40


def chunk(
    text: str = TEXT, *, start: int = 0, rank: float = 1.0, spans: list[MatchedSpan] | None = None
) -> RetrievedChunk:
    return RetrievedChunk(
        chunk_id=uuid4(),
        document_id=uuid4(),
        parent_id=None,
        source_url="https://example.org/a",
        title="A",
        selected_text=text,
        surface="markdown",
        section_heading=None,
        chunk_index=0,
        char_start=start,
        char_end=start + len(text),
        token_start=0,
        token_end=1,
        score=0.5,
        raw_similarity=0.5,
        depth=0,
        has_table=False,
        has_code=False,
        has_math=False,
        has_definition_list=False,
        has_admonition=False,
        has_steps=False,
        fetched_at=datetime(2026, 3, 18, tzinfo=UTC),
        version_id=uuid4(),
        chunk_text=text,
        selected_tokens=1,
        rank_score=rank,
        matched_spans=spans or [],
    )


def span(start: int, text: str, score: float = 1.0) -> MatchedSpan:
    return MatchedSpan(char_start=start, char_end=start + len(text), text=text, score=score)


def test_the_best_sentence_stands_alone_with_its_neighbours_below() -> None:
    matching = "The one that matches."
    found = chunk(start=100, spans=[span(100, "First sentence here.", 0.2), span(121, matching, 0.9)])
    sentence, context = passage(found)
    assert sentence == matching
    assert context.startswith("First sentence here. […] And more words")
    assert context.endswith(" …")


def test_without_a_match_the_beginning_is_shown() -> None:
    sentence, context = passage(chunk())
    assert sentence == ""
    assert TEXT.startswith(context.removesuffix(" …"))
    assert len(context) <= 2 * CONTEXT_CHARACTERS + 2


def test_a_sentence_is_shown_as_a_reader_sees_it() -> None:
    text = "Go has [*goroutines*](https://example.org/x), `light` threads."
    assert passage(chunk(text, spans=[span(0, text)])) == ("Go has goroutines, light threads.", "")


@given(st.text(min_size=1), st.data())
def test_the_matching_sentence_is_never_cut(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    sentence, context = passage(chunk(text, start=7, spans=[span(start + 7, text[start:end])]))
    assert not sentence.endswith("…") or text[start:end].rstrip().endswith("…")
    assert "\n" not in sentence + context
    assert len(context) <= 2 * CONTEXT_CHARACTERS + 12


def test_a_limit_keeps_the_best_in_their_order() -> None:
    chunks = [chunk(rank=rank) for rank in (0.2, 0.9, 0.1, 0.5)]
    assert [kept.rank_score for kept in best_chunks(chunks, 2)] == [0.9, 0.5]
    assert best_chunks(chunks, None) == chunks
    assert best_chunks(chunks, 9) == chunks


@pytest.mark.parametrize(
    ("site", "url", "belongs"),
    [
        ("example.org", "https://example.org/x", True),
        ("Example.org", "https://docs.example.org/x", True),
        ("https://example.org/", "https://example.org/x", True),
        ("example.org", "https://badexample.org/x", False),
        ("docs.example.org", "https://example.org/x", False),
        ("127.0.0.1:8000", "http://127.0.0.1:8000/x", True),
        ("127.0.0.1:8000", "http://127.0.0.1:9000/x", False),
        ("example.org", "file:///tmp/x.md", False),
    ],
)
def test_what_belongs_to_a_site(site: str, url: str, belongs: bool) -> None:
    assert is_of_site(site, url) is belongs


@pytest.mark.parametrize("site", ["", "//", "example.org:port", "[::1"])
def test_what_is_no_site_is_refused(site: str) -> None:
    with pytest.raises(InputError):
        is_of_site(site, "https://example.org/")


def test_a_place_names_the_heading_right_above_the_sentence_and_nothing_twice() -> None:
    found = chunk(spans=[span(0, "Text.")])
    deep = found.matched_spans[0].model_copy(update={"heading": "Deep"})
    titled = found.model_copy(update={"title": "Page", "section_heading": "Section"})
    assert place_of(titled, deep) == "Page — Section — Deep"
    assert place_of(titled.model_copy(update={"section_heading": "Page"}), None) == "Page"


@pytest.mark.parametrize(
    ("text", "words", "read"),
    [
        (
            "Rust:\n\n```rust\nfn remove<K: AsRef<OsStr>>(key: K)\n```",
            "fn remove<K: AsRef<OsStr>>(key: K)",
            None,
        ),
        ("C:\n\n```c\nif (a<b && c>d) run();\nx = *p * *q;\n```", "if (a<b && c>d) run();", None),
        ("A [link that says. Two things](https://x.example) here.", "link that says.", None),
        ("Words in **bold. And** more.", "**bold.", "bold."),
    ],
)
def test_a_quotation_reads_as_it_does_where_it_stands(text: str, words: str, read: str | None) -> None:
    start = text.index(words)
    sentence, _ = passage(chunk(text, start=40, spans=[span(40 + start, words)]))
    assert sentence == (read or words)
