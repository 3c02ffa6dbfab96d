"""Tools and their calls: schemas without what only takes room, and how a call is made in a thread until it is done."""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from anyio import CancelScope, from_thread, get_cancelled_exc_class, to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, TextContent, ToolAnnotations

from webrag_desktop.errors import ConfigurationError, InputError
from webrag_desktop.mcp.cursors import Cursor, begin
from webrag_desktop.mcp.replies import NOTICE, Count, Part, Reply, check_tokens, part_of
from webrag_desktop.mcp.shared_library import SharedLibrary
from webrag_desktop.progress import CancelToken, ProgressCallback, Step

if TYPE_CHECKING:
    from webrag_desktop import Library


_CHAT, _PLAIN = "cl100k_base", "bert-base-uncased"


def counter_of(library: "Library") -> Count:
    """Counts a text as a chat model's tokenizer does and as the library's own does; the larger number holds."""
    from webrag_desktop import open_tokenizer  # long to import; the list of tools needs none

    model = library.embedding_model()
    try:
        own = open_tokenizer(model.tokenizer if model else _PLAIN)
    except ConfigurationError:  # its file is not here; searching tells of that
        own = open_tokenizer(_PLAIN)
    chat = open_tokenizer(_CHAT)
    return lambda text: max(chat.count(text), own.count(text))


CONTEXT_WINDOW: Final = "webrag-desktop/contextWindow"  # in `_meta` of a call: tokens of the client's model
_OF_WINDOW = 0.4  # as much of a model's window is for evidence


@dataclass(frozen=True, slots=True)
class Call:
    """What one call needs; ``budget`` is what the client's model has room for, where that is known."""

    library: "Library"
    cancel: CancelToken
    progress: ProgressCallback
    budget: int | None
    at: Cursor


@dataclass(frozen=True, slots=True)
class Calls:
    """Whoever carries out the calls of one client."""

    shared: SharedLibrary

    async def answer(
        self,
        context: Context,
        tool: str,
        arguments: Mapping[str, object],
        work: Callable[[Call], Reply],
        max_tokens: int,
        cursor: str | None,
    ) -> CallToolResult:
        """The part of a tool's reply that the client asked for.

        Raises:
            WebragError: whatever ``work`` raises, or the cursor or ``max_tokens`` cannot be used.
        """
        part = await self.part(context, tool, arguments, work, max_tokens, cursor)
        return CallToolResult(
            content=[TextContent(type="text", text=part.text)], structured_content=part.data
        )

    async def part(
        self,
        context: Context,
        tool: str,
        arguments: Mapping[str, object],
        work: Callable[[Call], Reply],
        max_tokens: int,
        cursor: str | None,
    ) -> Part:
        """The same without the envelope of a tool's reply."""
        check_tokens(max_tokens)
        at = begin(tool, arguments, cursor)
        budget = _budget(context)
        cancel, progress = CancelToken(), _Progress(context)

        def in_thread() -> Part:
            with self.shared.lent(progress.tell) as library:
                cancel.raise_if_cancelled()
                reply = work(Call(library, cancel, progress.tell, budget, at))
                lines = "\n".join(filter(None, (NOTICE, reply.line)))
                reply = replace(reply, facts={**reply.facts, "notice": NOTICE}, line=lines)
                return part_of(reply, at, max_tokens, counter_of(library))

        try:
            return await to_thread.run_sync(in_thread, abandon_on_cancel=True)
        except get_cancelled_exc_class():
            with CancelScope(shield=True):  # it cancels in the database, which may take a moment
                await to_thread.run_sync(cancel.cancel)
            raise


def _budget(context: Context) -> int | None:
    """How many tokens of evidence the client's model has room for, where the client tells its context window."""
    meta: Mapping[str, Any] = context.request_context.meta or {}
    window = meta.get(CONTEXT_WINDOW)
    if window is None:
        return None
    if type(window) is not int or window <= 0:
        raise InputError(
            f"{CONTEXT_WINDOW} is to be the context window of a model.",
            "Send a whole number of tokens above 0, or leave it out.",
        )
    return max(1, int(window * _OF_WINDOW))


@dataclass(slots=True)
class _Progress:
    """Tells the client of each step; the protocol wants every number larger than the one before."""

    context: Context
    steps: int = 0

    def tell(self, step: Step) -> None:
        """Called in the thread that does the work."""
        self.steps += 1
        count = f"{step.done} of {step.total}" if step.total else ""
        message = ", ".join(filter(None, (step.name, step.detail or count)))
        from_thread.run(partial(self.context.report_progress, self.steps, None, message))


_ONLY_READS = ToolAnnotations(read_only_hint=True)
_ADDS = ToolAnnotations(destructive_hint=False)  # a tool without the other hint writes
_NEVER_NEEDED = frozenset({"title", "description", "default", "$defs", "additionalProperties"})


def tool_of(function: Callable[..., Any], tells: Collection[str], *, writes: bool = False) -> Tool:
    """The tool that a function is; its docstring is what a model reads of it.

    ``tells`` are the fields of its reply that the list of tools names; docs/mcp.md has all of them, which would take
    more room than a list of tools may.
    """
    annotations = _ADDS if writes else _ONLY_READS
    description = " ".join(inspect.cleandoc(function.__doc__ or "").split())
    tool = Tool.from_function(function, description=description, annotations=annotations)
    tool.parameters = _slimmed(tool.parameters, tool.parameters.get("$defs", {}))
    schema = tool.fn_metadata.output_schema
    assert schema is not None, "every tool says what it answers"
    fields = {name: {"type": schema["properties"][name]["type"]} for name in tells}
    tool.fn_metadata.output_schema = {"type": "object", "properties": fields}
    return tool


def _slimmed(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The same without titles, defaults, references and mentions of null, which is never sent."""
    if "$ref" in schema:
        return _slimmed(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    kept = {name: value for name, value in schema.items() if name not in _NEVER_NEEDED}
    kinds = [one for one in kept.pop("anyOf", ()) if one.get("type") != "null"]
    if kinds:
        (kind,) = kinds  # no argument and no field is of two
        kept |= kind
    if "enum" in kept:
        del kept["type"]
    if "properties" in kept:
        kept["properties"] = {
            name: _slimmed(value, definitions) for name, value in kept["properties"].items()
        }
    if isinstance(kept.get("items"), Mapping):
        kept["items"] = _slimmed(kept["items"], definitions)
    return kept
