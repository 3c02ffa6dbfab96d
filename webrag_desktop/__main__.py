"""The way in of ``webrag``, ``webrag-desktop`` and ``python -m webrag_desktop``."""

import sys

from webrag_desktop.cli.main import run
from webrag_desktop.cli.mistakes import tell_of_mistake


def main() -> None:
    """Run the command line and end the process with its exit code."""
    sys.excepthook = tell_of_mistake
    sys.exit(run())


if __name__ == "__main__":
    main()
