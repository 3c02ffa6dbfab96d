"""Where a quotation is from, as pictures: each grade, looking in older texts, light and dark, several scripts."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support import quotes
from tests.support.shown import ARABIC, CJK, LONG, SEARCH_FAILURE
from webrag_desktop.gui.citations.quote_dialog import QuoteDialog
from webrag_desktop.gui.data.texts import FoundQuote
from webrag_desktop.models.quotes import QuoteReport
from webrag_desktop.progress import Step

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
Picture = Callable[[QWidget, str], Path]
Opened = Callable[[str], QuoteDialog]


@pytest.fixture(params=[False, True], ids=["light", "dark"])
def suffix(request: pytest.FixtureRequest, themed: Callable[[bool], None]) -> str:
    """The theme that the pictures are in, as their names tell it."""
    themed(request.param)
    return "-dark" if request.param else ""


@pytest.fixture
def opened(application: QApplication, qtbot: QtBot) -> Opened:
    """Open the dialog with something on the clipboard."""

    def open_with(text: str) -> QuoteDialog:
        application.clipboard().setText(text)
        dialog = QuoteDialog()
        qtbot.addWidget(dialog)
        with qtbot.waitExposed(dialog):
            dialog.show()
        dialog.activateWindow()
        qtbot.waitUntil(dialog.isActiveWindow)
        dialog.paste()
        return dialog

    return open_with


STATES: dict[str, FoundQuote | None] = {
    "empty": None,
    "exact": quotes.found(quotes.exact(places=3, more=4)),
    "mixed": quotes.found(quotes.mixed()),
    "rendered": quotes.found(quotes.rendered()),
    "near": quotes.found(quotes.near()),
    "older": quotes.found(quotes.older()),
    "none": quotes.found(quotes.none()),
}


@pytest.mark.parametrize("state", STATES)
def test_states(state: str, opened: Opened, picture: Picture, suffix: str) -> None:
    found = STATES[state]
    dialog = opened(found.quote if found else "")
    if found is not None:
        dialog.show_found(found)
        if state == "exact":
            dialog.set_cited({found.places[0].span: 3})
    picture(dialog, f"quote-{state}{suffix}")


def test_looking_in_older_texts(opened: Opened, picture: Picture, suffix: str) -> None:
    dialog = opened(quotes.NEARLY)
    dialog.show_found(quotes.found(quotes.near()))
    dialog.older_button.click()
    dialog.show_step(Step("Looking through older versions", 1204, 3000))
    picture(dialog, f"quote-looking{suffix}")


def test_failure(opened: Opened, picture: Picture, suffix: str) -> None:
    dialog = opened(quotes.TIDE)
    dialog.show_failure(SEARCH_FAILURE)
    picture(dialog, f"quote-failed{suffix}")


def _scripts() -> FoundQuote:
    texts = {
        ARABIC.quote: "تاريخ الكابل الأطلسي",
        CJK.quote: "大西洋電信ケーブルの歴史 🌊",
        LONG.quote * 6: "Ledger",
    }
    places = [
        quotes.place_of(text, number=number, title=title, page=number)
        for number, (text, title) in enumerate(texts.items(), 1)
    ]
    return quotes.found(QuoteReport(quote=LONG.quote * 6, grade="exact", places=places))


def test_scripts_and_long_quotations(opened: Opened, picture: Picture) -> None:
    dialog = opened(LONG.quote * 6)
    dialog.show_found(_scripts())
    dialog.list.run("down")
    dialog.list.run("down")
    picture(dialog, "quote-long")
    dialog.field.setPlainText(ARABIC.quote)
    dialog.show_found(replace(_scripts(), quote=ARABIC.quote))
    picture(dialog, "quote-scripts")


def test_from_right_to_left(application: QApplication, opened: Opened, picture: Picture) -> None:
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        dialog = opened(quotes.NEARLY)
        dialog.show_found(quotes.found(quotes.near()))
        picture(dialog, "quote-right-to-left")
    finally:
        application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
