"""Colour roles looked up while painting, so that a change of theme needs no bookkeeping."""

from functools import lru_cache

from PySide6.QtGui import QColor, QGuiApplication, QPalette

from webrag_desktop.gui.kit.theme.high_contrast import system_colour
from webrag_desktop.gui.kit.theme.tokens import DARK, LIGHT, Role

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


@lru_cache(maxsize=8)  # asked for every colour of every paint event
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
