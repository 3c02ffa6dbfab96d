"""Colours of the theme: looked up by role while painting, and put on the application as palette and style sheet."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from webrag_desktop.gui.data.appearance import Theme
from webrag_desktop.gui.kit.theme.fonts import grown, interface_font, load_fonts
from webrag_desktop.gui.kit.theme.tokens import CONTROL_HEIGHT, DARK, LIGHT, MINI_HEIGHT, ROLES, Role

TEXT_CONTRAST, SHAPE_CONTRAST = 4.5, 3.0


def contrast(one: QColor, other: QColor) -> float:
    """The ratio of their luminances, from 1 (none) to 21 (black and white)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: QColor) -> float:
    red, green, blue = (_linear(part) for part in (colour.redF(), colour.greenF(), colour.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


# High contrast: the system's palette, one ground, one ink, edges in the ink. What the themes show by a shade is a tint
# of the system's highlight here, as strong as the words on it allow. States lose their colours: each has an icon and a
# word as well.
_GROUNDS: Final[frozenset[Role]] = frozenset({"sidebar", "window", "surface", "sunken", "raised", "paper"})
_SOFT: Final[frozenset[Role]] = frozenset({"ok_soft", "warn_soft", "bad_soft"})
_TINTS: Final[dict[Role, float]] = {"hover": 0.15, "accent_soft": 0.3, "evidence": 0.25, "evidence_on": 0.45}
_DIRECT: Final[dict[Role, QPalette.ColorRole]] = {
    "accent": QPalette.ColorRole.Highlight,
    "accent_hover": QPalette.ColorRole.Highlight,
    "on_accent": QPalette.ColorRole.HighlightedText,
}
_STEP = 0.05


def system_colour(role: Role, palette: QPalette) -> QColor:
    """The colour of a role, from a palette of the system."""
    ground, ink = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.WindowText)
    if role in _DIRECT:
        return palette.color(_DIRECT[role])
    if role in _GROUNDS or role in _SOFT or role == "scrim":
        return ground
    if role in _TINTS:
        return _tint(role, palette)
    if role == "accent_text":
        wanted, grounds = palette.color(QPalette.ColorRole.Link), (ground, _tint("accent_soft", palette))
        return wanted if all(contrast(wanted, each) >= TEXT_CONTRAST for each in grounds) else ink
    if role in {"focus", "evidence_edge"}:
        wanted, grounds = palette.color(QPalette.ColorRole.Highlight), (ground, _tint("evidence", palette))
        return wanted if all(contrast(wanted, each) >= SHAPE_CONTRAST for each in grounds) else ink
    return ink


def _tint(role: Role, palette: QPalette) -> QColor:
    """The ground with as much of the highlight as keeps text on it readable."""
    ground, ink = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.WindowText)
    share = _TINTS[role]
    while share > 0:
        tint = mixed(ground, palette.color(QPalette.ColorRole.Highlight), share)
        if contrast(tint, ink) >= TEXT_CONTRAST:
            return tint
        share -= _STEP
    return ground


def mixed(one: QColor, other: QColor, share: float) -> QColor:
    """The one with so much of the other, from 0 to 1; lines of it are drawn much faster than see-through ones."""
    return QColor.fromRgbF(
        one.redF() + (other.redF() - one.redF()) * share,
        one.greenF() + (other.greenF() - one.greenF()) * share,
        one.blueF() + (other.blueF() - one.blueF()) * share,
    )


_PALETTE: dict[QPalette.ColorRole, Role] = {
    QPalette.ColorRole.Window: "window",
    QPalette.ColorRole.Base: "surface",
    QPalette.ColorRole.AlternateBase: "sunken",
    QPalette.ColorRole.Button: "raised",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.PlaceholderText: "text3",
    QPalette.ColorRole.Highlight: "accent",
    QPalette.ColorRole.HighlightedText: "on_accent",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Link: "accent_text",
    QPalette.ColorRole.LinkVisited: "accent_text",
    QPalette.ColorRole.ToolTipBase: "raised",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.Light: "raised",
    QPalette.ColorRole.Mid: "line_strong",
    QPalette.ColorRole.Midlight: "line",
    QPalette.ColorRole.Dark: "line_strong",
    QPalette.ColorRole.Shadow: "line_strong",
    QPalette.ColorRole.BrightText: "bad",
}
_THEMES = {QColor(theme["window"]).rgb(): theme for theme in (LIGHT, DARK)}
_GROUND, _INK = QPalette.ColorRole.Window, QPalette.ColorRole.WindowText
_INKS = (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText)


