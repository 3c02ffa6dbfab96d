"""Roles in high contrast: the system's palette, one ground, one ink, edges in the ink.

What the themes tell by a shade is a tint of the system's highlight here, as strong as the words on it allow.
States lose their colours: each has an icon and a word as well.
"""

from typing import Final

from PySide6.QtGui import QColor, QPalette

from webrag_desktop.gui.kit.theme.contrast import SHAPE_CONTRAST, TEXT_CONTRAST, contrast
from webrag_desktop.gui.kit.theme.tokens import Role

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
    """The ground with as much of the highlight as words on it can stand."""
    ground, ink = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.WindowText)
    share = _TINTS[role]
    while share > 0:
        mixed = _mix(ground, palette.color(QPalette.ColorRole.Highlight), share)
        if contrast(mixed, ink) >= TEXT_CONTRAST:
            return mixed
        share -= _STEP
    return ground


def _mix(one: QColor, other: QColor, share: float) -> QColor:
    return QColor.fromRgbF(
        one.redF() + (other.redF() - one.redF()) * share,
        one.greenF() + (other.greenF() - one.greenF()) * share,
        one.blueF() + (other.blueF() - one.blueF()) * share,
    )
