"""The preferences hold to their contract, name by name and default by default."""

import pytest

from webrag_desktop.errors import InputError, WebragError
from webrag_desktop.retrieval.contracts.preferences import (
    STRATEGIES,
    CachePrefs,
    ChunkingPrefs,
    FtsPrefs,
    Preferences,
    RetrievalPrefs,
    ScoringPrefs,
    SnippetPrefs,
    VectorPrefs,
)

# Every field with its default; the limits of cutting late are our own.
# The strategy differs on purpose: see docs/decisions/0023-late-chunking.md.
CONTRACT = {
    "query_text": "tides",
    "filters": {},
    "top_k_items": 20,
    "top_k_chunks": 12,
    "per_item_chunk_cap": 3,
    "fts": {"mode": "web", "config": None, "rank_func": "ts_rank_cd", "min_rank": None},
    "vector": {"embed_query": True, "distance": "cosine", "min_score": None},
    "scoring": {"blend": "rrf", "w_text": 0.35, "w_vec": 0.65, "normalize": "sigmoid"},
    "chunking": {
        "strategy": "precomputed",
        "chunker_id": "headings",
        "include_headers": True,
        "max_chunk_tokens": None,
        "overlap_tokens": None,
        "max_chars": 2_000_000,
        "max_seconds": None,
    },
    "cache": {"use_chunk_cache": True, "write_chunk_cache": True, "ttl_seconds": None},
    "snippet": {"max_chars": 360, "prefer_chunk_snippet": True},
    "debug": False,
}

CHOICES = [
    ("fts", "mode", ["web", "plain", "strict", "phrase"]),
    ("fts", "rank_func", ["ts_rank_cd", "ts_rank", "bm25"]),
    ("vector", "distance", ["cosine", "l2", "ip"]),
    ("scoring", "blend", ["rrf", "linear"]),
    ("scoring", "normalize", ["minmax", "zscore", "sigmoid", "none"]),
    ("chunking", "strategy", ["late", "precomputed", "mixed"]),
]


def test_every_field_has_its_name_its_place_and_its_default() -> None:
    assert RetrievalPrefs(query_text="tides").model_dump() == CONTRACT
    assert list(RetrievalPrefs.model_fields) == list(CONTRACT)


def test_parts_are_taken_as_dictionaries_with_the_rest_as_it_is() -> None:
    prefs = RetrievalPrefs.model_validate({"query_text": "tides", "fts": {"mode": "plain"}, "cache": {}})
    assert prefs.fts == FtsPrefs(mode="plain")
    assert prefs.cache == CachePrefs()
    assert RetrievalPrefs.model_validate(CONTRACT) == RetrievalPrefs(query_text="tides")
    assert RetrievalPrefs.model_validate_json(prefs.model_dump_json()) == prefs


@pytest.mark.parametrize(("kind", "name", "values"), CHOICES)
def test_every_choice_is_taken_and_no_other(kind: str, name: str, values: list[str]) -> None:
    for value in values:
        taken = RetrievalPrefs.model_validate({"query_text": "tides", kind: {name: value}})
        assert getattr(getattr(taken, kind), name) == value
    with pytest.raises(InputError, match=rf"{kind}\.{name} is 'upside-down'") as refused:
        RetrievalPrefs.model_validate({"query_text": "tides", kind: {name: "upside-down"}})
    assert all(f"'{value}'" in refused.value.message for value in values)


def test_the_strategies_are_those_of_the_contract() -> None:
    assert set(STRATEGIES) == {"late", "precomputed", "mixed"}


@pytest.mark.parametrize(
    "kind", [name for name, value in CONTRACT.items() if isinstance(value, dict) and value]
)
def test_an_unknown_name_is_refused_with_those_there_are(kind: str) -> None:
    part = CONTRACT[kind]
    assert isinstance(part, dict)
    with pytest.raises(InputError, match=rf"no preference {kind}\.colour") as refused:
        RetrievalPrefs.model_validate({"query_text": "tides", kind: {"colour": "red"}})
    assert all(name in refused.value.hint for name in part)


def test_unknown_and_missing_names_at_the_top_are_refused() -> None:
    with pytest.raises(InputError, match="no preference top_k") as refused:
        RetrievalPrefs.model_validate({"query_text": "tides", "top_k": 3})
    assert "top_k_items" in refused.value.hint
    with pytest.raises(InputError, match="query_text is missing"):
        RetrievalPrefs.model_validate({"debug": True})


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"top_k_items": 0}, "top_k_items"),
        ({"top_k_chunks": -1}, "top_k_chunks"),
        ({"top_k_chunks": 10_001}, "top_k_chunks"),
        ({"per_item_chunk_cap": 0}, "per_item_chunk_cap"),
        ({"fts": {"min_rank": -0.1}}, "fts.min_rank"),
        ({"fts": {"min_rank": float("nan")}}, "fts.min_rank"),
        ({"fts": {"config": "no such; name"}}, "fts.config"),
        ({"fts": "web"}, "fts"),
        ({"vector": {"min_score": 1.5}}, "vector.min_score"),
        ({"scoring": {"w_text": -1}}, "scoring.w_text"),
        ({"scoring": {"w_vec": float("inf")}}, "scoring.w_vec"),
        ({"chunking": {"max_chunk_tokens": 0}}, "chunking.max_chunk_tokens"),
        ({"chunking": {"chunker_id": ""}}, "chunking.chunker_id"),
        ({"chunking": {"max_chars": 0}}, "chunking.max_chars"),
        ({"chunking": {"max_seconds": -1}}, "chunking.max_seconds"),
        ({"chunking": {"max_seconds": float("inf")}}, "chunking.max_seconds"),
        ({"cache": {"ttl_seconds": 0}}, "cache.ttl_seconds"),
        ({"snippet": {"max_chars": 0}}, "snippet.max_chars"),
        ({"query_text": None}, "query_text"),
        ({"filters": "tides"}, "filters"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_by_its_name(given: dict[str, object], name: str) -> None:
    for ask in (RetrievalPrefs.model_validate, lambda given: RetrievalPrefs(**given)):
        with pytest.raises(WebragError) as refused:
            ask({"query_text": "tides", **given})
        assert f"The preference {name} is " in refused.value.message
        assert refused.value.hint


def test_a_long_value_is_reported_shortened() -> None:
    with pytest.raises(InputError) as refused:
        RetrievalPrefs.model_validate({"query_text": "tides", "debug": "x" * 5000})
    assert len(refused.value.message) < 200


@pytest.mark.parametrize(
    "kind",
    [FtsPrefs, VectorPrefs, ScoringPrefs, ChunkingPrefs, CachePrefs, SnippetPrefs],
    ids=lambda one: one.kind,
)
def test_a_part_by_itself_refuses_in_the_same_words(kind: type[Preferences]) -> None:
    with pytest.raises(InputError, match=rf"no preference {kind.kind}\.colour"):
        kind.model_validate({"colour": "red"})
    assert RetrievalPrefs.model_fields[kind.kind].annotation is kind
