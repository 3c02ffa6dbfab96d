"""The window: how long until it can be used, and whether it answers while pages are read and searched.

``python -m benchmarks.gui [--pages N]``. Every start is a process of its own. "Usable" is when the list of documents
stands in the window and a question would be answered; the bare window is one that holds a label and is painted.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.gui_parts.process_age import STARTED, now
from benchmarks.measuring import table
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack

REPOSITORY = Path(__file__).parent.parent
RUNS = 5
PAGES = 300
LINKED_PAGES = 2000


def _environment(home: Path) -> dict[str, str]:
    ours = {
        "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen"),
        "WEBRAG_HOME": str(home),
        "EMBEDDING_BACKEND": "embedded",
        # As after an installation, which compiles every module, whatever is set here and lies in this folder.
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(home.parent / "bytecode"),
        STARTED: now(),
    }
    return os.environ | ours


def _run(home: Path, module: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.gui_parts.{module}", *arguments],
        env=_environment(home),
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def _started(home: Path, module: str) -> float:
    """Seconds from the start of the process to its own word that it is there."""
    return float(_run(home, module).split()[-1])


def _server_start(home: Path) -> float:
    return float(_run(home, "server_start").split()[-1])


def _stop_server(home: Path) -> None:
    EmbeddedStack(StackOptions(home=home)).stop()


def _compile_everything(home: Path) -> None:
    """Have bytecode beside it, and files in the system's cache, for every process that is measured afterwards."""
    _run(home, "bare_window")
    _run(home, "usable_window")
    _stop_server(home)


def starting() -> str:
    """Start to usable window against a bare window plus the server's own start, in turn, medians."""
    with tempfile.TemporaryDirectory(prefix="webrag-bench-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        _compile_everything(Path(folder) / "unmeasured")
        first = _started(home, "usable_window")
        bare, server, cold, warm = [], [], [], []
        for _ in range(RUNS):
            bare.append(_started(home, "bare_window"))
            _stop_server(home)
            server.append(_server_start(home))
            warm.append(_started(home, "usable_window"))
            _stop_server(home)
            cold.append(_started(home, "usable_window"))
        _stop_server(home)
    window, start = statistics.median(bare), statistics.median(server)
    rows = [
        ("bare PySide6 window", window, 1.0),
        ("the server's start alone", start, start / window),
        (
            "usable window, server stopped",
            statistics.median(cold),
            statistics.median(cold) / (window + start),
        ),
        ("usable window, server running", statistics.median(warm), statistics.median(warm) / window),
        ("usable window, first start ever: makes the database", first, first / (window + start)),
    ]
    return table(
        "Starting the window (ratios: against the bare window; with the server stopped, window + server)",
        ("what", "s", "×"),
        rows,
    )


def answering(pages: int) -> str:
    """The event loop's heartbeat: idle, and while pages are imported and searched."""
    with tempfile.TemporaryDirectory(prefix="webrag-bench-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        lines = _run(home, "heartbeat", str(pages)).splitlines()
        _stop_server(home)
    rows = [(name, *map(float, values.split())) for name, values in (line.split("\t") for line in lines)]
    return table(
        f"How late the event loop's heartbeat is, ms ({pages} pages imported and searched)",
        ("", "median", "99 %", "99.9 %", "most", "beats"),
        rows,
    )


def map_of_links() -> str:
    """How late the heartbeat is at most while the window shows how its pages link."""
    with tempfile.TemporaryDirectory(prefix="webrag-bench-", ignore_cleanup_errors=True) as folder:
        lines = _run(Path(folder) / "home", "link_map", str(LINKED_PAGES)).splitlines()
    rows = [(name, float(late)) for name, late in (line.split("\t") for line in lines)]
    return table(f"The map of {LINKED_PAGES} pages' links: the latest heartbeat, ms", ("", "most"), rows)


def run() -> str:
    """All of it, with the full number of pages."""
    return "\n".join((starting(), answering(PAGES), map_of_links()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--only", choices=("starting", "answering"))
    given = parser.parse_args()
    if given.only != "answering":
        print(starting())
    if given.only != "starting":
        print(answering(given.pages))
