"""Citing: keeping quotes of stored texts, in order, and telling whether their pages still say so."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, get_args
from uuid import UUID, uuid4

from webrag_desktop.errors import NotFoundError
from webrag_desktop.models.citations import AnchorState, CitationRecord, StoredCitation
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import citations
from webrag_desktop.storage.library.citations import ListedCitation, StoredAnchor
from webrag_desktop.storage.texts import documents

if TYPE_CHECKING:
    from webrag_desktop.models.documents import Block, DocumentVersion
    from webrag_desktop.text.plain_text import PlainText


def list_citations(conn: Connection) -> list[StoredCitation]:
    """Every citation, in the user's order; texts are loaded only where a state is not known yet."""
    listed = citations.list_citations(conn)
    found: dict[UUID, StoredAnchor] = {}
    if any(one.unanchored for one in listed):
        from webrag_desktop.jobs.rereading import anchored_again  # every start of the window lists citations

        found = anchored_again(conn, listed)
    return [_stored(one, found.get(one.id)) for one in listed]


def _stored(one: ListedCitation, found: StoredAnchor | None) -> StoredCitation:
    state: AnchorState = "lost"
    span: tuple[int | None, int | None] = (None, None)
    as_rendered, similarity = bool(one.as_rendered), one.similarity or 0.0
    if one.version_id is not None and one.active_version == one.version_id:
        state, span = "exact", (one.char_start, one.char_end)
    elif found is not None:
        state, span = _state_of(found.state), (found.char_start, found.char_end)
        as_rendered, similarity = found.as_rendered, found.similarity
    elif one.anchor_state is not None:
        state, span = _state_of(one.anchor_state), (one.anchor_start, one.anchor_end)
    return StoredCitation(
        **_record_fields(one),
        position=one.position,
        active_version=one.active_version,
        state=state,
        moved_by=span[0] - one.char_start if state == "moved" and span[0] is not None else None,
        active_start=span[0],
        active_end=span[1],
        as_rendered=as_rendered,
        similarity=similarity,
        in_bin=one.in_bin,
        authors=tuple(one.authors),
        published_time=one.published_time,
    )


def _state_of(stored: str) -> AnchorState:
    return next(state for state in get_args(AnchorState) if state == stored)


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
    plain = citations.load_plain_texts(conn, [version_id]).get(version_id)
    if version is None or plain is None:
        raise NotFoundError("The text that this quotes is not in the library any more.", "Search again.")
    record = _record(version, plain, char_start, char_end, heading, anchor)
    citations.insert_citation(conn, record)
    return record.id, True


def _record(
    version: "DocumentVersion",
    plain: "PlainText",
    char_start: int,
    char_end: int,
    heading: str | None,
    anchor: str | None,
) -> CitationRecord:
    # Listing citations, which every start of the window does, needs none of these.
    from webrag_desktop.citations.spans import resolve_span

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
        quote=plain.reading(char_start, char_end).strip() or span.verbatim_text,
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
    """What is stored of a citation, without its state."""
    return CitationRecord(**_record_fields(citation))


def _record_fields(citation: CitationRecord) -> dict[str, Any]:
    taken = asdict(citation)
    return {one.name: taken[one.name] for one in fields(CitationRecord)}
