"""Colour roles looked up while painting, so that a change of theme needs no bookkeeping."""

from functools import lru_cache
from typing import Final

from PySide6.QtGui import QColor, QGuiApplication, QPalette

from webrag_desktop.gui.kit.theme.tokens import DARK, LIGHT, Role

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


# High contrast: the system's palette, one ground, one ink, edges in the ink. What the themes tell by a shade is a tint
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
