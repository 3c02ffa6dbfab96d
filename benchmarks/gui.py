"""The window: how long until it can be used, whether it answers while it works, and whether its memory grows.

``python -m benchmarks.gui [--pages N] [--runs N] [--minutes N] [--documents N] [--only PART]``. Every start is a
process of its own. "Usable" is when the list of documents stands in the window and a question would be answered; the
bare window is one that holds a label and is painted. ``python -m benchmarks.gui_parts.heartbeat PAGES --places`` also
says where the GUI thread is in long turns. The list of documents is measured five times in one process, each time
beside the idle event loop, and the medians of these runs are printed.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.gui_parts.process_age import STARTED, now
from benchmarks.measuring import table
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack

REPOSITORY = Path(__file__).parent.parent
STARTS = 7
PAGES = 1000
ANSWERING_RUNS = 3
MINUTES = 3.0
WARM_UP = 0.3  # of the rounds: what is loaded and kept once does not grow for ever
LEAST_ROUNDS = 5
NINETY_FIVE = 1.96  # standard errors
LINKED_PAGES = 2000
DOCUMENTS = 50_000


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
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


class Spent(NamedTuple):
    """Until a process said that it was there: seconds, and the processor's seconds of the process."""

    waited: float
    busy: float

    def __add__(self, other: object) -> "Spent":
        assert isinstance(other, Spent)
        return Spent(self.waited + other.waited, self.busy + other.busy)


def _started(home: Path, module: str) -> Spent:
    waited, busy = map(float, _run(home, module).split()[-2:])
    return Spent(waited, busy)


def _stop_server(home: Path) -> None:
    EmbeddedStack(StackOptions(home=home)).stop()


def _compile_everything(home: Path) -> None:
    """Have bytecode beside it, and files in the system's cache, for every process that is measured afterwards."""
    _run(home, "bare_window")
    _run(home, "usable_window")
    _stop_server(home)


