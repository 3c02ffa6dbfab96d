"""Where a process can be killed: before each statement and each commit, and after each commit, connecting aside.

A small shared file holds the one fault that is armed; every process counts its own points against it.
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

import psycopg

Role = Literal["worker", "window", "asking"]
Target = Literal["worker", "window", "asking", "server"]
ROLES: tuple[Role, ...] = ("worker", "window", "asking")
TARGETS: tuple[Target, ...] = ("worker", "window", "asking", "server")
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
            with self.record.open("a", encoding="utf-8") as record:
                record.write(f"{'+'.join(targets)} when the {role} came to: {name}\n")
            self._memory[:] = bytes(_FORMAT.size)
            self._kill(role, targets)

    def _kill(self, role: Role, targets: list[Target]) -> None:
        for target in targets:
            if target != role:
                kill(self.victims / target)
        if role in targets:
            os.kill(os.getpid(), signal.SIGKILL)


def kill(noted: Path) -> None:
    """SIGKILL the process whose number stands first in a file, if there is one."""
    try:
        os.kill(int(noted.read_text("ascii").split()[0]), signal.SIGKILL)
    except (FileNotFoundError, IndexError, ProcessLookupError):
        return


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
