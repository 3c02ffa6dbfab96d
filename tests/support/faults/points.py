"""Where a process can be killed: before each statement and each commit, and after each commit, except connecting.

The reading process, which knows no database, can be killed while it starts, before it is given a document and while it
reads one; its worker sees these points. A small shared file holds the one fault that is armed; every process counts its
own points against it.
"""

import mmap
import os
import signal
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import psutil
import psycopg

from webrag_desktop.ingestion.reading_process import child_process
from webrag_desktop.ingestion.reading_process.protocol import READER_ARGUMENT

Role = Literal["worker", "window", "asking", "reader"]
Target = Literal["worker", "window", "asking", "server", "reader"]
ROLES: tuple[Role, ...] = ("worker", "window", "asking", "reader")
TARGETS: tuple[Target, ...] = ("worker", "window", "asking", "server", "reader")
_SETTING_UP = (
    "Composed([SQL('SELECT",
    "SELECT set_config",
)  # a connection, over and over, which changes nothing
_FORMAT = struct.Struct(
    "<iii"
)  # 1 + the role's place (0: nothing armed), points still to pass, targets as bits


@dataclass(frozen=True, slots=True)
class Fault:
    """Kill ``targets`` when a process of ``role`` comes to its ``point``-th point from now."""

    role: Role
    point: int
    targets: tuple[Target, ...]


class FaultFile:
    """The armed fault, seen by all processes, and the record of those that happened."""

    def __init__(self, folder: Path) -> None:
        """Make or open the files in ``folder``."""
        path = folder / "fault"
        if not path.exists():
            path.write_bytes(bytes(_FORMAT.size))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _FORMAT.size)
        self.record = folder / "happened.txt"
        self.victims = folder / "victims"
        self.victims.mkdir(exist_ok=True)
        self._lock = threading.Lock()

    def arm(self, fault: Fault) -> None:
        """Let it happen from now on."""
        bits = sum(1 << TARGETS.index(target) for target in fault.targets)
        self._memory[:] = _FORMAT.pack(1 + ROLES.index(fault.role), fault.point, bits)

    def disarm(self) -> bool:
        """Let nothing happen any more; False when it had happened already."""
        armed = self.armed
        self._memory[:] = bytes(_FORMAT.size)
        return armed

    @property
    def armed(self) -> bool:
        """Whether the fault is still to come."""
        return bool(_FORMAT.unpack(self._memory[:])[0])

    def pass_point(self, role: Role, name: str) -> None:
        """Count a point of this process, which may be its last."""
        with self._lock:
            place, left, bits = _FORMAT.unpack(self._memory[:])
            if place != 1 + ROLES.index(role):
                return
            if left > 1:
                self._memory[:] = _FORMAT.pack(place, left - 1, bits)
                return
            targets = [target for number, target in enumerate(TARGETS) if bits & 1 << number]
            if "reader" in targets and not self._reader_is_alive():
                targets.remove("reader")
            if not targets:  # it happens at the next point at which there is something to kill
                return
            with self.record.open("a", encoding="utf-8") as record:
                record.write(f"{'+'.join(targets)} when the {role} came to: {name}\n")
            self._memory[:] = bytes(_FORMAT.size)
            self._kill(role, targets)

    def _reader_is_alive(self) -> bool:
        """Whether the noted process is still the reading process: its number may be another one's by now."""
        try:
            noted = int((self.victims / "reader").read_text("ascii"))
            return READER_ARGUMENT in psutil.Process(noted).cmdline()
        except (FileNotFoundError, ValueError, psutil.Error):
            return False

    def _kill(self, role: Role, targets: list[Target]) -> None:
        own = "worker" if role == "reader" else role
        for target in targets:
            if target != own:
                kill(self.victims / target)
        if own in targets:
            os.kill(os.getpid(), signal.SIGKILL)


def kill(noted: Path) -> None:
    """SIGKILL the process whose number stands first in a file, if there is one."""
    try:
        os.kill(int(noted.read_text("ascii").split()[0]), signal.SIGKILL)
    except (FileNotFoundError, IndexError, ProcessLookupError):
        return


def watch_reading(faults: FaultFile) -> None:
    """Note every reading process of this worker, and make its start, and every document given to it, points."""
    parts: Any = child_process
    begin = parts.Child.__init__

    def noted(child: child_process.Child, *arguments: Any) -> None:
        begin(child, *arguments)
        (faults.victims / "reader").write_text(str(child.process.pid), "ascii")

    def pass_and(name: str, then: Any) -> Any:
        def passed(*arguments: Any) -> Any:
            faults.pass_point("reader", name)
            return then(*arguments)

        return passed

    parts.Child.__init__ = noted
    parts.hear_ready = pass_and("its start", parts.hear_ready)
    parts.write_request = pass_and("a document", parts.write_request)
    parts.read_answer = pass_and("reading a document", parts.read_answer)


def watch_statements(faults: FaultFile, role: Role) -> None:
    """Make every statement and commit of this process a point."""
    execute: Any = psycopg.Cursor.execute
    commit: Callable[..., None] = psycopg.Connection.commit

    def execute_or_die(cursor: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        name = " ".join(str(query).split())
        if name and not name.startswith(_SETTING_UP):
            faults.pass_point(role, name[:90])
        return execute(cursor, query, *arguments, **options)

    def commit_or_die(connection: Any) -> None:
        faults.pass_point(role, "before a commit")
        commit(connection)
        faults.pass_point(role, "after a commit")

    psycopg.Cursor.execute = execute_or_die  # type: ignore[method-assign,assignment]
    psycopg.Connection.commit = commit_or_die  # type: ignore[method-assign,assignment]
