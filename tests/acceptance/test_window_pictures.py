"""Every state of the whole window as a picture, on a real library; `make screenshots` keeps them."""

from pathlib import Path
from shutil import copyfile
from threading import Event

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program
from tests.support.drags import drag_away, drag_over, drop, link_of_firefox, uri_list
from tests.support.pages import PAGES_DIRECTORY, Page, PageServer, RequestHandler
from tests.support.photographer import Photographing
from tests.support.window_under_test import LONG, Opener, ask, cite_best, settings_of, wait_ready
from webrag_desktop.gui.data.filters import NO_FILTERS, ChosenFilters
from webrag_desktop.gui.library.progress_strip import ProgressStrip
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH

QUESTION = "how do random forests reduce overfitting"
WEB_PAGES = ("encyclopaedia.html", "sklearn_ensemble.html", "python_glossary.html")
CITED = (
    "exhibit high variance and tend to overfit",
    "reduce the variance of the model a bit more",
    "bagging methods work best",
)


class LastHeld:
    """Serves pages; the last of so many that is asked for begins, and goes on once it is released.

    Something is worked on until then, in whatever order the pages are fetched.
    """

    def __init__(self, pages: int) -> None:
        self.asked, self.released = Event(), Event()
        self._pages, self._paths = pages, set[str]()

    def serve(self, handler: RequestHandler) -> None:
        page = (PAGES_DIRECTORY / handler.path.lstrip("/")).read_bytes()
        self._paths.add(handler.path)
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.send_header("Content-Length", str(len(page)))
        handler.end_headers()
        sent = 0
        if len(self._paths) == self._pages:
            self.asked.set()
            while not self.released.is_set() and not handler.wait(0.5):
                handler.wfile.write(page[sent : sent + 1])  # whoever fetches it is not kept in silence
                sent += 1
        handler.wfile.write(page[sent:])


def papers(home: Program, name: str) -> Path:
    """A file as a reader of the pictures may have it, wherever the tests lie."""
    folder = home.home.parent / "Papers"
    folder.mkdir(exist_ok=True)
    return Path(copyfile(PAGES_DIRECTORY / name, folder / name))


def shows_failure(strip: ProgressStrip) -> bool:
    return strip._batch is not None and strip._batch.failed == 1


def test_every_state_of_the_window(
    opened: Opener,
    new_home: Program,
    photographer: Photographing,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(new_home.home.parent))  # a file's place reads as it does for its owner
    seen = opened(settings_of(new_home.home))
    window, view = seen.window, seen.window.view
    camera = photographer(seen)
    camera.take("window-first-start")
    qtbot.waitUntil(lambda: bool(seen.figures), timeout=LONG)
    qtbot.waitUntil(lambda: view.library.isVisible() and not view.library.opening.isVisible(), timeout=LONG)
    camera.take("window-empty")
    assert drag_over(
        view, uri_list("https://example.org/a", "https://example.org/b", "https://example.org/c")
    )
    camera.take("window-drop")
    drag_away(view)

    last = LastHeld(len(WEB_PAGES))
    with PageServer({f"/{name}": last.serve for name in WEB_PAGES}, directory=PAGES_DIRECTORY) as site:
        site.pages["/private"] = Page("no", status=403)
        files = [papers(new_home, name).as_uri() for name in ("field_notes.md", "crlf_letter.txt")]
        assert drop(view, link_of_firefox(site.url("/private"), "Board minutes"))
        qtbot.waitUntil(lambda: bool(seen.figures) and seen.figures[-1].failed == 1, timeout=LONG)
        # News that comes late would count as a failure among those added next, whose strip then stays.
        qtbot.waitUntil(lambda: shows_failure(view.library.strip), timeout=LONG)
        pages = [site.url(f"/{name}") for name in WEB_PAGES]
        assert drop(view, uri_list(*files, *pages[:-1]))
        assert drop(view, uri_list(pages[-1]))
        qtbot.waitUntil(last.asked.is_set, timeout=LONG)
        qtbot.waitUntil(lambda: seen.figures[-1].failed == 1 and seen.figures[-1].ready >= 2, timeout=LONG)
        qtbot.waitUntil(lambda: seen.figures[-1].working == 1, timeout=LONG)
        camera.take("window-filling")
        assert seen.figures[-1].working == 1
        window.operations.documents.pause()
        last.released.set()
        qtbot.waitUntil(lambda: seen.figures[-1].paused and not seen.figures[-1].working, timeout=LONG)
        camera.take("window-paused")
        window.operations.documents.resume()
        wait_ready(qtbot, seen, 5)
    qtbot.waitUntil(lambda: not view.library.strip.isVisible(), timeout=LONG)  # it goes once all is indexed
    assert view.library.list.hasFocus()
    camera.take("window-library")
    seen.window.operations.stack.refresh()
    window.connections.show_view(RESEARCH)
    camera.take("window-idle")
    ask(qtbot, seen, QUESTION)
    for part in CITED:
        cite_best(qtbot, seen, part)
    view.research.results.list.setCurrentIndex(view.research.results.list.currentIndex())
    qtbot.waitUntil(lambda: view.research.reader.highlighted_span() is not None, timeout=LONG)
    for toast in view.toasts._toasts[:]:
        toast.dismiss()
    camera.take("window-research")
    QTest.keyClick(view.research.results.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.research.is_full, timeout=LONG)
    camera.take("window-reader")
    QTest.keyClick(view.research.reader.focusProxy() or view.research.reader, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not view.research.is_full, timeout=LONG)
    filtering = window.connections.filtering
    filtering.choose()
    qtbot.waitUntil(lambda: bool(filtering.panel.lists["sites"].rows()), timeout=LONG)
    camera.take("window-filters", filtering.panel)
    filtering.panel.close()
    with qtbot.waitSignal(window.operations.searching.results, timeout=LONG) as filtered:
        filtering.take(ChosenFilters(doc_types=("html",), content_flags=("has_table", "has_code")))
    assert {group.kind for group in filtered.args[0].groups} == {"html"}
    camera.take("window-filtered")
    with qtbot.waitSignal(window.operations.searching.results, timeout=LONG):
        filtering.take(NO_FILTERS)
    ask(qtbot, seen, "zzxxqq")
    camera.take("window-found-nothing")
    ask(qtbot, seen, QUESTION)
    view.resize(1120, 720)
    camera.take("window-narrow")
    view.resize(980, 640)
    camera.take("window-tabs")
    view.resize(1440, 900)
    view.show_view(LIBRARY)
    view.library.list.setFocus()
    rows = view.library.list.model()
    uncited = next(row for row in range(rows.rowCount()) if "Field notes" in str(rows.index(row, 0).data()))
    view.library.list.choose(uncited)
    chosen = view.library.list.chosen_id
    assert chosen is not None
    window.operations.documents.remove([chosen])
    qtbot.waitUntil(lambda: bool(view.toasts._toasts), timeout=LONG)
    camera.take("window-removed")
    window.operations.undo.undo()
    with qtbot.waitSignal(window.operations.stack.report, timeout=LONG):
        window.connections.stack.open()
    dialog = window.connections.stack._dialog.shown
    assert dialog is not None
    camera.take("window-stack", dialog)
    dialog.close()
    view.menu_button.menu().popup(view.mapToGlobal(QPoint(1180, 50)))
    camera.take("window-menu", view.menu_button.menu())
    view.menu_button.menu().close()
