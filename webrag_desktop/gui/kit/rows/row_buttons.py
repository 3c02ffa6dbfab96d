"""Buttons that a delegate paints into its rows: where they stand, and how they look."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror, is_mirrored
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, font, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CONTROL, Role

Look = Literal["default", "filled", "link"]
_HEIGHT, _INSET, _LEAST_ICON, _ICON_GAP, _KEY_GAP, _GAP = 26, 7, 14, 5, 7, 6


@dataclass(frozen=True, slots=True)
class RowButton:
    """A painted button. ``command`` says what it does; ``keys`` is the key cap on it, ``hint`` its tooltip."""

    command: str
    text: str
    icon: str = ""
    keys: str = ""
    hint: str = ""
    look: Look = "default"
    has_menu: bool = False

    def width(self, *, with_keys: bool) -> float:
        """How wide it is drawn."""
        icon = _icon() + _ICON_GAP if self.icon else 0
        keys = _KEY_GAP + text_width(self.keys, _key_font()) if with_keys and self.keys else 0
        menu = _ICON_GAP + _icon() if self.has_menu else 0
        inset = 2 if self.look == "link" else _INSET
        return 2 * inset + icon + text_width(self.text, _font()) + keys + menu + 2


@dataclass(frozen=True, slots=True)
class PlacedButton:
    """A button and where it stands in a row that is read from left to right."""

    button: RowButton
    rect: QRectF
    with_keys: bool = True


def button_height() -> int:
    """How tall a painted button is: at least the smallest target, and grown with the font."""
    return max(grown(_HEIGHT), round(QFontMetricsF(_font()).height()) + 6)


def place_buttons(
    buttons: Sequence[RowButton], left: float, top: float, width: float
) -> tuple[PlacedButton, ...]:
    """Put buttons side by side. Where they don't fit their key caps go first; then they take another line."""
    with_keys = sum(button.width(with_keys=True) + _GAP for button in buttons) - _GAP <= width
    placed, x, y = [], left, top
    for button in buttons:
        needed = min(button.width(with_keys=with_keys), width)
        if x > left and x + needed > left + width:
            x, y = left, y + button_height() + _GAP
        placed.append(PlacedButton(button, QRectF(x, y, needed, button_height()), with_keys))
        x += needed + _GAP
    return tuple(placed)


def place_at_right(buttons: Sequence[RowButton], right: float, top: float) -> tuple[PlacedButton, ...]:
    """Put buttons side by side, without key caps, so that the last one ends at ``right``."""
    x = right - sum(button.width(with_keys=False) + _GAP for button in buttons) + _GAP
    placed = []
    for button in buttons:
        rect = QRectF(x, top, button.width(with_keys=False), button_height())
        placed.append(PlacedButton(button, rect, with_keys=False))
        x = rect.right() + _GAP
    return tuple(placed)


def paint_button(painter: QPainter, placed: PlacedButton, rect: QRectF, *, hovered: bool) -> None:
    """Draw a button in ``rect``."""
    button, mirror = placed.button, Mirror(rect, is_mirrored(painter))
    ink = _paint_ground(painter, button.look, rect, hovered)
    top, x = rect.center().y() - _icon() / 2, rect.left() + (2 if button.look == "link" else _INSET)
    if button.icon:
        quiet: Role = ink if button.look != "default" else "text2"
        paint_icon(painter, button.icon, mirror.left(x, _icon()), top, _icon(), quiet)
        x += _icon() + _ICON_GAP
    menu = _ICON_GAP + _icon() if button.has_menu else 0
    words = mirror.rect(QRectF(x, rect.top(), rect.right() - x - menu - 1, rect.height()))
    x += paint_line(painter, words, button.text, _font(hovered and button.look == "link"), ink)
    if placed.with_keys and button.keys:
        caps = mirror.rect(QRectF(x + _KEY_GAP, rect.top(), rect.right() - x - _KEY_GAP, rect.height()))
        paint_line(painter, caps, button.keys, _key_font(), "text3" if ink == "text" else ink)
    if menu:
        left = mirror.left(rect.right() - _INSET - _icon() + 2, _icon())
        paint_icon(painter, "chevron-down", left, top, _icon(), "text2")


def _paint_ground(painter: QPainter, look: Look, rect: QRectF, hovered: bool) -> Role:
    if look == "link":
        return "accent_text"
    if look == "filled":
        paint_box(painter, rect, RADIUS_CONTROL, colour("accent_hover" if hovered else "accent"))
        return "on_accent"
    paint_box(painter, rect, RADIUS_CONTROL, colour("hover" if hovered else "surface"), colour("line_strong"))
    return "text"


def _font(underlined: bool = False) -> QFont:
    used = font("small", MEDIUM, figures=True)
    used.setUnderline(underlined)
    return used


def _icon() -> int:
    return grown(_LEAST_ICON)


def _key_font() -> QFont:
    return font("micro")
