"""What views show of looking after a library: a move to another embedding space, backups, and checking its promises."""

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
    """The settings ask for another space than the library is in, both in words.

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
    """What came of looking after the library. ``action`` is the label of what can be done next, empty for nothing.

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
    """A backup that was read to its end: what it holds, and of what moment."""

    path: str
    made_at: datetime
    documents: int
    without_text: int
    citations: int
