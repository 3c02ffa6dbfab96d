"""What tests of the embedder over HTTP share: its key, and waiting that takes no time."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from webrag_desktop.embedding.base import Embedder

KEY = "sk-verysecret"


@dataclass
class Pauses:
    """Stands in for waiting and remembers for how long."""

    seconds: list[float] = field(default_factory=list)

    def __call__(self, stop: threading.Event, seconds: float, /) -> bool:
        self.seconds.append(seconds)
        return stop.is_set()


Open = Callable[..., Embedder]
