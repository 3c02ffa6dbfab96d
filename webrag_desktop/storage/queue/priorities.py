"""How urgent work is: what the user asks for now overtakes what they left to the background."""

from enum import IntEnum

FEW = 10  # so many at once are somebody's present wish; more are left to be done


class Priority(IntEnum):
    """The levels of the queue, the higher first; within one, what was asked for first is done first."""

    ASKED = 1  # a few documents added, tried again, refreshed or read again
    MANY = 0  # a folder, a long list
    BEHIND = -1  # what is there already, looked at again all together or on schedule


def priority_of(count: int, of_many: Priority = Priority.MANY) -> Priority:
    """The level of so many documents that are asked for at once; ``of_many`` where that is not a few."""
    return Priority.ASKED if count <= FEW else of_many
