"""Contrast between two colours as WCAG 2.1 defines it."""

from PySide6.QtGui import QColor

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
