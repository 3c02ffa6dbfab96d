"""Sweeping the library after much was deleted: beside everybody's work, by whoever deleted it or by the worker."""

import logging
from threading import Thread
from typing import TYPE_CHECKING

from webrag_desktop.errors import DatabaseError
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage import upkeep
from webrag_desktop.storage.database import Database

if TYPE_CHECKING:
    from webrag_desktop.orchestration.space_move import Aside

log = logging.getLogger(__name__)


def sweep(database: Database, cancel: CancelToken) -> list[str]:
    """Take deleted rows out of the tables that hold many; returns their names. Nothing where another one does it.

    What cannot be swept now is left to the server, which looks after it in its own time.
    """
    try:
        with database.connection() as conn:
            if not upkeep.tables_due(conn):
                return []
        with database.dedicated() as conn:
            if not upkeep.take_turn(conn):
                return []
            due = upkeep.tables_due(conn)
            return due if due and upkeep.sweep(conn, due, cancel) else []
    except DatabaseError as error:
        log.info("deleted rows were not swept: %s", error)
        return []


def sweep_beside(database: Database) -> Thread | None:
    """Do that in a thread that nobody needs to wait for; None where little was deleted.

    When the program ends meanwhile, the server finishes alone, or stops with the rest of its work.
    """
    try:
        with database.connection() as conn:
            if not upkeep.tables_due(conn):
                return None
    except DatabaseError as error:  # what was to be done is done; this can wait
        log.info("deleted rows were not swept: %s", error)
        return None
    thread = Thread(target=sweep, args=(database, CancelToken()), name="sweeping", daemon=True)
    thread.start()
    return thread


class Housekeeping:
    """What the worker does when no job can be begun: something else first, then sweeping."""

    def __init__(self, database: Database, first: "Aside") -> None:
        """Do ``first``, and sweep where that has nothing to do at present."""
        self._database = database
        self._first = first

    def step(self, give_way: CancelToken, cancel: CancelToken) -> bool:
        """Do one piece of the first; else sweep, which nobody waits for. Both end when a job may be begun."""
        if self._first.step(give_way, cancel):
            return True
        if not cancel.cancelled:
            sweep(self._database, give_way)
        return False

    def due(self) -> float | None:
        """In how many seconds there may be something to do; sweeping keeps no worker waiting."""
        return self._first.due()

    def comes_first(self) -> bool:
        """Whether no job can be done before it."""
        return self._first.comes_first()