def _theme() -> dict[Role, str] | None:
    """The colours in use; None when the palette is the system's. The application's palette is where that is kept."""
    return _theme_of(QGuiApplication.palette().cacheKey())


@lru_cache(maxsize=8)  # called for every colour of every paint event
def _theme_of(_palette: int) -> dict[Role, str] | None:
    return _THEMES.get(QGuiApplication.palette().color(QPalette.ColorRole.Window).rgb())


def is_dark() -> bool:
    """Whether the present theme has light text on dark grounds."""
    shown = QGuiApplication.palette()
    ground, ink = (shown.color(role).lightnessF() for role in (_GROUND, _INK))
    return ground < ink


def is_system() -> bool:
    """Whether the colours are the system's own, as in high contrast; a shade alone says nothing there."""
    return _theme() is None


def name_of(role: Role) -> str:
    """The colour of a role in the present theme, as ``#RRGGBB``."""
    theme = _theme()
    return system_colour(role, QGuiApplication.palette()).name() if theme is None else theme[role]


def disabled_ink() -> str:
    """The colour of words on a control that cannot be used, as ``#RRGGBB``."""
    return QGuiApplication.palette().color(QPalette.ColorGroup.Disabled, _INK).name()


def colour(role: Role, opacity: float = 1.0) -> QColor:
    """The colour of a role in the present theme; ``opacity`` in [0, 1]."""
    made = QColor(_solid(QGuiApplication.palette().cacheKey(), role))
    if opacity < 1.0:
        made.setAlphaF(opacity)
    return made


@lru_cache(maxsize=256)
def _solid(_palette: int, role: Role) -> QColor:
    return QColor(name_of(role))


def palette(*, dark: bool) -> QPalette:
    """The palette of a theme."""
    colours = DARK if dark else LIGHT
    made = QPalette()
    for role, name in _PALETTE.items():
        made.setColor(role, QColor(colours[name]))
    for role in _INKS:
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(colours["text3"]))
    return made


_SHEET_GROUNDS: tuple[Role, ...] = ("sidebar", "window", "surface", "raised", "paper", "sunken")
_SHEET_INKS: tuple[Role, ...] = ("text", "text2", "text3", "ok", "warn", "bad", "accent_text", "surface")
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
        for role in _SHEET_GROUNDS
    ]
    return grounds + [f'QLabel[ink="{role}"] {{ color: {name_of(role)}; }}\n' for role in _SHEET_INKS]


def prepare(application: QApplication) -> None:
    """Set style, fonts and theme once, and follow the system from then on."""
    application.setStyle("Fusion")
    load_fonts()
    application.setFont(interface_font(application.font()))
    hints = application.styleHints()
    contrast = hints.accessibility()

    def follow() -> None:
        wanted = application.property(_CHOSEN_SCHEME)
        scheme = wanted if isinstance(wanted, Qt.ColorScheme) else hints.colorScheme()
        apply_scheme(application, scheme, contrast.contrastPreference())

    follow()
    hints.colorSchemeChanged.connect(follow)
    contrast.contrastPreferenceChanged.connect(follow)
    # In high contrast the palette is the system's, and changes without either of the two.
    application.paletteChanged.connect(lambda: _restyle(application))


_CHOSEN_SCHEME: Final = "chosen_scheme"
_SCHEMES: Final[dict[Theme, Qt.ColorScheme]] = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}


def choose_theme(application: QApplication, theme: Theme) -> None:
    """Show a theme whatever the system's is, or follow that again. High contrast stays the system's."""
    hints, scheme = application.styleHints(), _SCHEMES.get(theme)
    application.setProperty(_CHOSEN_SCHEME, scheme)
    # The system's own frames and dialogs follow, where the platform can have them do so.
    hints.setColorScheme(scheme or Qt.ColorScheme.Unknown)
    apply_scheme(application, scheme or hints.colorScheme(), hints.accessibility().contrastPreference())


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
