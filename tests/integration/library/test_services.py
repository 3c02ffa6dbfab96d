"""An open library: its worker process follows the user's wishes, and a lost server is started again."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

import psutil
import pytest

from tests.support.data_folders import data_folder
from tests.support.server import prepared_cluster
from tests.support.stack_processes import copy_cluster
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop import DataFolder, Library
from webrag_desktop.config import Settings
from webrag_desktop.errors import Cancelled, DatabaseUnreachableError, WebragError
from webrag_desktop.library.intake import read_intake
from webrag_desktop.models.intake import Accepted
from webrag_desktop.models.queue import LibraryNews
from webrag_desktop.progress import CancelToken, SourceState
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.processes import running_server

PATIENCE = 60.0


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    """Settings of a data folder with an empty library; its server is stopped at the end."""
    with data_folder("services") as folder:
        made = Settings.of(
            WEBRAG_HOME=copy_cluster(prepared_cluster(), folder),
            EMBEDDING_BACKEND="embedded",
            EMBEDDING_MODEL=TESTED_MODEL,
        )
        yield made
        opened = DataFolder(made).open()
        opened.close()
        opened.stack.stop()


@pytest.fixture
def services(settings: Settings) -> Iterator[Library]:
    with DataFolder(settings).open() as opened:
        opened.queue.resume()
        opened.documents.remove_all(opened.documents.listing())
        yield opened


class Window:
    """What follows a library in the background; its news in a queue."""

    def __init__(self, services: Library) -> None:
        self.news: SimpleQueue[LibraryNews] = SimpleQueue()
        self.cancel = CancelToken()
        self.error: WebragError | None = None
        self._services = services
        self._thread = Thread(target=self._follow)
        self._thread.start()

    def _follow(self) -> None:
        try:
            self._services.follow(self.news.put, self.cancel)
        except WebragError as error:
            self.error = error

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Look again with every news until it holds."""
        while not condition():
            self.news.get(timeout=PATIENCE)

    def end(self) -> WebragError | None:
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return self.error


@pytest.fixture
def window(services: Library) -> Iterator[Window]:
    made = Window(services)
    yield made
    made.cancel.cancel()
    made.end()
    services.worker.stop(PATIENCE)


def note(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def states(services: Library) -> dict[SourceState, int]:
    return services.documents.overview().states


def test_what_is_added_gets_ready_and_the_worker_can_be_paused_and_stopped(
    services: Library, window: Window, tmp_path: Path
) -> None:
    library = services
    library.add([note(tmp_path, "one.md", "A note about rivers.")])
    window.wait_for(lambda: states(services) == {"ready": 1})
    library.queue.pause()
    library.add([note(tmp_path, "two.md", "A note about tides.")])
    assert states(services) == {"ready": 1, "queued": 1}
    library.queue.resume()
    window.wait_for(lambda: states(services) == {"ready": 2})
    window.cancel.cancel()
    assert isinstance(window.end(), Cancelled)
    services.worker.stop(PATIENCE)
    assert not services.status().worker


def test_what_waited_for_the_database_is_worked_on_once_it_is_taken_in(
    services: Library, tmp_path: Path
) -> None:
    path = note(tmp_path, "kept.md", "Kept while the database was down.")
    services.spool.put(read_intake(path, services.settings.fetch_options()))
    window = Window(services)
    (taken,) = services.take_in()
    assert taken.verdict == "added"
    window.wait_for(lambda: states(services) == {"ready": 1})
    window.cancel.cancel()
    window.end()
    services.worker.stop(PATIENCE)


def kill_server(settings: Settings) -> None:
    server = running_server(Layout.of(settings.webrag_home))
    assert server is not None
    process = psutil.Process(server.pid)
    children = process.children()
    process.kill()
    psutil.wait_procs([process, *children], PATIENCE)


@pytest.mark.parametrize("close_first", [True, False])
def test_a_killed_server_is_an_error_at_once_and_opening_again_mends_it(
    settings: Settings, services: Library, tmp_path: Path, close_first: bool
) -> None:
    services.queue.pause()
    (result,) = services.add([note(tmp_path, "one.md", "A note about rivers.")])
    assert isinstance(result, Accepted)
    window = Window(services)
    window.news.get(timeout=PATIENCE)
    kill_server(settings)
    assert isinstance(window.end(), DatabaseUnreachableError)
    for ask in (
        services.documents.overview,
        services.documents.listing,
        services.citations.all,
        services.queue.pause,
        lambda: services.search("rivers"),
        lambda: services.follow(lambda _news: None, CancelToken()),
    ):
        with pytest.raises(DatabaseUnreachableError):
            ask()
    with ExitStack() as stack:
        if close_first:
            services.close()
        again = stack.enter_context(DataFolder(settings).open())
        services.close()
        assert again.documents.get(result.source_id) is not None
        assert again.queue.paused()
        assert again.search("rivers").chunks == []
    assert again.settings is settings
