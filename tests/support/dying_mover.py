"""A worker that moves a library and dies on the way: ``python -m tests.support.dying_mover PLACE TIMES`` + a plan.

It kills itself by SIGKILL when it comes to a place for the given time, so that nothing can be put in order. The plan,
a JSON document on standard input, names database and settings.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from pydantic import SecretStr

from tests.support.moving import MovingLibrary
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.spaces import space_index, space_moves, space_swap, space_tables

# Before each of these, in whatever transaction it is called.
PLACES: dict[str, tuple[Any, str]] = {
    "before a batch of vectors is kept": (space_tables, "cache_vectors"),
    "before a document's vectors land, its chunks written": (space_tables, "land_vectors"),
    "after a document landed": (space_moves, "note_progress"),
    "before the index": (space_index, "build"),
    "before the swap": (space_swap, "try_swap"),
    "in mid-swap, the figures taken": (space_swap, "activate_space"),
    "in mid-swap, the library pointed": (space_swap, "announce_topic"),
    "before the old vectors go": (space_index, "try_drop_spaces"),
    "in mid-drop": (space_index, "hold_space_lock"),
    "before old chunks go": (space_index, "drop_chunks"),
    "before all is tidy": (space_moves, "note_tidied"),
}


def dying(real: Callable[..., Any], times: int) -> Callable[..., Any]:
    """The function, until it is called for that time."""
    called = 0

    def or_die(*arguments: Any, **options: Any) -> Any:
        nonlocal called
        called += 1
        if called == times:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)

    return or_die


def main() -> None:
    """Work until the place is reached."""
    place, times = sys.argv[1], int(sys.argv[2])
    plan = json.load(sys.stdin)
    module, name = PLACES[place]
    setattr(module, name, dying(getattr(module, name), times))
    key = SecretStr("k")
    library = MovingLibrary(
        Database(plan["address"]),
        EmbeddingOptions(**plan["options"], api_key=key),
        ChunkTargets(**plan["targets"]),
    )
    library.work()


if __name__ == "__main__":
    main()
