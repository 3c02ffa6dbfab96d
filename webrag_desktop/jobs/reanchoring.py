"""How citations stand with a text that came after the ones they quote."""

from collections.abc import Sequence
from functools import cache
from uuid import UUID

from webrag_desktop.citations.anchoring import reanchor, reanchor_as_read
from webrag_desktop.citations.likeness import WordIndex
from webrag_desktop.citations.reading import QuoteAsRead, ReadText, as_read
from webrag_desktop.citations.spans import CONTEXT_LENGTH
from webrag_desktop.models.citations import CitationRecord
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import citations
from webrag_desktop.storage.library.citations import ListedCitation, StoredAnchor
from webrag_desktop.text.plain_text import PlainText


def anchors_in(conn: Connection, version_id: UUID, quotes: Sequence[CitationRecord]) -> list[StoredAnchor]:
    """Where these quotes of earlier texts stand in a stored one; none where that is gone."""
    text = read_text(conn, version_id)
    if text is None:
        return []
    load = cache(lambda quoted: read_text(conn, quoted))
    index = cache(lambda: WordIndex(text.plain))
    anchors = []
    for one in quotes:
        at = reanchor(one.verbatim, one.prefix, one.suffix, one.char_start, text.markdown)
        if at.state != "exact":
            at = reanchor_as_read(at, one.verbatim, _as_read(one, load(one.version_id)), text, index)
        anchors.append(
            StoredAnchor(one.id, version_id, at.state, at.start, at.end, at.as_rendered, at.similarity)
        )
    return anchors


def _as_read(one: CitationRecord, old: ReadText | None) -> QuoteAsRead | None:
    return as_read(old, one.char_start, one.char_end, CONTEXT_LENGTH) if old is not None else None


def read_text(conn: Connection, version_id: UUID | None) -> ReadText | None:
    """A stored text and how it reads; None when it went with its document."""
    stored = citations.load_readable(conn, version_id) if version_id is not None else None
    if stored is None:
        return None
    plain = PlainText(stored.plain_text, stored.plain_map)
    return ReadText.of(stored.markdown, plain)


def reanchor_document(conn: Connection, document_id: UUID) -> None:
    """Find out how the citations of a document stand with the text that it shows now, and keep that."""
    if citations.is_cited(conn, document_id):
        anchored_anew(conn, [one for one in citations.list_citations(conn) if one.document_id == document_id])


def anchored_anew(conn: Connection, listed: Sequence[ListedCitation]) -> dict[UUID, StoredAnchor]:
    """Find those citations again of which it is not known yet how they stand, and keep what was found."""
    unknown: dict[UUID, list[ListedCitation]] = {}
    for one in listed:
        if one.active_version is not None and one.unanchored:
            unknown.setdefault(one.active_version, []).append(one)
    found: dict[UUID, StoredAnchor] = {}
    for version_id, quotes in unknown.items():
        found |= {anchor.citation_id: anchor for anchor in anchors_in(conn, version_id, quotes)}
    if found:
        citations.save_anchors(conn, list(found.values()))
    return found
