"""The names, types and defaults that the user laid down for reranking."""

from dataclasses import fields
from uuid import UUID

import pytest
from pydantic import ValidationError

from webrag_desktop.config import Settings, setting_names
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.retrieval.contracts.judgements import RerankResult
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig

DEFAULTS = {
    "model": None,  # none on purpose: texts of the library are sent to it
    "max_candidates_to_rerank": 50,
    "return_top_n": 15,
    "max_text_chars_per_candidate": 1200,
    "strict_json_output": True,
}


@pytest.mark.parametrize(("name", "default"), DEFAULTS.items())
def test_the_config_has_these_fields_and_defaults(name: str, default: object) -> None:
    assert getattr(RerankConfig(), name) == default
    assert getattr(Settings().rerank_config(), name) == default


def test_each_field_of_the_config_but_the_time_limit_is_a_setting_of_its_name() -> None:
    settings = {
        f"RETRIEVAL_RERANK_{field.name.upper()}" for field in fields(RerankConfig) if field.name != "seconds"
    }
    assert settings <= set(setting_names())


@pytest.mark.parametrize(
    ("name", "kind"),
    [("chunk_id", UUID), ("relevance_score", float), ("answerability", bool), ("key_evidence", str)],
)
def test_a_result_has_these_fields(name: str, kind: type) -> None:
    assert RerankResult.model_fields[name].annotation is kind
    assert RerankResult.model_fields[name].is_required()


@pytest.mark.parametrize("score", [-1, 100.01, float("nan"), float("inf")])
def test_a_score_lies_between_0_and_100(score: float) -> None:
    with pytest.raises(ValidationError):
        RerankResult(chunk_id=UUID(int=1), relevance_score=score, answerability=True, key_evidence="")


@pytest.mark.parametrize(
    "given",
    [
        {"max_candidates_to_rerank": 0},
        {"max_candidates_to_rerank": 201},
        {"return_top_n": 0},
        {"max_text_chars_per_candidate": 99},
        {"seconds": 0.0},
        {"seconds": float("nan")},
    ],
)
def test_a_config_that_cannot_work_is_refused_by_the_name_of_its_setting(given: dict[str, float]) -> None:
    name = next(iter(given)).replace("seconds", "timeout").upper()
    with pytest.raises(ConfigurationError, match=f"RETRIEVAL_RERANK_{name}"):
        RerankConfig(**given)  # type: ignore[arg-type]
