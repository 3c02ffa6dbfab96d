"""The start of the window: what is imported before the library is being opened, and what is made meanwhile."""

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.support.whole_window import Shown
from webrag_desktop.config import Settings
from webrag_desktop.gui.data.view_data import LibraryFigures
from webrag_desktop.gui.kit.theme.colours import styled_at_once
from webrag_desktop.gui.map.map_view import MapView
from webrag_desktop.gui.session.background import Background
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.later import LATER
from webrag_desktop.gui.shell.main_window import MAP
from webrag_desktop.stack.layout import Layout

# Each of these would be felt at every start, and documents can be listed without it.
NOT_BEFORE_LISTING = (
    "httpx", "httpcore", "numpy", "tokenizers", "turbohtml", "PySide6.QtNetwork",
    "webrag_desktop.models.documents", "webrag_desktop.library.intake", "webrag_desktop.text.plain_text",
    "webrag_desktop.citations.matching", "webrag_desktop.text.canonical.canonical_form", *LATER,
    # Their models and data take milliseconds each, and their words are compiled.
    "webrag_desktop.models.links", "webrag_desktop.models.spaces", "webrag_desktop.models.stack",
    "webrag_desktop.models.versions", "webrag_desktop.expansion.contracts",
    "webrag_desktop.retrieval.contracts.judgements", "webrag_desktop.citations.differences",
    "webrag_desktop.gui.data.answers", "webrag_desktop.gui.adding.dropped", "webrag_desktop.gui.adding.link_text",
    "webrag_desktop.text.skeletons", "webrag_desktop.gui.data.texts", "webrag_desktop.text.mathematics",
)  # fmt: skip
NOT_BEFORE_OPENING = (
    *NOT_BEFORE_LISTING, "webrag_desktop.gui.shell.main_window", "webrag_desktop.gui.shell.all_operations",
)  # fmt: skip
IMPORTED = """
import sys
from webrag_desktop.__main__ import load_core, load_qt
load_core()
assert "PySide6" not in sys.modules
load_qt()
import webrag_desktop.gui.shell.application
"""
MADE = """
import webrag_desktop.gui.shell.main_window, webrag_desktop.gui.shell.connections.window
import webrag_desktop.gui.shell.all_operations
# Every start lists what is cited, and searches that are kept.
import webrag_desktop.library.citation_list, webrag_desktop.library.searches
"""
IMPORTED_LATER = """
from PySide6.QtWidgets import QApplication
from webrag_desktop.gui.shell.later import LaterImports
application = QApplication([])
later = LaterImports()
later._timer.setInterval(0)
later._timer.timeout.connect(lambda: application.quit() if later.is_done else None)
later.begin()
application.exec()
print(*sys.modules)
"""
HOOK = """
import builtins
from webrag_desktop.__main__ import load_qt
load_qt()
import PySide6.QtWidgets, webrag_desktop.gui.data.view_data
print(builtins.__import__.__name__)
"""


def output(script: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_nothing_that_takes_long_is_imported_before_the_library_is_being_opened() -> None:
    imported = output(IMPORTED + "print(*sys.modules)")
    assert "webrag_desktop.gui.session.session" in imported
    assert [name for name in NOT_BEFORE_OPENING if name in imported] == []


def test_nothing_that_takes_long_is_imported_with_the_window() -> None:
    imported = output(IMPORTED + MADE + "print(*sys.modules)")
    assert "webrag_desktop.gui.shell.research_view" in imported
    assert [name for name in NOT_BEFORE_LISTING if name in imported] == []


def test_what_the_window_starts_without_is_imported_afterwards() -> None:
    imported = output("import sys" + IMPORTED_LATER)
    assert [name for name in LATER if name not in imported] == []


def test_the_map_is_made_when_it_is_first_shown(application: QApplication, qtbot: QtBot) -> None:
    shown = Shown(qtbot)
    window = shown.window
    assert window.findChild(MapView) is None
    assert [*window.layouts()] == [window.sidebar, window.library, window.research]
    made: list[MapView] = []
    window.once_map_is_made(made.append)
    window.show_view(MAP)
    assert made == [window.map] == [window.findChild(MapView)] == [window.stack.currentWidget()]
    assert window.map in window.layouts()
    window.once_map_is_made(made.append)
    assert made == [window.map] * 2
    shown.end()


def test_qt_reads_no_source_of_what_is_imported() -> None:
    assert output("import PySide6.QtCore, builtins; print(builtins.__import__.__name__)") == [
        "__feature_import__"
    ]
    assert output(HOOK) != ["__feature_import__"]


def test_widgets_made_at_once_have_the_style_sheet_afterwards(
    application: QApplication, qtbot: QtBot
) -> None:
    sheet = application.styleSheet()
    with styled_at_once():
        window = QWidget()
        qtbot.addWidget(window)
        button = QPushButton("Add", window)
        button.ensurePolished()
        bare = button.sizeHint()
    assert application.styleSheet() == sheet != ""
    usual = QPushButton("Add")
    qtbot.addWidget(usual)
    assert button.sizeHint() == usual.sizeHint() != bare


def test_the_style_sheet_is_back_when_making_fails(application: QApplication) -> None:
    sheet = application.styleSheet()
    with pytest.raises(ValueError, match="broken"), styled_at_once():
        raise ValueError("broken")
    assert application.styleSheet() == sheet


def test_a_first_start_is_one_even_after_the_database_was_begun(tmp_path: Path, qtbot: QtBot) -> None:
    settings = Settings.of(WEBRAG_HOME=tmp_path)
    background = Background()
    first = LibrarySession(settings, background)
    Layout.of(tmp_path).data.mkdir(parents=True)
    assert first.is_first_start
    assert not LibrarySession(settings, background).is_first_start


def test_nothing_more_begins_before_the_documents_are_shown(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    operations = Operations(Settings.of(WEBRAG_HOME=tmp_path), Background())
    begun: list[str] = []
    for part, name in (
        (operations.stack, "refresh"), (operations.moving, "compare"),
        (operations.scheduled, "check"), (operations.searching, "prepare"),
    ):  # fmt: skip
        monkeypatch.setattr(part, name, lambda *_figures, name=name: begun.append(name))
    operations.documents.listed.connect(lambda _listed: begun.append("shown"))
    operations.session.opened.emit()
    operations.documents.figures.emit(LibraryFigures(ready=1))
    operations.documents.listed.emit(None)
    assert begun == ["shown"]
    qtbot.waitUntil(lambda: len(begun) == 5)
    assert begun == ["shown", "refresh", "compare", "check", "prepare"]
    operations.documents.listed.emit(None)
    operations.documents.figures.emit(LibraryFigures(ready=2))
    assert begun[5:] == ["shown", "prepare"]
