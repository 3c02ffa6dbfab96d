import math

import numpy as np
import pytest

from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece, Question
from benchmarks.retrieval_quality_parts.metrics import (
    Difference,
    Ranking,
    chunk_scores,
    merged,
    recall,
    scores,
    within,
)


def test_budget_cuts_the_piece_in_which_it_ends() -> None:
    pieces = [Piece("a", 0, 30), Piece("b", 5, 45), Piece("c", 0, 9)]
    assert within(pieces, 50) == [Piece("a", 0, 30), Piece("b", 5, 25)]
    assert within(pieces, 30) == [Piece("a", 0, 30)]
    assert within(pieces, 500) == pieces


def test_text_returned_twice_uses_up_the_budget() -> None:
    assert within([Piece("a", 0, 10), Piece("a", 0, 10), Piece("a", 10, 20)], 20)[-1] == Piece("a", 0, 10)


def test_spans_that_touch_or_overlap_are_one() -> None:
    found = merged(
        [Piece("a", 10, 20), Piece("b", 0, 5), Piece("a", 0, 10), Piece("a", 18, 25), Piece("a", 30, 31)]
    )
    assert found == {"a": [(0, 25), (30, 31)], "b": [(0, 5)]}


def test_recall_counts_characters_of_the_right_document_once() -> None:
    answers = [Piece("a", 0, 10), Piece("a", 20, 30), Piece("b", 0, 20)]
    assert recall([Piece("a", 5, 25)], answers) == pytest.approx(10 / 40)
    assert recall([Piece("a", 5, 25), Piece("a", 0, 25)], answers) == pytest.approx(15 / 40)
    assert recall([Piece("c", 0, 100)], answers) == 0
    assert recall([Piece("a", 0, 30), Piece("b", 0, 50)], answers) == 1
    assert recall([Piece("a", 0, 10)], [Piece("a", 0, 10), Piece("a", 5, 10)]) == 1


def test_chunk_scores_are_those_of_the_chunking_evaluation() -> None:
    answers = [Piece("a", 0, 100)]
    assert chunk_scores([Piece("a", 50, 150), Piece("b", 0, 100)], answers) == pytest.approx(
        (50 / 100, 50 / 200, 50 / (200 + 50))
    )
    twice = chunk_scores([Piece("a", 0, 100), Piece("a", 0, 100)], answers)
    assert twice == pytest.approx((1, 0.5, 0.5))
    assert chunk_scores([], answers) == (0, 0, 0)


def ranking(*pieces: Piece) -> Ranking:
    return Ranking.of_chunks(pieces)


def test_a_set_of_spans_is_scored_by_budget_and_at_five() -> None:
    question = Question("?", (Piece("a", 0, 1000),))
    data = EvaluationSet("s", {}, (question, question))
    early = ranking(Piece("a", 0, 1000), *[Piece("b", 0, 100)] * 4)
    late = ranking(*[Piece("b", 0, 700)] * 5, Piece("a", 0, 1000))
    found = scores(data, [early, late])
    assert {name: values.tolist() for name, values in found.items() if name.startswith("R@")} == {
        "R@2000c": [100, 0],
        "R@4000c": [100, pytest.approx(50)],
        "R@8000c": [100, 100],
    }
    assert found["recall@5"].tolist() == [100, 0]
    assert found["precision@5"].tolist() == [pytest.approx(100 * 1000 / 1400), 0]
    assert found["IoU@5"].tolist() == [pytest.approx(100 * 1000 / 1400), 0]


def test_a_set_of_documents_is_scored_by_their_rank() -> None:
    questions = (
        Question("?", (Piece("a", 0, 10),), frozenset({"a", "b"})),
        Question("no sentence was marked", (), frozenset({"z"})),
    )
    data = EvaluationSet("s", {}, questions, task="documents")
    many = [Piece(f"d{number}", 0, 10) for number in range(99)]
    found = scores(
        data,
        [
            ranking(Piece("c", 0, 5), Piece("c", 6, 9), Piece("a", 0, 5), Piece("b", 0, 5)),
            ranking(*many, Piece("y", 0, 10), Piece("z", 0, 10)),
        ],
    )
    gain = (1 / math.log2(3) + 1 / math.log2(4)) / (1 + 1 / math.log2(3))
    assert found["nDCG@10"].tolist() == [pytest.approx(100 * gain), 0]
    assert found["Recall@100"].tolist() == [100, 0]
    assert found["R@2000c"].tolist() == [50]
    assert "recall@5" not in found


def test_every_question_needs_its_answer() -> None:
    data = EvaluationSet("s", {}, (Question("?", (Piece("a", 0, 1),)),))
    with pytest.raises(ValueError, match="shorter"):
        scores(data, [])


def test_difference_is_called_one_only_beyond_noise() -> None:
    base = np.random.default_rng(3).normal(50, 30, 400)
    noise = np.random.default_rng(4).normal(0, 20, 400)
    noise -= noise.mean()
    assert Difference.between(base + 3 + 0.1 * noise, base).verdict == "better"
    assert Difference.between(base - 3 + 0.1 * noise, base).verdict == "worse"
    undecided = Difference.between(base + 0.2 + noise, base)
    assert undecided.verdict == "within noise"
    assert undecided.mean == pytest.approx(0.2)
    assert undecided.low < 0 < undecided.high
    assert undecided == Difference.between(base + 0.2 + noise, base)
