"""Roles in high contrast: the system's palette, one ground, one ink, edges in the ink.

What the themes tell by a shade is a tint of the system's highlight here, as strong as the words on it allow.
States lose their colours: each has an icon and a word as well.
"""

from typing import Final

from PySide6.QtGui import QColor, QPalette

from webrag_desktop.gui.theme.contrast import SHAPE_CONTRAST, TEXT_CONTRAST, contrast
from webrag_desktop.gui.theme.tokens import Role

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
        return _tint(ground, palette.color(QPalette.ColorRole.Highlight), ink, _TINTS[role])
    if role == "accent_text":
        return _legible(palette.color(QPalette.ColorRole.Link), ground, ink, TEXT_CONTRAST)
    if role in {"focus", "evidence_edge"}:
        return _legible(palette.color(QPalette.ColorRole.Highlight), ground, ink, SHAPE_CONTRAST)
    return ink


def _legible(wanted: QColor, ground: QColor, ink: QColor, least: float) -> QColor:
    return wanted if contrast(wanted, ground) >= least else ink


def _tint(ground: QColor, highlight: QColor, ink: QColor, most: float) -> QColor:
    """``ground`` with as much of ``highlight`` as words in ``ink`` can stand."""
    share = most
    while share > 0:
        mixed = _mix(ground, highlight, share)
        if contrast(mixed, ink) >= TEXT_CONTRAST:
            return mixed
        share -= _STEP
    return ground


def _mix(one: QColor, other: QColor, share: float) -> QColor:
    parts = zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)  # type: ignore[index]
    return QColor(*(round(first + (second - first) * share) for first, second in parts))
