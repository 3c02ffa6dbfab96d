"""The move of a library to another embedding space, done by the worker when there is nothing else to do."""

import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from uuid import UUID

from webrag_desktop.errors import (
    Cancelled,
    ConfigurationError,
    DatabaseConflictError,
    DatabaseError,
    DatabaseUnreachableError,
    EmbeddingError,
    WebragError,
)
from webrag_desktop.indexing.batch import reembed_document
from webrag_desktop.indexing.corpus_space import chunking_of
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.models.spaces import SpaceMove, StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import postponement, queue_control
from webrag_desktop.storage.spaces import space_index, space_moves, space_swap
from webrag_desktop.storage.spaces.space_tables import active_space

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


log = logging.getLogger(__name__)
WAITS_FOR_MOVE = "Waits for the move to another embedding space, which is tried again automatically."
PORTION = 100  # documents looked up at a time
TIDIED_AT_ONCE = 20  # documents whose old chunks go in one transaction
FIRST_PAUSE_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = (
    1800.0  # longer than a worker stays for: a model that is gone does not keep it running
)
MOST_DOUBLINGS = 20  # of the first pause, which is more than the longest one
POLL_SECONDS = 1.0  # while others must finish first
LONGEST_POLL_SECONDS = 60.0  # while no table can be dropped: trying may hold up searches for a moment
BUILDS_THAT_GIVE_WAY = 3  # to the user's work; the next one is not interrupted


class _Stopped(Exception):
    """The user paused or cancelled the move."""


