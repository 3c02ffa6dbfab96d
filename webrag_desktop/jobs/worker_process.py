"""The worker is a process of its own: what it does cannot freeze, and its end cannot harm, whoever asked."""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from webrag_desktop.errors import ConfigurationError, ResourceError, StackError, WebragError
from webrag_desktop.jobs.worker_failure import FailureNote
from webrag_desktop.stack.layout import make_private

CONFIGURATION_CODE = 4  # the exit code of a worker that another one would follow into the same end
LOG_LIMIT_BYTES = 2_000_000
SHOWN_LOG_LINES = 5


@dataclass(frozen=True, slots=True)
class WorkerCommand:
    """How to start the worker, in which environment, and where it writes its log."""

    arguments: tuple[str, ...]
    environment: dict[str, str] = field(repr=False)  # may hold keys
    log_path: Path


class WorkerProcess:
    """A worker that this process started. It goes on when this process ends."""

    def __init__(self, command: WorkerCommand) -> None:
        """Start it, detached: own session, no terminal.

        Raises:
            ResourceError: this computer cannot start it now.
        """
        self._log_path = command.log_path
        self._started_at = datetime.now(UTC)
        try:
            self._process = _started(command)
        except OSError as error:
            raise ResourceError(
                f"The background worker could not be started: {error.strerror or error}. What you gave is kept.",
                "Free some memory or disk space, or close other programs. `webrag work` goes on with what is queued.",
            ) from error
        # A window lives long: somebody must collect the exit status even when nobody asks for this worker any more.
        reaper = threading.Thread(target=self._process.wait, name=f"reap-{self._process.pid}", daemon=True)
        reaper.start()

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    @property
    def failed(self) -> bool:
        """Whether it ended in an error or was killed."""
        return self._process.poll() not in (None, 0)

    def wait(self, timeout_seconds: float) -> None:
        """Wait for its end; raises TimeoutError when that takes longer."""
        try:
            self._process.wait(timeout_seconds)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError from error

    def stop(self, timeout_seconds: float) -> None:
        """Ask it to stop between two steps, end it when it does not; its work stays queued."""
        if not self.running:
            return
        self._process.terminate()
        try:
            self.wait(timeout_seconds)
        except TimeoutError:
            self._process.kill()
            self._process.wait()

    def failure(self) -> WebragError:
        """Why it ended: what it handed over, else the last words of its log.

        It is the very ConfigurationError that the worker met where another worker would meet that, too.
        """
        code = self._process.poll()
        told = FailureNote.in_folder(self._log_path.parent).read()
        if told is not None and told.at < self._started_at:
            told = None  # that was another one's
        if told is not None and told.kind == "configuration" and code != CONFIGURATION_CODE:
            told = None  # a command met that under settings of its own
        if code == CONFIGURATION_CODE and told is not None and told.kind == "configuration":
            return ConfigurationError(told.message, told.hint)
        kind = ConfigurationError if code == CONFIGURATION_CODE else StackError
        ended = _signal_name(code) if code is not None and code < 0 else f"exit code {code}"
        words = told.message if told is not None else self._last_words()
        return kind(
            f"The background worker stopped ({ended}). What you gave is kept. {words}".strip(),
            f"Its log is {self._log_path}. `webrag work` goes on with what is queued.",
        )

    def _last_words(self) -> str:
        try:
            log = self._log_path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:  # somebody tidied up
            return ""
        return " ".join(line.strip() for line in log.splitlines()[-SHOWN_LOG_LINES:])


def _started(command: WorkerCommand) -> "subprocess.Popen[bytes]":
    _open_log_folder(command.log_path)
    with command.log_path.open("ab") as log:
        return subprocess.Popen(
            command.arguments,
            env=command.environment,
            cwd=command.log_path.parent,  # the caller's folder must not be kept busy
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )


def _signal_name(code: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def _open_log_folder(log_path: Path) -> None:
    make_private(log_path.parent)
    if log_path.exists() and log_path.stat().st_size > LOG_LIMIT_BYTES:
        log_path.replace(log_path.with_suffix(".old.log"))


def lower_own_priority() -> None:
    """Let every other program go first; bulk work must not be felt."""
    if hasattr(os, "nice"):
        os.nice(19 - os.nice(0))


def worker_arguments(executable: str, options: Sequence[str] = ()) -> tuple[str, ...]:
    """The command line that runs the worker; ``-P`` keeps modules of the current folder from being run."""
    return (executable, "-P", "-m", "webrag_desktop", "work", "--background", *options)
