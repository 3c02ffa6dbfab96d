"""Judging by a model on this computer, tried with one of a few numbers."""

import math
from itertools import count
from pathlib import Path

import pytest

from tests.support.reranking import candidates
from tests.support.tiny_cross_encoder import write_cross_encoder
from webrag_desktop.errors import Cancelled, ConfigurationError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.reranking.cross_encoder import CrossEncoderReranker
from webrag_desktop.retrieval.reranking.ordering import reranked

TEXTS = (
    "A storm came.",
    "## Tide\n\nThe sea is wide. The low tide comes at noon. A tide, no, a storm.",
    "Nothing of it.",
)


def sigmoid(logit: float) -> float:
    return 100 / (1 + math.exp(-logit))


@pytest.fixture
def judge(tmp_path: Path) -> CrossEncoderReranker:
    return CrossEncoderReranker(write_cross_encoder(tmp_path), RerankConfig())


def test_the_score_is_the_models_and_the_evidence_the_best_sentence(judge: CrossEncoderReranker) -> None:
    first, second, third = judge.rerank("When is low tide?", candidates(*TEXTS))
    assert [one.chunk_id.int for one in (first, second, third)] == [2, 3, 1]
    assert first.relevance_score == pytest.approx(sigmoid(3 + 3 + 1 + 3 - 2 - 2))
    assert (first.answerability, first.key_evidence) == (True, "The low tide comes at noon.")
    assert second.relevance_score == pytest.approx(sigmoid(-2))
    assert (second.answerability, second.key_evidence) == (False, "")
    assert judge.model == "tiny.onnx"


def test_a_passage_answers_from_the_models_own_even_odds_on(judge: CrossEncoderReranker) -> None:
    even, below = judge.rerank("q", candidates("low low", "low"))
    assert (even.relevance_score, even.answerability, even.key_evidence) == (50.0, True, "low low")
    assert below.relevance_score == pytest.approx(sigmoid(-1))
    assert not below.answerability


def test_two_outputs_are_for_no_and_yes(tmp_path: Path) -> None:
    judge = CrossEncoderReranker(write_cross_encoder(tmp_path, outputs=2), RerankConfig())
    (result,) = judge.rerank("q", candidates("low tide"))
    assert result.relevance_score == pytest.approx(sigmoid(2))


def test_a_passage_beyond_the_models_window_is_cut_for_it(judge: CrossEncoderReranker) -> None:
    text = "tide " * 3 + "sea " * 600 + "storm " * 100
    long = CrossEncoderReranker(judge._file, RerankConfig(max_text_chars_per_candidate=10_000))
    (result,) = long.rerank("q", candidates(text))
    assert result.relevance_score == pytest.approx(sigmoid(9 - 2))


def test_a_question_beyond_the_models_window_leaves_room_for_the_passage(judge: CrossEncoderReranker) -> None:
    (result,) = judge.rerank("sea " * 10_000, candidates("low tide"))
    assert result.relevance_score == pytest.approx(sigmoid(1 + 3 - 2))
    assert result.key_evidence == "low tide"


def test_a_question_with_half_a_character_is_judged_by_the_rest(judge: CrossEncoderReranker) -> None:
    assert judge.rerank("tide \udce9", candidates(*TEXTS)) == judge.rerank("tide ", candidates(*TEXTS))


def test_no_more_are_judged_than_the_config_allows(judge: CrossEncoderReranker) -> None:
    few = CrossEncoderReranker(judge._file, RerankConfig(max_candidates_to_rerank=2))
    assert len(few.rerank("q", candidates(*TEXTS))) == 2


def test_it_serves_the_ordering_as_any_other(judge: CrossEncoderReranker) -> None:
    found = reranked("low tide", candidates(*TEXTS), judge, 50)
    assert [one.int for one in found.order] == [2, 3, 1]
    assert (found.report.model, found.report.judged, found.report.evidence_dropped) == ("tiny.onnx", 3, 0)


def test_a_wish_to_stop_is_heard_between_passages(judge: CrossEncoderReranker) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        judge.rerank("q", candidates(*TEXTS), cancel=cancel)


def test_one_that_takes_too_long_is_left_between_pairs_and_the_order_stays(
    judge: CrossEncoderReranker,
) -> None:
    looks = count()
    slow = CrossEncoderReranker(judge._file, RerankConfig(seconds=5), clock=lambda: float(next(looks)))
    found = reranked("tide", candidates(*TEXTS), slow, 50)
    assert [one.int for one in found.order] == [1, 2, 3]
    assert found.report.fallback == "The cross-encoder tiny.onnx did not judge all passages within 5 seconds."
    assert "RETRIEVAL_RERANK_TIMEOUT" in (found.report.hint or "")
    assert next(looks) == 6  # one pair a second, and no more after the fifth


@pytest.mark.parametrize("broken", ["tiny.onnx", "tokenizer.json"])
@pytest.mark.parametrize("how", ["missing", "garbled"])
def test_a_file_that_cannot_be_used_is_reported_and_the_order_stays(
    tmp_path: Path, broken: str, how: str
) -> None:
    file = write_cross_encoder(tmp_path)
    if how == "missing":
        (tmp_path / broken).unlink()
    else:
        (tmp_path / broken).write_bytes(b"no model")
    found = reranked("q", candidates(*TEXTS), CrossEncoderReranker(file, RerankConfig()), 50)
    assert [one.int for one in found.order] == [1, 2, 3]
    assert found.report.fallback is not None
    assert broken in found.report.fallback
    assert "RETRIEVAL_RERANK_MODEL_FILE" in (found.report.hint or "")


def test_of_missing_files_the_model_itself_is_named_in_plain_words(tmp_path: Path) -> None:
    file = tmp_path / "nothing.onnx"
    found = reranked("q", candidates(*TEXTS), CrossEncoderReranker(file, RerankConfig()), 50)
    assert found.report.fallback == f"There is no file {file}, which reranking needs."
    folder = reranked("q", candidates(*TEXTS), CrossEncoderReranker(tmp_path, RerankConfig()), 50)
    assert (
        folder.report.fallback
        == f"The file {tmp_path}, which reranking needs, cannot be read: it is a folder."
    )


def test_a_model_of_another_kind_is_reported(tmp_path: Path) -> None:
    three = CrossEncoderReranker(write_cross_encoder(tmp_path, outputs=3), RerankConfig())
    with pytest.raises(ConfigurationError, match="its output is no score"):
        three.rerank("q", candidates("tide"))
    names = ("pixel_values", "attention_mask", "token_type_ids")
    image = CrossEncoderReranker(write_cross_encoder(tmp_path, inputs=names), RerankConfig())
    with pytest.raises(ConfigurationError, match="takes other inputs"):
        image.rerank("q", candidates("tide"))
