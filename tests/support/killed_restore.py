"""Processes that restore a backup with --replace and kill themselves with SIGKILL at a given step.

Run as ``python -m tests.support.killed_restore ADDRESS FILE FOLDER`` with the address as JSON. For each number of a
step that it reads it forks such a process, which need not import everything again, and prints the exit code.
"""

import json
import os
import signal
import sys
from itertools import count
from pathlib import Path

from tests.support.backup_home import Home
from webrag_desktop.progress import Step


def main() -> None:
    """One process after the other, until nothing more is given."""
    address, file, folder = sys.argv[1:]
    home = Home(json.loads(address), Path(folder))
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            restore_until(home, Path(file), int(line))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def restore_until(home: Home, file: Path, last: int) -> None:
    """Restore until the step; without one of that number, to the end."""
    numbers = count()

    def end_at_the_step(_step: Step) -> None:
        if next(numbers) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    home.restore(file, replace=True, progress=end_at_the_step)


if __name__ == "__main__":
    main()
