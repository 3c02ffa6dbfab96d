"""Documents found by children, made by hand; only what a test is about needs saying."""

from collections.abc import Sequence
from datetime import UTC, datetime

from tests.support.retrieval_rows import candidate, id_of
from webrag_desktop.retrieval.candidates import Child
from webrag_desktop.retrieval.contracts.results import ArmScores
from webrag_desktop.storage.searching.items import ItemRow, Items, PassageRow
from webrag_desktop.storage.searching.search import ChildParts


def child(
    name: str,
    text: str = "Limpets hold on.",
    *,
    start: int = 0,
    rank: float = 0.5,
    words: float | None = None,
    cosine: float | None = 0.5,
) -> Child:
    """A child of that name that counts as evidence."""
    row = candidate(
        id=id_of(name), char_start=start, chunk_text=text, similarity=cosine, text_rank=words or 0.0
    )
    return Child(row, rank, ("vector",), ArmScores(score_text=words, score_vec=cosine))


def item(name: str, *, depth: int = 0, url: str | None = None) -> ItemRow:
    """A document of that name."""
    return ItemRow(
        id=id_of(name),
        version_id=id_of(f"version of {name}"),
        source_url=url or f"https://example.org/{name}",
        site="example.org",
        doc_type="html",
        title=name.title(),
        language="en",
        fetched_at=datetime(2026, 1, 2, tzinfo=UTC),
        depth=depth,
        content_hash="0" * 64,
    )


def items(documents: Sequence[tuple[ItemRow, Sequence[Child]]]) -> Items:
    """These documents with their children."""
    passages = [
        PassageRow(one.row.id, document.id, 5, ["Shore"], "shore", None, ChildParts(one.row.id, [], None))
        for document, children in documents
        for one in children
    ]
    return Items({document.id: document for document, _ in documents}, {one.id: one for one in passages})
