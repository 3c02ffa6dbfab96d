"""What is told of a place where a quotation stands."""

from collections.abc import Callable
from functools import cache
from uuid import UUID

from webrag_desktop.citations.matching import QuoteMatch
from webrag_desktop.errors import NotFoundError
from webrag_desktop.models.documents import DocumentVersion
from webrag_desktop.models.quotes import QuoteDifference, QuotePlace
from webrag_desktop.retrieval.quotes.passages import Passage, Standing, standing_among, standing_in
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.texts import documents
from webrag_desktop.text.links import build_url

_WEB = ("http://", "https://")


class Places:
    """Makes places of matches; asks for what stands above one where the passage does not tell."""

    def __init__(self, conn: Connection) -> None:
        """Ask on ``conn``, whose snapshot the passages were read in."""
        self._text: Callable[[UUID], DocumentVersion] = cache(lambda version_id: _text(conn, version_id))

    def of(self, passage: Passage, match: QuoteMatch) -> QuotePlace:
        """The place of a match whose offsets count from the beginning of the passage."""
        version, shift = passage.version, passage.start
        start, end = match.start + shift, match.end + shift
        standing = self._standing(passage, start)
        return QuotePlace(
            grade=match.grade,
            document_id=version.document_id,
            version_id=version.version_id,
            version_number=version.number,
            shown=version.shown,
            char_start=start,
            char_end=end,
            verbatim=passage.text.markdown[match.start : match.end],
            parts=tuple((begin + shift, until + shift) for begin, until in match.parts),
            similarity=match.similarity,
            differences=tuple(_shifted(one, shift) for one in match.differences),
            title=version.title,
            source_url=version.source_url,
            url=_url(passage, match, standing),
            **standing._asdict(),
        )

    def _standing(self, passage: Passage, position: int) -> Standing:
        if passage.children:
            return standing_among(passage.children, position)
        return standing_in(self._text(passage.version.version_id), position)


def _text(conn: Connection, version_id: UUID) -> DocumentVersion:
    text = documents.load_text(conn, version_id)
    if text is None:
        raise NotFoundError("The text that this stands in is not in the library any more.", "Look again.")
    return text


def _shifted(difference: QuoteDifference, shift: int) -> QuoteDifference:
    if not shift:
        return difference
    moved = {"char_start": difference.char_start + shift, "char_end": difference.char_end + shift}
    return difference.model_copy(update=moved)


def _url(passage: Passage, match: QuoteMatch, standing: Standing) -> str:
    """The nearest anchor or heading; on a web page, the very words, in which browsers scroll to them."""
    source_url, text = passage.version.source_url, passage.text
    words = None
    if source_url.startswith(_WEB):
        first, last = text.to_plain(match.start, match.end)
        words = text.plain[first:last]
    return build_url(source_url, standing.section_heading, anchor=standing.anchor, text=words)
