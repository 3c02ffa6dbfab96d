"""``search``: passages that answer a question, by the library's one way of searching."""

from functools import partial
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult

from webrag_desktop.mcp.calls import Call, Calls, tool_of
from webrag_desktop.mcp.cursors import digest
from webrag_desktop.mcp.replies import (
    DEFAULT_TOKENS,
    Item,
    ItemsWhenSent,
    Reply,
    harmless,
    name_of,
    quoted,
    short_line,
)
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.citations import CiteId
from webrag_desktop.retrieval.contracts.cutting import head_row
from webrag_desktop.retrieval.contracts.results import (
    MatchedSpan,
    RequestedMode,
    RetrievalResult,
    RetrievedChunk,
)
from webrag_desktop.text.citation_formats import reference
from webrag_desktop.text.units.evidence_units import EvidenceKind

_SENTENCES = 2  # of the best evidence of a passage, with a cite id each

_TELLS = ("chunks",)


class Sentence(FrozenModel):
    """A sentence or other unit that carries evidence, verbatim; ``table_head`` is the head of a row's table."""

    cite: str
    text: str
    kind: EvidenceKind
    table_head: str | None = None


class Passage(FrozenModel):
    """A passage; ``part`` is which characters of its text these are, of how many, where it is not all of it."""

    cite: str
    title: str
    source_url: str
    section_heading: str | None = None
    score: float
    surface: str
    evidence: tuple[Sentence, ...] = ()
    selected_text: str = ""
    part: list[int] | None = None


class SearchReply(FrozenModel):
    """What a search answers."""

    mode: str
    chunks: list[Passage]
    notes: tuple[str, ...] = ()
    notice: str
    cursor: str | None = None


def search_tool(calls: Calls) -> Tool:
    """The tool."""

    async def search(
        context: Context,
        query: str,
        mode: RequestedMode = "auto",
        source_urls: list[str] | None = None,
        context_budget_override: int | None = None,
        max_tokens: int = DEFAULT_TOKENS,
        cursor: str | None = None,
    ) -> Annotated[CallToolResult, SearchReply]:
        """Search stored pages and files: passages with cite ids."""

        def work(call: Call) -> Reply:
            result = call.library.search(
                query,
                mode=mode,
                source_urls=source_urls,
                context_budget_override=context_budget_override or call.budget,
                cancel=call.cancel,
            )
            return _reply(query, result)

        asked = {
            "query": query,
            "mode": mode,
            "source_urls": source_urls,
            "budget": context_budget_override,
        }
        return await calls.answer(context, "search", asked, work, max_tokens, cursor)

    return tool_of(search, _TELLS)


def _reply(query: str, result: RetrievalResult) -> Reply:
    items = ItemsWhenSent(
        [partial(item_of, number, chunk) for number, chunk in enumerate(result.chunks, start=1)]
    )
    notes = [*filter(None, (result.degraded, result.correction_notice))]
    found = f"{len(items)} passages for “{short_line(query)}”." if items else _nothing(result)
    return Reply(
        {"mode": result.mode, "notes": notes} if notes else {"mode": result.mode},
        "\n".join((found, *notes)),
        items,
        "chunks",
        digest([(str(_cite_id(chunk)), chunk.selected_text) for chunk in result.chunks]),
    )


def _nothing(result: RetrievalResult) -> str:
    if result.corpus_stats.total_documents == 0:
        return "There is nothing to search: the library is empty, or holds none of these addresses."
    return "No passage in the library answers this."


def item_of(number: int, chunk: RetrievedChunk) -> Item:
    """A passage as one thing of a reply."""
    place = _cite_id(chunk)
    name = name_of(chunk.title, chunk.source_url)
    heading = short_line(chunk.section_heading or "")
    facts: dict[str, Any] = Passage(
        cite=str(place),
        title=name,
        source_url=chunk.source_url,
        section_heading=heading or None,
        score=round(chunk.score, 3),
        surface=chunk.surface,
        evidence=tuple(_evidence(chunk)),
    ).model_dump(mode="json", exclude_none=True)
    lines = [
        f"[{number}] {reference(name, heading, page=chunk.page)}",
        chunk.source_url,
        f"score {chunk.score:.2f}",
    ]
    if sentences := _evidence(chunk):
        best = "\n".join(map(_shown, sentences))
        lines.append(f"Its best sentences, by cite id:\n{quoted(best)}")
    return Item(
        facts,
        "\n".join(lines),
        harmless(chunk.selected_text),
        "selected_text",
        place if chunk.surface == "markdown" else None,
    )


def _cite_id(chunk: RetrievedChunk) -> CiteId:
    return CiteId.of(chunk.version_id, chunk.char_start, chunk.char_end)


def _evidence(chunk: RetrievedChunk) -> list[Sentence]:
    best = sorted(chunk.matched_spans, key=lambda span: -span.score)[:_SENTENCES]
    return [_sentence(chunk, span) for span in best]


def _sentence(chunk: RetrievedChunk, span: MatchedSpan) -> Sentence:
    place = CiteId.of(chunk.version_id, span.char_start, span.char_end)
    head = head_row(chunk, span) if span.kind == "table" else None
    return Sentence(
        cite=str(place),
        text=harmless(span.text),
        kind=span.kind,
        table_head=harmless(chunk.chunk_text[slice(*head)]) if head else None,
    )


def _shown(one: Sentence) -> str:
    """Code with its lines, a row below the head of its table, all else on one line."""
    if one.kind == "code":
        return f"{one.cite}:\n{one.text}"
    words = " ".join(one.text.split())
    return f"{one.cite}:\n{one.table_head}\n{words}" if one.table_head else f"{one.cite}: {words}"
