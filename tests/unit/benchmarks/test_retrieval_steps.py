"""The table of steps asks both ways by turns, and judges what is read of each."""

from collections.abc import Sequence

from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece, Question
from benchmarks.retrieval_quality_parts.products import IndexedSet
from benchmarks.retrieval_quality_parts.reading_order import Place
from benchmarks.retrieval_steps import Asking, Reading, Step, as_one, doubled

ANSWER = Piece("tides", 0, 10)
QUESTIONS = [Question(text, (ANSWER,)) for text in ("first", "second", "third")]


def asking(name: str, found: Sequence[Piece], asked: list[tuple[str, str]]) -> Asking:
    def ask(question: Question) -> Reading:
        asked.append((name, question.text))
        return lambda: found

    return ask


def test_both_are_asked_by_turns_after_one_question_that_does_not_count() -> None:
    asked: list[tuple[str, str]] = []
    Step("any", asking("off", [], asked), asking("on", [ANSWER], asked)).row(QUESTIONS)
    assert asked == [
        *[("on", "first")] * 2,
        *[("off", "first")] * 2,
        *[("off", "second"), ("on", "second")],
        *[("on", "third"), ("off", "third")],
    ]


def test_only_what_is_read_counts_and_all_of_it_where_there_is_no_budget() -> None:
    late = [Piece("other", 0, 100), ANSWER]
    asked: list[tuple[str, str]] = []
    both = asking("off", [Piece("tides", 0, 5)], asked), asking("on", late, asked)
    within = Step("any", *both, budget=104).row(QUESTIONS)
    assert within[1:4] == ("50.0", "40.0", "-10.0 (-10.0 to -10.0, worse)")
    assert Step("any", *both, budget=None).row(QUESTIONS)[2] == "100.0"


def test_a_copy_counts_as_its_document() -> None:
    data = doubled(EvaluationSet("tides", {"tides": "High water."}, tuple(QUESTIONS)))
    assert sorted(data.documents.values()) == ["High water."] * 2
    places = {name: Place(name, range(11)) for name in data.documents}
    held = as_one(IndexedSet(None, None, places))  # type: ignore[arg-type]  # nothing is asked of it
    assert {place.name for place in held.places.values()} == {"tides"}
    assert len(held.places) == 2
