"""Preferences in terms of the options of a search."""

import pytest

from webrag_desktop.retrieval.contracts.options import MOST_CANDIDATES, RetrievalOptions
from webrag_desktop.retrieval.contracts.preferences import (
    RetrievalPrefs,
    ScoringPrefs,
    options_for,
    pooled_fusion,
    prefs_from,
)
from webrag_desktop.retrieval.hybrid.documents import widened

SETTINGS = RetrievalOptions(similarity_floor=0.4, depth_decay_rate=0.2, text_search_config="german")


def asked(**given: object) -> RetrievalPrefs:
    return RetrievalPrefs.model_validate({"query_text": "tides", **given})


def test_preferences_go_before_the_settings_and_leave_the_rest() -> None:
    prefs = asked(
        fts={"mode": "plain", "config": "english", "rank_func": "ts_rank", "min_rank": 0.1},
        vector={"distance": "l2", "min_score": 0.2},
        scoring={"blend": "linear", "normalize": "zscore", "w_text": 0.2, "w_vec": 0.9},
    )
    options = options_for(prefs, SETTINGS)
    assert (options.tsquery_mode, options.text_search_config) == ("plain", "english")
    assert (options.lexical_score, options.min_rank) == ("ts_rank", 0.1)
    assert (options.distance, options.min_score) == ("l2", 0.2)
    fusion = options.fusion
    assert (fusion.blend, fusion.normalize, fusion.text_weight, fusion.vector_weight) == (
        "linear",
        "zscore",
        0.2,
        0.9,
    )
    assert (options.similarity_floor, options.depth_decay_rate) == (0.4, 0.2)


def test_no_configuration_leaves_that_of_the_settings() -> None:
    assert options_for(asked(), SETTINGS).text_search_config == "german"


def test_reciprocal_ranks_have_no_weights() -> None:
    fusion = options_for(asked(scoring={"blend": "rrf", "w_text": 0.1, "w_vec": 0.9}), SETTINGS).fusion
    assert fusion.text_weight == fusion.vector_weight
    assert fusion.k == 60


def test_what_is_cut_late_is_scored_by_both_weights() -> None:
    fusion = pooled_fusion(asked())
    assert (fusion.blend, fusion.text_weight, fusion.vector_weight) == ("linear", 0.35, 0.65)


def test_looking_wider_never_narrows_nor_leaves_the_bounds() -> None:
    assert widened(SETTINGS, 10).top_k_children_limit == SETTINGS.top_k_children_limit
    assert widened(SETTINGS, 500).lexical_children_limit == 500
    assert widened(SETTINGS, 10**9).top_k_children_limit == MOST_CANDIDATES


@pytest.mark.parametrize(
    "settings",
    [
        RetrievalOptions(),
        RetrievalOptions(blend="linear", normalize="sigmoid", vector_weight=0.7, lexical_score="ts_rank"),
        RetrievalOptions(blend="rrf", tsquery_mode="phrase", text_search_config="simple", min_score=0.1),
    ],
)
def test_settings_as_preferences_say_the_same(settings: RetrievalOptions) -> None:
    prefs = prefs_from(settings, "tides")
    back = options_for(prefs, settings)
    assert prefs.query_text == "tides"
    assert back.fusion == settings.fusion
    for name in ("lexical_score", "tsquery_mode", "text_search_config", "min_rank", "min_score", "distance"):
        assert getattr(back, name) == getattr(settings, name)


def test_a_weight_left_to_the_other_is_what_is_left_of_one() -> None:
    scoring = prefs_from(RetrievalOptions(vector_weight=0.75), "tides").scoring
    assert scoring == ScoringPrefs(blend="linear", normalize="minmax", w_text=0.25, w_vec=0.75)
