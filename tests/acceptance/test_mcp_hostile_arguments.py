"""Arguments that no sane client sends: each gets a result or an error that says why, and the server goes on."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import anyio
import pytest

from tests.support.command_line import ProgramHere, program
from tests.support.mcp_client import Wire
from tests.support.mcp_library import CLAMP, Shelf, filled
from webrag_desktop import DataFolder
from webrag_desktop.config import Settings
from webrag_desktop.expansion.options import ExpansionLimits

LEAST_CASES = 200


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    10**30,
    -(10**12),
    1.5,
    1e308,
    "",
    " ",
    "\0",
    "a\0b",
    "\x1b[2J\x07",
    "\u202eesrever",
    "\ufffe\uffff",
    "'; DROP TABLE chunks; --",
    "%s %(x)s {0} \\",
    "& | ! <-> :* ((",
    "../../../../etc/passwd",
    "file:///etc/passwd",
    "webrag://cite/ffffffffffffffff.5-2",
    "webrag://document/00000000-0000-0000-0000-000000000000",
    "ffffffffffffffff.0-99999999999",
    "[1, 2]",
    "x" * 200_000,
    "low tide " + "x" * 40_000,
    "🦀" * 20_000,
    [],
    ["x", 5],
    ["\0"],
    ["https://example.org/"] * 20_000,
    {},
    {"a": {"b": {"c": 1}}},
    nested(50),
    "\ud800",
    ["\udfff\ud800"],
    {"$ref": "#"},
]
ARGUMENTS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "search": (
        {"query": "low tide"},
        ("query", "mode", "source_urls", "context_budget_override", "max_tokens", "cursor"),
    ),
    "read": ({"cite": "0f3a91b20d4c7e18"}, ("cite", "scope", "cursor")),
    "verify_quote": ({"quote": CLAMP}, ("quote", "document", "older_versions")),
    "context_pack": ({"query": "low tide"}, ("query", "final_max_tokens")),
    "status": ({}, ("documents", "max_tokens", "no_such_argument")),
    "add": ({"urls": ["nothing"]}, ("urls", "max_tokens", "cursor")),
    "expand": ({"question": "low tide"}, ("question", "pages", "depth", "max_tokens", "cursor", "seconds")),
}
ALLOWED = ExpansionLimits(pages=3, depth=2, seconds=20, bytes=100_000, same_site=True)
SETTINGS = {f"EXPAND_{name.upper()}": str(value) for name, value in asdict(ALLOWED).items()}
CASES = [
    (tool, {**usual, name: value})
    for tool, (usual, names) in ARGUMENTS.items()
    for name in names
    for value in VALUES
]


@pytest.fixture(scope="module")
def shelf() -> Iterator[Shelf]:
    with program(ProgramHere, MCP_ALLOW_WRITES="true", **SETTINGS) as webrag:
        yield filled(webrag, webrag.home.parent / "texts")


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= LEAST_CASES


def test_each_gets_a_result_or_an_error_and_the_server_goes_on(shelf: Shelf) -> None:
    async def main() -> None:
        async with Wire(shelf.webrag).opened() as wire:
            for tool, arguments in CASES:
                sent = await wire.send("tools/call", {"name": tool, "arguments": arguments})
                answer = await wire.answer()
                assert answer["id"] == sent
                _check(answer, tool, arguments)
            wrong: list[Any] = [{}, {"name": 5}, {"name": "search", "arguments": "text"}, {"name": "\0"}, []]
            for params in wrong:
                sent = await wire.send("tools/call", params)
                answer = await wire.answer()
                assert "error" in answer or answer["result"]["isError"], params
            await wire.send("tools/call", {"name": "verify_quote", "arguments": {"quote": CLAMP}})
            assert (await wire.answer())["result"]["structuredContent"]["verified"] is True

    anyio.run(main)


def test_no_argument_widens_what_the_user_allowed(shelf: Shelf) -> None:
    numbers = (4, 10**30, -1, 0, 1e308, "99", "4")
    refused: list[dict[str, Any]] = [{name: value} for name in ("pages", "depth") for value in numbers]
    refused += [{name: 1} for name in ("seconds", "bytes", "same_site", "limits")]
    granted: list[dict[str, Any]] = [
        {},
        {"pages": 1},
        {"depth": 1},
        {"pages": 3, "depth": 2},
        {"pages": True},
        {"depth": "2"},
    ]

    async def main() -> list[bool]:
        async with Wire(shelf.webrag).opened() as wire:
            went_well = []
            for more in (*refused, *granted):
                arguments = {"question": "which limits hold", **more}
                await wire.send("tools/call", {"name": "expand", "arguments": arguments})
                went_well.append(not (await wire.answer())["result"]["isError"])
            return went_well

    assert anyio.run(main) == [False] * len(refused) + [True] * len(granted)
    settings = Settings.of(WEBRAG_HOME=shelf.webrag.home, **shelf.webrag.extra)
    with DataFolder(settings).open() as library:
        limits = [run.limits for run in library.expansions.all(1000)]
    assert len(limits) >= len(granted)
    assert all(one.pages <= ALLOWED.pages and one.depth <= ALLOWED.depth for one in limits)
    assert {replace(one, pages=3, depth=2) for one in limits} == {ALLOWED}


def _check(answer: dict[str, Any], tool: str, arguments: dict[str, Any]) -> None:
    case = f"{tool} {str(arguments)[:200]!a}"
    if "error" in answer:
        assert "\\ud" in str(arguments), (case, answer)
        assert "half of a character" in answer["error"]["message"]
        return
    result = answer["result"]
    text = result["content"][0]["text"]
    assert "Traceback" not in text, case
    assert "fault of WebRAG" not in text, case
    assert "refused a statement" not in text, case
    if result["isError"]:
        message, _, hint = text.partition("\n")
        assert message.strip(), case
        assert hint.strip(), case
        assert len(text) <= 2000, case
    else:
        assert result["structuredContent"], case
