"""What a search found, in the order of its result, and the objects made of it."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.retrieval_rows import id_of, parent_row
from webrag_desktop.models.base import unchecked
from webrag_desktop.retrieval.contracts.passages import Passage, as_retrieved, unmatched
from webrag_desktop.retrieval.contracts.results import RetrievedChunk
from webrag_desktop.retrieval.growing import best_passages, group_by_document


def passage(url: str = "https://a/", index: int = 0, rank: float = 0.5) -> Passage:
    row = parent_row(id=id_of((url, index)), document_id=id_of(url), source_url=url, chunk_index=index)
    return unmatched(row)._replace(rank_score=rank)


def index_of(found: Passage) -> int:
    assert found.stored is not None
    return found.stored.chunk_index


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.sampled_from([0.1, 0.5, 0.9])),
        unique_by=lambda c: c[:2],
    )
)
def test_documents_come_by_their_best_passage_and_passages_in_reading_order(
    specs: list[tuple[str, int, float]],
) -> None:
    grouped = group_by_document([passage(f"https://{url}/", index, rank) for url, index, rank in specs])
    assert len(grouped) == len(specs)
    runs = list(dict.fromkeys(found.source_url for found in grouped))
    by_document = {url: [found for found in grouped if found.source_url == url] for url in runs}
    assert [found for url in runs for found in by_document[url]] == grouped
    best = [max(found.rank_score for found in by_document[url]) for url in runs]
    assert best == sorted(best, reverse=True)
    for several in by_document.values():
        assert [index_of(found) for found in several] == sorted(map(index_of, several))


def test_a_limit_keeps_the_best_passages_in_their_order() -> None:
    several = [passage(index=index, rank=rank) for index, rank in enumerate((0.2, 0.9, 0.1, 0.5))]
    assert [kept.rank_score for kept in best_passages(several, 2)] == [0.9, 0.5]
    assert best_passages(several, None) == best_passages(several, 9) == several


def test_a_chunk_made_without_checking_is_the_same_as_a_checked_one() -> None:
    made = as_retrieved(passage(), whole=False)
    assert set(made.__dict__) == set(RetrievedChunk.model_fields)
    checked = RetrievedChunk.model_validate(
        {name: getattr(made, name) for name in RetrievedChunk.model_fields}
    )
    assert made == checked == RetrievedChunk.model_validate_json(made.model_dump_json())
    assert made.model_dump_json() == checked.model_dump_json()
    assert made.model_copy(update={"score": 0.25}) == checked.model_copy(update={"score": 0.25})
    assert unchecked(RetrievedChunk, dict(made.__dict__)) == made
