"""A quotation found in the library, as views show it."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from webrag_desktop.gui.data.texts import FoundPlace, FoundQuote, Piece, piece_text
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.session.background import Task

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.models.quotes import QuotePlace, QuoteReport
    from webrag_desktop.models.sources import SourceRow


def find_quote(quote: str, older: bool, library: "Library", task: Task) -> FoundQuote:
    """Look for a quotation in the whole library."""
    report = library.quotes.verify(quote, older_versions=older, cancel=task.cancel, progress=task.report)
    task.cancel.raise_if_cancelled()
    sources = library.documents.rows(list({place.document_id for place in report.places}))
    changed = {place.document_id for place in report.places if not place.shown}
    return found_quote(report, sources, _fetched(changed, library))


def _fetched(documents: Collection[UUID], library: "Library") -> dict[UUID, datetime]:
    """When each text of these documents was fetched."""
    return {row.id: row.fetched_at for one in documents for row in library.versions.of(one)}


def found_quote(
    report: "QuoteReport", sources: "Mapping[UUID, SourceRow]", fetched: Mapping[UUID, datetime]
) -> FoundQuote:
    """What views show of a report; ``fetched`` has the dates of versions that are not shown any more."""
    return FoundQuote(
        quote=report.quote,
        grade=report.grade,
        places=tuple(
            _found_place(report, place, sources.get(place.document_id), fetched.get(place.version_id))
            for place in report.places
        ),
        more=report.more,
        complete=report.complete,
        older=report.older_versions,
    )


def _found_place(
    report: "QuoteReport", place: "QuotePlace", source: "SourceRow | None", fetched_at: datetime | None
) -> FoundPlace:
    from webrag_desktop.gui.library.operations.document_rows import title_of
    from webrag_desktop.text.citation_formats import Quotation
    from webrag_desktop.text.plain_text import project

    text = " ".join((project(place.verbatim).text.strip() or place.verbatim).split())
    known = title_of(source) if source is not None else place.source_url
    headings = place.heading_path or (place.section_heading,)
    named = Quotation.at(place.source_url, text, place.title, headings, page=place.page)
    return FoundPlace(
        span=SpanReference(place.document_id, place.version_id, place.char_start, place.char_end),
        grade=place.grade,
        title=named.title if place.title else known,
        section=named.section,
        page=place.page,
        text=text,
        pieces=_pieces(report, place) if place.grade == "near" else (Piece("same", text),),
        version_number=place.version_number,
        shown=place.shown,
        fetched_at=source.fetched_at if place.shown and source is not None else fetched_at,
    )


def _pieces(report: "QuoteReport", place: "QuotePlace") -> tuple[Piece, ...]:
    """The quotation corrected; words that replace each other are separated by a space."""
    pieces: list[Piece] = []
    for part in report.compared(place):
        before = pieces[-1].text if pieces else " "
        text = piece_text(part.text)
        if part.kind == "added" and not before[-1:].isspace():
            text = f" {text.lstrip()}"
        if text:
            pieces.append(Piece(part.kind, text))
    return tuple(pieces)
