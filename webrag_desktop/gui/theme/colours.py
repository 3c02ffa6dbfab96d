"""Colour roles looked up while painting, so that a change of theme needs no bookkeeping."""

from PySide6.QtGui import QColor, QGuiApplication, QPalette

from webrag_desktop.gui.theme.tokens import DARK, LIGHT, Role

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
_INKS = (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText)
_DARK_WINDOW = QColor(DARK["window"]).rgb()


def is_dark() -> bool:
    """Whether the dark theme is on; the application's palette is where that is kept."""
    return QGuiApplication.palette().color(QPalette.ColorRole.Window).rgb() == _DARK_WINDOW


def name_of(role: Role) -> str:
    """The colour of a role in the present theme, as ``#RRGGBB``."""
    return (DARK if is_dark() else LIGHT)[role]


def colour(role: Role, opacity: float = 1.0) -> QColor:
    """The colour of a role in the present theme; ``opacity`` in [0, 1]."""
    made = QColor(name_of(role))
    made.setAlphaF(opacity)
    return made


def palette(*, dark: bool) -> QPalette:
    """The palette of a theme."""
    colours = DARK if dark else LIGHT
    made = QPalette()
    for role, name in _PALETTE.items():
        made.setColor(role, QColor(colours[name]))
    for role in _INKS:
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(colours["text3"]))
    return made