class SpaceMover:
    """Moves documents one by one; its state is in the database, so any worker can continue it."""

    def __init__(self, database: Database, open_indexer: Callable[[StoredSpace], Indexer]) -> None:
        """``open_indexer`` gives the indexer that writes into a space."""
        self._database = database
        self._open_indexer = open_indexer
        self._pending: deque[UUID] = deque()
        self._failed: list[UUID] = []  # tried again after all others
        self._of_move: int | None = None
        self._builds_given_up = 0
        self._building_since: str | None = None
        self._rest_after_drop = POLL_SECONDS  # longer with each that had to be given up
        self._tidying_since: str | None = None
        self._tidied_up_to: UUID | None = None
        self._rest = 0.0
        self._unusable: int | None = None  # the space in use, once no document could be embedded in it

    def due(self) -> float | None:
        """In how many seconds there may be something to do; None where no move is open, or all is paused."""
        with self._database.connection() as conn:
            due = postponement.next_due(conn)
        return None if due is None else max(due, self._rest)

    def comes_first(self) -> bool:
        """Whether nothing can be added to the space in use, so that jobs must wait for the move under way."""
        with self._database.connection() as conn:
            move = space_moves.open_move(conn)
            active = None if move is None or move.paused else active_space(conn)
        if active is None:
            return False
        if active.id == self._unusable:
            return True
        try:
            chunking_of(active.space)
        except ConfigurationError:
            return True
        return False

    def takes_over(self, error: WebragError) -> bool:
        """Make jobs wait for the open move, since nothing can be embedded in the space that it leaves.

        Raises:
            ConfigurationError: ``error`` is one, and its remedy is to go on with the move, which is paused.
        """
        with self._database.connection() as conn:
            move, active = space_moves.open_move(conn), active_space(conn)
        if move is None or active is None:
            return False
        if move.paused:
            if not isinstance(error, ConfigurationError):
                return False
            raise ConfigurationError(
                f"{error.message} The move to another embedding space, which helps, is paused.",
                "`webrag space resume` continues it; what is queued is kept and done afterwards.",
            ) from error
        log.info("jobs wait for the move to another space: %s", error.message)
        self._unusable = active.id
        return True

    def postpone_jobs(self) -> None:
        """Postpone the jobs that must wait for a failing move until it is tried again, with its reason."""
        if not self.comes_first():
            return
        with self._database.connection() as conn:
            move = space_moves.open_move(conn)
            # Held, so that stopping the move also frees these jobs.
            if move is None or move.waits_until is None or not space_moves.hold(conn, move):
                return
            waiting = postponement.postpone_all(conn, move.waits_until)
            reason = " ".join(filter(None, (WAITS_FOR_MOVE, move.problem)))
            sources.set_states(conn, waiting, "queued", reason=reason)

    def step(self, give_way: CancelToken, cancel: CancelToken) -> bool:
        """Re-embed one document, build the index, swap, or drop some of what is left over."""
        self._rest = 0.0
        with self._database.connection() as conn:
            if queue_control.is_paused(conn):
                return False
            move, active = space_moves.open_move(conn), active_space(conn)
            left_over = space_moves.waits_for_tidying(conn)
        if move is not None and active is not None and move.state == "moving":
            return self._guarded(move, active, give_way, cancel)
        try:
            return left_over and self._tidy()
        except DatabaseConflictError:  # with a transaction that removes documents
            return True

    def _guarded(
        self, move: SpaceMove, active: StoredSpace, give_way: CancelToken, cancel: CancelToken
    ) -> bool:
        """Take the next step; a failure postpones the move, and never ends the worker."""
        try:
            return self._move_on(move, active, give_way, cancel)
        except (Cancelled, _Stopped, DatabaseConflictError):
            return not cancel.cancelled
        except DatabaseUnreachableError:
            raise
        except WebragError as error:
            self._put_off(move, error)
        except Exception:
            log.exception("the move to another space failed")
            self._put_off(
                move,
                EmbeddingError("The program could not do this; the fault is its own.", "Report it."),
            )
        return True

    def _move_on(
        self, move: SpaceMove, active: StoredSpace, give_way: CancelToken, cancel: CancelToken
    ) -> bool:
        assert move.target is not None, "an open move has its target"
        self._tidying_since = self._tidied_up_to = None  # what this move leaves behind may be before that
        if self._of_move != move.id:
            self._of_move, self._builds_given_up, self._building_since = move.id, 0, None
            self._pending.clear()
            self._failed.clear()
        if not self._pending:
            with self._database.connection() as conn:
                self._pending.extend(
                    space_swap.incomplete_documents(conn, move.target, PORTION, last=self._failed)
                )
        if self._pending:
            self._reembed(move, move.target, active, give_way)
            return True
        return self._finish(move, move.target, give_way, cancel)

    def _reembed(
        self, move: SpaceMove, target: StoredSpace, active: StoredSpace, give_way: CancelToken
    ) -> None:
        document_id = self._pending[0]
        with self._database.connection() as conn:
            text = space_swap.shown_text(conn, document_id)
        if text is not None:

            def hold(conn: Connection) -> None:
                if not space_moves.hold(conn, move):
                    raise _Stopped

            try:
                reembed_document(self._open_indexer(target), text, active, cancel=give_way, guard=hold)
            except (Cancelled, _Stopped, DatabaseUnreachableError, DatabaseConflictError):
                raise
            except Exception:
                self._failed = [*(one for one in self._failed if one != document_id), document_id]
                self._pending.popleft()
                raise
        self._pending.popleft()
        with self._database.connection() as conn:
            space_moves.note_progress(conn, move)

    def _finish(
        self, move: SpaceMove, target: StoredSpace, give_way: CancelToken, cancel: CancelToken
    ) -> bool:
        """Every document is in the new space: build the index, then swap."""
        with self._database.connection() as conn:
            index = space_index.state(conn, target)
            # Kept between calls: some search is always running, but each one ends.
            if self._building_since is None:
                self._building_since = space_index.moment(conn)
            free = space_index.nothing_blocks_a_build(conn, self._building_since)
        # A build continues when its worker dies, and waits for all transactions that began before it.
        if index == "building" or (index != "ready" and not free):
            return self._wait()
        if index != "ready":
            if not self._build(move, target, give_way, cancel):
                self._builds_given_up += 1
                self._building_since = None
        elif space_swap.try_swap(self._database, move):
            log.info("the library moved to %s (%s)", move.space.model.model, move.space.chunking_id)
        else:
            with self._database.connection() as conn:
                self._pending.extend(space_swap.incomplete_documents(conn, target, PORTION))
            return bool(self._pending) or self._wait()
        return True

    def _build(
        self, move: SpaceMove, target: StoredSpace, give_way: CancelToken, cancel: CancelToken
    ) -> bool:
        """Build the index; False where it was given up: for the user's work, or when the move is to stop."""
        if self._builds_given_up < BUILDS_THAT_GIVE_WAY:
            return space_index.build(self._database, target, give_way)
        with stopping_with(self._database, move, cancel) as stop:
            return space_index.build(self._database, target, stop)

    def _put_off(self, move: SpaceMove, error: WebragError) -> None:
        doublings = min(move.failures, MOST_DOUBLINGS)
        seconds = min(FIRST_PAUSE_SECONDS * 2.0**doublings, LONGEST_PAUSE_SECONDS)
        log.info("the move to another space waits for %.0f s: %s", seconds, error.message)
        with self._database.connection() as conn:
            space_moves.postpone_move(conn, move, seconds, error.message, error.hint)

    def _wait(self, seconds: float = POLL_SECONDS) -> bool:
        self._rest = seconds
        return False

    def _tidy(self) -> bool:
        """Drop what belongs to no space in use, some at a time; False while a transaction may still read it."""
        with self._database.connection() as conn:
            if self._tidying_since is None:
                self._tidying_since = space_index.moment(conn)
            free = space_index.no_older_readers(conn, self._tidying_since)
        if not free:
            return self._wait()
        if not space_index.try_drop_spaces(self._database):
            rest = self._rest_after_drop
            self._rest_after_drop = min(2 * rest, LONGEST_POLL_SECONDS)
            return self._wait(rest)
        self._rest_after_drop = POLL_SECONDS
        with self._database.connection() as conn:
            documents = space_index.documents_after(conn, self._tidied_up_to, TIDIED_AT_ONCE)
            space_index.drop_chunks(conn, documents)
            if documents:
                self._tidied_up_to = documents[-1]
            else:
                space_moves.note_tidied(conn)
                self._tidying_since = self._tidied_up_to = None
        return True
