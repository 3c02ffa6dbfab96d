"""One reading process, from its start to its end, with an eye on its time and memory."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.reading_process.options import MEGABYTE, PATIENCE, ReadingOptions
from webrag_desktop.ingestion.reading_process.protocol import (
    EXIT_NO_MEMORY,
    Answer,
    read_answer,
    write_capture,
)
from webrag_desktop.ingestion.reading_process.refusals import broke_off, too_much_memory, too_slow
from webrag_desktop.models import Capture
from webrag_desktop.progress import CancelToken

log = logging.getLogger(__name__)
_LOOK_SECONDS = 0.02  # between two looks at time and memory
_LITTLE = 0.125  # share of the memory limit that a process may hold to count as fresh, where memory is what it died of
_CREATE_NO_WINDOW = 0x08000000  # named by `subprocess` only on Windows
# What the process may know of our environment: no keys, nothing that steers Python.
_KEPT_VARIABLES = frozenset(
    (
        *("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "TMPDIR"),
        *("APPDATA", "LOCALAPPDATA", "PATHEXT", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP"),
        *("USERPROFILE", "WINDIR"),
    )
)


class Ended(Exception):
    """The process is gone with its document; ``anew`` says that a fresh one may do better."""

    def __init__(self, error: ExtractionError, *, anew: bool) -> None:
        super().__init__(error.message)
        self.error, self.anew = error, anew


class Child:
    """One process, from its start to its end."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start it, and do not wait for it."""
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(),
            cwd=Path(sys.executable).anchor,  # the caller's folder must not be kept busy
            creationflags=_CREATE_NO_WINDOW if sys.platform == "win32" else 0,
        )
        self._seen = psutil.Process(self.process.pid)
        self.documents = 0
        self._before = self._peak = 0  # bytes

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet."""
        return self.process.poll() is None

    def memory_bytes(self) -> int:
        """Its memory now; 0 when it is gone."""
        try:
            return int(self._seen.memory_info().rss)
        except psutil.NoSuchProcess:
            return 0

    def _worked_seconds(self) -> float:
        """Time the processor has spent on it; 0 when it is gone."""
        try:
            times = self._seen.cpu_times()
            return float(times.user + times.system)
        except psutil.NoSuchProcess:
            return 0.0

    def end(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:  # what was not sent goes nowhere
                log.debug("the reading process was ended while it was being told something")

    def ask(self, capture: Capture, options: ReadingOptions, cancel: CancelToken) -> Answer:
        """Have a capture read; raises :class:`Ended` when it died of it, ``Cancelled`` when that was wished."""
        exchange = _Exchange(self.process, capture, options.memory_bytes)
        self._before = self._peak = self.memory_bytes()
        with cancel.calling(exchange.over.set):
            try:
                cancel.raise_if_cancelled()
                self._watch(exchange, options)
                cancel.raise_if_cancelled()
            except BaseException:
                self.process.kill()
                exchange.join()
                raise
        if exchange.answer is None:
            raise self._death(options)
        self.documents += 1
        return exchange.answer

    def _watch(self, exchange: "_Exchange", options: ReadingOptions) -> None:
        latest = time.monotonic() + PATIENCE * options.seconds
        worked = self._worked_seconds()
        while not exchange.over.wait(_LOOK_SECONDS):
            self._peak = max(self._peak, self.memory_bytes())
            if self._peak > options.memory_bytes:
                raise self._starved(options)
            if time.monotonic() > latest or self._worked_seconds() - worked > options.seconds:
                raise Ended(too_slow(options), anew=False)

    def _death(self, options: ReadingOptions) -> Ended:
        """Why there is no answer: it is dead, or says what cannot be understood."""
        self.process.kill()
        code = self.process.wait()
        log.warning("the reading process ended with %s, its memory at %d MB", code, self._peak // MEGABYTE)
        # Libraries that get no memory abort; a system without any left kills.
        aborted = sys.platform != "win32" and code in {-signal.SIGABRT, -signal.SIGKILL}
        if code == EXIT_NO_MEMORY or (aborted and self._peak > options.memory_bytes // 2):
            return self._starved(options)
        return Ended(broke_off(), anew=self.documents > 0)

    def _starved(self, options: ReadingOptions) -> Ended:
        held = self._before > _LITTLE * options.memory_bytes
        return Ended(too_much_memory(options), anew=self.documents > 0 and held)


class _Exchange:
    """One question and its answer, in a thread of its own: pipes cannot be waited for everywhere.

    ``over`` is set when there is an answer, or there will be none.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", capture: Capture, most_bytes: int) -> None:
        self.over = threading.Event()
        self.answer: Answer | None = None
        self._process, self._capture, self._most_bytes = process, capture, most_bytes
        self._thread = threading.Thread(target=self._run, name=f"reading-{process.pid}", daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait for the end of the thread; soon after the end of the process."""
        self._thread.join()

    def _run(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            write_capture(self._process.stdin, self._capture)  # type: ignore[arg-type]
            self.answer = read_answer(self._process.stdout, self._most_bytes)  # type: ignore[arg-type]
        except (OSError, ValueError) as error:  # it died, or does not keep to the form
            log.info("the reading process gave no answer: %r", error)
        finally:
            self.over.set()


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name.upper() in _KEPT_VARIABLES}
    own = {"PYTHONPATH": str(Path(__file__).parents[3]), "PYTHONUTF8": "1", "PYTHONHASHSEED": "0"}
    return kept | own | {"PYDANTIC_DISABLE_PLUGINS": "__all__", "MALLOC_ARENA_MAX": "2"}
