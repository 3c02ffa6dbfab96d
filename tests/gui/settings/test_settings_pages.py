"""The appearance of the window, as the settings change it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QDate, QLocale, Qt, QTranslator
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.data.appearance import Appearance
from webrag_desktop.gui.kit.languages import language_names, locale_of, use_language
from webrag_desktop.gui.kit.quantities import number, short_time
from webrag_desktop.gui.kit.theme.colours import choose_theme, is_dark
from webrag_desktop.gui.settings.appearance_page import AppearancePage
from webrag_desktop.gui.shell.application import _scale
from webrag_desktop.gui.shell.window_state import FILE, KeptAppearance

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


@pytest.fixture
def system_theme(application: QApplication) -> Iterator[QApplication]:
    yield application
    choose_theme(application, "system")


def test_the_theme_is_chosen_by_key_and_holds_at_once(
    system_theme: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    kept = KeptAppearance(tmp_path)
    page = AppearancePage(kept.read(), 0)
    qtbot.addWidget(page.area)
    page.changed.connect(kept.write)
    page.changed.connect(lambda chosen: choose_theme(system_theme, chosen.theme))
    with qtbot.waitExposed(page.area):
        page.area.show()
    page.area.activateWindow()
    dark = page.theme.findChildren(QAbstractButton)[2]
    assert dark.accessibleName() == "Dark"
    dark.click()
    assert is_dark()
    system_theme.styleHints().colorSchemeChanged.emit(
        Qt.ColorScheme.Light
    )  # the system's wish is not followed
    assert is_dark()
    assert KeptAppearance(tmp_path).read() == Appearance("dark")
    page.theme.findChildren(QAbstractButton)[1].click()
    assert not is_dark()


def test_what_the_window_looks_like_is_kept_and_nonsense_is_none(tmp_path: Path) -> None:
    kept = KeptAppearance(tmp_path)
    kept.write(Appearance("light", 150, "de"))
    assert KeptAppearance(tmp_path).read() == Appearance("light", 150, "de")
    (tmp_path / FILE).write_text("[appearance]\ntheme=pink\nscale=9999\n", encoding="utf-8")
    assert KeptAppearance(tmp_path).read() == Appearance("system", 200)


def test_the_scale_holds_from_the_next_start_unless_the_environment_has_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("QT_SCALE_FACTOR", raising=False)
    _scale(Appearance())
    assert "QT_SCALE_FACTOR" not in os.environ
    _scale(Appearance(scale=125))
    assert os.environ["QT_SCALE_FACTOR"] == "1.25"
    _scale(Appearance(scale=150))
    assert os.environ["QT_SCALE_FACTOR"] == "1.25"
    monkeypatch.delenv("QT_SCALE_FACTOR")


@pytest.fixture
def english(application: QApplication) -> Iterator[QApplication]:
    before = QLocale()
    yield application
    QLocale.setDefault(before)
    for translator in application.findChildren(QTranslator):
        application.removeTranslator(translator)
        translator.deleteLater()


def test_a_language_writes_numbers_and_dates_and_speaks_for_qt(english: QApplication) -> None:
    use_language(english, "de")
    assert number(1234567) == "1.234.567"
    assert QLocale().toString(QDate(2026, 3, 1), "d MMMM") == "1 März"
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Abbrechen"
    assert ("de", "Deutsch") in language_names()
    assert locale_of("en").language() == QLocale.Language.English
    assert callable(short_time)
