from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from tests.support.retrieval_rows import id_of, parent_row
from webrag_desktop.retrieval.aggregate import Parent
from webrag_desktop.retrieval.budget import best_within, documents_within
from webrag_desktop.storage.searching.search import ParentRow

TOKENS = st.lists(st.integers(0, 50), max_size=12)


def ranked(tokens: list[int]) -> list[Parent]:
    return [Parent(id_of(n), (), size, ("", n), 1.0, 1.0, None, ()) for n, size in enumerate(tokens)]


def library(documents: list[list[int]]) -> list[ParentRow]:
    return [
        parent_row(id=id_of((d, n)), document_id=id_of(d), chunk_index=n, token_start=10, token_end=10 + size)
        for d, document in enumerate(documents)
        for n, size in enumerate(document)
    ]


def total(rows: list[ParentRow]) -> int:
    return sum(row.token_end - row.token_start for row in rows)


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


@given(st.lists(st.lists(st.integers(1, 50), min_size=1, max_size=5), max_size=6), st.integers(1, 200))
def test_documents_go_whole_from_the_end(documents: list[list[int]], budget: int) -> None:
    rows = library(documents)
    kept = documents_within(rows, budget)
    assert kept == rows[: len(kept)]
    assert total(kept) <= budget or len(kept) == 1
    whole = [list(group) for _, group in groupby(kept, key=lambda row: row.document_id)]
    assert [len(group) for group in whole[1:]] == [len(document) for document in documents[1 : len(whole)]]


def test_a_first_document_beyond_the_budget_is_cut_between_parents() -> None:
    assert len(documents_within(library([[40, 40, 40], [5]]), 100)) == 2
    assert len(documents_within(library([[400, 40]]), 100)) == 1
