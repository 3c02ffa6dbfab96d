"""Imports and searches pages in the real window while a timer measures how late the event loop comes to it."""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from webrag_desktop.config import load_settings
from webrag_desktop.gui.data.view_data import LibraryFigures, SearchResults
from webrag_desktop.gui.kit.theme.colours import prepare
from webrag_desktop.gui.shell.application import SWITCH_SECONDS, Window
from webrag_desktop.gui.shell.process import GarbageOnGuiThread

BEAT_MS = 5
IDLE_SECONDS = 20.0
SEARCH_EVERY_MS = 700
PAGES = Path(__file__).parents[2] / "tests" / "data" / "pages"
QUESTIONS = (
    "abstract base class",
    "what is a generator",
    "garbage collection",
    "coroutine functions",
    "max_depth",
)


class Heart(QObject):
    """Beats every few milliseconds and notes by how much each beat was late."""

    def __init__(self) -> None:
        super().__init__()
        self.late: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT_MS)

    def _beat(self) -> None:
        now = time.perf_counter()
        self.late.append(max(0.0, (now - self._last) * 1000 - BEAT_MS))
        self._last = now

    def fresh(self) -> None:
        self.late = []
        self._last = time.perf_counter()


def wait(until: Callable[[], bool], seconds: float) -> None:
    loop = QEventLoop()
    poll = QTimer()
    poll.timeout.connect(lambda: loop.quit() if until() else None)
    poll.start(100)
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def write_pages(folder: Path, count: int) -> list[str]:
    """Pages cut from a real one, each a different stretch of its entries."""
    text = (PAGES / "python_glossary.html").read_text(encoding="utf-8")
    entries = text.split("<dt ")[1:]
    for number in range(count):
        some = [entries[(number * 3 + index) % len(entries)] for index in range(6)]
        body = "".join(f"<dl><dt {entry.rpartition('</dd>')[0]}</dd></dl>" for entry in some)
        head = f"<head><title>Terms {number}</title></head>"
        page = f"<html>{head}<body><main><h1>Terms {number}</h1>{body}</main></body></html>"
        (folder / f"terms_{number}.html").write_text(page, encoding="utf-8")
    return [f"terms_{number}.html" for number in range(count)]


def show(name: str, late: list[float]) -> None:
    ordered = sorted(late)
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.99, 0.999)]
    print(f"{name}\t{statistics.median(late):.2f} {at[0]:.2f} {at[1]:.2f} {ordered[-1]:.2f} {len(late)}")


def main(count: int) -> None:
    sys.setswitchinterval(SWITCH_SECONDS)
    application = QApplication([])
    prepare(application)
    garbage = GarbageOnGuiThread(application)
    window = Window(load_settings())
    garbage.spare_what_is_there()
    window.operations.searching.prepared.connect(garbage.spare_what_is_there)
    window.view.resize(1440, 900)
    figures: list[LibraryFigures] = []
    found: list[SearchResults] = []
    window.operations.documents.figures.connect(figures.append)
    window.operations.searching.results.connect(found.append)
    window.open()
    wait(lambda: bool(figures), 60)
    heart = Heart()
    wait(lambda: False, 2)
    heart.fresh()
    wait(lambda: False, IDLE_SECONDS)
    show("idle", heart.late)
    with tempfile.TemporaryDirectory() as folder:
        names = write_pages(Path(folder), count)
        server = [sys.executable, "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder]
        with subprocess.Popen(
            [server[0], "-u", *server[1:]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as site:
            assert site.stdout is not None
            port = site.stdout.readline().split(" port ")[1].split()[0]
            heart.fresh()
            window.operations.documents.add([f"http://127.0.0.1:{port}/{name}" for name in names])
            asked = iter(range(10**9))
            searching = QTimer()
            searching.timeout.connect(
                lambda: window.view.query.search_requested.emit(QUESTIONS[next(asked) % len(QUESTIONS)])
            )
            searching.start(SEARCH_EVERY_MS)
            wait(lambda: figures[-1].ready >= count, 1800)
            searching.stop()
            show("importing and searching", heart.late)
            site.terminate()
    print(f"ready, searches answered\t{figures[-1].ready} {len(found)} 0 0 0")
    window.close()
    garbage.release()


if __name__ == "__main__":
    main(int(sys.argv[1]))
