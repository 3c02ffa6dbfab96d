"""The way in of ``webrag``, ``webrag-desktop`` and ``python -m webrag_desktop``."""

import os
import sys

from webrag_desktop.cli.main import run
from webrag_desktop.cli.mistakes import tell_of_mistake


def main() -> None:
    """Run the command line and end the process with its exit code."""
    sys.excepthook = tell_of_mistake
    # onnxruntime sends usage data to its makers unless this is set before it is loaded; children inherit it.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    sys.exit(run())


if __name__ == "__main__":
    main()
