"""The worker of a library: started as a process, kept at the queue, and what this process does as the worker."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from webrag_desktop.config import Settings
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.jobs.worker_process import (
    FailureNote,
    WorkerCommand,
    WorkerProcess,
    WorkerSupervisor,
    worker_arguments,
)
from webrag_desktop.models.queue import WorkerFailure
from webrag_desktop.progress import CancelToken
from webrag_desktop.stack.base import Stack
from webrag_desktop.storage.database import Database

if TYPE_CHECKING:
    from webrag_desktop.indexing.open_spaces import OpenSpaces


class LibraryWorker:
    """Whoever works at the queue: a process of its own, or this one. Any thread may stop it."""

    def __init__(
        self, settings: Settings, stack: Stack, database: Database, spaces: Callable[[], "OpenSpaces"]
    ) -> None:
        """``spaces`` opens the models of the library's spaces."""
        self._settings = settings
        self._stack = stack
        self._database = database
        self._spaces = spaces
        self._note = FailureNote.of_home(settings.webrag_home)
        self.supervisor = WorkerSupervisor(self.start)

    def start(self) -> WorkerProcess:
        """Start the worker process, which ends by itself when the queue is empty; raises DataFolderGoneError."""
        self._stack.ensure_in_place()  # else it would make a new library where the folder was
        return WorkerProcess(worker_command(self._settings))

    def stop(self, timeout_seconds: float) -> None:
        """End the worker that this process started, and start no other until the library is followed again.

        It stops between two steps, and is ended when that takes longer than ``timeout_seconds``; its work stays
        queued. A worker of another process goes on.
        """
        self.supervisor.stop(timeout_seconds)

    def run(self, cancel: CancelToken) -> int | None:
        """Be the worker until the queue is empty or paused; None when another process is it already.

        Returns how many jobs were closed.
        """
        from webrag_desktop.ingestion.reading_process.process import ReadingProcess
        from webrag_desktop.jobs.fetching import PageFetcher
        from webrag_desktop.jobs.runner import Runner, work_off
        from webrag_desktop.jobs.site_capturing import SiteCapturing
        from webrag_desktop.jobs.subresources import SubresourceFetching
        from webrag_desktop.maintenance.space_move import SpaceMover
        from webrag_desktop.maintenance.upkeep import Housekeeping

        spaces, settings = self._spaces(), self._settings
        with ReadingProcess(settings.reading_options()) as reading:
            moving = SpaceMover(self._database, spaces.indexer_of)
            tidying = Housekeeping(self._database, moving, settings.bin_options())
            fetcher, keeping = PageFetcher(settings.fetch_options()), settings.subresource_options()
            files = SubresourceFetching(self._database, fetcher, keeping, reading.markup, tidying)
            runner = Runner(
                self._database,
                spaces.indexer,
                settings.fetch_options(),
                reading.read,
                SiteCapturing(self._database, settings.fetch_options(), files),
                fetcher=fetcher,
                subresource_options=keeping,
            )
            return work_off(self._database, runner, self._note.clear, cancel)

    def settle(self) -> None:
        """Meet what would fail every document before the first one, and note it for whoever asks how the queue does.

        Raises:
            ConfigurationError: no document can be indexed with these settings.
        """
        try:
            self._spaces().settle()
        except ConfigurationError as error:
            self._note.try_write(WorkerFailure.of(error, self._settings.indexing_fingerprint()))
            raise

    def lasting_failure(self) -> WorkerFailure | None:
        """What the last worker ended in and the next would meet as well, as long as the settings are the same."""
        failure = self._note.read()
        if failure is None or failure.kind != "configuration":
            return None
        return failure if failure.settings == self._settings.indexing_fingerprint() else None


def worker_command(settings: Settings) -> WorkerCommand:
    """How this program starts its own worker: settings travel by the environment, secrets by its standard input."""
    package_parent = str(Path(__file__).parents[2])
    secrets = settings.secrets()
    public = {name: value for name, value in settings.as_environment().items() if name not in secrets}
    environment = os.environ | public | {"PYTHONPATH": package_parent}
    log_path = settings.webrag_home / "logs" / "worker.log"
    return WorkerCommand(worker_arguments(sys.executable), environment, log_path, secrets)
