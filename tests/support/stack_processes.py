"""Other processes that use a stack, for tests that kill them, and a look at who watches over a data folder."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil

_ROOT = Path(__file__).parents[2]
_SCRIPT = Path(__file__).with_name("stack_user.py")
PATIENCE = 60.0


class StackUser:
    """One process running ``stack_user.py``; ``prefix`` is put before the interpreter."""

    def __init__(self, home: Path, *, grace: float = 0.0, prefix: Sequence[str] = ()) -> None:
        self.process = subprocess.Popen(
            [*prefix, sys.executable, str(_SCRIPT), str(home), str(grace)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(_ROOT)},
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def hear(self) -> dict[str, Any]:
        """The next answer."""
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def server(self) -> psutil.Process:
        """The server it reports to use; call once, right after the start."""
        return psutil.Process(self.hear()["server"])

    def count(self) -> int:
        """Have it store one more vector and count them."""
        assert self.process.stdin is not None
        self.process.stdin.write("count\n")
        self.process.stdin.flush()
        return int(self.hear()["count"])

    def leave(self) -> None:
        """End it in good order."""
        self.process.communicate(timeout=PATIENCE)

    def kill(self) -> None:
        """End it without giving it a chance (SIGKILL)."""
        self.process.kill()
        self.process.wait(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


def reapers(home: Path) -> list[psutil.Process]:
    """The reapers of a data folder."""
    named = (
        process
        for process in psutil.process_iter(["cmdline", "status"])
        if process.info["cmdline"] is not None
    )
    return [
        process
        for process in named
        if "webrag_desktop.stack.postgres.reaper" in process.info["cmdline"]
        and str(home) in process.info["cmdline"]
        and process.info["status"] != psutil.STATUS_ZOMBIE
    ]


def copy_cluster(template: Path, home: Path) -> Path:
    """A data folder with a cluster, without waiting for ``initdb``; returns ``home``."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    left = shutil.ignore_patterns("*.lock", "*.log", "socket")
    shutil.copytree(template / "database", home / "database", ignore=left)
    return home
