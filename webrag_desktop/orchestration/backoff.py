"""Waiting for what is away and comes back by itself: the embedding model, the database."""

from webrag_desktop.errors import DatabaseConflictError, EmbeddingError, WebragError
from webrag_desktop.storage.jobs import WaitsFor

# Between two attempts, the last one over and over. It is longer than a worker stays for, so that a model which is
# gone for good does not keep one running; whoever works with the library has it tried again.
RESTS_SECONDS: dict[WaitsFor, tuple[float, ...]] = {
    "model": (30.0, 60.0, 120.0, 300.0, 900.0, 1800.0),
    "database": (1.0, 30.0, 60.0, 120.0),
}
MOST_CONFLICTS = len(RESTS_SECONDS["database"])  # one that does not pass is a fault, which must be told


def waited_for(error: WebragError, setbacks: int) -> WaitsFor | None:
    """What work that failed so, after ``setbacks`` failures of the kind, had better wait for; None: it has failed."""
    if isinstance(error, EmbeddingError) and error.transient:
        return "model"
    if isinstance(error, DatabaseConflictError) and setbacks < MOST_CONFLICTS:
        return "database"
    return None


def rest_before_next_attempt(waits_for: WaitsFor, setbacks: int, wanted: float | None = None) -> float:
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
