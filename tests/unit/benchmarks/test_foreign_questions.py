"""Which questions of other sets a library cannot answer."""

from benchmarks.foreign_questions import foreign_questions
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Question


def test_questions_that_one_paragraph_answers_by_its_words_are_not_foreign() -> None:
    shore = EvaluationSet("shore", {"a.md": "Limpets cling to a rock.\n\nTides move water."}, ())
    asked = ("How do limpets cling to a rock?", "Do limpets move tides?", "Who won the final?", "Is it so?")
    other = EvaluationSet("other", {}, tuple(Question(text) for text in asked))
    assert set(foreign_questions("shore", {"shore": shore, "other": other})) == {asked[1], asked[2]}
