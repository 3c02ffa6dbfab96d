"""A worker that cannot work is not started for ever: whoever waits for it is told why."""

from collections.abc import Callable

import pytest

from tests.support.pages import PageServer
from tests.support.queue_work import accepted
from webrag_desktop.errors import ConfigurationError, StackError, WebragError
from webrag_desktop.jobs.feed import Watch
from webrag_desktop.jobs.worker_process import STARTS_WITHOUT_PROGRESS, WorkerProcess, WorkerSupervisor
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs

WRONG = ConfigurationError("The tokenizer does not belong to the model.", "Set another one.")
DIED = StackError("The background worker stopped (SIGKILL).", "`webrag work` goes on.")


class Ended:
    """A worker that has ended already."""

    running = False

    def __init__(self, failure: WebragError) -> None:
        self._failure = failure

    def failure(self) -> WebragError:
        return self._failure


class Workers:
    """Starts workers that begin with what waits, and end at once."""

    def __init__(self, failure: WebragError, begin: Callable[[], object]) -> None:
        self.failure = failure
        self.started = 0
        self._begin = begin
        self.supervisor = WorkerSupervisor(self._start)

    def _start(self) -> WorkerProcess:
        self.started += 1
        self._begin()
        return Ended(self.failure)  # type: ignore[return-value]


@pytest.mark.parametrize(("failure", "starts"), [(WRONG, 1), (DIED, STARTS_WITHOUT_PROGRESS)])
def test_who_waits_learns_why_although_every_start_changes_states(
    database: Database, library: StoredLibrary, pages: PageServer, failure: WebragError, starts: int
) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id

    def begin() -> None:
        for state in ("fetching", "extracting", "queued"):
            with database.connection() as conn:
                sources.set_state(conn, source_id, state, reason=f"start {workers.started}")

    workers = Workers(failure, begin)
    with pytest.raises(type(failure)) as reported:
        for _source in Watch(database, workers.supervisor, CancelToken()).follow([source_id]):
            pass
    assert reported.value is failure
    assert workers.started == starts


def test_who_waits_again_is_not_reported_what_ended_the_waiting_before(
    database: Database, library: StoredLibrary, pages: PageServer
) -> None:
    """The server may have been put right meanwhile; only another worker can tell."""
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    workers = Workers(WRONG, lambda: None)
    watch = Watch(database, workers.supervisor, CancelToken())
    for times in (1, 2):
        with pytest.raises(ConfigurationError):
            next(source for source in watch.follow([source_id]) if source.state == "ready")
        assert workers.started == times


def test_a_wrong_setting_is_met_once_whatever_got_done_until_the_user_asks_again(
    database: Database, library: StoredLibrary, pages: PageServer
) -> None:
    library.add([pages.url("/rhine")])
    workers = Workers(WRONG, lambda: None)
    with database.connection() as conn:
        workers.supervisor.keep_working(conn)
        for _look in range(3):
            workers.supervisor.progressed()
            with pytest.raises(ConfigurationError):
                workers.supervisor.keep_working(conn)
        assert workers.started == 1
        workers.supervisor.try_again()
        workers.supervisor.keep_working(conn)
        assert workers.started == 2


def test_a_worker_of_somebody_else_ends_what_a_wrong_setting_held_up(
    database: Database, library: StoredLibrary, pages: PageServer
) -> None:
    library.add([pages.url("/rhine")])
    workers = Workers(WRONG, lambda: None)
    with database.connection() as conn, database.dedicated() as other:
        workers.supervisor.keep_working(conn)
        with pytest.raises(ConfigurationError):
            workers.supervisor.keep_working(conn)
        assert jobs.become_runner(other)
        workers.supervisor.keep_working(conn)
        jobs.resign(other)
        workers.supervisor.keep_working(conn)
    assert workers.started == 2
