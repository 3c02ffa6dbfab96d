"""Stored rows as retrieval reads them, made by hand; only what a test is about needs saying."""

from datetime import UTC, datetime
from uuid import UUID, uuid5

from webrag_desktop.retrieval.contracts.passages import Passage, Section
from webrag_desktop.storage.searching.candidates import CandidateRow
from webrag_desktop.storage.searching.search import ParentRow

_NAMESPACE = UUID("6f0f2a4e-52a1-4f26-9a29-0d3f8d5a2b11")


def id_of(name: object) -> UUID:
    """A stable id for a name."""
    return uuid5(_NAMESPACE, str(name))


_CANDIDATE = CandidateRow(
    id=id_of("child"),
    ordinal=1,
    parent_id=id_of("parent"),
    source_url="https://example.org/",
    search_language="en",
    depth=0,
    char_start=0,
    char_end=5,
    chunk_text="Text.",
    parent_tokens=100,
    parent_start=0,
    similarity=None,
    text_rank=0.0,
    by_vector=False,
    by_words=False,
    all_words=False,
    identifier=False,
)

_PARENT = ParentRow(
    id=id_of("parent"),
    document_id=id_of("document"),
    version_id=id_of("version"),
    source_url="https://example.org/",
    title="Title",
    depth=0,
    fetched_at=datetime(2026, 1, 2, tzinfo=UTC),
    chunk_index=0,
    section_heading="Heading",
    heading_path=["Heading"],
    anchor="heading",
    page=None,
    chunk_text="Text of the parent.",
    html_text=None,
    has_table=False,
    has_code=False,
    has_math=False,
    has_definition_list=False,
    has_admonition=False,
    has_steps=False,
    char_start=0,
    char_end=19,
    token_start=0,
    token_end=100,
    html_tokens=None,
)


def candidate(**changes: object) -> CandidateRow:
    """A candidate; its text's length sets its end."""
    row = _CANDIDATE._replace(**changes)  # type: ignore[arg-type]
    return row._replace(char_end=row.char_start + len(row.chunk_text))


def parent_row(**changes: object) -> ParentRow:
    """A stored parent."""
    return _PARENT._replace(**changes)  # type: ignore[arg-type]


_CHILD = Passage(
    text="Text.",
    rank_score=1.0,
    chunk_id=id_of("child"),
    found_by=("vector",),
    source_url="https://example.org/",
    language="en",
    section=Section(id_of("parent"), 0, 100),
)


def child_passage(id_: UUID, text: str = "Text.", rank: float = 1.0, **changes: object) -> Passage:
    """A child that counts as evidence; its text's length sets its end."""
    one = _CHILD._replace(chunk_id=id_, text=text, rank_score=rank, **changes)  # type: ignore[arg-type]
    return one._replace(char_end=one.char_start + len(text))
