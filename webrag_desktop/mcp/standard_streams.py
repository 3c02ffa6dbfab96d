"""The protocol on standard input and output, where a request that nobody can read is answered, too.

The SDK passes over a line that is no message of the protocol, such as one with half of a character in it; whoever sent
it would wait for ever.
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self

from anyio import EndOfStream
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError
from pydantic import ValidationError

_REFUSAL = (
    "This is no request of the protocol: it holds half of a character, or its parts are of wrong types."
)


@asynccontextmanager
async def standard_streams() -> AsyncIterator[
    tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]
]:
    """What the client sends, and what it is sent; standard output is otherwise out of reach meanwhile."""
    async with stdio_server() as (read, write):
        yield _Answering(read, write), write


class _Answering:
    """A stream of messages that answers those that cannot be read, as far as they tell their id."""

    def __init__(
        self, read: ReadStream[SessionMessage | Exception], write: WriteStream[SessionMessage]
    ) -> None:
        self._read = read
        self._write = write

    @property
    def last_context(self) -> Any:
        """The context that the last message was sent in."""
        return getattr(self._read, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        while True:
            item = await self._read.receive()
            refusal = _refusal(item) if isinstance(item, ValidationError) else None
            if refusal is None:
                return item
            await self._write.send(SessionMessage(refusal))

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        """Receive nothing more."""
        await self._read.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _refusal(error: ValidationError) -> JSONRPCError | None:
    """The answer to a request of which at least the id can be read."""
    for one in error.errors(include_url=False):  # it holds the line, or what was made of it, or parts of that
        id_ = _id_of_request(one["input"])
        if id_ is not None:
            refusal = ErrorData(code=INVALID_REQUEST, message=_REFUSAL)
            return JSONRPCError(jsonrpc="2.0", id=id_, error=refusal)
    return None


def _id_of_request(given: Any) -> int | str | None:
    try:
        message = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or "method" not in message:
        return None
    id_ = message.get("id")
    is_text = isinstance(id_, str) and id_.isprintable()  # half of a character cannot be sent back
    return id_ if is_text or type(id_) is int else None
