"""The panes of the Research view beside or behind each other, as wide as the window lets them be."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QTabBar
from pytestqt.qtbot import QtBot

from tests.support.reader import show, span
from tests.support.whole_window import Shown
from tests.unit.gui.test_reader_document import shown as read
from tests.unit.gui.test_reader_document import version
from webrag_desktop.gui.shell.main_window import RESEARCH

LINES = 400
NARROW, USUAL = 960, 1440


@pytest.fixture
def shown(qtbot: QtBot, application: QApplication) -> Iterator[Shown]:
    made = Shown(qtbot)
    made.window.show_view(RESEARCH)
    text = "\n\n".join(
        f"Line {n} of a long text, which says in many words that the station counted {n} limpets by low water and a "
        f"few more by lamplight, as it had done in every year since the harbour was built."
        for n in range(LINES)
    )
    show(made.window.research.reader, qtbot, read(version(text)))
    yield made
    made.end()


def test_what_is_read_stays_in_sight_where_the_panes_become_tabs(shown: Shown) -> None:
    reader = shown.window.research.reader
    assert reader.document is not None
    place = span(reader.document, "Line 300 of")
    reader.show_span(place)
    text = reader._text
    for width in (NARROW, USUAL, NARROW):
        shown.window.resize(width, 900)
        QApplication.processEvents()
        ((start, end),) = text.active_places()
        seen = text._geometry().span(start, end)
        assert seen is not None
        assert 0 <= seen[0] < text.viewport().height(), f"out of sight at {width}"


def test_the_full_reader_keeps_the_view_and_the_keyboard_whatever_the_width(shown: Shown) -> None:
    research = shown.window.research
    research.set_full(True)
    research.reader.setFocus()
    focused = QApplication.focusWidget()
    assert focused is not None
    assert research.reader.isAncestorOf(focused)
    for width in (NARROW, USUAL, NARROW, USUAL):
        shown.window.resize(width, 900)
        QApplication.processEvents()
        assert research.reader.isVisible()
        assert not research.citations.isVisible()
        assert not any(bar.isVisible() for bar in research.findChildren(QTabBar))
        assert QApplication.focusWidget() is focused
    research.set_full(False)
    assert research.citations.isVisible()
    assert research.results.isVisible()
