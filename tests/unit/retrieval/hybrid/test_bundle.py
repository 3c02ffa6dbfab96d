"""The answer holds to its contract, name by name."""

import pytest
from pydantic import BaseModel, ValidationError

from webrag_desktop.retrieval.contracts.bundles import (
    CandidateItem,
    EvidenceChunk,
    RetrievalBundle,
    RetrievalStats,
)

ITEM: dict[str, object] = {
    "item_id": "1",
    "kind": "html",
    "source": "example.org",
    "source_ref": None,
    "title": None,
    "summary": None,
    "metadata": {},
    "score": 0.5,
    "score_text": None,
    "score_vec": None,
    "rank_text": None,
    "rank_vec": None,
    "snippet": None,
    "snippet_from": "unknown",
}
EVIDENCE: dict[str, object] = {
    "item_id": "1",
    "chunk_id": None,
    "text": "Tides.",
    "start_idx": None,
    "end_idx": None,
    "token_count": None,
    "score": 0.5,
    "score_text": None,
    "score_vec": None,
    "heading_path": None,
    "anchors": None,
}
STATS: dict[str, object] = {"timing_ms": {}, "counts": {}, "params": {}}


@pytest.mark.parametrize(
    ("shape", "document"),
    [
        (CandidateItem, ITEM),
        (EvidenceChunk, EVIDENCE),
        (RetrievalStats, STATS),
        (RetrievalBundle, {"candidates": [ITEM], "evidence": [EVIDENCE], "stats": STATS}),
    ],
)
def test_every_field_has_its_name_and_takes_what_it_may(
    shape: type[BaseModel], document: dict[str, object]
) -> None:
    assert list(shape.model_fields) == list(document)
    assert shape.model_validate(document).model_dump() == document
    with pytest.raises(ValidationError):
        shape.model_validate({**document, "colour": "red"})


def test_what_has_a_default_may_be_left_out() -> None:
    assert CandidateItem.model_validate({k: v for k, v in ITEM.items() if k != "metadata"}).metadata == {}
    assert RetrievalStats().model_dump() == STATS


@pytest.mark.parametrize("origin", ["doc", "chunk", "unknown"])
def test_a_snippet_says_where_it_is_from(origin: str) -> None:
    assert CandidateItem.model_validate({**ITEM, "snippet_from": origin}).snippet_from == origin
    with pytest.raises(ValidationError):
        CandidateItem.model_validate({**ITEM, "snippet_from": "page"})
