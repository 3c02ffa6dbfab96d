"""Chunk mode: what enters, in which order, and what a result says about it."""

from collections.abc import Callable
from uuid import UUID

import pytest

from tests.support.synthetic_library import FETCHED_AT, AngleEmbedder, Passage, Section, SyntheticLibrary
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.embedding.catalog import GRANITE_FUSED
from webrag_desktop.models.documents import ContentFlags
from webrag_desktop.retrieval.assembly import REPEATED_WEIGHT
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult, RetrievedChunk
from webrag_desktop.retrieval.evidence import CHILD_WEIGHT

Ask = Callable[..., RetrievalResult]


def section(*similarities: float, text: str = "Nothing of note.") -> Section:
    return Section([Passage(text, similarity) for similarity in similarities])


def ranked(result: RetrievalResult) -> list[RetrievedChunk]:
    return sorted(result.chunks, key=lambda chunk: -chunk.rank_score)


def test_several_children_of_a_parent_make_one_result(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [section(0.5, 0.9, 0.7), section(0.6)])
    best, other = ranked(ask())
    assert best.raw_similarity == pytest.approx(0.9)
    assert other.raw_similarity == pytest.approx(0.6)
    assert {best.chunk_index, other.chunk_index} == {0, 1}


def test_the_floor_is_on_raw_similarity_whatever_the_depth(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [section(0.31), section(0.29)], depth=9)
    assert [chunk.chunk_index for chunk in ask().chunks] == [0]
    assert ask(options=RetrievalOptions(similarity_floor=0.32)).is_empty


def test_a_seed_page_goes_before_a_deep_one_at_similar_similarity(
    ask: Ask, library: SyntheticLibrary
) -> None:
    library.add("https://deep/", [section(0.81)], depth=2)
    library.add("https://seed/", [section(0.80)], depth=0)
    library.add("https://far/", [section(0.1)], depth=0)
    result = ask()
    assert result.source_urls == ["https://seed/", "https://deep/"]
    scores = {chunk.source_url: chunk.score for chunk in result.chunks}
    assert scores["https://seed/"] == pytest.approx(0.80)
    assert scores["https://deep/"] == pytest.approx(0.81 * 0.9)


