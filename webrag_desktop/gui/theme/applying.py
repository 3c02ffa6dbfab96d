"""Puts the theme on the application, and again whenever the system changes between light and dark."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from webrag_desktop.gui.theme.colours import palette
from webrag_desktop.gui.theme.fonts import interface_font, load_fonts
from webrag_desktop.gui.theme.style_sheet import style_sheet


def prepare(application: QApplication) -> None:
    """Set style, fonts and theme once, and follow the system's colour scheme from then on."""
    application.setStyle("Fusion")
    load_fonts()
    application.setFont(interface_font(application.font()))
    hints = application.styleHints()
    apply_scheme(application, hints.colorScheme())
    hints.colorSchemeChanged.connect(lambda scheme: apply_scheme(application, scheme))


def apply_scheme(application: QApplication, scheme: Qt.ColorScheme) -> None:
    """Show the light or the dark theme; an unknown scheme is light."""
    application.setPalette(palette(dark=scheme == Qt.ColorScheme.Dark))
    application.setStyleSheet(style_sheet())
