"""``add``: web pages that a client adds, where the user allowed it to."""

import threading
from collections.abc import Mapping, Sequence
from typing import Annotated, Final
from uuid import UUID

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult

from webrag_desktop.errors import Cancelled, InputError
from webrag_desktop.mcp.calls import Call, Calls, tool_of
from webrag_desktop.mcp.replies import DEFAULT_TOKENS, Item, Reply, short_line
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.intake import Accepted, Kept, Refused
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import FINAL_STATES, CancelToken, Step

MOST_GIVEN: Final = 50
WAIT_SECONDS: Final = 30.0  # clients give up after a minute

_TELLS = ("added",)


class Added(FrozenModel):
    """What became of one address; ``ready`` pages can be searched."""

    given: str
    document_id: str | None = None
    state: str
    reason: str | None = None


class AddReply(FrozenModel):
    """What became of each address."""

    added: list[Added]
    notice: str
    cursor: str | None = None


def add_tool(calls: Calls) -> Tool:
    """The tool."""

    async def add(
        context: Context,
        urls: list[str],
        max_tokens: int = DEFAULT_TOKENS,
        cursor: str | None = None,
    ) -> Annotated[CallToolResult, AddReply]:
        """Add web pages. Those not ready within 30 seconds will be later."""
        if not 0 < len(urls) <= MOST_GIVEN:
            raise InputError(f"{len(urls)} addresses were given.", f"Give 1 to {MOST_GIVEN} at a time.")
        asked = {"urls": urls}
        return await calls.answer(context, "add", asked, lambda call: _reply(call, urls), max_tokens, cursor)

    return tool_of(add, _TELLS, writes=True)


def _reply(call: Call, urls: Sequence[str]) -> Reply:
    given = [_checked(url) for url in urls]
    taken = call.library.add([one for one in given if isinstance(one, str)], call.cancel)
    ids = [one.source_id for one in taken if isinstance(one, Accepted)]
    _wait(call, ids)
    rows = call.library.documents.rows(ids)
    refused = [one for one in given if isinstance(one, Refused)]
    items = [_item(one, rows) for one in (*taken, *refused)]
    open_ = sum(row.state not in FINAL_STATES for row in rows.values())
    return Reply({}, f"{open_} still in work; `status` tells how they do." if open_ else "", items, "added")


def _checked(url: str) -> str | Refused:
    """The address; what is wrong with one must not hold back the others."""
    from webrag_desktop import public_address  # long to import, and seldom needed

    try:
        return public_address(url)
    except InputError as error:
        return Refused(url, error)


def _wait(call: Call, ids: Sequence[UUID]) -> None:
    """Until all are at their end, or that long; a worker is kept at the queue meanwhile, and goes on afterwards."""
    waited = CancelToken()
    timer = threading.Timer(WAIT_SECONDS, waited.cancel)
    with call.cancel.calling(waited.cancel):
        timer.start()
        try:
            for number, row in enumerate(call.library.watch(ids, cancel=waited), start=1):
                call.progress(Step(row.state, number, None, short_line(row.title or row.url)))
        except Cancelled:
            call.cancel.raise_if_cancelled()
        finally:
            timer.cancel()
    call.cancel.raise_if_cancelled()


def _item(one: Accepted | Kept | Refused, rows: Mapping[UUID, SourceRow]) -> Item:
    given = short_line(one.given)
    if not isinstance(one, Accepted):
        state = "kept" if isinstance(one, Kept) else "refused"
        reason = short_line(f"{one.error.message} {one.error.hint}")
        return Item({"given": given, "state": state, "reason": reason}, f"{given}: {state}. {reason}")
    row = rows.get(one.source_id)
    state = row.state if row else "joined with a page that was there"
    reason = short_line(" ".join(filter(None, row.note))) if row else ""
    facts = Added(given=given, document_id=str(one.source_id), state=state, reason=reason or None)
    return Item(
        facts.model_dump(mode="json", exclude_none=True),
        " ".join(filter(None, (f"{given}: {state}, {one.source_id}.", reason))),
    )
