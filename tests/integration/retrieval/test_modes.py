"""When the library is read whole, when it is searched, and how much of it comes."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.support.synthetic_library import AngleEmbedder, Passage, Section, SyntheticLibrary
from webrag_desktop.errors import InputError
from webrag_desktop.models.documents import ContentFlags
from webrag_desktop.retrieval.contracts.filters import SearchFilters
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult

Ask = Callable[..., RetrievalResult]


def words(count: int, similarity: float = 0.9, word: str = "word") -> Section:
    """A section of exactly that many tokens."""
    return Section([Passage(" ".join([word] * count), similarity)])


def options(threshold: int, budget: int = 100_000) -> RetrievalOptions:
    return RetrievalOptions(full_context_threshold=threshold, context_budget=budget)


def test_an_empty_library_gives_an_empty_result(ask: Ask, library: SyntheticLibrary) -> None:
    for mode in ("auto", "chunk", "full_context"):
        result = ask("anything", embedder=AngleEmbedder(), mode=mode)
        assert result.mode == "full_context"
        assert result.is_empty
        assert result.top_score == 0.0
        assert result.query_embedding == []
        stats = result.corpus_stats
        assert (stats.total_documents, stats.total_parent_chunks, stats.total_tokens) == (0, 0, 0)
        assert stats.documents_matched == []


def test_a_library_that_never_had_a_space_is_empty_too(ask: Ask) -> None:
    assert ask("anything", mode="auto").is_empty


def test_the_threshold_decides_and_belongs_to_full_context(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [words(60), words(40)])
    assert ask(mode="auto", options=options(100)).mode == "full_context"
    assert ask(mode="auto", options=options(99)).mode == "chunk"
    assert ask(mode="chunk", options=options(100)).mode == "chunk"
    assert ask(mode="full_context", options=options(0)).mode == "full_context"


def test_more_pages_switch_the_mode(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [words(100)])
    assert ask(mode="auto", options=options(150)).mode == "full_context"
    added = library.add("https://b/", [words(100)])
    result = ask(mode="auto", options=options(150))
    assert result.mode == "chunk"
    assert result.corpus_stats.total_tokens == 200
    library.remove(added)
    assert ask(mode="auto", options=options(150)).mode == "full_context"


def test_source_urls_scope_the_decision_the_figures_and_the_result(
    ask: Ask, library: SyntheticLibrary
) -> None:
    library.add("https://a/", [words(100), words(50)])
    library.add("https://b/", [words(100)])
    assert ask(mode="auto", options=options(150)).mode == "chunk"
    result = ask(mode="auto", options=options(150), source_urls=["https://a/", "https://nowhere/"])
    assert result.mode == "full_context"
    stats = result.corpus_stats
    assert (stats.total_documents, stats.total_parent_chunks, stats.total_tokens) == (1, 2, 150)
    assert result.source_urls == stats.documents_matched == ["https://a/"]


@pytest.mark.parametrize("urls", [["https://nowhere/"], ["a\ud800"], ["a\0b"], ["a\0b", "\udfff"]])
def test_addresses_of_no_document_give_an_empty_result(
    ask: Ask, library: SyntheticLibrary, urls: list[str]
) -> None:
    library.add("https://a/", [words(10)])
    result = ask(source_urls=urls)
    assert result.is_empty
    assert result.mode == "full_context"


def test_an_empty_list_of_addresses_and_an_override_of_nothing_are_as_good_as_none(
    ask: Ask, library: SyntheticLibrary
) -> None:
    library.add("https://a/", [words(60)])
    library.add("https://b/", [words(60)])
    assert ask(source_urls=[]).source_urls == ["https://a/", "https://b/"]
    assert ask(source_urls=["https://b/", "\ud800"]).source_urls == ["https://b/"]
    kept = ask(mode="full_context", options=options(0, budget=70), context_budget_override=0)
    assert kept.source_urls == ["https://a/"]


def test_an_unknown_mode_is_refused_with_those_there_are(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [words(10)])
    with pytest.raises(InputError, match="fast") as refused:
        ask(mode="fast")
    assert "auto, chunk, full_context" in refused.value.hint


def test_a_threshold_above_the_budget_warns_where_it_decides(ask: Ask, library: SyntheticLibrary) -> None:
    with pytest.warns(UserWarning, match=r"90 tokens \(RETRIEVAL_CONTEXT_BUDGET\)"):
        assert ask(mode="auto", options=options(200, budget=90)).is_empty
    library.add("https://a/", [words(10)])
    for mode in ("chunk", "full_context"):  # warnings fail tests
        assert not ask(mode=mode, options=options(200, budget=90)).is_empty
        assert not ask(mode=mode, options=options(200), context_budget_override=80).is_empty


def test_a_threshold_above_the_budget_warns_and_is_clamped(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [words(100)])
    with pytest.warns(UserWarning, match="RETRIEVAL_FULL_CONTEXT_THRESHOLD"):
        result = ask(mode="auto", options=options(200, budget=90))
    assert result.mode == "chunk"
    with pytest.warns(UserWarning, match="80 tokens that this search was given"):
        assert ask(mode="auto", options=options(200), context_budget_override=80).mode == "chunk"


def test_full_context_gives_everything_in_reading_order(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://c/", [words(5), words(5)], depth=0)
    library.add("https://a/", [words(5)], depth=2)
    library.add("https://b/é", [words(5)], depth=1)
    library.add("https://b/Z", [words(5)], depth=1)
    result = ask(mode="full_context")
    places = [(chunk.source_url, chunk.chunk_index) for chunk in result.chunks]
    assert places == [
        ("https://c/", 0),
        ("https://c/", 1),
        ("https://b/Z", 0),
        ("https://b/é", 0),
        ("https://a/", 0),
    ]
    assert all(chunk.score == 1.0 and chunk.raw_similarity is None for chunk in result.chunks)
    assert result.top_score == 1.0
    assert result.query_embedding == [1.0, 0.0, 0.0]


def test_full_context_marks_the_sentences_that_match(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [Section([Passage("Rivers flow. Lakes rest.", 0.9)]), words(5, similarity=0.0)])
    matched, other = ask("lakes", mode="full_context").chunks
    assert [span.text for span in matched.matched_spans] == ["Lakes rest.", "Rivers flow."]
    assert matched.rank_score > 0
    assert (other.matched_spans, other.rank_score, other.found_by) == ([], 0.0, [])


def test_the_budget_drops_whole_documents_deepest_first(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://deep/", [words(30)], depth=3)
    library.add("https://seed/", [words(20), words(20)], depth=0)
    library.add("https://near/", [words(40), words(40)], depth=1)
    result = ask(mode="full_context", options=options(0, budget=125))
    assert result.source_urls == ["https://seed/", "https://near/"]
    tight = ask(mode="full_context", options=options(0, budget=69))
    assert tight.source_urls == ["https://seed/"]
    assert {(one.source_url, one.reason) for one in tight.left_out} == {
        ("https://near/", "context_budget"),
        ("https://deep/", "context_budget"),
    }
    assert tight.degraded == (
        "The context budget of 69 tokens holds 1 of 3 documents; left out: https://near/, https://deep/."
    )


def test_a_budget_that_holds_all_leaves_nothing_out(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [words(60), words(40)])
    library.add("https://b/", [words(20)])
    result = ask(mode="full_context", options=options(0, budget=120))
    assert (result.left_out, result.degraded, len(result.chunks)) == ([], None, 3)


@pytest.mark.parametrize(
    "filters", [None, SearchFilters(content_flags=("has_code",)), SearchFilters(max_depth=0)]
)
def test_a_small_document_behind_a_large_one_is_given(
    ask: Ask, library: SyntheticLibrary, filters: SearchFilters | None
) -> None:
    def code(count: int) -> Section:
        return replace(words(count), flags=ContentFlags(has_code=True))

    library.add("https://a/", [code(40)])
    large = library.add("https://b/", [code(50), code(50)])
    library.add("https://c/", [code(20)])
    result = ask(mode="full_context", options=options(0, budget=100), filters=filters)
    assert result.source_urls == ["https://a/", "https://c/"]
    assert {one.document_id for one in result.left_out} <= {None, large}
    assert {one.source_url for one in result.left_out} == {"https://b/"}
    assert "2 of 3 documents; left out: https://b/." in (result.degraded or "")


def test_a_first_document_beyond_the_budget_is_cut_and_says_so(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [words(40), words(40), words(40)])
    library.add("https://b/", [words(20)])
    result = ask(mode="full_context", options=options(0, budget=100))
    assert [(one.source_url, one.chunk_index) for one in result.chunks] == [
        ("https://a/", 0),
        ("https://a/", 1),
        ("https://b/", 0),
    ]
    assert [one.source_url for one in result.left_out] == ["https://a/"]
    assert result.degraded == (
        "https://a/ has 120 tokens, more than the context budget of 100: only its beginning is given."
    )
    assert len(ask(mode="full_context", options=options(0, budget=30)).chunks) == 1


def test_a_notice_names_the_first_documents_and_counts_the_rest(ask: Ask, library: SyntheticLibrary) -> None:
    for name in "abcdef":
        library.add(f"https://{name}/", [words(30)])
    result = ask(mode="full_context", options=options(0, budget=30))
    assert "left out: https://b/, https://c/, https://d/ and 2 more." in (result.degraded or "")


def test_the_budget_counts_token_spans_of_the_best_parents(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [words(40, 0.9), words(40, 0.8), words(40, 0.7), words(10, 0.6)])
    result = ask(options=options(0, budget=100))
    assert [chunk.chunk_index for chunk in result.chunks] == [0, 1]
    spans = [chunk.token_end - chunk.token_start for chunk in result.chunks]
    assert sum(spans) <= 100
    assert [chunk.selected_tokens for chunk in result.chunks] == spans


def test_one_result_comes_even_where_it_exceeds_the_budget(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [words(500, 0.9), words(5, 0.8)])
    result = ask(options=options(0, budget=100))
    assert [chunk.chunk_index for chunk in result.chunks] == [0]
    assert len(ask(options=options(0), context_budget_override=100).chunks) == 1


def test_questions_without_text_and_budgets_without_room_are_refused(
    ask: Ask, library: SyntheticLibrary
) -> None:
    with pytest.raises(InputError):
        ask("  \x00 ")
    with pytest.raises(InputError):
        ask("q", context_budget_override=-1)
