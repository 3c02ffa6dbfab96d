"""Starting: installation, the first and every later start of the server, and the commands a user feels."""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measuring import table

REPOSITORY = Path(__file__).parent.parent
RUNS = 5


def _command(home: Path, *arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "webrag_desktop", *arguments],
        env=os.environ | {"WEBRAG_HOME": str(home), "EMBEDDING_BACKEND": "embedded"},
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - start


def _bare_python() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", ""], check=True)
    return time.perf_counter() - start


def _median(home: Path, *arguments: str) -> float:
    return statistics.median(_command(home, *arguments) for _ in range(RUNS))


def _stopped_then(home: Path, *arguments: str) -> float:
    times = []
    for _ in range(RUNS):
        _command(home, "stack", "stop")
        times.append(_command(home, *arguments))
    return statistics.median(times)


def commands() -> str:
    """What a user waits for."""
    python = statistics.median(_bare_python() for _ in range(RUNS))
    with tempfile.TemporaryDirectory(prefix="webrag-bench-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        note = Path(folder) / "note.md"
        note.write_text("# Rivers\n\nThe Rhine carries cold water to the sea.\n", encoding="utf-8")
        times = [
            ("`webrag --help`", _median(home, "--help")),
            ("`webrag list`, first ever: makes the database", _command(home, "list")),
            ("`webrag list`, server stopped before", _stopped_then(home, "list")),
            ("`webrag list`, server running", _median(home, "list")),
            ("`webrag add note.md`, until ready", _command(home, "add", str(note))),
            ("`webrag search`, server running, which loads the model", _median(home, "search", "cold water")),
        ]
        _command(home, "stack", "stop")
    rows = [(name, seconds, seconds / python) for name, seconds in times]
    return table(f"Starting (a bare Python takes {python:.3f} s)", ("command", "s", "× bare Python"), rows)


def installation() -> str:
    """`make install` into a copy of this checkout, packages from the registry or the local cache."""
    with tempfile.TemporaryDirectory(prefix="webrag-install-") as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(
            REPOSITORY, copy, ignore=shutil.ignore_patterns(".venv", ".git", ".*cache", ".hypothesis")
        )
        start = time.perf_counter()
        subprocess.run(["make", "install"], cwd=copy, check=True, capture_output=True)
        seconds = time.perf_counter() - start
        megabytes = sum(file.lstat().st_size for file in (copy / ".venv").rglob("*")) / 1e6
    return table("Installing", ("command", "s", "MB in .venv"), [("`make install`", seconds, megabytes)])


def run() -> str:
    """The commands; the installation only on request, since it downloads."""
    return commands()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--install", action="store_true", help="measure `make install` too")
    print(run() + ("\n" + installation() if parser.parse_args().install else ""))
