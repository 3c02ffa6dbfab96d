"""Waiting for what is away and comes back by itself: the embedding model, the database, what a computer lacks."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from webrag_desktop.embedding.server_errors import TextsRefusedError
from webrag_desktop.embedding.vectors import InvalidVectorError
from webrag_desktop.errors import (
    ConfigurationError,
    DatabaseConflictError,
    EmbeddingError,
    ResourceError,
    WebragError,
)
from webrag_desktop.storage.queue.postponement import Awaited

# Between two attempts, the last one over and over. Only for the first rest does a worker stay: a model that is gone
# keeps none running, and whoever follows the library starts one when it is time.
RESTS_SECONDS: dict[Awaited, tuple[float, ...]] = {
    "model": (30.0, 60.0, 120.0, 300.0, 900.0, 1800.0),
    "database": (1.0, 30.0, 60.0, 120.0),
    "computer": (1.0, 30.0, 60.0, 120.0, 300.0, 900.0, 1800.0),
}
MOST_CONFLICTS = len(RESTS_SECONDS["database"])  # one that does not pass is a fault, which must be told


def waited_for(error: WebragError, conflicts: int) -> Awaited | None:
    """What work that failed so, put off by ``conflicts`` so often in a row, had better wait for; None: it failed.

    What this computer lacked, or ended, is never held against a document.
    """
    if isinstance(error, ResourceError):
        return "computer"
    if isinstance(error, EmbeddingError) and error.transient:
        return "model"
    if isinstance(error, DatabaseConflictError) and conflicts < MOST_CONFLICTS:
        return "database"
    return None


def no_text_can_be_embedded(error: WebragError) -> bool:
    """Whether work failed so over the model or the settings, not over its text, and waiting does not help."""
    if isinstance(error, EmbeddingError):
        return not error.transient and not isinstance(error, (TextsRefusedError, InvalidVectorError))
    return isinstance(error, ConfigurationError)


def rest_before_next_attempt(waits_for: Awaited, setbacks: int, wanted: float | None = None) -> float:
    """For how many seconds work is put off that was put off ``setbacks`` times in a row already.

    A server that named a time (``wanted``) is left alone so long, within reason.
    """
    rests = RESTS_SECONDS[waits_for]
    rest = rests[min(setbacks, len(rests) - 1)]
    return rest if wanted is None else min(max(rest, wanted), rests[-1])


def hint_while_waiting(error: WebragError, *, searchable: bool) -> str:
    """What is told beside the reason while work waits."""
    meanwhile = "Its words can be found meanwhile." if searchable else ""
    return " ".join(filter(None, (error.hint, "It is tried again by itself.", meanwhile)))


class Absence(NamedTuple):
    """Why something is away, and in how many seconds it is asked again."""

    error: WebragError
    seconds: float


@dataclass
class ModelAway:
    """Remembers that the model was away a moment ago, so that not every document must find out for itself.

    A server that hangs would hold up each of them for as long as is waited for an answer.
    """

    clock: Callable[[], float] = time.monotonic
    _error: WebragError | None = None
    _until: float = 0.0

    def note(self, error: WebragError, rest: float) -> None:
        """The model was asked and is away; it is asked again after ``rest`` seconds."""
        self._error, self._until = error, self.clock() + rest

    def forget(self) -> None:
        """The model answers."""
        self._error = None

    def known(self) -> Absence | None:
        """That the model is away; None where it should be asked now."""
        left = self._until - self.clock()
        return Absence(self._error, left) if self._error is not None and left > 0 else None
