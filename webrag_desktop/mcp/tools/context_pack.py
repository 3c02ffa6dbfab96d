"""``context_pack``: what a model answers a question from, packed into a budget of tokens."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult

from webrag_desktop.errors import InputError
from webrag_desktop.mcp.calls import Call, Calls, tool_of
from webrag_desktop.mcp.cursors import digest
from webrag_desktop.mcp.replies import DEFAULT_TOKENS, Item, Reply, harmless, name_of, short_line
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.citations import CiteId
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.packs import ContextPack, SelectedChunk
from webrag_desktop.text.citation_formats import reference

if TYPE_CHECKING:
    from webrag_desktop import Settings

_TELLS = ("selected_chunks",)


class Piece(FrozenModel):
    """A piece of the pack; its text is what stands at its ``cites``, with a mark where something is left out."""

    number: int
    title: str
    citation: str
    cites: list[str]
    source_url: str
    text: str = ""
    part: list[int] | None = None


class PackReply(FrozenModel):
    """What to answer a question from."""

    selected_chunks: list[Piece]
    notes: tuple[str, ...] = ()
    notice: str
    cursor: str | None = None


def context_pack_tool(calls: Calls) -> Tool:
    """The tool."""

    async def context_pack(
        context: Context,
        query: str,
        source_urls: list[str] | None = None,
        final_max_tokens: int | None = None,
        max_tokens: int = DEFAULT_TOKENS,
        cursor: str | None = None,
    ) -> Annotated[CallToolResult, PackReply]:
        """Evidence for an answer in a token budget."""

        def work(call: Call) -> Reply:
            return _reply(_pack(call, query, source_urls, final_max_tokens or call.budget))

        if final_max_tokens is not None and final_max_tokens <= 0:
            raise InputError(f"final_max_tokens is {final_max_tokens}.", "Give a number of tokens above 0.")
        asked = {"query": query, "source_urls": source_urls, "final_max_tokens": final_max_tokens}
        return await calls.answer(context, "context_pack", asked, work, max_tokens, cursor)

    return tool_of(context_pack, _TELLS)


def _pack(call: Call, query: str, source_urls: list[str] | None, budget: int | None) -> ContextPack:
    settings = call.library.settings
    options = _options(settings, budget)
    result = call.library.search(
        query,
        mode="chunk",
        source_urls=source_urls,
        top_k_children=options.top_k_dense,
        # whatever passages make a pack, since the pack has a budget of its own
        context_budget_override=max(
            settings.retrieval_context_budget, options.return_top_n * settings.chunk_parent_tokens
        ),
        cancel=call.cancel,
    )
    return call.library.context_pack(result, query, options=options, cancel=call.cancel)


def _options(settings: "Settings", budget: int | None) -> ContextOptions:
    """How many passages are kept binds where the user said so; the default gives way to a small budget."""
    is_set = "retrieval_min_primary_hits_to_keep" in settings.given
    options = replace(settings.context_options(), keep_fewer=not is_set)
    return options if budget is None else replace(options, final_max_tokens=budget)


def _reply(pack: ContextPack) -> Reply:
    items = [_item(chunk) for chunk in pack.chunks]
    notes = [*pack.explanation.notes]
    if not pack.explanation.budget.held:
        notes.append(f"The budget is exceeded. {pack.explanation.budget.note or ''}".strip())
    facts: dict[str, Any] = {"notes": notes} if notes else {}
    said = f"{len(items)} pieces." if items else "Nothing in the library answers this."
    return Reply(facts, "\n".join((said, *notes)), items, "selected_chunks", digest([i.text for i in items]))


def _item(chunk: SelectedChunk) -> Item:
    cites = [CiteId.of(chunk.version_id, span.char_start, span.char_end) for span in chunk.spans]
    name, path = name_of(chunk.title, chunk.source_url), map(short_line, chunk.heading_path)
    citation = short_line(chunk.citation)
    facts = Piece(
        number=chunk.number,
        title=name,
        citation=citation,
        cites=[str(cite) for cite in cites],
        source_url=chunk.source_url,
    ).model_dump(mode="json", exclude_none=True)
    lines = [
        f"[{chunk.number}] {reference(name, *path)}",
        citation,
        chunk.source_url,
        *(cite.link for cite in cites),
    ]
    return Item(facts, "\n".join(lines), harmless(chunk.text))
