"""A process that restores a backup with --replace and kills itself with SIGKILL at the given step.

Run as ``python -m tests.support.killed_restore ADDRESS FILE FOLDER STEP`` with the address as JSON.
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
    """Restore until the step; without one of that number, to the end."""
    address, file, folder, last = sys.argv[1:]
    numbers = count()

    def end_at_the_step(_step: Step) -> None:
        if next(numbers) == int(last):
            os.kill(os.getpid(), signal.SIGKILL)

    Home(json.loads(address), Path(folder)).restore(Path(file), replace=True, progress=end_at_the_step)


if __name__ == "__main__":
    main()
