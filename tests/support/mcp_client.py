"""An AI client of ``webrag mcp``: the SDK's own, over a process of the program's."""

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

import anyio
from anyio.from_thread import start_blocking_portal
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

from tests.support.command_line import Program

T = TypeVar("T")
Asking = Callable[[Callable[[Client], Awaitable[Any]]], Any]
NEWEST, BEFORE = "2026-07-28", "2025-11-25"
SECONDS = 120.0


@asynccontextmanager
async def client_of(
    program: Program, mode: Literal["legacy", "auto"] = "auto", code: str = "", **extra: str
) -> AsyncIterator[Client]:
    """A client whose server is ended with it; ``code`` runs in the server's process before it serves."""
    command, *arguments = program._command(["mcp"])
    if code:
        arguments = [
            "-c",
            f"{code}\nimport sys\nsys.argv[1:] = ['mcp']\nfrom webrag_desktop.__main__ import main\nmain()",
        ]
    server = StdioServerParameters(
        command=command, args=arguments, env={**program.environment, "PYTHONPATH": str(Path.cwd()), **extra}
    )
    with Path(os.devnull).open("w", encoding="utf-8") as errors:
        async with Client(
            stdio_client(server, errlog=errors), mode=mode, read_timeout_seconds=SECONDS
        ) as client:
            yield client


def asked(program: Program, use: Callable[[Client], Awaitable[T]], **options: Any) -> T:
    """What comes of using a client."""

    async def main() -> T:
        async with client_of(program, **options) as client:
            return await use(client)

    return anyio.run(main)


@contextmanager
def kept_client(program: Program) -> Iterator[Asking]:
    """What comes of using one client, again and again, whose server goes on meanwhile."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client_of(program)) as client:
        yield lambda use: portal.call(use, client)


def text_of(result: CallToolResult) -> str:
    """What a model reads of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def data_of(client: Client, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What a tool answers, which must go well."""
    result = await client.call_tool(tool, dict(arguments))
    assert not result.is_error, text_of(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def pages(client: Client, tool: str, arguments: Mapping[str, Any]) -> list[CallToolResult]:
    """All parts of a reply, by its cursors."""
    found: list[CallToolResult] = []
    cursor: dict[str, str] = {}
    while True:
        result = await client.call_tool(tool, {**arguments, **cursor})
        assert not result.is_error, text_of(result)
        found.append(result)
        following = (result.structured_content or {}).get("cursor")
        if following is None:
            return found
        cursor = {"cursor": following}


@dataclass
class Wire:
    """A client that writes what it likes, line by line."""

    program: Program
    number: int = 0
    always: Mapping[str, Any] = field(default_factory=dict)

    @asynccontextmanager
    async def opened(self, version: str = BEFORE) -> AsyncIterator["Wire"]:
        """Start the server, and shake hands with it where the protocol's version wants that."""
        command = self.program._command(["mcp"])
        self._process = await anyio.open_process(command, env=self.program.environment, stderr=None)
        self._waiting = b""
        me = {"name": "wire", "version": "0"}
        try:
            if version == BEFORE:
                await self.send(
                    "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": me}
                )
                await self.answer()
            else:
                reported = {"protocolVersion": version, "clientInfo": me, "clientCapabilities": {}}
                self.always = {
                    "_meta": {f"io.modelcontextprotocol/{name}": value for name, value in reported.items()}
                }
            yield self
        finally:
            if self._process.returncode is None:
                self._process.kill()
            await self._process.aclose()

    async def send(self, method: str, params: Any) -> int:
        """Send a request; its id."""
        self.number += 1
        if isinstance(params, dict):
            params = {**params, **self.always}
        await self.write(
            json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        )
        return self.number

    async def write(self, line: str) -> None:
        """Send anything."""
        assert self._process.stdin is not None
        await self._process.stdin.send(line.encode() + b"\n")

    async def line(self) -> str:
        """The next line that the server writes."""
        assert self._process.stdout is not None
        with anyio.fail_after(SECONDS):
            while b"\n" not in self._waiting:
                self._waiting += await self._process.stdout.receive()
        line, _, self._waiting = self._waiting.partition(b"\n")
        return line.decode()

    async def answer(self) -> dict[str, Any]:
        """The next line, which must be JSON."""
        answer: dict[str, Any] = json.loads(await self.line())
        return answer
