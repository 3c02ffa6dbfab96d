"""Citing: keeping quotes of stored texts, in order, and telling whether their pages still say so."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from webrag_desktop.citations.anchoring import AnchorState, reanchor
from webrag_desktop.errors import NotFoundError
from webrag_desktop.storage import citations, documents
from webrag_desktop.storage.citations import CitationRecord, ListedCitation
from webrag_desktop.storage.database import Connection

if TYPE_CHECKING:
    from webrag_desktop.models import Block, DocumentVersion


@dataclass(frozen=True, slots=True)
class StoredCitation(CitationRecord):
    """A citation and how it stands with the text that its document shows now.

    ``position`` counts from 1. ``exact``: the same words stand at the same place. ``moved``: they stand
    ``moved_by`` characters further on. ``lost``: they do not stand there any more, or the document was removed.
    ``active_version`` is what the document shows now, None where there is none. ``is_new`` tells whoever cites that
    the words were not cited before.
    """

    position: int
    active_version: UUID | None
    state: AnchorState
    moved_by: int | None
    is_new: bool = field(default=False, compare=False)


def list_citations(conn: Connection) -> list[StoredCitation]:
    """Every citation, in the user's order; texts are loaded only where the words left their place."""
    listed = citations.list_citations(conn)
    changed = {one.active_version for one in listed if one.active_version and not one.in_place}
    markdown = citations.load_markdown(conn, sorted(changed))
    return [_stored(one, markdown) for one in listed]


def _stored(one: ListedCitation, markdown: dict[UUID, str]) -> StoredCitation:
    state: AnchorState = "lost"
    moved_by = None
    if one.in_place:
        state = "exact"
    elif one.active_version in markdown:
        found = reanchor(one.verbatim, one.prefix, one.suffix, one.char_start, markdown[one.active_version])
        state, moved_by = found.state, None if found.start is None else found.start - one.char_start
    return StoredCitation(
        **_record_fields(one),
        position=one.position,
        active_version=one.active_version,
        state=state,
        moved_by=moved_by if state == "moved" else None,
    )


def cite(
    conn: Connection,
    version_id: UUID,
    char_start: int,
    char_end: int,
    *,
    heading: str | None = None,
    anchor: str | None = None,
) -> tuple[UUID, bool]:
    """Cite ``[char_start, char_end)`` of a stored text, last in order; the citation's id, and whether it is new.

    What is cited already is not cited twice. What is not given is read from the text: the nearest heading
    and anchor above. The page is that on which it begins.

    Raises:
        NotFoundError: there is no such version.
        InputError: the span is empty, inverted or outside the text.
    """
    citations.lock_order(conn)  # else two who cite the same at once would both find it new
    known = citations.find_span(conn, version_id, char_start, char_end)
    if known is not None:
        return known, False
    version = documents.load_text(conn, version_id)
    if version is None:
        raise NotFoundError("The text that this quotes is not in the library any more.", "Search again.")
    record = _record(version, char_start, char_end, heading, anchor)
    citations.insert_citation(conn, record)
    return record.id, True


def _record(
    version: "DocumentVersion",
    char_start: int,
    char_end: int,
    heading: str | None,
    anchor: str | None,
) -> CitationRecord:
    # Listing citations, which every start of the window does, needs none of these.
    from webrag_desktop.citations.extraction import resolve_span
    from webrag_desktop.indexing.plain_text import project

    span = resolve_span(version, char_start, char_end)
    above = [block for block in version.blocks if block.char_start <= char_start]
    return CitationRecord(
        id=uuid4(),
        document_id=version.document_id,
        version_id=version.id,
        char_start=char_start,
        char_end=char_end,
        verbatim=span.verbatim_text,
        # Read in its surroundings: a line of code or a table's row reads otherwise by itself.
        quote=project(version.markdown).reading(char_start, char_end).strip() or span.verbatim_text,
        prefix=span.prefix,
        suffix=span.suffix,
        title=span.title,
        section_heading=span.section_heading,
        heading=heading or _nearest_heading(above),
        anchor=anchor or span.anchor,
        page=_page(above),
        source_url=span.source_url,
        added_at=datetime.now(UTC),
    )


def _nearest_heading(above: "Sequence[Block]") -> str | None:
    from webrag_desktop.citations.spans import LONGEST_HEADING

    return above[-1].heading_path[-1][:LONGEST_HEADING].rstrip() if above and above[-1].heading_path else None


def _page(above: "Sequence[Block]") -> int | None:
    return above[-1].page if above else None


def as_record(citation: CitationRecord) -> CitationRecord:
    """What is stored of a citation, without how it stands."""
    return CitationRecord(**_record_fields(citation))


def _record_fields(citation: CitationRecord) -> dict[str, Any]:
    taken = asdict(citation)
    return {one.name: taken[one.name] for one in fields(CitationRecord)}
