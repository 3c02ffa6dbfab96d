"""Puts the theme on the application, and again whenever the system changes its colours or its contrast."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from webrag_desktop.gui.kit.theme.colours import palette
from webrag_desktop.gui.kit.theme.fonts import interface_font, load_fonts
from webrag_desktop.gui.kit.theme.style_sheet import style_sheet


def prepare(application: QApplication) -> None:
    """Set style, fonts and theme once, and follow the system from then on."""
    application.setStyle("Fusion")
    load_fonts()
    application.setFont(interface_font(application.font()))
    hints = application.styleHints()
    contrast = hints.accessibility()

    def follow() -> None:
        apply_scheme(application, hints.colorScheme(), contrast.contrastPreference())

    follow()
    hints.colorSchemeChanged.connect(follow)
    contrast.contrastPreferenceChanged.connect(follow)
    # In high contrast the palette is the system's, and changes without either of the two.
    application.paletteChanged.connect(lambda: _restyle(application))


@contextmanager
def styled_at_once() -> Iterator[None]:
    """Make many widgets without the style sheet, and give it to all of them at the end.

    Qt applies it to a whole subtree anew each time that is put into another widget: half the cost of making a window.
    """
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    sheet = application.styleSheet()
    application.setStyleSheet("")
    try:
        yield
    finally:
        application.setStyleSheet(sheet)


def apply_scheme(
    application: QApplication,
    scheme: Qt.ColorScheme,
    contrast: Qt.ContrastPreference = Qt.ContrastPreference.NoPreference,
) -> None:
    """Show the light or the dark theme (an unknown scheme is light), or the system's own of high contrast."""
    if contrast == Qt.ContrastPreference.HighContrast:
        application.setPalette(QPalette())  # nothing of ours: the system's
    else:
        application.setPalette(palette(dark=scheme == Qt.ColorScheme.Dark))
    _restyle(application)


def _restyle(application: QApplication) -> None:
    sheet = style_sheet()
    if sheet != application.styleSheet():  # every widget is polished anew
        application.setStyleSheet(sheet)
