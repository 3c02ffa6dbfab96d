import warnings

import pytest

from webrag_desktop.errors import ConfigurationError, InputError
from webrag_desktop.retrieval.contracts.options import RetrievalOptions, effective_budget, effective_threshold
from webrag_desktop.retrieval.fusion import FusionOptions


def test_defaults_are_the_documented_ones() -> None:
    options = RetrievalOptions()
    assert (options.full_context_threshold, options.context_budget) == (30000, 40000)
    assert (options.top_k_children_limit, options.hnsw_ef_search) == (60, 100)
    assert (options.floor_for(None), options.depth_decay_rate, options.depth_floor) == (0.3, 0.05, 0.80)


def test_a_threshold_within_the_budget_is_used_as_it_is() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert effective_threshold(RetrievalOptions(full_context_threshold=40000)) == 40000


def test_a_threshold_above_the_budget_is_clamped_with_a_warning() -> None:
    options = RetrievalOptions(full_context_threshold=50000, context_budget=20000)
    with pytest.warns(UserWarning, match=r"RETRIEVAL_FULL_CONTEXT_THRESHOLD is 50000.*20000") as caught:
        assert effective_threshold(options) == 20000
    assert caught[0].filename == __file__


def test_an_override_is_the_budget() -> None:
    assert effective_budget(RetrievalOptions(), 123) == 123
    with pytest.warns(UserWarning, match="123"):
        assert effective_threshold(RetrievalOptions(), 123) == 123


def test_an_override_of_nothing_is_none_and_one_below_is_refused() -> None:
    assert effective_budget(RetrievalOptions(), 0) == RetrievalOptions().context_budget
    with pytest.raises(InputError):
        effective_budget(RetrievalOptions(), -1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("context_budget", 0),
        ("full_context_threshold", -1),
        ("top_k_children_limit", 0),
        ("similarity_floor", 1.5),
        ("depth_floor", -0.1),
        ("hnsw_ef_search", 1001),
        ("top_k_children_limit", 10**20),
        ("blend", "sum"),
        ("normalize", "max"),
        ("vector_weight", float("nan")),
        ("lexical_score", "tf"),
        ("tsquery_mode", "loose"),
        ("text_search_config", "English; --"),
    ],
)
def test_values_that_cannot_work_are_refused_by_the_settings_name(name: str, value: float) -> None:
    with pytest.raises(ConfigurationError, match=f"RETRIEVAL_{name.upper()}"):
        RetrievalOptions(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text_weight", 1.5),
        ("rrf_k", -1),
        ("lexical_children_limit", 10**20),
        ("spans_per_parent", 0),
        ("min_rank", -0.5),
        ("min_score", float("nan")),
        ("distance", "hamming"),
    ],
)
def test_what_no_setting_says_is_not_called_a_setting(name: str, value: float) -> None:
    with pytest.raises(ConfigurationError, match=f"option {name}") as refused:
        RetrievalOptions(**{name: value})  # type: ignore[arg-type]
    assert "RETRIEVAL_" not in f"{refused.value} {refused.value.hint}"


@pytest.mark.parametrize(("ef", "limit", "expected"), [(100, 60, 100), (40, 60, 60), (100, 5000, 1000)])
def test_the_index_is_searched_no_narrower_than_the_limit(ef: int, limit: int, expected: int) -> None:
    assert RetrievalOptions(hnsw_ef_search=ef, top_k_children_limit=limit).ef_search == expected


def test_the_floor_belongs_to_the_model_until_the_user_sets_one() -> None:
    assert RetrievalOptions().floor_for(None) == 0.3
    assert RetrievalOptions().floor_for(0.67) == 0.67
    assert RetrievalOptions(similarity_floor=0.5).floor_for(0.67) == 0.5
    assert RetrievalOptions(similarity_floor=0.3).floor_for(0.67) == 0.3
    assert RetrievalOptions(similarity_floor=0.5, min_score=0.3).floor_for(0.67) == 0.3


def test_the_weight_of_meaning_belongs_to_the_model_until_the_user_sets_one() -> None:
    assert RetrievalOptions().weighed_for(None) == RetrievalOptions()
    fusion = RetrievalOptions().weighed_for(0.6).fusion
    assert (fusion.vector_weight, fusion.text_weight) == (0.6, 0.4)
    for said in (RetrievalOptions(vector_weight=0.5), RetrievalOptions(text_weight=0.7)):
        assert said.weighed_for(0.6) == said


def test_words_count_what_the_meaning_leaves_unless_that_is_said() -> None:
    assert RetrievalOptions().fusion == FusionOptions("linear", "minmax", 0.5, 0.5, 60)
    assert RetrievalOptions(vector_weight=0.75).fusion.text_weight == 0.25
    seeded = RetrievalOptions(
        blend="rrf", normalize="sigmoid", text_weight=0.35, vector_weight=0.65, rrf_k=10
    )
    assert seeded.fusion == FusionOptions("rrf", "sigmoid", 0.35, 0.65, 10)
