"""A reader and a text to read in it."""

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.reader import TEXT, titled
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.reader.reader_pane import ReaderView


@pytest.fixture
def document() -> ReaderDocument:
    return titled(shown(version(TEXT)))


@pytest.fixture
def view(application: QApplication, qtbot: QtBot) -> ReaderView:
    made = ReaderView()
    qtbot.addWidget(made)
    made.resize(568, 420)
    made.show()
    return made
