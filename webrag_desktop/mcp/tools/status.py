"""``status``: how much there is, what is being worked on, and the documents themselves."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, overload
from uuid import UUID

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult

from webrag_desktop.mcp.calls import Call, Calls, tool_of
from webrag_desktop.mcp.replies import DEFAULT_TOKENS, Item, Reply, name_of, short_line
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.sources import SourceRow

if TYPE_CHECKING:
    from webrag_desktop import Library

_AT_ONCE: Final = 100  # rows

_TELLS = ("document_count",)


class DocumentLine(FrozenModel):
    """A document; ``reason`` says why its state is what it is."""

    document_id: str
    title: str
    source_url: str
    state: str
    tokens: int
    reason: str | None = None


class StatusReply(FrozenModel):
    """The library in figures; ``state_counts`` counts documents, ``open`` is work that waits or runs."""

    document_count: int
    tokens: int
    state_counts: dict[str, int]
    open: int
    worker: bool
    paused: bool
    model: str | None = None
    problem: str | None = None
    moving: bool = False
    documents: tuple[DocumentLine, ...] = ()
    notice: str
    cursor: str | None = None


def status_tool(calls: Calls) -> Tool:
    """The tool."""

    async def status(
        context: Context,
        documents: bool = False,
        max_tokens: int = DEFAULT_TOKENS,
        cursor: str | None = None,
    ) -> Annotated[CallToolResult, StatusReply]:
        """What is stored and being indexed; on request all documents."""

        def work(call: Call) -> Reply:
            return _reply(call, listing=documents)

        return await calls.answer(context, "status", {"documents": documents}, work, max_tokens, cursor)

    return tool_of(status, _TELLS)


def _reply(call: Call, *, listing: bool) -> Reply:
    facts = _figures(call.library)
    queue = "paused" if facts["paused"] else "a worker is at it" if facts["worker"] else "no worker runs"
    states = ", ".join(f"{count} {state}" for state, count in facts["state_counts"].items())
    lines = [
        f"{facts['document_count']} documents ({states or 'none'}), {facts['tokens']} tokens.",
        f"{facts['open']} open in the queue, {queue}." if facts["open"] else "Nothing is queued.",
    ]
    if "model" in facts:
        lines.append(f"Meaning is searched by {facts['model']}.")
    if facts.get("moving"):
        lines.append(
            "The library is moving to another embedding model; everything can be searched meanwhile."
        )
    if "problem" in facts:
        lines.append(str(facts["problem"]))
    if not listing:
        return Reply(facts, "\n".join(lines), (), "")
    return Reply(facts, "\n".join(lines), _Documents(call.library), "documents")


def _figures(library: "Library") -> dict[str, Any]:
    status, overview = library.status(), library.documents.overview()
    model = library.embedding_model()
    move, _progress = library.moves.progress()
    failure = library.worker.lasting_failure()
    return StatusReply(
        document_count=status.corpus.documents,
        tokens=status.corpus.tokens,
        state_counts=dict(overview.states),
        open=status.queue.waiting + status.queue.running,
        worker=status.worker,
        paused=status.paused,
        model=f"{model.model} ({model.backend})" if model else None,
        problem=f"{failure.message} {failure.hint}" if failure else None,
        moving=move is not None and move.is_open,
        notice="",
    ).model_dump(mode="json", exclude_none=True, exclude={"notice", "documents"})


class _Documents(Sequence[Item]):
    """All documents in the order of adding, so that those that come in meanwhile come last; read as far as needed."""

    def __init__(self, library: "Library") -> None:
        self._documents = library.documents
        self._ids = self._documents.listing(sort="added", descending=False)
        self._rows: dict[UUID, SourceRow | None] = {}

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        id_ = self._ids[index]
        if id_ not in self._rows:
            asked = self._ids[index : index + _AT_ONCE]
            self._rows |= dict.fromkeys(asked) | self._documents.rows(asked)
        return _item(id_, self._rows[id_])


def _item(id_: UUID, row: SourceRow | None) -> Item:
    if row is None:
        return Item({"document_id": str(id_), "state": "removed"}, f"{id_}: removed a moment ago")
    address = row.source_url or row.url
    name = name_of(row.title, address)
    reason = " ".join(filter(None, row.note))
    facts = DocumentLine(
        document_id=str(id_),
        title=name,
        source_url=address,
        state=row.state,
        tokens=row.tokens,
        reason=short_line(reason) or None,
    ).model_dump(mode="json", exclude_none=True)
    state_line = ", ".join(filter(None, (row.state, f"{row.tokens} tokens", short_line(reason))))
    return Item(facts, f"{id_} {name}\n{address}\n{state_line}")
