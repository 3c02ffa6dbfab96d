"""Rows of results that were drawn are copied the next time, and look as if they had been drawn again."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.shown import citations, results
from webrag_desktop.gui.kit.rows.pictures import BUDGET, TALLEST, RowPictures
from webrag_desktop.gui.kit.theme.colours import apply_scheme
from webrag_desktop.gui.research.passage_delegate import PassageDelegate
from webrag_desktop.gui.research.result_list import ResultList

SIZE = QSize(80, 20)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rows that were drawn, by their titles."""
    rows: list[str] = []
    paint = PassageDelegate._paint_row

    def noted(
        delegate: PassageDelegate, painter: QPainter, rect: object, index: object, **more: bool
    ) -> None:
        rows.append(index.data())  # type: ignore[attr-defined]
        paint(delegate, painter, rect, index, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(PassageDelegate, "_paint_row", noted)
    return rows


@pytest.fixture
def view(drawn: list[str], qtbot: QtBot, application: QApplication) -> ResultList:
    made = ResultList()
    qtbot.addWidget(made)
    made.resize(644, 800)
    made.show()
    made.show_results(results())
    qtbot.waitUntil(lambda: drawn != [] and not made._turns.isActive())
    return made


def picture(view: ResultList) -> QImage:
    return view.grab().toImage()


def test_rows_are_drawn_once(view: ResultList, drawn: list[str]) -> None:
    first = picture(view)
    drawn.clear()
    assert picture(view) == first
    assert drawn == []


CHANGES: dict[str, Callable[[ResultList], object]] = {
    "another row": lambda view: view.step(backwards=False),
    "a document closes": lambda view: view.setExpanded(view.results.index(0, 0), False),
    "the numbers of citations": lambda view: view.set_citations(citations()),
    "reasons": lambda view: view.set_shows_reasons(True),
    "dimmed": lambda view: view.set_dimmed(True),
    "narrower": lambda view: view.resize(500, 800),
    "no keyboard": lambda view: view.clearFocus(),
    "dark": lambda _view: apply_scheme(app(), Qt.ColorScheme.Dark),
    "from the right": lambda view: view.setLayoutDirection(Qt.LayoutDirection.RightToLeft),
    "a row under the pointer": lambda view: QTest.mouseMove(view.viewport(), QPoint(200, 30)),
    "a button under the pointer": lambda view: QTest.mouseMove(view.viewport(), first_button(view)),
    "fewer results": lambda view: view.show_results(replace(results(), groups=results().groups[:1])),
}


def app() -> QApplication:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    return application


def first_button(view: ResultList) -> QPoint:
    index = view.currentIndex()
    rect = view.delegate.button_rect(index, view.delegate.layout(index).buttons[0].button.command)
    assert rect is not None
    return rect.center().toPoint()


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_is_drawn_again(
    change: str, view: ResultList, drawn: list[str], qtbot: QtBot, application: QApplication
) -> None:
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    before = picture(view)
    drawn.clear()
    CHANGES[change](view)
    application.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    qtbot.waitUntil(lambda: not view._turns.isActive() and picture(view) != before)
    shown = picture(view)
    view.delegate._pictures.forget()
    assert shown == picture(view)
    apply_scheme(application, Qt.ColorScheme.Light)


def painted(pictures: RowPictures, state: object, *, scale: float = 1.0, size: QSize = SIZE) -> int:
    """How often a row was drawn to be painted twice."""
    ground = QImage(size * scale, QImage.Format.Format_RGB32)
    ground.setDevicePixelRatio(scale)
    count = 0

    def draw(painter: QPainter) -> None:
        nonlocal count
        count += 1
        painter.drawText(QPointF(2, 15), "row")

    painter = QPainter(ground)
    for _ in range(2):
        pictures.paint(painter, QPointF(0, 0), size, (), state, draw)
    painter.end()
    return count


def test_pictures_are_made_for_whole_pixels_and_rows_of_usual_height(application: QApplication) -> None:
    pictures = RowPictures()
    assert painted(pictures, "one") == 1
    assert painted(pictures, "double", scale=2.0) == 1
    assert painted(pictures, "between pixels", scale=1.5) == 2
    assert painted(pictures, "tall", size=QSize(80, TALLEST + 1)) == 2


def test_pictures_are_kept_within_their_budget_of_bytes(application: QApplication) -> None:
    pictures = RowPictures()
    double = QSize(1000, 256)  # at twice the resolution 4 MB
    most = BUDGET // (2000 * 512 * 4)
    for state in range(most):
        assert painted(pictures, state, scale=2.0, size=double) == 1
    assert painted(pictures, 0, scale=2.0, size=double) == 0
    assert painted(pictures, most, scale=2.0, size=double) == 1
    assert painted(pictures, 0, scale=2.0, size=double) == 0  # painted last before that one
    assert painted(pictures, 1, scale=2.0, size=double) == 1  # which had to go
    pictures.forget()
    assert painted(pictures, 0, scale=2.0, size=double) == 1


def test_many_small_pictures_are_kept(application: QApplication) -> None:
    pictures = RowPictures()
    for state in range(100):
        assert painted(pictures, state) == 1
    assert sum(painted(pictures, state) for state in range(100)) == 0


def test_pictures_of_another_width_go(application: QApplication) -> None:
    pictures = RowPictures()
    assert painted(pictures, "row") == 1
    assert painted(pictures, "row", size=QSize(90, 20)) == 1
    assert painted(pictures, "row") == 1


def test_a_hidden_list_keeps_no_pictures(view: ResultList) -> None:
    picture(view)
    assert view.delegate._pictures._bytes > 0
    view.hide()
    assert view.delegate._pictures._bytes == 0
