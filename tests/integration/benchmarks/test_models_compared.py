"""Two embedded models on one set: each in its own cuts, and the difference is the first's above the other's."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchmarks import retrieval_quality
from benchmarks.measuring import EMBEDDED
from benchmarks.retrieval_quality import Variants, models_compared
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece, Question
from benchmarks.retrieval_quality_parts.products import HYBRID, Cut, IndexedSet, Search, indexed
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.catalog import MINILM_FUSED, MULTILINGUAL_FORM
from webrag_desktop.embedding.factory import open_embedder
from webrag_desktop.models.spaces import EmbeddingModel

DOCUMENTS = {
    "blood.md": "Red blood cells transport oxygen through the body.",
    "bridge.md": "The bridge over the river was finished in 1932.",
    "bread.md": "Bread dough needs flour, water, salt and patience.",
}
GERMAN = {
    "blood.md": "Welche Zellen bringen Sauerstoff durch den Leib?",
    "bridge.md": "Wann war die Brücke über den Fluss fertig?",
    "bread.md": "Woraus macht man einen Teig zum Backen?",
}
DATA = EvaluationSet(
    "three",
    DOCUMENTS,
    tuple(Question(text, (Piece(name, 0, len(DOCUMENTS[name])),)) for name, text in GERMAN.items()),
)
VARIANTS = Variants((Cut(256, True),), (Search(HYBRID, {}), Search(HYBRID, {"similarity_floor": 1.0})))
Cell = dict[str, str]


def opened(form: EmbeddingModel) -> Embedder:
    return open_embedder(form, EMBEDDED)


def rows_of(text: str) -> dict[tuple[str, str], Cell]:
    """The table by search and metric."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    head = lines[0]
    assert head[:2] == ["search", "metric"]
    return {(cells[0], cells[1]): dict(zip(head[2:], cells[2:], strict=False)) for cells in lines[2:]}


def test_each_model_is_measured_in_its_own_cuts_and_the_first_is_compared_with_the_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[tuple[str, str]] = []

    @contextmanager
    def noted(data: EvaluationSet, cut: Cut, embedder: Embedder) -> Iterator[IndexedSet]:
        with indexed(data, cut, embedder) as asked:
            made.append((asked.into.embedder.model.model, asked.into.tokenizer.name))
            yield asked

    monkeypatch.setattr(retrieval_quality, "indexed", noted)
    found = models_compared(DATA, VARIANTS, opened(MULTILINGUAL_FORM), opened(MINILM_FUSED))
    assert made == [(form.model, form.tokenizer) for form in (MULTILINGUAL_FORM, MINILM_FUSED)]
    assert found.startswith("### three: 3 documents, 3 questions, children of 256, with header, paired")

    rows = rows_of(found)
    searches = {search for search, _ in rows}
    assert {"hybrid", "hybrid, similarity_floor=1.0"} < searches
    assert any(search.startswith("vector only") for search in searches)
    assert len(rows) == 3 * 6
    for row in rows.values():
        ours, theirs = float(row[MULTILINGUAL_FORM.model]), float(row[MINILM_FUSED.model])
        assert float(row["difference"]) == pytest.approx(ours - theirs, abs=0.11)

    hybrid = rows["hybrid", "R@2000c"]
    assert float(hybrid[MULTILINGUAL_FORM.model]) > 60.0  # German questions, English texts, no word in common
    assert float(hybrid[MINILM_FUSED.model]) < 50.0
    assert not hybrid["95 % interval"].startswith("-")
    nothing = rows["hybrid, similarity_floor=1.0", "R@2000c"]
    assert float(nothing["difference"]) == 0.0
