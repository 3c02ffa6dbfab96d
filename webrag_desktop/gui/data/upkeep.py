"""What views show of what the program runs on, and of moves, backups and checks of a library."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

MoveState = Literal["moving", "paused", "waiting"]


@dataclass(frozen=True, slots=True)
class MoveProgress:
    """A move under way to the space that ``wanted`` names: ``done`` of ``total`` documents are there.

    ``problem`` and ``hint`` say what kept it last, ``waits_until`` when it is tried again. ``held``: indexing is
    paused, and the move with it.
    """

    id: int
    wanted: str
    state: MoveState
    done: int
    total: int
    problem: str = ""
    hint: str = ""
    waits_until: datetime | None = None
    held: bool = False


@dataclass(frozen=True, slots=True)
class MoveOffer:
    """The settings name another space than the library is in, both in words.

    ``downloaded_from`` is the address from which the move begins by downloading a tokenizer, empty for none.
    """

    present: str
    wanted: str
    downloaded_from: str = ""


@dataclass(frozen=True, slots=True)
class OutcomeLine:
    """One thing that was found or done, in a sentence; ``detail`` is in small print."""

    well: bool
    text: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a backup, check or repair. ``action`` is the label of what can be done next, empty for nothing.

    ``path`` is a file that came of it.
    """

    headline: str
    text: str = ""
    well: bool = True
    lines: tuple[OutcomeLine, ...] = ()
    action: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class BackupContents:
    """A backup that was read to its end: what it holds, and of what moment. ``in_bin`` is counted apart."""

    path: str
    made_at: datetime
    documents: int
    without_text: int
    citations: int
    in_bin: int = 0


Health = Literal["ok", "busy", "warning", "failing", "off"]


@dataclass(frozen=True, slots=True)
class StackPart:
    """A part of what the program runs on: a name, one word or two, how it does, and what to do if it does not.

    ``action`` is the label of the button beside it ("Start again"), empty where there is nothing to press. Where
    it has to be ``set_up``, it leads to the settings.
    """

    name: str
    word: str
    health: Health
    version: str | None = None
    detail: str = ""
    remedy: str = ""
    action: str = ""
    set_up: bool = False


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
