"""The open work of a library: how urgent it is, and what it waits for."""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Literal

FEW = 10  # so many at once are somebody's present wish; more are left to be done


class Priority(IntEnum):
    """The levels of the queue, the higher first; within one, what was asked for first is done first."""

    ASKED = 1  # a few documents added, tried again, refreshed or read again
    MANY = 0  # a folder, a long list
    BEHIND = -1  # what is there already, looked at again all together or on schedule


def priority_of(count: int, of_many: Priority = Priority.MANY) -> Priority:
    """The level of so many documents that are asked for at once; ``of_many`` where that is not a few."""
    return Priority.ASKED if count <= FEW else of_many


WaitsFor = Literal["site", "model", "database"]


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """Open jobs by derived state."""

    waiting: int
    running: int


@dataclass(frozen=True, slots=True)
class Backlog:
    """Open work: how much of each level, and how much was put off, of which the first is due ``next_at``."""

    levels: dict[Priority, int]
    postponed: int
    next_at: datetime | None
