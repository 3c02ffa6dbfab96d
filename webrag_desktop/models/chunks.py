"""Chunks as they are stored."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A stored chunk as it is listed; see :class:`~webrag_desktop.models.documents.Chunk` for the offsets."""

    id: UUID
    parent_id: UUID | None
    chunk_level: str
    chunk_index: int
    section_heading: str | None
    heading_path: list[str]
    anchor: str | None
    page: int | None
    chunk_text: str
    html_text: str | None
    has_table: bool
    has_code: bool
    has_math: bool
    has_definition_list: bool
    has_admonition: bool
    has_steps: bool
    char_start: int
    char_end: int
    token_start: int
    token_end: int
    embedded: bool
