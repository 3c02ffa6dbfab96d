"""``read``: a stored text as it is, all of it or a part, by cite id."""

from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Literal
from uuid import UUID

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult

from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.mcp.calls import Call, Calls, tool_of
from webrag_desktop.mcp.replies import DEFAULT_TOKENS, Item, Reply, harmless, name_of, short_line
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.citations import CitedPlace, CiteId, DocumentLink, parse_link
from webrag_desktop.models.metadata import NO_METADATA
from webrag_desktop.text.landmarks import landmarks

if TYPE_CHECKING:
    from webrag_desktop import Library

Scope = Literal["passage", "section", "document"]

_TELLS = ("text",)
_MOST_AUTHORS = 20  # of a paper there may be thousands


class ReadReply(FrozenModel):
    """A stored text; ``cite`` names just what ``text`` holds, ``part`` which characters these are, of how many."""

    cite: str
    document_id: str
    title: str
    source_url: str
    version_number: int
    is_current: bool
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    authors: tuple[str, ...] = ()
    publisher: str | None = None
    published_time: str | None = None
    doi: str | None = None
    text: str = ""
    part: list[int] | None = None
    notice: str
    cursor: str | None = None


def read_tool(calls: Calls) -> Tool:
    """The tool."""

    async def read(
        context: Context,
        cite: str,
        scope: Scope = "passage",
        max_tokens: int = DEFAULT_TOKENS,
        cursor: str | None = None,
    ) -> Annotated[CallToolResult, ReadReply]:
        """The text at or around a cite id, document id or address."""
        asked = {"cite": cite, "scope": scope}
        return await calls.answer(
            context, "read", asked, lambda call: stored_text(call, cite, scope), max_tokens, cursor
        )

    return tool_of(read, _TELLS)


def stored_text(call: Call, cite: str, scope: Scope) -> Reply:
    """What a cite id, link, document or address names, or what is around it; a cursor goes on in the same version.

    Raises:
        InputError: it names nothing, or nothing that is there.
    """
    place = _named(call.library, cite)
    if place.in_bin:
        raise NotFoundError("The document was removed; it is in the bin.", "Only the user can restore it.")
    if call.at.state and call.at.state != _state(place):  # the document shows another text by now
        place = call.library.cited.place(CiteId.parse(call.at.state))
    if scope != "passage":
        place = _around(call.library, place, scope)
    return Reply({}, "", [_item(call.library, place)], "", _state(place))


def _state(place: CitedPlace) -> str:
    return place.version_id.hex[:16]


def _named(library: "Library", cite: str) -> CitedPlace:
    """The place; a bare id is first taken for a document's, which is where people get ids from."""
    try:
        named = parse_link(cite)
    except InputError as no_link:
        try:
            document = library.document(cite.strip())
        except InputError as nothing:
            raise NotFoundError(
                f"Nothing in the library answers to “{short_line(cite)}”.",
                "Give a cite id as `search` returns it, a document's id or its address.",
            ) from (nothing if isinstance(nothing, NotFoundError) else no_link)
        return library.cited.place(DocumentLink(document.id))
    document_id = _document_id(library, cite)
    return library.cited.place(DocumentLink(document_id) if document_id else named)


def _document_id(library: "Library", cite: str) -> UUID | None:
    try:
        id_ = UUID(cite.strip())
    except ValueError:
        return None
    return id_ if library.documents.get(id_) is not None else None


def _around(library: "Library", place: CitedPlace, scope: Scope) -> CitedPlace:
    whole = library.cited.place(CiteId.of(place.version_id))
    if scope == "document":
        return whole
    start, end = section_at(whole.text, place.char_start)
    return library.cited.place(CiteId.of(place.version_id, start, end)) if end > start else whole


def section_at(markdown: str, position: int) -> tuple[int, int]:
    """The section that a character stands in: from its heading to the next one that is not below it."""
    headings = list(_headings(markdown))
    start, level = next(((place, level) for place, level in reversed(headings) if place <= position), (0, 0))
    later = (place for place, below in headings if place > start and (below <= level or level == 0))
    return start, next(later, len(markdown))


def _headings(markdown: str) -> Iterator[tuple[int, int]]:
    """Where each heading begins, and its level."""
    lines = markdown.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for mark in landmarks(markdown):
        if mark.kind == "heading":
            yield starts[mark.first], mark.level


def _item(library: "Library", place: CitedPlace) -> Item:
    name = name_of(place.title, place.source_url)
    document = library.documents.get(place.document_id)
    stated = NO_METADATA if document is None else document
    authors = tuple(filter(None, map(short_line, stated.authors)))
    path = [*filter(None, map(short_line, place.heading_path))]
    cite = CiteId.of(place.version_id, *_range(place))
    facts = ReadReply(
        cite=str(cite),
        document_id=str(place.document_id),
        title=name,
        source_url=place.source_url,
        version_number=place.version_number,
        is_current=place.is_current,
        heading_path=tuple(path),
        page=place.page,
        authors=authors[:_MOST_AUTHORS],
        publisher=short_line(stated.publisher or "") or None,
        published_time=None if stated.published_guessed else stated.published_time,
        doi=short_line(stated.doi or "") or None,
        notice="",
    ).model_dump(mode="json", exclude_none=True, exclude={"notice"})
    shown = "which is shown" if place.is_current else "the document shows a newer text"
    lines = [
        " - ".join((name, *path)),
        place.source_url,
        *([f"by {'; '.join(authors[:_MOST_AUTHORS])}"] if authors else []),
        f"{DocumentLink(place.document_id).link}, version {place.version_number}, {shown}",
    ]
    return Item(facts, "\n".join(lines), harmless(place.text), "text", cite)


def _range(place: CitedPlace) -> tuple[int | None, int | None]:
    return (place.char_start, place.char_end) if place.char_end > place.char_start else (None, None)
