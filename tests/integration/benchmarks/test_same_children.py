"""The usual ways to search are asked over what a library really stores."""

from benchmarks.retrieval_quality_parts import same_children
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece, Question
from benchmarks.retrieval_quality_parts.products import Cut, indexed
from benchmarks.retrieval_quality_parts.same_children import usual_rankings
from webrag_desktop.embedding.base import Embedder

_DOCUMENTS = {
    "kitchen.md": "# Kitchen\n\nBread is baked in a hot oven until its crust is brown.",
    "sea.md": "# Sea\n\nA sextant measures the angle between the horizon and the sun.",
    "garden.md": "# Garden\n\nRoses are pruned in spring, before the first leaves open.",
}


def test_each_way_finds_the_child_that_answers(embedder: Embedder) -> None:
    question = Question("sextant", (Piece("sea.md", 7, len(_DOCUMENTS["sea.md"])),))
    meant = Question("How do I make loaves?", (Piece("kitchen.md", 11, len(_DOCUMENTS["kitchen.md"])),))
    data = EvaluationSet("three", _DOCUMENTS, (question, meant))
    with indexed(data, Cut(256, header=True), embedder) as asked:
        found = usual_rankings(data, asked)
    whole = {name: Piece(name, 0, len(text)) for name, text in _DOCUMENTS.items()}
    assert {name: answers[0].pieces[0] for name, answers in found.items()} == dict.fromkeys(
        same_children.SHORT_NAMES, whole["sea.md"]
    )
    assert found[same_children.BM25][0].pieces == (whole["sea.md"],)  # no other holds the word
    assert found[same_children.BM25][1].pieces == ()
    assert found[same_children.DENSE][1].pieces[0] == whole["kitchen.md"]
    assert set(found[same_children.RRF][1].pieces) == set(whole.values())
