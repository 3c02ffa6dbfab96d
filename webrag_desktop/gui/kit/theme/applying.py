"""Puts the theme on the application, and again whenever the system changes its colours or its contrast."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from webrag_desktop.gui.kit.theme.colours import disabled_ink, is_system, name_of, palette
from webrag_desktop.gui.kit.theme.fonts import grown, interface_font, load_fonts
from webrag_desktop.gui.kit.theme.tokens import CONTROL_HEIGHT, MINI_HEIGHT, ROLES, Role

_GROUNDS: tuple[Role, ...] = ("sidebar", "window", "surface", "raised", "paper", "sunken")
_INKS: tuple[Role, ...] = ("text", "text2", "text3", "ok", "warn", "bad", "accent_text", "surface")
_SHEET = """
QLabel { background: transparent; }
QDialog { background: @raised; }
QSplitter::handle { background: @line; }
QToolTip { background: @raised; color: @text; border: 1px solid @line_strong; padding: 4px 6px; }
QScrollBar:vertical { width: 10px; background: transparent; margin: 0; }
QScrollBar:horizontal { height: 10px; background: transparent; margin: 0; }
QScrollBar::handle { background: @line_strong; border-radius: 3px; margin: 2px; min-height: 28px; min-width: 28px; }
QScrollBar::handle:hover { background: @control; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {
  background: none; border: 0; width: 0; height: 0; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QHeaderView { background: @surface; }
QHeaderView::section { background: @surface; color: @text3; border: 0; border-bottom: 1px solid @line;
  padding: 0 16px; }
QMenu { background: @raised; color: @text; border: 1px solid @line_strong; padding: 4px; }
QMenu::item { padding: 5px 28px 5px 12px; border-radius: 5px; }
QMenu::item:selected { background: @accent_soft; color: @text; }
QMenu::item:disabled { color: @disabled; }
QMenu::icon, QMenu::indicator { padding-left: 8px; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QPushButton { background: @raised; color: @text; border: 1px solid @line_strong; border-radius: 6px;
  padding: 0 12px; min-height: #control; }
QPushButton:hover { background: @hover; }
QPushButton:pressed { background: @pressed; }
QPushButton:focus { border: 2px solid @focus; padding: 0 11px; min-height: #control_focused; }
QPushButton:disabled { background: @sunken; color: @disabled; border-color: @line; }
QPushButton[kind="primary"] { background: @accent; color: @on_accent; border-color: @accent; font-weight: 600; }
QPushButton[kind="primary"]:hover { background: @accent_hover; }
QPushButton[kind="primary"]:focus { border: 2px solid @text; }
QPushButton[kind="primary"]:disabled { background: @sunken; color: @disabled; border-color: @line; }
QPushButton[kind="quiet"] { background: transparent; border-color: transparent; color: @text2; padding: 0 8px; }
QPushButton[kind="quiet"]:hover { background: @hover; }
QPushButton[kind="quiet"]:focus { border: 2px solid @focus; padding: 0 7px; }
QPushButton[kind="mini"] { background: @raised; border: 1px solid @line_strong; border-radius: 5px; color: @text;
  padding: 0 7px; min-height: #mini; }
QPushButton[kind="mini"]:hover { background: @hover; }
QPushButton[kind="mini"]:focus { border: 2px solid @focus; padding: 0 6px; min-height: #mini_focused; }
QPushButton[kind="link"], QPushButton[kind="bare"], QPushButton[kind="notice"] { background: transparent;
  border: 2px solid transparent; border-radius: 5px; padding: 0 4px; min-height: #mini_focused; }
QPushButton[kind="link"] { color: @accent_text; padding: 0 1px; }
QPushButton[kind="bare"] { color: @text2; }
QPushButton[kind="notice"] { color: @surface; }
QPushButton[kind="link"]:hover, QPushButton[kind="notice"]:hover { text-decoration: underline; }
QPushButton[kind="bare"]:hover { background: @hover; }
QPushButton[kind="link"]:focus, QPushButton[kind="bare"]:focus { border-color: @focus; }
QPushButton[kind="notice"]:focus { border-color: @surface; }
QToolButton { background: transparent; border: 0; border-radius: 6px; padding: 5px; color: @text2; }
QToolButton:hover { background: @hover; }
QToolButton:pressed { background: @pressed; }
QToolButton:checked { background: @accent_soft; }
QToolButton:focus { border: 2px solid @focus; padding: 3px; }
QToolButton::menu-indicator { image: none; }
QTabWidget::pane { border: 0; border-top: 1px solid @line; }
QTabBar { background: @surface; }
QTabBar::tab { background: transparent; color: @text3; border: 0; border-bottom: 2px solid transparent;
  padding: 7px 14px 5px 14px; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
QTabBar::tab:focus { border: 2px solid @focus; padding: 5px 12px 5px 12px; border-radius: 6px; }
QLineEdit, QPlainTextEdit[field="true"] { background: @surface; color: @text; border: 1px solid @control;
  border-radius: 6px; padding: 0 8px; }
QLineEdit { min-height: #control; }
QPlainTextEdit[field="true"] { padding: 6px; }
QLineEdit:focus { border: 2px solid @focus; padding: 0 7px; min-height: #control_focused; }
QPlainTextEdit[field="true"]:focus { border: 2px solid @focus; padding: 5px; }
QLineEdit[bare="true"] { background: transparent; border: 0; padding: 0; min-height: 0; }
QPlainTextEdit[details="true"] { background: @sunken; color: @text2; border: 1px solid @line; border-radius: 6px;
  padding: 6px; }
"""


def style_sheet() -> str:
    """The style sheet of the present theme and font size."""
    sheet = _SHEET
    for name, height in (("control", grown(CONTROL_HEIGHT)), ("mini", grown(MINI_HEIGHT))):
        sheet = sheet.replace(f"#{name}_focused", f"{height - 4}px").replace(f"#{name}", f"{height - 2}px")
    sheet = sheet.replace("@disabled", disabled_ink())
    sheet = sheet.replace("@pressed", name_of("accent_soft" if is_system() else "line"))
    for role in sorted(ROLES, key=len, reverse=True):  # "line_strong" before "line"
        sheet = sheet.replace(f"@{role}", name_of(role))
    return sheet + "".join(_rules())


def _rules() -> list[str]:
    grounds = [
        f'QAbstractScrollArea[surface="{role}"], QFrame[surface="{role}"]'
        f" {{ background: {name_of(role)}; border: 0; }}\n"
        for role in _GROUNDS
    ]
    return grounds + [f'QLabel[ink="{role}"] {{ color: {name_of(role)}; }}\n' for role in _INKS]


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

    Qt applies it to a whole subtree again each time that is put into another widget: half the cost of making a window.
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
    if sheet != application.styleSheet():  # every widget is polished again
        application.setStyleSheet(sheet)
