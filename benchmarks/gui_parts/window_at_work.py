"""The real window with what it works on: pages that are served to it, and a chat model that answers at its pace."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from webrag_desktop.config import load_settings
from webrag_desktop.gui.data.answers import ShownAnswer
from webrag_desktop.gui.data.view_data import LibraryFigures, SearchResults
from webrag_desktop.gui.kit.theme.colours import prepare
from webrag_desktop.gui.shell.application import SWITCH_SECONDS, Window
from webrag_desktop.gui.shell.process import GarbageOnGuiThread

PAGES = Path(__file__).parents[2] / "tests" / "data" / "pages"
QUESTIONS = (
    "abstract base class",
    "what is a generator",
    "garbage collection",
    "coroutine functions",
    "max_depth",
)


def wait(until: Callable[[], bool], seconds: float) -> None:
    """Let the event loop run until something is so, at most so long."""
    loop = QEventLoop()
    poll = QTimer()
    poll.timeout.connect(lambda: loop.quit() if until() else None)
    poll.start(100)
    limit = QTimer()
    limit.setSingleShot(True)
    limit.timeout.connect(loop.quit)
    limit.start(round(seconds * 1000))
    loop.exec()


class WindowAtWork:
    """A window that is open, and what its operations said."""

    def __init__(self, application: QApplication) -> None:
        self.application = application
        self.garbage = GarbageOnGuiThread(application)
        self.window = Window(load_settings())
        self.garbage.spare_what_is_there()
        self.do = self.window.operations
        self.do.searching.prepared.connect(self.garbage.spare_what_is_there)
        self.view = self.window.view
        self.view.resize(1440, 900)
        self.figures = LibraryFigures()
        self.found = self.answered = 0
        self.do.documents.figures.connect(self._note_figures)
        self.do.searching.results.connect(self._note_found)
        self.do.answering.answer.connect(self._note_answer)
        listed: list[object] = []
        self.do.documents.listed.connect(listed.append)
        self.window.open()
        wait(lambda: bool(listed), 120)
        self.do.documents.listed.disconnect(listed.append)

    def _note_figures(self, figures: LibraryFigures) -> None:
        self.figures = figures

    def _note_found(self, _results: SearchResults) -> None:
        self.found += 1

    def _note_answer(self, answer: ShownAnswer) -> None:
        self.answered += not answer.is_running

    def add(self, addresses: list[str]) -> None:
        """Add pages."""
        self.do.documents.add(addresses)

    def search(self, question: str) -> None:
        """Type a question and press Enter."""
        self.view.query.set_text(question)
        self.view.query.search_requested.emit(question)

    def answer(self, question: str) -> None:
        """Type a question and press Ctrl+Enter."""
        self.view.query.set_text(question)
        self.view.query.answer_requested.emit(question)


@contextmanager
def window_at_work() -> Iterator[WindowAtWork]:
    """The window, with a chat model, closed in the end."""
    sys.setswitchinterval(SWITCH_SECONDS)
    application = QApplication([])
    prepare(application)
    with _process("benchmarks.gui_parts.chat_model") as chat:
        os.environ |= {"CHAT_BASE_URL": chat, "CHAT_MODEL": "bench"}
        made = WindowAtWork(application)
        try:
            yield made
        finally:
            made.window.close()
            made.garbage.release()


@contextmanager
def served_pages(count: int) -> Iterator[list[str]]:
    """The addresses of so many pages, each a different part of the entries of a real one."""
    with tempfile.TemporaryDirectory() as folder:
        names = _write_pages(Path(folder), count)
        server = ("http.server", "0", "--bind", "127.0.0.1", "--directory", folder)
        with _process(*server) as said:
            port = said.split(" port ")[1].split()[0]
            yield [f"http://127.0.0.1:{port}/{name}" for name in names]


@contextmanager
def _process(*module: str) -> Iterator[str]:
    """The first line that a module prints, which runs until the end."""
    with subprocess.Popen(
        [sys.executable, "-u", "-m", *module],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def _write_pages(folder: Path, count: int) -> list[str]:
    text = (PAGES / "python_glossary.html").read_text(encoding="utf-8")
    entries = text.split("<dt ")[1:]
    for number in range(count):
        some = [entries[(number * 3 + index) % len(entries)] for index in range(6)]
        body = "".join(f"<dl><dt {entry.rpartition('</dd>')[0]}</dd></dl>" for entry in some)
        head = f"<head><title>Terms {number}</title></head>"
        page = f"<html>{head}<body><main><h1>Terms {number}</h1>{body}</main></body></html>"
        (folder / f"terms_{number}.html").write_text(page, encoding="utf-8")
    return [f"terms_{number}.html" for number in range(count)]
