"""The worker process: how it is started, supervised and stopped, and the note of why it ended."""

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Self
from uuid import UUID

from webrag_desktop.errors import ConfigurationError, ResourceError, StackError, WebragError
from webrag_desktop.models.queue import FailureKind, StateNews, WorkerFailure
from webrag_desktop.progress import FINAL_STATES
from webrag_desktop.stack.layout import make_private
from webrag_desktop.storage.captures import page_looks
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import expansions
from webrag_desktop.storage.queue import jobs, postponement, queue_control

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FailureNote:
    """The one file, beside the worker's log, which holds the last failure until a worker begins."""

    path: Path

    @classmethod
    def in_folder(cls, logs: Path) -> Self:
        """The note in the folder that the worker's log is in."""
        return cls(logs / "worker-failure.json")

    @classmethod
    def of_home(cls, home: Path) -> Self:
        """The note of the worker of a data folder."""
        return cls.in_folder(home / "logs")

    def try_write(self, failure: WorkerFailure) -> None:
        """Write it where that is possible; its caller reports it in any case."""
        try:
            self.write(failure)
        except OSError as refusal:
            log.warning("the reason cannot be noted in %s: %s", self.path, refusal)

    def write(self, failure: WorkerFailure) -> None:
        """Replace the stored failure by this one, atomically.

        Raises:
            OSError: it cannot be written.
        """
        make_private(self.path.parent)
        unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        note = asdict(failure) | {"at": failure.at.isoformat()}
        unfinished.write_text(json.dumps(note, ensure_ascii=False) + "\n", encoding="utf-8")
        unfinished.replace(self.path)

    def read(self) -> WorkerFailure | None:
        """The last failure; None where there is none, or nothing that a worker of this version wrote."""
        try:
            note = json.loads(self.path.read_text(encoding="utf-8"))
            kind: FailureKind = "configuration" if note["kind"] == "configuration" else "other"
            at = datetime.fromisoformat(note["at"]).astimezone(UTC)
            message, hint, settings = (str(note[name]) for name in ("message", "hint", "settings"))
            return WorkerFailure(kind, message, hint, at, settings)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def clear(self) -> None:
        """Forget it: a worker is at the queue."""
        self.path.unlink(missing_ok=True)


CONFIGURATION_CODE = 4  # the exit code of a worker that another one would follow into the same end
LOWEST_PRIORITY = 19  # nice values go from -20 to this
LOG_LIMIT_BYTES = 2_000_000
SHOWN_LOG_LINES = 5


@dataclass(frozen=True, slots=True)
class WorkerCommand:
    """How to start the worker, in which environment, where it writes its log, and what it is given in secret."""

    arguments: tuple[str, ...]
    environment: dict[str, str] = field(repr=False)  # the user may have exported keys
    log_path: Path
    secrets: dict[str, str] = field(
        default_factory=dict, repr=False
    )  # settings, handed over by standard input

    @property
    def given(self) -> bytes:
        """What the worker reads from its standard input."""
        return json.dumps(self.secrets).encode("ascii")


class WorkerProcess:
    """A worker that this process started. It continues when this process ends."""

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
                "Free some memory or disk space, or close other programs. `webrag work` continues with what is queued.",
            ) from error
        # A window runs for long: the exit status must be collected even when this worker is no longer needed.
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
        """Why it ended: its note, else the last lines of its log.

        It is the very ConfigurationError that the worker met where another worker would meet that, too.
        """
        code = self._process.poll()
        note = FailureNote.in_folder(self._log_path.parent).read()
        if note is not None and note.at < self._started_at:
            note = None  # that was another one's
        if note is not None and note.kind == "configuration" and code != CONFIGURATION_CODE:
            note = None  # a command met that under settings of its own
        if code == CONFIGURATION_CODE and note is not None and note.kind == "configuration":
            return ConfigurationError(note.message, note.hint)
        kind = ConfigurationError if code == CONFIGURATION_CODE else StackError
        ended = _signal_name(code) if code is not None and code < 0 else f"exit code {code}"
        words = note.message if note is not None else self._last_words()
        return kind(
            f"The background worker stopped ({ended}). What you gave is kept. {words}".strip(),
            f"Its log is {self._log_path}. `webrag work` continues with what is queued.",
        )

    def _last_words(self) -> str:
        try:
            log = self._log_path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:  # removed by hand
            return ""
        return " ".join(line.strip() for line in log.splitlines()[-SHOWN_LOG_LINES:])


