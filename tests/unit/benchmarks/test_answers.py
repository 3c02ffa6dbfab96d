"""Which sentences answers rest on is scored beside as many of retrieval's best."""

from collections.abc import Sequence

import pytest

from benchmarks.answers import above_retrieval, choice_table, quotation_table
from benchmarks.answers_parts.asking import Answered
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece, Question

TEXT = "One two. Three four. Five six."
FIRST, SECOND, THIRD = Piece("a.md", 0, 8), Piece("a.md", 9, 20), Piece("a.md", 21, 30)
DATA = EvaluationSet("made", {"a.md": TEXT}, tuple(Question(f"{n}?", (SECOND,)) for n in range(20)))


def answered(both: Sequence[Piece], ranked: Sequence[Piece] = (FIRST, SECOND, THIRD)) -> Answered:
    return Answered("complete", list(ranked[:2]), [SECOND], both, list(ranked), ["supported"], 2, 0)


@pytest.mark.parametrize(
    ("both", "verdict"), [([SECOND], "better"), ([FIRST], "within noise"), ([THIRD], "within noise")]
)
def test_sentences_of_answers_are_compared_with_as_many_of_the_best(both: list[Piece], verdict: str) -> None:
    above = above_retrieval(DATA, [answered(both)] * 20)
    assert [one.verdict for one in above] == [verdict] * 2


def test_what_is_chosen_worse_is_reported() -> None:
    found = [answered([THIRD], (SECOND, FIRST, THIRD))] * 20
    assert [one.verdict for one in above_retrieval(DATA, found)] == ["worse"] * 2
    assert "-100.0 (-100.0 to -100.0), worse" in choice_table(DATA, found)


def test_ways_are_scored_by_the_sentences_that_they_chose() -> None:
    rows = [line.split("|")[1:-1] for line in choice_table(DATA, [answered([SECOND])] * 20).splitlines()]
    reported = {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows if len(row) == 4}
    assert reported["retrieval alone (the extract)"] == ["50.0", "100.0", "2.0"]
    assert reported["the model"] == ["100.0", "100.0", "1.0"]


def test_quotations_are_counted() -> None:
    reported = quotation_table([answered([SECOND])] * 2).splitlines()
    assert any(row.split("|")[1:3] == [" quotations printed ", " 4 "] for row in reported)
