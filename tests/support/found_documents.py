"""Documents found by children, made by hand; only what a test is about needs saying."""

from collections.abc import Sequence
from datetime import UTC, datetime

from tests.support.retrieval_rows import child_passage, id_of
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.retrieval.contracts.results import ArmScores
from webrag_desktop.retrieval.hybrid.documents import FoundDocument, rank_documents
from webrag_desktop.storage.searching.items import ItemRow


def child(
    name: str,
    text: str = "Limpets hold on.",
    *,
    start: int = 0,
    rank: float = 0.5,
    words: float | None = None,
    cosine: float | None = 0.5,
) -> Passage:
    """A child of that name that counts as evidence."""
    return child_passage(
        id_of(name),
        text,
        rank,
        char_start=start,
        scores=ArmScores(score_text=words, score_vec=cosine),
    )


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


def placed(document: ItemRow, children: Sequence[Passage]) -> list[Passage]:
    """The children with their place in the document."""
    return [
        one._replace(
            document_id=document.id, tokens=5, heading_path=["Shore"], anchor="shore", depth=document.depth
        )
        for one in children
    ]


def found(*documents: tuple[ItemRow, Sequence[Passage]]) -> list[FoundDocument]:
    """These documents with their children, ranked."""
    children = [one for document, family in documents for one in placed(document, family)]
    return rank_documents(children, {document.id: document for document, _ in documents})
