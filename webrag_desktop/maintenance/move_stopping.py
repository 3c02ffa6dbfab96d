"""Ends long work on a move when the user pauses or cancels it; what else there is to do does not end it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from webrag_desktop.errors import DatabaseError
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.spaces import space_moves
from webrag_desktop.storage.spaces.space_moves import SpaceMove

log = logging.getLogger(__name__)
LOOK_SECONDS = 0.5


@contextmanager
def stopping_with(database: Database, move: SpaceMove, cancel: CancelToken) -> Iterator[CancelToken]:
    """For the block, a token that is cancelled with ``cancel``, and when the move is paused or has ended."""
    stop, over = CancelToken(), Event()

    def watch() -> None:
        while not over.wait(LOOK_SECONDS):
            try:
                with database.connection() as conn:
                    goes_on = space_moves.goes_on(conn, move)
            except DatabaseError as error:  # the work itself meets the same, and says so
                log.info("whether the move is to stop cannot be asked any more: %s", error)
                return
            if not goes_on:
                stop.cancel()
                return

    watcher = Thread(target=watch, name="stopping a move", daemon=True)
    with cancel.calling(stop.cancel):
        watcher.start()
        try:
            yield stop
        finally:
            over.set()
            watcher.join()
