from collections import Counter
from uuid import uuid4

import numpy as np
import pytest

from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Question
from benchmarks.retrieval_quality_parts.goals import goal_table
from benchmarks.retrieval_quality_parts.same_children import (
    BM25,
    CONVEX,
    DENSE,
    K1,
    RRF,
    B,
    by_ranks,
    term_weights,
)
from tests.support.bm25_oracle import Passage


def test_words_weigh_by_rarity_repetition_and_length() -> None:
    texts = ("a a b", "a c", "c")
    passages = [Passage(uuid4(), place, "en", Counter(text.split())) for place, text in enumerate(texts)]
    weights = dict(term_weights(passages, [0, 1, 2]))
    places, worth = weights["a"]
    assert places.tolist() == [0, 1]
    idf = np.log(1 + 1.5 / 2.5)
    assert worth[0] == pytest.approx(idf * 2 * (K1 + 1) / (2 + K1 * (1 - B + B * 3 / 2)))
    assert worth[1] == pytest.approx(idf * (K1 + 1) / (1 + K1 * (1 - B + B * 2 / 2)))
    assert weights["b"][1][0] > worth[0]


def test_ranks_are_added_up_and_what_holds_no_word_has_none_of_words() -> None:
    found = by_ranks(np.array([0.0, 3.0, 2.0]), np.array([0.1, 0.2, 0.9]))
    assert found.argsort()[::-1].tolist() == [2, 1, 0]
    assert found[1] == pytest.approx(1 / 61 + 1 / 62)
    assert found[0] == pytest.approx(1 / 63)


def test_the_table_names_the_best_of_the_usual_ways_and_the_goal() -> None:
    data = EvaluationSet("chroma", {}, tuple(Question(str(number)) for number in range(4)))
    ours = {"R@2000c": np.array([90.0, 80.0, 70.0, 60.0]), "recall@5": np.ones(4)}
    usual = {
        name: {"R@2000c": np.full(4, value)}
        for name, value in ((BM25, 50.0), (DENSE, 10.0), (RRF, 20.0), (CONVEX, 45.0))
    }
    last = goal_table(data, ours, usual).strip().splitlines()[-1]
    assert last == "| R@2000c | 75.0 | 50.0 (BM25) | +25.0 | +15.0 to +35.0 | better | 84.0 |"
