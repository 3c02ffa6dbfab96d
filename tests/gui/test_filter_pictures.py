"""Pictures of filters and labels: light, dark, narrow, from right to left; looked at, and their colours checked."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support.filters import CHOICES, FOUR, LABELS
from tests.support.shown import citations, results
from webrag_desktop.gui.data.filters import Field
from webrag_desktop.gui.library.dialogs.check_list import LabelDialog
from webrag_desktop.gui.research.filter_panel import FilterPanel
from webrag_desktop.gui.research.query_box import QueryBox
from webrag_desktop.gui.shell.research_view import ResearchView

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
Take = Callable[[QWidget, str], Path]
Themed = Callable[[bool], None]


@pytest.fixture
def mirrored(application: QApplication) -> Iterator[None]:
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield
    application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


@pytest.fixture
def large_font(application: QApplication) -> Iterator[None]:
    base, other = application.font(), QFont("DejaVu Sans")
    other.setPixelSize(20)
    application.setFont(other)
    yield
    application.setFont(base)


def panel(qtbot: QtBot, show: Callable[..., QWidget], field: Field = "sites") -> FilterPanel:
    box = QueryBox()
    made = FilterPanel(show(box))
    made.show_choices(CHOICES)
    made.show_filters(FOUR)
    made.open_below(box.filter_button, field)
    qtbot.waitUntil(made.isActiveWindow)
    made.fields.setFocus()
    return made


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("field", ["sites", "doc_types", "published", "sections"])
def test_panel(
    qtbot: QtBot, show: Callable[..., QWidget], themed: Themed, picture: Take, field: Field, dark: bool
) -> None:
    themed(dark)
    picture(panel(qtbot, show, field), f"filters-{field.replace('_', '-')}{'-dark' if dark else ''}")


@pytest.mark.usefixtures("mirrored")
def test_panel_from_right_to_left(qtbot: QtBot, show: Callable[..., QWidget], picture: Take) -> None:
    picture(panel(qtbot, show), "filters-right-to-left")


@pytest.mark.usefixtures("large_font")
def test_panel_in_another_font(qtbot: QtBot, show: Callable[..., QWidget], picture: Take) -> None:
    picture(panel(qtbot, show), "filters-font")


def filtered(qtbot: QtBot, width: int) -> ResearchView:
    view = ResearchView()
    qtbot.addWidget(view)
    view.resize(width, 700)
    view.show()
    found = replace(results(), filters=FOUR)
    view.show_filters(FOUR)
    view.results.show_results(found)
    view.show_mode(found)
    view.citations.show_citations(citations())
    view.fit_citations()
    return view


@pytest.mark.parametrize("dark", [False, True])
def test_chips(application: QApplication, qtbot: QtBot, themed: Themed, picture: Take, dark: bool) -> None:
    themed(dark)
    picture(filtered(qtbot, 1210), f"research-filtered{'-dark' if dark else ''}")


def test_chips_wrap_where_it_is_narrow(application: QApplication, qtbot: QtBot, picture: Take) -> None:
    view = filtered(qtbot, 820)
    picture(view, "research-filtered-narrow")


@pytest.mark.usefixtures("mirrored")
def test_chips_from_right_to_left(qtbot: QtBot, picture: Take) -> None:
    picture(filtered(qtbot, 1210), "research-filtered-right-to-left")


def test_nothing_found(application: QApplication, qtbot: QtBot, picture: Take) -> None:
    view = filtered(qtbot, 1210)
    view.results.show_results(replace(results([], "galvanic creep"), filters=FOUR))
    picture(view, "research-filtered-nothing")


@pytest.mark.parametrize("dark", [False, True])
def test_labels(application: QApplication, qtbot: QtBot, themed: Themed, picture: Take, dark: bool) -> None:
    themed(dark)
    dialog = LabelDialog(LABELS)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.tags.field.hasFocus)
    picture(dialog, f"labels{'-dark' if dark else ''}")


@pytest.mark.usefixtures("mirrored")
def test_labels_from_right_to_left(qtbot: QtBot, picture: Take) -> None:
    dialog = LabelDialog(LABELS)
    qtbot.addWidget(dialog)
    dialog.show()
    picture(dialog, "labels-right-to-left")
