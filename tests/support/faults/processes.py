"""The program's processes, forked from one that has imported everything: ``python -m tests.support.faults.processes``.

Its arguments are a folder and the address of the socket it listens on. A request is a line of JSON, ``{"role": …,
"wish": …}``; the answer is the number of the process that was forked. Each is a real process that can be killed; only
importing the program again is saved.
"""

import json
import os
import signal
import socket
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from tests.support.faults.points import FaultFile, Role, watch_reading, watch_statements
from tests.support.server import SURVIVES_KILLS
from webrag_desktop import open_library
from webrag_desktop.cli.background import run_worker
from webrag_desktop.errors import StackError, WebragError
from webrag_desktop.indexing import open_spaces
from webrag_desktop.ingestion.reading_process import process as _reading
from webrag_desktop.jobs import runner
from webrag_desktop.library import documents, intake
from webrag_desktop.library import worker as worker_parts
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.maintenance import backup, space_move
from webrag_desktop.models.queue import LibraryNews
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import CancelToken
from webrag_desktop.stack import choice
from webrag_desktop.stack.embedded import EmbeddedStack

PRELOADED = (_reading, backup, intake, open_spaces, documents, runner, space_move)
AGAIN_SECONDS = 0.05


class ForkedWorker:
    """Stands where :class:`WorkerProcess` stands, for a worker that the parent of all forks."""

    def __init__(self, address: str) -> None:
        self._pid = ask_for(address, "worker", None)

    @property
    def running(self) -> bool:
        try:
            os.kill(self._pid, 0)
        except ProcessLookupError:
            return False
        return True

    def failure(self) -> StackError:
        return StackError("The worker ended again and again.")

    def stop(self, timeout_seconds: float) -> None:
        """No window of these tests is closed in good order."""
        raise NotImplementedError


def ask_for(address: str, role: Role, wish: dict[str, Any] | None) -> int:
    """Have a process forked; returns its number."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(address)
        asking.sendall(json.dumps({"role": role, "wish": wish}).encode() + b"\n")
        with asking.makefile("r") as answer:
            return int(answer.readline())


def serve(folder: Path, address: str) -> NoReturn:
    """Fork on request, for ever."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the ended are not kept as zombies
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{address}.new")
        listening.listen(16)
        Path(f"{address}.new").rename(address)  # whoever waits for it may connect at once
        while True:
            asked, _ = listening.accept()
            with suppress(OSError):  # who asked was killed
                _fork(folder, address, listening, asked)


def _fork(folder: Path, address: str, listening: socket.socket, asked: socket.socket) -> None:
    """Fork what is asked for and tell its number."""
    with asked, asked.makefile("rw") as lines:
        request = json.loads(lines.readline() or "null")
        if request is None:
            return
        pid = os.fork()
        if pid == 0:
            listening.close()
            asked.close()
            _be(folder, address, request["role"], request["wish"])
        (folder / "victims" / request["role"]).write_text(str(pid), "ascii")
        with (folder / "processes.txt").open("a", encoding="ascii") as all_of_them:
            all_of_them.write(f"{pid}\n")
        lines.write(f"{pid}\n")


def _be(folder: Path, address: str, role: Role, wish: dict[str, Any] | None) -> NoReturn:
    """Be that process until its end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    log = os.open(folder / f"{role}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    faults = FaultFile(folder)
    watch_statements(faults, role)
    if role == "worker":
        watch_reading(faults)
    try:
        if role == "worker":
            code = int(run_worker())
        elif role == "window":
            code = _window(address)
        else:
            code = _ask(wish or {})
    except WebragError as error:
        _note(f"{role}: {error.message}")
        code = 1
    os._exit(code)


def _note(text: str) -> None:
    """Write to the log of this kind of process."""
    sys.stderr.write(f"{os.getpid()} {text}\n")
    sys.stderr.flush()


def _window(address: str) -> int:
    """Follow the library as a window does, opening it again whenever it is lost."""
    setattr(worker_parts, "WorkerProcess", lambda _command: ForkedWorker(address))  # noqa: B010
    while True:
        try:
            with open_library() as services:
                services.take_in()
                services.follow(lambda news, of=services: _look(of, news), CancelToken())  # type: ignore[misc]
        except WebragError as error:
            _note(f"window: {error.message} {error.hint}")
            time.sleep(AGAIN_SECONDS)


def _look(services: StoredLibrary, news: LibraryNews) -> None:
    """What a window asks for when something changed."""
    services.documents.rows([one.source_id for one in news.changed])
    services.documents.overview()
    services.queue.positions()


def _ask(wish: dict[str, Any]) -> int:
    """Do what the user wishes, as a command does."""
    with open_library() as library:
        given = wish["given"]
        if wish["verb"] == "add":
            library.add(given)
        elif wish["verb"] == "retry":
            library.queue.retry([source.id for source in library.documents.all() if source.may_come_sooner])
        else:
            _do(library, wish["verb"], [source for source in library.documents.all() if source.url in given])
    Path(wish["done"]).touch()
    return 0


def _do(library: StoredLibrary, verb: str, chosen: list[SourceRow]) -> None:
    """Refresh, remove or reread these; a reread of what failed would settle for the text before a failed refresh."""
    ids = [source.id for source in chosen if verb != "reextract" or source.state != "failed"]
    if verb in ("refresh", "look"):
        library.documents.refresh(ids)
    elif verb == "remove":
        library.documents.remove_surely(ids)
    else:
        library.documents.reextract(ids)


if __name__ == "__main__":
    setattr(choice, "EmbeddedStack", partial(EmbeddedStack, extra_settings=SURVIVES_KILLS))  # noqa: B010
    serve(Path(sys.argv[1]), sys.argv[2])
