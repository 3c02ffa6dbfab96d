"""What the server offers, and how much room that takes in the context of a client's model."""

import json
from pathlib import Path

import anyio
import pytest
from mcp_types import Tool

from tests.support.command_line import ProgramHere
from tests.support.mcp_client import BEFORE, NEWEST, Wire
from webrag_desktop import DataFolder, open_tokenizer
from webrag_desktop.mcp.server import LibraryServer

MOST_TOKENS = 1500


def tools_of(home: Path, **settings: object) -> list[Tool]:
    return anyio.run(LibraryServer(DataFolder.at(home, **settings)).list_tools)


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize("version", [NEWEST, BEFORE])
def test_the_list_of_tools_takes_little_room_as_it_is_sent(
    tmp_path: Path, version: str, writes: bool
) -> None:
    async def main() -> str:
        here = ProgramHere(tmp_path, {"MCP_ALLOW_WRITES": str(writes)})
        async with Wire(here).opened(version) as wire:
            await wire.send("tools/list", {})
            return await wire.line()

    sent = anyio.run(main)
    tools = [tool["name"] for tool in json.loads(sent)["result"]["tools"]]
    assert tools == ["search", "read", "verify_quote", "context_pack", "status"] + ["add", "expand"] * writes
    assert open_tokenizer("bert-base-uncased").count(sent) <= MOST_TOKENS


def test_all_but_adding_and_expanding_only_reads(tmp_path: Path) -> None:
    for tool in tools_of(tmp_path, mcp_allow_writes=True):
        assert tool.annotations is not None
        assert bool(tool.annotations.read_only_hint) is (tool.name not in ("add", "expand"))


def test_every_tool_tells_its_arguments_and_what_it_answers(tmp_path: Path) -> None:
    for tool in tools_of(tmp_path, mcp_allow_writes=True):
        assert tool.description
        assert {"max_tokens", *tool.input_schema.get("required", [])} <= tool.input_schema[
            "properties"
        ].keys()
        assert "cursor" in tool.input_schema["properties"]
        assert tool.output_schema is not None
        assert all("type" in field for field in tool.output_schema["properties"].values())
        assert tool.output_schema["properties"]


def test_nothing_is_opened_before_the_first_call(tmp_path: Path) -> None:
    tools_of(tmp_path / "new")
    assert not (tmp_path / "new").exists()
