"""Workers forked from a process that has imported everything: ``python -m tests.support.forked_workers``.

Each is a real process that carries out the worker's command in the environment it was given; only importing the program
again is saved, which takes longer than what most tests have a worker do. Where a process cannot show another's command
line and environment, by which tests find workers, and for variables that are read when an interpreter or a library
starts, workers are started as the program does it.
"""

import ctypes
import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from unittest.mock import patch

from webrag_desktop.jobs import worker_process
from webrag_desktop.jobs.worker_process import WorkerCommand, worker_arguments

_CAN_SHOW_OTHERS = sys.platform == "linux"
_READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "OMP_", "OPENBLAS_", "HF_", "HUGGINGFACE_")
_SAME_FOR_ALL = "PYTHONPATH"  # it leads to the package, here and there
_PADDING = "x" * 500
_MOST_BYTES = 150_000  # of a request


class ForkedProcess:
    """Stands where :class:`subprocess.Popen` stands. Any thread may wait for it."""

    def __init__(self, reported: socket.socket) -> None:
        """``reported`` says its number, and how it ended when it has."""
        self._lines = reported.makefile("r")
        reported.close()
        self.pid = int(self._lines.readline())
        self.returncode: int | None = None
        self._ended = threading.Event()
        threading.Thread(target=self._listen, name=f"hear-{self.pid}", daemon=True).start()

    def _listen(self) -> None:
        with self._lines as lines:
            self.returncode = int(lines.readline())
        self._ended.set()

    def poll(self) -> int | None:
        """Its exit code, None while it runs."""
        if not self._ended.is_set() and not _exists(self.pid):
            self._ended.wait()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; raises TimeoutExpired."""
        if not self._ended.wait(timeout) or self.returncode is None:
            raise subprocess.TimeoutExpired("worker", timeout or 0)
        return self.returncode

    def terminate(self) -> None:
        """Ask it to end."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class ForkingProcess:
    """The process that workers are forked from, started when it is first needed and ended with the ``with`` block."""

    def __init__(self) -> None:
        """It gets the environment that there is now."""
        self._environment = dict(os.environ)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._asking: socket.socket | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._asking is not None and self._process is not None:
            self._asking.close()
            self._process.wait()

    def takes(self, command: WorkerCommand) -> bool:
        """Whether a forked process would do what this command does."""
        usual = command.arguments == worker_arguments(sys.executable)
        return usual and _CAN_SHOW_OTHERS and _at_start(command.environment) == _at_start(self._environment)

    def forked(self, command: WorkerCommand) -> ForkedProcess:
        """The worker that this command starts."""
        request = json.dumps(
            {
                "arguments": command.arguments,
                "environment": command.environment,
                "log": str(command.log_path),
                "given": command.given.decode("ascii"),
            }
        ).encode()
        assert len(request) < _MOST_BYTES
        reported, telling = socket.socketpair()
        with self._lock, telling:
            socket.send_fds(self._begun(), [request], [telling.fileno()])
        return ForkedProcess(reported)

    def _begun(self) -> socket.socket:
        if self._asking is None:
            self._asking, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with asked:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", __spec__.name, str(asked.fileno()), _PADDING],
                    env=self._environment | {_SAME_FOR_ALL: str(Path(__file__).parents[2])},
                    stdin=subprocess.DEVNULL,
                    pass_fds=[asked.fileno()],
                )
        return self._asking


def _at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(_READ_AT_START) and name != _SAME_FOR_ALL
    }


@contextmanager
def forking_workers() -> Iterator[None]:
    """Have this process start its workers by forking."""
    with ForkingProcess() as forking:
        start = worker_process._started

        def started(command: WorkerCommand) -> Any:
            if not forking.takes(command):
                return start(command)
            worker_process._open_log_folder(command.log_path)
            return forking.forked(command)

        with patch.object(worker_process, "_started", started):
            yield


# -- The process that forks ------------------------------------------------------------------------------------------


def _preload() -> None:
    """What every worker imports and reads, but for what starts threads."""
    from webrag_desktop import __main__ as program

    program._load_no_plugins()
    program._keep_quiet()
    import onnxruntime  # noqa: F401

    from webrag_desktop.cli import background, main  # noqa: F401
    from webrag_desktop.embedding import embedded  # noqa: F401
    from webrag_desktop.ingestion.reading_process import process  # noqa: F401
    from webrag_desktop.library import library, opening  # noqa: F401
    from webrag_desktop.maintenance import space_move, upkeep  # noqa: F401
    from webrag_desktop.text import language

    # Behind everything else, a worker gets nothing of a computer that is busy with other things, and tests wait for it.
    patch.object(background, "lower_own_priority", lambda: None).start()
    language.load()
    assert threading.active_count() == 1, "a fork has one thread, whatever the others were at"
    gc.collect()
    gc.freeze()


def _serve(asked: socket.socket) -> dict[str, Any] | None:
    """Fork on request. Returns the request in the process that was forked for it; None when nobody is there to ask."""
    running: dict[int, socket.socket] = {}
    woken, waker = socket.socketpair()
    waker.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker.fileno())
    with selectors.DefaultSelector() as selector:
        selector.register(asked, selectors.EVENT_READ)
        selector.register(woken, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _events in selector.select()}
            if woken in ready:
                woken.recv(1000)
                _tell_of_the_ended(running)
            if asked not in ready:
                continue
            request, fds, _flags, _address = socket.recv_fds(asked, _MOST_BYTES, 1)
            if not request:
                return None
            telling = socket.socket(fileno=fds[0])
            pid = os.fork()
            if pid == 0:
                for one in (asked, woken, waker, telling, *running.values()):
                    one.close()
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                return dict(json.loads(request))
            running[pid] = telling
            telling.sendall(f"{pid}\n".encode())


def _tell_of_the_ended(running: dict[int, socket.socket]) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        with running.pop(pid) as telling:
            try:
                telling.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
            except BrokenPipeError:  # whoever started it has ended
                continue


def _become(arguments: list[str], environment: dict[str, str], log: str, given: str) -> None:
    """Be as if this process had been started with these, for itself and for whoever looks at it."""
    os.setsid()
    opened = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    for number in (1, 2):
        os.dup2(opened, number)
    os.close(opened)
    reading, writing = os.pipe()
    os.write(writing, given.encode("ascii"))
    os.close(writing)
    os.dup2(reading, 0)
    os.close(reading)
    os.chdir(Path(log).parent)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.argv = ["webrag_desktop", *arguments[arguments.index("webrag_desktop") + 1 :]]
    places = [
        int(field) for field in Path("/proc/self/stat").read_text("ascii").rpartition(")")[2].split()[45:49]
    ]
    _show(arguments, *places[:2])
    _show([f"WEBRAG_HOME={environment.get('WEBRAG_HOME', '')}"], *places[2:])


def _show(words: list[str], start: int, end: int) -> None:
    """Put words where the system reads a process's command line, or its environment, from."""
    written = b"".join(os.fsencode(word) + b"\0" for word in words)
    assert len(written) <= end - start
    ctypes.memmove(start, written.ljust(end - start, b"\0"), end - start)


def _run() -> None:
    _preload()
    request = _serve(socket.socket(fileno=int(sys.argv[1])))
    if request is not None:
        _become(**request)
        from webrag_desktop.__main__ import main

        main()


if __name__ == "__main__":
    _run()
