"""One reading process, from its start to its end, with an eye on its time and memory."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from webrag_desktop.errors import ExtractionError, ResourceError
from webrag_desktop.ingestion.reading_process.limits import has_less_than
from webrag_desktop.ingestion.reading_process.options import (
    MEGABYTE,
    PATIENCE,
    ReadingOptions,
    broke_off,
    ended_from_outside,
    not_started,
    short_of_something,
    stalled,
    stopped,
    too_much_memory,
    too_slow,
)
from webrag_desktop.ingestion.reading_process.protocol import (
    EXIT_NO_MEMORY,
    EXIT_SHORT,
    Answer,
    Request,
    hear_ready,
    read_answer,
    write_request,
)
from webrag_desktop.progress import CancelToken

log = logging.getLogger(__name__)
_CHECK_SECONDS = 0.02  # between two checks of time and memory
_END_SECONDS = 30.0  # in which a process that closed its pipe has ended
_CREATE_NO_WINDOW = 0x08000000  # named by `subprocess` only on Windows
# What parsers end a process by; every other signal comes from somebody else.
_CRASHES = frozenset(
    -getattr(signal, name)
    for name in ("SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGSYS", "SIGTRAP", "SIGXCPU")
    if hasattr(signal, name)
)
_ENDED_BY_OTHERS_ON_WINDOWS = frozenset({1, 15, 0xFFFFFFFF})  # the codes of who ends processes there
# What the process may know of our environment: no keys, nothing that steers Python.
_KEPT_VARIABLES = frozenset(
    (
        *("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "TMPDIR"),
        *("APPDATA", "LOCALAPPDATA", "PATHEXT", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP"),
        *("USERPROFILE", "WINDIR"),
    )
)


class Ended(Exception):
    """The process is gone through what it read; ``fresh`` says that it had read nothing else before."""

    def __init__(self, error: ExtractionError, *, fresh: bool) -> None:
        super().__init__(error.message)
        self.error, self.fresh = error, fresh


class Child:
    """One process, from its start to its end."""

    def __init__(self, command: Sequence[str], clock: Callable[[], float] = time.monotonic) -> None:
        """Start it, and do not wait for it.

        Raises:
            OSError: this computer cannot start it now.
        """
        self._clock = clock
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(),
            cwd=Path(sys.executable).anchor,  # the caller's folder must not be kept busy
            creationflags=_CREATE_NO_WINDOW if sys.platform == "win32" else 0,
        )
        self._seen = psutil.Process(self.process.pid)
        self.ready = False
        self.documents = 0
        self._peak = 0  # bytes

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
                log.debug("the reading process was ended while a capture was being sent")

    def ask(self, request: Request, options: ReadingOptions, cancel: CancelToken) -> Answer:
        """Have a capture read.

        Raises:
            Ended: it died of the capture.
            ResourceError: it was ended from outside, or the computer lacked something.
            Cancelled: the token was set.
        """
        exchange = _Exchange(self, request, options.memory_bytes)
        self._peak = self.memory_bytes()
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
            raise self._death(exchange, options)
        self.documents += 1
        return exchange.answer

    def _watch(self, exchange: "_Exchange", options: ReadingOptions) -> None:
        """Wait for the end of an exchange; the clock counts only while the processor does nothing for it."""
        before = worked = self._worked_seconds()
        got_on_at = self._clock()
        while not exchange.over.wait(_CHECK_SECONDS):
            self._peak = max(self._peak, self.memory_bytes())
            if self._peak > options.memory_bytes:
                raise self._ended(too_much_memory(options))
            now, seen_at = self._worked_seconds(), self._clock()
            if now - before > options.seconds:
                raise self._ended(too_slow(options))
            if now > worked:
                worked, got_on_at = now, seen_at
            elif seen_at - got_on_at > PATIENCE * options.seconds:
                raise self._halt(options)

    def _halt(self, options: ReadingOptions) -> ResourceError:
        log.warning("the reading process gets nothing of the processor")
        if self._seen.status() == psutil.STATUS_STOPPED:
            return stopped()
        return stalled(options)

    def _death(self, exchange: "_Exchange", options: ReadingOptions) -> Exception:
        """Why there is no answer: it is dead, says what cannot be understood, or could not be heard."""
        if exchange.failure is not None:
            return exchange.failure
        garbled = exchange.garbled or not self._ends()
        self.process.kill()
        code = self.process.wait()
        log.warning("the reading process ended with %s, its memory at %d MB", code, self._peak // MEGABYTE)
        if not self.ready:
            return not_started()
        return self._ended(broke_off()) if garbled else self._judged(code, options)

    def _ends(self) -> bool:
        """Whether it ends by itself; its pipe is closed a moment before its exit code is known."""
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _judged(self, code: int, options: ReadingOptions) -> Exception:
        """What an exit code says: what a document causes is distinguished from other causes."""
        if _came_from_outside(code):
            return ended_from_outside()
        if sys.platform != "win32" and code == -signal.SIGXCPU:
            return self._ended(too_slow(options))
        # Libraries that get no memory crash or abort.
        if code == EXIT_SHORT or (code in _CRASHES and has_less_than(options.memory_bytes)):
            return short_of_something()
        aborted = sys.platform != "win32" and code == -signal.SIGABRT
        if code == EXIT_NO_MEMORY or (aborted and self._peak > options.memory_bytes // 2):
            return self._ended(too_much_memory(options))
        return self._ended(broke_off())

    def _ended(self, error: ExtractionError) -> Ended:
        return Ended(error, fresh=self.documents == 0)


def _came_from_outside(code: int) -> bool:
    if sys.platform == "win32":
        return code in _ENDED_BY_OTHERS_ON_WINDOWS
    return code < 0 and code not in _CRASHES


class _Exchange:
    """One question and its answer, in a thread of its own: pipes cannot be waited for everywhere.

    ``over`` is set when there is an answer, or there will be none: what came was ``garbled``, ``failure`` kept this
    process from hearing it, or the other one is gone.
    """

    def __init__(self, child: Child, request: Request, most_bytes: int) -> None:
        self.over = threading.Event()
        self.answer: Answer | None = None
        self.garbled = False
        self.failure: MemoryError | None = None
        self._child, self._request, self._most_bytes = child, request, most_bytes
        self._thread = threading.Thread(target=self._run, name=f"reading-{child.process.pid}", daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait for the end of the thread; soon after the end of the process."""
        self._thread.join()

    def _run(self) -> None:
        try:
            self.answer = self._answer()
        except OSError as error:  # it died
            log.info("the reading process gave no answer: %r", error)
        except ValueError as error:
            log.info("the reading process does not keep to the form: %r", error)
            self.garbled = True
        except MemoryError as error:
            self.failure = error
        finally:
            self.over.set()

    def _answer(self) -> Answer | None:
        process = self._child.process
        assert process.stdin is not None
        assert process.stdout is not None
        if not self._child.ready:
            self._child.ready = hear_ready(process.stdout)  # type: ignore[arg-type]
            if not self._child.ready:
                return None
        write_request(process.stdin, self._request)  # type: ignore[arg-type]
        return read_answer(process.stdout, self._most_bytes)  # type: ignore[arg-type]


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name.upper() in _KEPT_VARIABLES}
    own = {"PYTHONPATH": str(Path(__file__).parents[3]), "PYTHONUTF8": "1", "PYTHONHASHSEED": "0"}
    return kept | own | {"PYDANTIC_DISABLE_PLUGINS": "__all__", "MALLOC_ARENA_MAX": "2"}
