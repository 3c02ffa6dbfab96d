"""The real program against a data folder of its own, run as subprocesses or, for less, in this process."""

import io
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil

from tests.support.data_folders import data_folder
from tests.support.fused_model import place_fused_model
from tests.support.server import prepared_cluster
from tests.support.stack_processes import copy_cluster
from tests.support.tested_model import embedded_unless
from webrag_desktop.cli.main import run as run_commands

TIMEOUT_SECONDS = 120
END_SECONDS = 45  # the reaper sleeps through its grace period before it sees that nothing is left to do
_OURS = ("WEBRAG_", "EMBEDDING_", "RETRIEVAL_", "CHUNK_", "CHAT_", "FETCH_", "MCP_")


@dataclass(frozen=True)
class Finished:
    """A command that ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be one JSON document."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Program:
    """``webrag`` with a data folder, and a current folder that no relative path of the tests depends on."""

    home: Path
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """This process's environment without settings of whoever runs the tests."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        return kept | {"WEBRAG_HOME": str(self.home), **embedded_unless(self.extra)}

    def run(self, *arguments: str, given: str | None = None) -> Finished:
        """Run a command to its end; ``given`` is its standard input (empty by default)."""
        done = subprocess.run(
            self._command(arguments),
            input=(given or "").encode(),
            capture_output=True,
            env=self.environment,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        return Finished(done.returncode, done.stdout.decode(), done.stderr.decode())

    def answer(self, *arguments: str) -> Any:
        """The JSON a command prints, which must end well."""
        done = self.run(*arguments)
        assert done.code == 0, done.out + done.err
        return done.json

    def start(self, *arguments: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        """Start a command and leave it running."""
        return subprocess.Popen(
            self._command(arguments),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
        )

    @staticmethod
    def _command(arguments: Sequence[str]) -> list[str]:
        return [sys.executable, "-m", "webrag_desktop", *arguments]

    def processes(self) -> list[psutil.Process]:
        """Every process that belongs to the data folder: commands, worker, server pin, reaper, server."""
        return [process for process in psutil.process_iter() if self._owns(process)]

    def worker(self) -> psutil.Process | None:
        """The worker process, if one runs."""
        return next((process for process in self.processes() if "--background" in _arguments(process)), None)

    def until_no_worker(self) -> None:
        """Wait until the worker has ended: it goes by the settings it was started with, also in what begins later."""
        if (worker := self.worker()) is not None:
            worker.wait(timeout=60)

    def _owns(self, process: psutil.Process) -> bool:
        if process.pid == os.getpid():
            return False
        if str(self.home) in "\n".join(_arguments(process)):
            return True
        try:
            return process.environ().get("WEBRAG_HOME") == str(self.home)
        except (psutil.Error, OSError):  # it ended, or belongs to somebody else
            return False


class ProgramHere(Program):
    """The same commands in this process, which spares each the start of an interpreter and all its imports.

    The database server, its reaper and the worker are processes of their own all the same. For tests of what
    commands do and print; tests of processes, signals and terminals need :class:`Program`.
    """

    def run(self, *arguments: str, given: str | None = None) -> Finished:
        """Run a command to its end, with streams and an environment of its own."""
        out, err = _stream(), _stream()
        with (
            patch.dict(os.environ, self.environment, clear=True),
            patch.object(sys, "stdin", _stream((given or "").encode())),
            redirect_stdout(out),
            redirect_stderr(err),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("default")  # the tests' filter makes errors of them
            code = run_commands(arguments)
        return Finished(code, _written(out), _written(err))


def _stream(content: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _arguments(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@contextmanager
def program(kind: type[Program] = Program, **extra: str) -> Iterator[Program]:
    """A program whose data folder has what a first start would make: an empty database, and the model."""
    with new_program(kind, **extra) as started:
        place_fused_model(copy_cluster(prepared_cluster(), started.home))
        yield started


@contextmanager
def new_program(kind: type[Program] = Program, **extra: str) -> Iterator[Program]:
    """A program without a data folder so far; whatever it started is ended, however the test went."""
    with data_folder("journey") as folder:
        started = kind(folder / "Bücher & Netz", extra)
        try:
            yield started
        finally:
            _end(started)


def _end(started: Program) -> None:
    """Kill the clients first, so that the server can be stopped in an orderly way; then what is left."""
    server = [process for process in started.processes() if _name(process).startswith("postgres")]
    for process in started.processes():
        if process not in server:
            _kill(process)
    started.run("stack", "stop")
    for process in started.processes():
        _kill(process)


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return ""


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
        process.wait(END_SECONDS)
    except psutil.NoSuchProcess:
        return