def _started(command: WorkerCommand) -> "subprocess.Popen[bytes]":
    _open_log_folder(command.log_path)
    with command.log_path.open("ab") as log:
        process = subprocess.Popen(
            command.arguments,
            env=command.environment,
            cwd=command.log_path.parent,  # the caller's folder must not be kept busy
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    assert process.stdin is not None
    with (
        contextlib.suppress(BrokenPipeError),
        process.stdin,
    ):  # one that ended at once is reported by its exit code
        process.stdin.write(command.given)
    return process


def _signal_name(code: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def _open_log_folder(log_path: Path) -> None:
    make_private(log_path.parent)
    if log_path.exists() and log_path.stat().st_size > LOG_LIMIT_BYTES:
        log_path.replace(log_path.with_suffix(".old.log"))


def lower_own_priority() -> None:
    """Let every other program go first; bulk work must not be felt.

    Where Linux shares the processor between sessions first, nice values count only within one: there the session of a
    process that leads its own, as a worker does, goes last, too.
    """
    if hasattr(os, "nice"):
        os.nice(LOWEST_PRIORITY - os.nice(0))
    if sys.platform == "linux" and os.getsid(0) == os.getpid():
        with contextlib.suppress(OSError):  # a kernel that does not share by sessions
            Path("/proc/self/autogroup").write_text(f"{LOWEST_PRIORITY}", encoding="ascii")


def worker_arguments(executable: str, options: Sequence[str] = ()) -> tuple[str, ...]:
    """The command line that runs the worker, which reads secrets from its standard input.

    ``-P`` keeps modules of the current folder from being run.
    """
    return (executable, "-P", "-m", "webrag_desktop", "work", "--background", "--secrets-given", *options)


STARTS_WITHOUT_PROGRESS = 4  # one more than a document may be there when the worker ends
AGAIN_SECONDS = (
    50.0  # starts further apart are not "again and again": a worker leaves while the model is away
)


def work_waits(conn: Connection) -> bool:
    """Whether a worker would find something to do soon: a job, files of pages, a capture of a site, a move."""
    if queue_control.work_waits(conn) or postponement.work_waits(conn) or page_looks.work_waits(conn):
        return True
    if not expansions.site_work_waits(conn):
        return False
    from webrag_desktop.jobs import run_pages

    return run_pages.capture_work_waits(conn)


class Advance:
    """Distinguishes work that advanced from work that only began again, as that of a worker that always dies does."""

    def __init__(self) -> None:
        """Nothing was seen yet."""
        self._furthest: dict[UUID, dict[StateNews, int]] = {}

    def made(self, source_id: UUID, state: StateNews, done: int | None) -> bool:
        """Whether a document is at its end, or further than it ever was.

        Claiming a document sets it to fetching or extracting; only the states after these show that work was done.
        """
        if state in FINAL_STATES or state == "removed":
            self._furthest.pop(source_id, None)
            return True
        if state not in ("chunking", "embedding") and not done:
            return False
        before = self._furthest.setdefault(source_id, {})
        furthest, reached = before.get(state, -1), done or 0
        before[state] = max(furthest, reached)
        return reached > furthest


class WorkerSupervisor:
    """Supervises the worker that this process started. Any thread may stop it."""

    def __init__(
        self, start: Callable[[], WorkerProcess], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start workers by ``start``."""
        self._start = start
        self._clock = clock
        self._started_at = 0.0
        self._lock = Lock()
        self._worker: WorkerProcess | None = None
        self._starts = 0
        self._stopped = False

    def keep_working(self, conn: Connection) -> None:
        """Start a worker if there is something to do and no worker runs.

        Raises:
            ConfigurationError: the one before met it, and the next one would.
            StackError: it was started again and again without getting anything done.
        """
        if jobs.runner_exists(conn):
            self._forget_a_refusal()
            return
        if not work_waits(conn):
            return
        with self._lock:
            if self._stopped or (self._worker is not None and self._worker.running):
                return
            now = self._clock()
            if now - self._started_at > AGAIN_SECONDS:
                self._starts = 0
            self._give_up_if_in_vain()
            self._worker = self._start()
            self._starts += 1
            self._started_at = now

    def _give_up_if_in_vain(self) -> None:
        if self._worker is None:
            return
        failure = self._worker.failure()
        if isinstance(failure, ConfigurationError) or self._starts >= STARTS_WITHOUT_PROGRESS:
            raise failure

    def _forget_a_refusal(self) -> None:
        """Some worker got to the queue: the failure of ours may be over, and its note is gone."""
        with self._lock:
            ended = self._worker if self._worker is not None and not self._worker.running else None
            if ended is not None and isinstance(ended.failure(), ConfigurationError):
                self._worker = None

    def progressed(self) -> None:
        """Note that work gets done: earlier starts do not count as failures."""
        self._starts = 0

    def try_again(self) -> None:
        """Start another worker however the last one ended: the user requested something."""
        with self._lock:
            self._starts = 0
            if self._worker is not None and not self._worker.running:
                self._worker = None

    def begin(self) -> None:
        """Start workers from now on, also after a :meth:`stop`."""
        with self._lock:
            self._stopped = False
        self.try_again()

    def stop(self, timeout_seconds: float) -> None:
        """End the worker that was started, and start no other; its work stays queued."""
        with self._lock:
            self._stopped = True
            worker = self._worker
        if worker is not None:
            worker.stop(timeout_seconds)
