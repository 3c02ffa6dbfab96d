"""Making tools: their schemas without what only takes room in the context of a client's model."""

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations

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
