"""The user's yes to pages of a round, asked for by the thread that follows links and given on the GUI thread."""

import queue
from collections.abc import Sequence
from dataclasses import dataclass

from webrag_desktop.progress import CancelToken


@dataclass(frozen=True, slots=True)
class _Answer:
    addresses: tuple[str, ...]


class Approval:
    """One run's; :meth:`wait` and :meth:`give` are called from two threads."""

    def __init__(self, first: Sequence[str] = ()) -> None:
        """``first`` was ticked before the run began: it is the answer to the first round that offers some of it."""
        self._first = tuple(first)
        self._answers: queue.SimpleQueue[_Answer | None] = queue.SimpleQueue()

    def given_before(self, offered: Sequence[str]) -> tuple[str, ...]:
        """What was ticked before and is offered; once, and nothing afterwards."""
        first, self._first = self._first, ()
        wanted = set(first)
        return tuple(address for address in offered if address in wanted)

    def give(self, addresses: Sequence[str]) -> None:
        """Let the round go on with these; with none the run ends."""
        self._answers.put(_Answer(tuple(addresses)))

    def wait(self, cancel: CancelToken) -> tuple[str, ...]:
        """Wait for the user, as long as it takes.

        Raises:
            Cancelled: the run was stopped meanwhile.
        """
        with cancel.calling(lambda: self._answers.put(None)):
            cancel.raise_if_cancelled()
            answer = self._answers.get()
        if answer is None:
            cancel.raise_if_cancelled()
        return answer.addresses if answer is not None else ()
