"""What tests of the embedder over HTTP share: its key, and time that passes only when told to."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from webrag_desktop.embedding.base import Embedder
from webrag_desktop.progress import CancelToken
from webrag_desktop.stack.locks import FileLock

KEY = "sk-verysecret"


@dataclass
class Pauses:
    """Stands in for waiting and remembers for how long; ``meanwhile`` happens in each wait."""

    seconds: list[float] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None

    def __call__(self, seconds: float, cancel: CancelToken, /) -> None:
        self.seconds.append(seconds)
        self.meanwhile()
        cancel.raise_if_cancelled()


@dataclass
class StillClock:
    """Stands in for the clock: ``now`` changes only when a test changes it."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


Open = Callable[..., Embedder]


def until_announced(folder: Path) -> None:
    """Return when a question is under way or waits for its turn."""
    (file,) = folder.glob("*-questions.lock")
    lock = FileLock(file)
    deadline = time.monotonic() + 30
    while lock.acquire(shared=False, timeout=0):
        lock.release()
        assert time.monotonic() < deadline
        time.sleep(0.01)
