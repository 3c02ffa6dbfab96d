"""What views show of the parts that the program runs on."""

from dataclasses import dataclass
from typing import Literal

Health = Literal["ok", "busy", "warning", "failing", "off"]


@dataclass(frozen=True, slots=True)
class StackPart:
    """A part of what the program runs on: a name, one word or two, how it does, and what to do if it does not.

    ``action`` is the label of the button beside it ("Start again"), empty where there is nothing to press. Where
    ``explained``, it only leads to where the remedy is to be read.
    """

    name: str
    word: str
    health: Health
    version: str | None = None
    detail: str = ""
    remedy: str = ""
    action: str = ""
    explained: bool = False


@dataclass(frozen=True, slots=True)
class StackReport:
    """Everything the stack strip and the stack dialog show. ``logs`` are (name, path) of files to look into."""

    parts: tuple[StackPart, ...]
    folder: str
    logs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LogText:
    """The last lines of a log file."""

    path: str
    text: str
