"""What a client is sent when a call fails: what happened and what to do, and nothing internal."""

import logging
from collections.abc import Collection
from typing import Final

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from webrag_desktop.errors import InputError, WebragError, resource_error
from webrag_desktop.mcp.replies import harmless

log = logging.getLogger(__name__)
_LONGEST: Final = 1000  # characters of each; messages may repeat what was given


def explained(error: BaseException) -> WebragError:
    """The error as one of the family; a fault of the program goes to the log, with its trace where that is kept."""
    if isinstance(error, WebragError):
        return error
    if isinstance(error, ValidationError):
        return _wrong_arguments(error)
    if (lacking := resource_error(error)) is not None:
        return lacking
    log.error("A call failed by a fault of the program: %s.", type(error).__name__, exc_info=error)
    return WebragError(
        "The call failed by a fault of WebRAG. Nothing that is stored was changed by it.",
        "Try it otherwise; what is served besides goes on.",
    )


def cause_of(error: ToolError) -> BaseException:
    """What a tool raised, which the SDK put into an error of its own."""
    return error.__cause__ or InputError(str(error), "`tools/list` tells which tools there are.")


def message_of(error: WebragError) -> str:
    """Message and hint as one text of no great length."""
    lines = (
        line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…" for line in (error.message, error.hint)
    )
    return harmless("\n".join(filter(None, lines)))


def failed(error: WebragError) -> CallToolResult:
    """The result of a call that failed."""
    return CallToolResult(content=[TextContent(type="text", text=message_of(error))], is_error=True)


def unknown_argument(tool: str, name: str, known: Collection[str]) -> InputError:
    """The error for an argument that a tool does not have."""
    return InputError(f"{tool} has no argument “{name[:60]}”.", f"It has {', '.join(known)}.")


def _wrong_arguments(error: ValidationError) -> InputError:
    """Which arguments are wrong and how, without repeating them."""
    wrong = {
        f"{'.'.join(map(str, one['loc']))}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False)
    }
    return InputError(
        f"The arguments cannot be used. {'; '.join(sorted(wrong))}.", "Correct them and call again."
    )