def starting() -> str:
    """Start to usable window against a bare window plus the server's own start, in turn."""
    with tempfile.TemporaryDirectory(prefix="webrag-bench-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        _compile_everything(Path(folder) / "unmeasured")
        first = _started(home, "usable_window")
        bare, server, cold, warm = [], [], [], []
        for _ in range(STARTS):
            bare.append(_started(home, "bare_window"))
            _stop_server(home)
            server.append(_started(home, "server_start"))
            warm.append(_started(home, "usable_window"))
            _stop_server(home)
            cold.append(_started(home, "usable_window"))
        _stop_server(home)
    both = [one + other for one, other in zip(bare, server, strict=True)]
    rows = [
        ("bare PySide6 window", *_against(bare, bare)),
        ("the server's start alone", *_against(server, bare)),
        ("usable window, server stopped", *_against(cold, both)),
        ("usable window, server running", *_against(warm, bare)),
        ("usable window, first start ever: makes the database", *_against([first], both[:1])),
    ]
    return table(
        "Starting the window (medians; ×: against the bare window of the same round, with the server stopped against "
        "window + server)",
        ("what", "s", "least", "×", "processor s", "least", "×"),
        rows,
    )


def _against(runs: Sequence[Spent], others: Sequence[Spent]) -> list[float]:
    """Median, least, and the median of the ratios of each round: of the seconds, then of the processor's."""
    found = []
    for mine, theirs in zip(zip(*runs, strict=True), zip(*others, strict=True), strict=True):
        ratios = [one / other for one, other in zip(mine, theirs, strict=True)]
        found += [statistics.median(mine), min(mine), statistics.median(ratios)]
    return found


def answering(pages: int, runs: int = ANSWERING_RUNS) -> str:
    """The event loop's heartbeat: idle, and while pages are imported and searched; the median of the runs' figures."""
    found: dict[str, list[list[float]]] = {}
    for _ in range(runs):
        with tempfile.TemporaryDirectory(prefix="webrag-bench-", ignore_cleanup_errors=True) as folder:
            home = Path(folder) / "home"
            for line in _run(home, "heartbeat", str(pages)).splitlines():
                name, values = line.split("\t")
                found.setdefault(name, []).append([float(value) for value in values.split()])
            _stop_server(home)
    rows = [(name, *map(statistics.median, zip(*all_runs, strict=True))) for name, all_runs in found.items()]
    return table(
        f"The event loop, ms: how late its heartbeat is, and the processor's time of one turn, which no other process "
        f"lengthens much ({pages} pages imported and searched, answers written; {runs} runs)",
        ("", "median", "99 %", "99.9 %", "most", "above 16 ms", "number"),
        rows,
    )


def memory(minutes: float) -> str:
    """How memory and objects grow over a journey that is made again and again, as a line through its rounds."""
    with tempfile.TemporaryDirectory(prefix="webrag-bench-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        lines = _run(home, "journey", str(minutes)).splitlines()
        _stop_server(home)
    rounds = [tuple(map(float, line.split())) for line in lines]
    rounds = rounds[round(len(rounds) * WARM_UP) :]
    if len(rounds) < LEAST_ROUNDS:
        return f"### Memory\n\nOnly {len(lines)} rounds in {minutes:g} minutes: no line can be laid through them.\n"
    hours = [one[0] / 3600 for one in rounds]
    rows = []
    for name, at, unit in (
        ("resident memory, MB", 1, 1e6), ("widgets", 2, 1.0), ("objects of Qt", 3, 1.0), ("objects of Python", 4, 1.0),
    ):  # fmt: skip
        values = [one[at] / unit for one in rounds]
        slope, error = _line(hours, values)
        each = slope * (hours[-1] - hours[0]) / len(rounds)
        rows.append((name, values[0], values[-1], slope, NINETY_FIVE * error, each))
    return table(
        f"Memory over {len(lines)} rounds in {minutes:g} minutes, the first {WARM_UP:.0%} left out",
        ("", "first", "last", "per hour", "± (95 %)", "per round"),
        rows,
    )


def _line(places: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """The slope of the line by least squares, and its standard error."""
    slope, offset = statistics.linear_regression(places, values)
    middle = statistics.fmean(places)
    spread = sum((place - middle) ** 2 for place in places)
    off = sum((value - offset - slope * place) ** 2 for place, value in zip(places, values, strict=True))
    return slope, (off / (len(places) - 2) / spread) ** 0.5


def map_of_links() -> str:
    """How late the heartbeat is at most while the window shows how its pages link."""
    with tempfile.TemporaryDirectory(prefix="webrag-bench-", ignore_cleanup_errors=True) as folder:
        lines = _run(Path(folder) / "home", "link_map", str(LINKED_PAGES)).splitlines()
    rows = [(name, float(late)) for name, late in (line.split("\t") for line in lines)]
    return table(f"The map of {LINKED_PAGES} pages' links: the latest heartbeat, ms", ("", "most"), rows)


def documents_list(documents: int) -> str:
    """How soon the list shows what is typed into its filter, and how late the heartbeat is while it is used."""
    with tempfile.TemporaryDirectory(prefix="webrag-bench-", ignore_cleanup_errors=True) as folder:
        lines = _run(Path(folder) / "home", "documents_list", str(documents)).splitlines()
    rows: dict[str, list[Sequence[object]]] = {"late": [], "busy": [], "typed": []}
    for kind, name, values in (line.split("\t") for line in lines):
        rows[kind].append((name, *map(float, values.split())))
    late = table(
        f"How late the event loop's heartbeat is with a list of {documents:,} documents, ms",
        ("", "median", "99 %", "99.9 %", "most"),
        rows["late"],
    )
    typed = table(
        "From a letter typed into the filter, ms",
        ("until", "median", "95 %", "most", "letters"),
        rows["typed"],
    )
    busy = table(
        "Processor time of the GUI thread a turn, ms", ("", "median", "99 %", "99.9 %", "most"), rows["busy"]
    )
    return f"{late}\n{busy}\n{typed}"


def run() -> str:
    """All of it, with the full number of pages."""
    return "\n".join(
        (starting(), answering(PAGES), memory(MINUTES), map_of_links(), documents_list(DOCUMENTS))
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--runs", type=int, default=ANSWERING_RUNS, help="how often pages are imported")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="how long the journey is gone")
    parser.add_argument("--only", choices=("starting", "answering", "memory", "documents"))
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    given = parser.parse_args()
    parts: dict[str, Callable[[], str]] = {
        "starting": starting,
        "answering": lambda: answering(given.pages, given.runs),
        "memory": lambda: memory(given.minutes),
        "documents": lambda: documents_list(given.documents),
    }
    for part, measured in parts.items():
        if given.only in {None, part}:
            print(measured())
