"""The grounds of code in lines are found once, and are where a fresh look finds them after every change."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.reader import settle, show, titled
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.gui.kit.theme.colours import apply_scheme
from webrag_desktop.gui.reader import kept_rects
from webrag_desktop.gui.reader.markers import TextGeometry
from webrag_desktop.gui.reader.reader_pane import ReaderView

LINE = "A `relay` that nobody trusted stood beside the `mirror galvanometer` and its `lamp`, near $x^2$."
DOCUMENT = titled(shown(version("# Instruments\n\n" + "\n\n".join([LINE] * 40))))


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The spans whose lines were looked for."""
    spans: list[tuple[int, int]] = []
    rects = TextGeometry.rects

    def noted(geometry: TextGeometry, start: int, end: int) -> object:
        spans.append((start, end))
        return rects(geometry, start, end)

    monkeypatch.setattr(TextGeometry, "rects", noted)
    return spans


@pytest.fixture
def page(view: ReaderView, qtbot: QtBot, found: list[tuple[int, int]]) -> ReaderView:
    show(view, qtbot, DOCUMENT)
    settle(view, qtbot)
    return view


def picture(view: ReaderView) -> QImage:
    return view._text.viewport().grab().toImage()


def test_spans_are_looked_for_once(page: ReaderView, found: list[tuple[int, int]]) -> None:
    first = picture(page)
    found.clear()
    assert picture(page) == first
    assert found == []


def insert_text(view: ReaderView) -> None:
    cursor = view._text.cursorForPosition(view._text.viewport().rect().topLeft())
    cursor.insertText("And more. " * 20)


CHANGES: dict[str, Callable[[ReaderView], object]] = {
    "scrolled": lambda view: view._text.verticalScrollBar().setValue(37),
    "narrower": lambda view: view.resize(view.width() - 150, view.height()),
    "larger": lambda view: view.set_zoom(view.zoom + 2),
    "dark": lambda _view: apply_scheme(QApplication.instance(), Qt.ColorScheme.Dark),  # type: ignore[arg-type]
    "more text before them": insert_text,
}


@pytest.mark.parametrize("change", CHANGES)
def test_they_are_looked_for_again_after_a_change(
    change: str, page: ReaderView, qtbot: QtBot, application: QApplication
) -> None:
    before = picture(page)
    CHANGES[change](page)
    settle(page, qtbot)
    qtbot.waitUntil(lambda: picture(page) != before)
    after = picture(page)
    assert page._text._builder is not None
    page._text._builder.kept_rects._forget()
    assert picture(page) == after
    apply_scheme(application, Qt.ColorScheme.Light)


def test_few_spans_are_kept(
    page: ReaderView, found: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_rects, "_MOST", 2)
    assert page._text._builder is not None
    page._text._builder.kept_rects._forget()
    first = picture(page)
    found.clear()
    assert picture(page) == first
    assert len(found) > 2  # those before had to go
    assert len(page._text._builder.kept_rects._kept) <= 2