def test_similarity_rules_where_it_is_not_close(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://deep/", [section(0.9)], depth=3)
    library.add("https://seed/", [section(0.6)], depth=0)
    library.add("https://low/", [section(0.0)], depth=0)
    assert ask().source_urls == ["https://deep/", "https://seed/"]


def test_results_are_grouped_by_document_and_read_in_order(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [section(0.5), section(0.1), section(0.7)])
    library.add("https://b/", [section(0.6), section(0.9)])
    result = ask()
    places = [(chunk.source_url, chunk.chunk_index) for chunk in result.chunks]
    assert places == [("https://b/", 0), ("https://b/", 1), ("https://a/", 0), ("https://a/", 2)]
    assert result.corpus_stats.documents_matched == ["https://b/", "https://a/"]
    assert result.corpus_stats.total_documents == 2
    assert result.corpus_stats.total_parent_chunks == 5


def test_the_number_of_children_is_limited(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [section(0.4 + n / 100) for n in range(50)])
    result = ask(options=RetrievalOptions(top_k_children_limit=7))
    assert [chunk.chunk_index for chunk in result.chunks] == list(range(43, 50))


def test_equal_passages_are_ordered_by_address_and_place_every_time(
    ask: Ask, library: SyntheticLibrary
) -> None:
    for url in ("https://b/", "https://a/", "https://C/"):
        library.add(url, [section(0.8), section(0.8)])
    results = [ask() for _ in range(3)]
    assert results[0].source_urls == ["https://C/", "https://a/", "https://b/"]
    assert len({tuple(chunk.chunk_id for chunk in result.chunks) for result in results}) == 1
    assert len({tuple(chunk.rank_score for chunk in result.chunks) for result in results}) == 1


def test_a_result_holds_what_citing_and_showing_need(ask: Ask, library: SyntheticLibrary) -> None:
    html = "<table><tr><td>Cells here</td></tr></table>"
    text = "| Cells | here |"
    rich = Section(
        [Passage(text, 0.8)], heading="Table 1", html=html, flags=ContentFlags(has_table=True, has_steps=True)
    )
    document = library.add("https://a/", [section(0.1), rich], title="A page", depth=1)
    result = ask("cells")
    (chunk,) = result.chunks
    assert chunk.document_id == document
    assert isinstance(chunk.version_id, UUID)
    assert chunk.parent_id is None
    assert (chunk.title, chunk.section_heading, chunk.heading_path) == ("A page", "Table 1", ["Table 1"])
    assert (chunk.selected_text, chunk.surface, chunk.chunk_text) == (html, "html", f"{text}\n\n")
    assert (chunk.has_table, chunk.has_steps, chunk.has_code) == (True, True, False)
    assert chunk.selected_tokens == WordTokenizer().count(html)
    assert (chunk.char_start, chunk.char_end) == (18, 36)
    assert (chunk.depth, chunk.fetched_at) == (1, FETCHED_AT)
    assert chunk.score == pytest.approx(0.8 * 0.95)
    assert chunk.found_by == ["vector", "words"]
    (span,) = chunk.matched_spans
    assert (span.text, span.char_start, span.char_end) == (text, 18, 34)
    assert result.query_embedding == [1.0, 0.0, 0.0]
    assert result.degraded is None
    timing = result.timing
    assert min(timing.embed_ms, timing.search_ms) >= 0
    assert timing.total_ms == pytest.approx(timing.embed_ms + timing.search_ms)


def test_every_result_names_a_sentence(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [section(0.5 + n / 100, text="# Head\n\nFirst. Second.") for n in range(10)])
    result = ask("unrelated")
    assert len(result.chunks) == 10
    spans = [[span.text for span in chunk.matched_spans] for chunk in ranked(result)]
    assert spans == [["First.", "Second."]] * 10


def test_what_a_document_repeats_stays_evidence_and_counts_less(ask: Ask, library: SyntheticLibrary) -> None:
    library.add(
        "https://a/",
        [section(0.9, text="Crabs hide. Tides turn."), section(0.8, text="Crabs hide. Fish come.")],
    )
    library.add("https://b/", [section(0.7, text="Crabs hide. Crabs hide.")])
    chunks = ranked(ask("crabs"))
    better, repeating = [chunk for chunk in chunks if chunk.source_url == "https://a/"]
    (other,) = [chunk for chunk in chunks if chunk.source_url == "https://b/"]
    for chunk, weight in ((better, 1.0), (repeating, REPEATED_WEIGHT), (other, 1.0)):
        span = chunk.matched_spans[0]
        assert span.text == "Crabs hide."
        assert span.text == chunk.chunk_text[span.char_start - chunk.char_start :][: len(span.text)]
        assert span.score == pytest.approx(weight * (CHILD_WEIGHT * chunk.rank_score + 1 - CHILD_WEIGHT))
    assert [span.text for span in repeating.matched_spans] == ["Crabs hide.", "Fish come."]
    assert len(other.matched_spans) == 1  # a passage says it once


def test_words_that_no_text_holds_are_no_evidence(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [section(0.4, text="Crabs hide in pools.")])
    known, partly, unknown = (
        ask(question, options=RetrievalOptions(corrections=False)).chunks[0].matched_spans[0].score
        for question in ("crabs", "crabs flurbzq wxyzzy", "flurbzq wxyzzy")
    )
    assert known == pytest.approx(1.0)
    assert unknown == pytest.approx(0.4 * CHILD_WEIGHT)
    assert unknown < partly < 0.5


def test_headings_alone_go_behind_the_text_that_answers(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://heads/", [section(0.6, text="# Tide pools\n\n## Crabs")])
    library.add("https://answer/", [section(0.62, text="In tide pools live crabs and many others.")])
    library.add("https://else/", [section(0.31)])
    assert ask("tide pools crabs").source_urls[0] == "https://answer/"


def test_a_users_own_title_is_shown(ask: Ask, library: SyntheticLibrary) -> None:
    document = library.add("https://a/", [section(0.8)], title="Theirs")
    with library.database.connection() as conn:
        conn.execute("UPDATE sources SET user_title = 'Mine' WHERE id = %s", [document])
    assert ask().chunks[0].title == "Mine"


def test_a_models_own_floor_is_used_where_the_user_set_none(library: SyntheticLibrary, ask: Ask) -> None:
    strict = library.space.space.model.model_copy(update={"similarity_floor": 0.7})
    library.add("https://a/", [section(0.6)])
    assert not ask().is_empty
    with library.database.connection() as conn:
        conn.execute(
            "UPDATE embedding_spaces SET definition = jsonb_set(definition, '{model,similarity_floor}', '0.7')"
        )
    assert ask(embedder=AngleEmbedder(strict)).is_empty
    assert not ask(embedder=AngleEmbedder(strict), options=RetrievalOptions(similarity_floor=0.5)).is_empty


def test_a_models_own_weight_of_meaning_is_used_where_the_user_set_none(
    library: SyntheticLibrary, ask: Ask
) -> None:
    library.add("https://near/", [section(0.9)])
    library.add("https://words/", [section(0.4, text="Tides and tides.")])
    with library.database.connection() as conn:
        conn.execute(
            """
            UPDATE embedding_spaces
               SET definition = definition || jsonb_build_object('model', definition->'model' || %s::jsonb)
            """,
            [f'{{"backend": "embedded", "model": "{GRANITE_FUSED.model}"}}'],
        )
    its = library.space.space.model.model_copy(update={"backend": "embedded", "model": GRANITE_FUSED.model})

    def weights(**options: float) -> dict[str, float]:
        found = ask("tides", embedder=AngleEmbedder(its), options=RetrievalOptions(**options))  # type: ignore[arg-type]
        return {chunk.source_url: round(chunk.rank_score, 3) for chunk in found.chunks}

    assert weights() == weights(vector_weight=0.6)
    assert weights() != weights(vector_weight=0.5)
