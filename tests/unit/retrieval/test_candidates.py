import pytest

from tests.support.retrieval_rows import candidate, id_of
from webrag_desktop.retrieval.candidates import depth_weight, judge
from webrag_desktop.retrieval.options import RetrievalOptions

OPTIONS = RetrievalOptions()


def arms(floor: float = 0.3, **row: object) -> tuple[str, ...]:
    children = judge([candidate(**row)], floor, OPTIONS)
    return children[0].found_by if children else ()


def test_the_floor_keeps_weak_vector_evidence_out() -> None:
    assert arms(by_vector=True, similarity=0.30) == ("vector",)
    assert arms(by_vector=True, similarity=0.29) == ()


def test_the_questions_own_words_enter_below_the_floor_and_say_so() -> None:
    assert arms(by_words=True, all_words=True, text_rank=0.1, similarity=0.05) == ("words",)
    assert arms(by_words=True, identifier=True, text_rank=0.1, similarity=0.05) == ("words", "identifier")


def test_one_common_word_does_not_enter_below_the_floor() -> None:
    assert arms(by_words=True, text_rank=0.1, similarity=0.05) == ()
    assert arms(by_words=True, text_rank=0.1, similarity=0.5) == ("words",)


def test_without_a_vector_any_word_counts() -> None:
    assert arms(by_words=True, text_rank=0.1, similarity=None) == ("words",)


def test_rows_below_the_floor_still_set_the_scale() -> None:
    rows = [
        candidate(id=id_of(similarity), by_vector=True, similarity=similarity)
        for similarity in (0.8, 0.7, 0.2)
    ]
    scores = [child.rank_score for child in judge(rows, 0.3, OPTIONS)]
    assert scores == pytest.approx([1.0, 5 / 6])


@pytest.mark.parametrize(("depth", "weight"), [(0, 1.0), (1, 0.95), (2, 0.9), (3, 0.85), (4, 0.8), (50, 0.8)])
def test_depth_decays_linearly_to_its_floor(depth: int, weight: float) -> None:
    assert depth_weight(depth, OPTIONS) == pytest.approx(weight)
    deep = judge([candidate(by_vector=True, similarity=0.9, depth=depth)], 0.3, OPTIONS)
    assert deep[0].rank_score == pytest.approx(weight)
