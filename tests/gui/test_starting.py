"""The start of the window: what is imported before the library is being opened, and what is made meanwhile."""

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from webrag_desktop.config import Settings
from webrag_desktop.gui.background import Background
from webrag_desktop.gui.operations.session import LibrarySession
from webrag_desktop.gui.theme.applying import styled_at_once
from webrag_desktop.stack.layout import Layout

# Each of these takes a tenth of the start or more, and the library can be opened without it.
NOT_BEFORE_OPENING = (
    "httpx", "httpcore", "numpy", "tokenizers", "pydantic_settings", "webrag_desktop.gui.main_window",
    "webrag_desktop.gui.operations.all_operations",
)  # fmt: skip
IMPORTED = """
import sys
from webrag_desktop.__main__ import load_core
load_core()
assert "PySide6" not in sys.modules
import webrag_desktop.gui.application
print(*sys.modules)
"""


def test_nothing_that_takes_long_is_imported_before_the_library_is_being_opened() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert "webrag_desktop.gui.operations.session" in imported
    assert [name for name in NOT_BEFORE_OPENING if name in imported] == []


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
    settings = Settings(WEBRAG_HOME=tmp_path)
    background = Background()
    first = LibrarySession(settings, background)
    Layout.of(tmp_path).data.mkdir(parents=True)
    assert first.is_first_start
    assert not LibrarySession(settings, background).is_first_start
