import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.retrieval_rows import id_of, parent_row
from webrag_desktop.retrieval.choosing import budget_of, documents_within, parents_within, selected
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.storage.searching.search import DocumentSize, ParentRow

TOKENS = st.lists(st.integers(0, 50), max_size=12)


def ranked(tokens: list[int]) -> list[Passage]:
    return [Passage("", 1.0, chunk_id=id_of(n), tokens=size) for n, size in enumerate(tokens)]


def best_within(passages: list[Passage], budget: int) -> list[Passage]:
    return list(selected(passages, budget_of(budget)))


def library(documents: list[list[int]]) -> list[ParentRow]:
    return [
        parent_row(id=id_of((d, n)), document_id=id_of(d), chunk_index=n, token_start=10, token_end=10 + size)
        for d, document in enumerate(documents)
        for n, size in enumerate(document)
    ]


@given(TOKENS, st.integers(1, 100))
def test_the_best_fit_the_budget_and_one_comes_always(tokens: list[int], budget: int) -> None:
    parents = ranked(tokens)
    kept = best_within(parents, budget)
    assert kept == parents[: len(kept)]
    assert bool(kept) == bool(parents)
    assert sum(parent.tokens for parent in kept) <= budget or len(kept) == 1
    if len(kept) < len(parents):
        assert sum(parent.tokens for parent in parents[: len(kept) + 1]) > budget


def test_a_small_weak_parent_takes_no_stronger_ones_place() -> None:
    assert [parent.tokens for parent in best_within(ranked([30, 80, 5]), 100)] == [30]


def test_an_oversized_best_result_is_better_than_none() -> None:
    assert [parent.tokens for parent in best_within(ranked([500, 5]), 100)] == [500]


def sizes(documents: list[list[int]]) -> list[DocumentSize]:
    return [DocumentSize(id_of(d), f"u{d}", sum(one), one[0]) for d, one in enumerate(documents)]


def read(documents: list[list[int]], budget: int) -> list[list[int]]:
    """What is given of each document, as a search reads it."""
    fitting = {size.id for size in documents_within(sizes(documents), budget)}
    kept = parents_within([row for row in library(documents) if row.document_id in fitting], budget)
    return [
        [row.token_end - row.token_start for row in kept if row.document_id == id_of(d)]
        for d in range(len(documents))
    ]


@given(st.lists(st.lists(st.integers(1, 50), min_size=1, max_size=5), max_size=6), st.integers(1, 200))
def test_documents_are_given_whole_unless_the_first_alone_is_beyond(
    documents: list[list[int]], budget: int
) -> None:
    given_of = read(documents, budget)
    total = sum(map(sum, given_of))
    assert total <= budget or sum(map(len, given_of)) == 1
    for place, (kept, document) in enumerate(zip(given_of, documents, strict=True)):
        if kept != document:
            assert place == 0 or not kept
            assert kept == document[: len(kept)]
            assert total + sum(document[len(kept) :]) > budget


@pytest.mark.parametrize(
    ("documents", "budget", "expected"),
    [
        ([[40, 40, 40], [5]], 100, [[40, 40], [5]]),
        ([[40, 40, 40], [25], [5]], 100, [[40], [25], [5]]),
        ([[400, 40], [5]], 100, [[400], []]),
        ([[30], [80], [50], [30], [20]], 100, [[30], [], [50], [], [20]]),
        ([], 100, []),
    ],
)
def test_what_fits_is_given_behind_what_does_not(
    documents: list[list[int]], budget: int, expected: list[list[int]]
) -> None:
    assert read(documents, budget) == expected
