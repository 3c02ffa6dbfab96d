"""What the server offers, and how much room that takes in the context of a client's model."""

from pathlib import Path

import anyio
import pytest
from mcp_types import ListToolsResult, Tool

from webrag_desktop import DataFolder, open_tokenizer
from webrag_desktop.mcp.server import LibraryServer

MOST_TOKENS = 1500
READING = ["search", "read", "verify_quote", "context_pack", "status"]


def tools_of(home: Path, **settings: object) -> list[Tool]:
    return anyio.run(LibraryServer(DataFolder.at(home, **settings)).list_tools)


@pytest.mark.parametrize("writes", [False, True])
def test_the_list_of_tools_takes_little_room(tmp_path: Path, writes: bool) -> None:
    tools = tools_of(tmp_path, mcp_allow_writes=writes)
    sent = ListToolsResult(tools=tools).model_dump_json(by_alias=True, exclude_none=True)
    assert open_tokenizer("bert-base-uncased").count(sent) <= MOST_TOKENS
    assert [tool.name for tool in tools] == READING + ["add"] * writes


def test_all_but_adding_only_reads(tmp_path: Path) -> None:
    for tool in tools_of(tmp_path, mcp_allow_writes=True):
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name != "add")


def test_every_tool_tells_its_arguments_and_what_it_answers(tmp_path: Path) -> None:
    for tool in tools_of(tmp_path, mcp_allow_writes=True):
        assert tool.description
        assert {"max_tokens", *tool.input_schema.get("required", [])} <= tool.input_schema[
            "properties"
        ].keys()
        assert tool.name == "add" or "cursor" in tool.input_schema["properties"]
        assert tool.output_schema is not None
        assert tool.output_schema["properties"]


def test_nothing_is_opened_before_the_first_call(tmp_path: Path) -> None:
    tools_of(tmp_path / "new")
    assert not (tmp_path / "new").exists()
