"""Buttons that a delegate paints into its rows: where they stand, how they look, what the mouse does with them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
)

from webrag_desktop.gui.theme.colours import colour
from webrag_desktop.gui.theme.fonts import MEDIUM, font, grown
from webrag_desktop.gui.theme.icons import paint_icon
from webrag_desktop.gui.theme.painting import paint_box, paint_line, text_width
from webrag_desktop.gui.theme.plain_tooltip import plain_tooltip
from webrag_desktop.gui.theme.tokens import RADIUS_CONTROL, Role

AnyIndex = QModelIndex | QPersistentModelIndex
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
    """A button and where it stands, from the row's top left corner."""

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


def paint_button(painter: QPainter, placed: PlacedButton, offset: QPointF, *, hovered: bool) -> None:
    """Draw a button; ``offset`` is its row's top left corner."""
    button, rect = placed.button, placed.rect.translated(offset)
    ink = _paint_ground(painter, button.look, rect, hovered)
    middle, x = rect.center().y(), rect.left() + (2 if button.look == "link" else _INSET)
    if button.icon:
        quiet: Role = ink if button.look != "default" else "text2"
        paint_icon(painter, button.icon, x, middle - _icon() / 2, _icon(), quiet)
        x += _icon() + _ICON_GAP
    menu = _ICON_GAP + _icon() if button.has_menu else 0
    words = QRectF(x, rect.top(), rect.right() - x - menu - 1, rect.height())
    x += paint_line(painter, words, button.text, _font(hovered and button.look == "link"), ink)
    if placed.with_keys and button.keys:
        caps = QRectF(x + _KEY_GAP, rect.top(), rect.right() - x - _KEY_GAP, rect.height())
        paint_line(painter, caps, button.keys, _key_font(), "text3" if ink == "text" else ink)
    if menu:
        paint_icon(
            painter,
            "chevron-down",
            rect.right() - _INSET - _icon() + 2,
            middle - _icon() / 2,
            _icon(),
            "text2",
        )


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


class ButtonRowDelegate(QStyledItemDelegate):
    """A delegate whose rows hold painted buttons. What they do can be done from the row's menu as well."""

    pressed = Signal(str, QPersistentModelIndex)  # command, row

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._hovered: tuple[QPersistentModelIndex, str] | None = None
        self._held: tuple[QPersistentModelIndex, str] | None = None

    def buttons(self, index: AnyIndex) -> Iterable[PlacedButton]:
        """The buttons a row shows now. Subclasses say."""
        raise NotImplementedError

    def button_rect(self, index: AnyIndex, command: str) -> QRectF | None:
        """Where a row's button stands in the viewport; None where the row does not show it."""
        corner = self._view.visualRect(index).topLeft().toPointF()
        found = next((placed for placed in self.buttons(index) if placed.button.command == command), None)
        return None if found is None else found.rect.translated(corner)

    def button_at(self, index: AnyIndex, point: QPointF) -> RowButton | None:
        """The button of a row at a point of the viewport."""
        corner = self._view.visualRect(index).topLeft().toPointF()
        placed = self._placed_at(corner, index, point)
        return None if placed is None else placed.button

    def is_hovered(self, index: AnyIndex, placed: PlacedButton) -> bool:
        """Whether the pointer is on the button."""
        return self._hovered is not None and self._hovered == (
            QPersistentModelIndex(index),
            placed.button.command,
        )

    def leave(self) -> None:
        """The pointer left the view, or the rows moved under it."""
        self._hovered = None
        self._view.viewport().unsetCursor()
        self._view.viewport().update()

    def editorEvent(
        self,
        event: QEvent,
        _model: object,
        option: QStyleOptionViewItem,
        index: AnyIndex,
    ) -> bool:
        """Follow the mouse over the buttons; a press that ends where it began counts."""
        if not isinstance(event, QMouseEvent):
            return False
        placed = self._placed_at(option.rect.topLeft().toPointF(), index, event.position())
        here = (QPersistentModelIndex(index), placed.button.command) if placed is not None else None
        if event.type() == QEvent.Type.MouseMove:
            self._hover(here, placed)
            return False
        return event.button() == Qt.MouseButton.LeftButton and self._click(event.type(), here)

    def _click(self, kind: QEvent.Type, here: tuple[QPersistentModelIndex, str] | None) -> bool:
        """Whether the event was a button's. The second press of a double click does not undo the first."""
        if kind != QEvent.Type.MouseButtonRelease:
            self._held = here if kind == QEvent.Type.MouseButtonPress else None
            return here is not None
        held, self._held = self._held, None
        if held is not None and held == here:
            self.pressed.emit(held[1], held[0])
        return held is not None

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        """Say what a button does."""
        placed = self._placed_at(option.rect.topLeft().toPointF(), index, event.pos().toPointF())
        if placed is None or not placed.button.hint:
            return super().helpEvent(event, view, option, index)
        where = placed.rect.translated(option.rect.topLeft().toPointF())
        QToolTip.showText(event.globalPos(), plain_tooltip(placed.button.hint), view, where.toAlignedRect())
        return True

    def _placed_at(self, corner: QPointF, index: AnyIndex, point: QPointF) -> PlacedButton | None:
        inside = point - corner
        return next((placed for placed in self.buttons(index) if placed.rect.contains(inside)), None)

    def _hover(self, here: tuple[QPersistentModelIndex, str] | None, placed: PlacedButton | None) -> None:
        if here == self._hovered:
            return
        self._hovered = here
        viewport = self._view.viewport()
        if placed is not None and placed.button.look == "link":
            viewport.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            viewport.unsetCursor()
        viewport.update()
