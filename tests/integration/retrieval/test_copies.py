"""Copies of a text take no places from what stands behind them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.support.synthetic_library import AngleEmbedder, Passage, Section, SyntheticLibrary
from webrag_desktop.models.questions import LEXICAL_SCORES, LexicalScore
from webrag_desktop.retrieval import pipeline
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.storage.searching.candidates import find_candidates

Ask = Callable[..., RetrievalResult]
NOTE, SECOND = "Limpets cling to wet rocks by their foot.", "Limpets cling to rocks that are wet by a foot."
OTHER = "A foot of limpets."
QUESTION = "how limpets cling to wet rocks by their foot"
FEW = RetrievalOptions(top_k_children_limit=6, lexical_children_limit=6)


def copies(library: SyntheticLibrary, text: str, count: int, similarity: float, heading: str = "") -> None:
    """So many documents of that text alone, under longer and longer headings made of a word."""
    for number in range(count):
        sections = [Section([Passage(text, similarity)], heading=" ".join([heading] * number))]
        library.add(f"https://{len(text)}/{number:03}", sections)


def found(result: RetrievalResult) -> list[str]:
    return sorted(chunk.chunk_text.strip() for chunk in result.chunks)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many candidates each look gave."""
    counted: list[int] = []

    def counting(*arguments: Any, **named: Any) -> Any:
        rows = find_candidates(*arguments, **named)
        counted.append(len(rows))
        return rows

    monkeypatch.setattr(pipeline, "find_candidates", counting)
    return counted


@pytest.mark.parametrize("embedder", [AngleEmbedder(), None], ids=["both arms", "words alone"])
@pytest.mark.parametrize("score", LEXICAL_SCORES)
def test_what_stands_behind_copies_is_found(
    ask: Ask, library: SyntheticLibrary, embedder: AngleEmbedder | None, score: LexicalScore
) -> None:
    copies(library, NOTE, 9, 0.9)
    copies(library, SECOND, 9, 0.8)
    library.add("https://z/", [Section([Passage(OTHER, 0.5)])])
    result = ask(QUESTION, embedder=embedder, options=replace(FEW, lexical_score=score), fold=True)
    assert found(result) == sorted([NOTE, SECOND, OTHER])
    folded = {chunk.chunk_text.strip(): len(chunk.folded) for chunk in result.chunks}
    assert folded[NOTE] >= 3
    assert folded[SECOND] >= 3
    assert folded[OTHER] == 0


def test_what_stands_behind_copies_keeps_to_filters_and_exclusions(
    ask: Ask, library: SyntheticLibrary
) -> None:
    copies(library, NOTE, 9, 0.9)
    for number, text in enumerate((OTHER, "A foot of limpets and whelks.", "A limpet elsewhere.")):
        library.add(f"https://z/{number}", [Section([Passage(text, 0.5)])])
    addresses = [f"https://{len(NOTE)}/{number:03}" for number in range(9)] + ["https://z/0", "https://z/1"]
    result = ask(f"{QUESTION} -whelks", source_urls=addresses, options=FEW, fold=True)
    assert found(result) == sorted([NOTE, OTHER])


def test_copies_that_score_differently_are_left_behind_as_well(
    ask: Ask, library: SyntheticLibrary, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "WIDENING", 2)
    copies(library, NOTE, 20, 0.9, heading="shore")
    library.add("https://z/", [Section([Passage(OTHER, 0.5)])])
    assert OTHER in found(ask(QUESTION, embedder=None, options=FEW, fold=True))
    assert looks == [6, 0, 1]


@pytest.mark.parametrize(("times", "asked"), [(1, 1), (2, 1), (3, 2)])
def test_only_copies_that_take_most_places_have_it_looked_again(
    ask: Ask, library: SyntheticLibrary, looks: list[int], times: int, asked: int
) -> None:
    for number in range(6):
        copies(library, f"Limpets cling to rock{'s' * number}", times, 0.9 - number / 100)
    assert ask("limpets cling", options=FEW).chunks
    assert len(looks) == asked
