"""Delegates of rows with painted buttons, and of rows on cards."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
)

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror, is_mirrored, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, font, grown
from webrag_desktop.gui.kit.theme.painting import (
    paint_box,
    paint_focus,
    paint_hairline,
    paint_icon,
    paint_line,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CONTROL, RADIUS_ROW, Role

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
    """A button and its rectangle in a row that is read from left to right."""

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


AnyIndex = QModelIndex | QPersistentModelIndex


class RowDelegate(QStyledItemDelegate):
    """A delegate whose rows hold painted buttons. What they do can be done from the row's menu as well.

    ``opened`` is the row that shows everything; it is the current one, once the view has settled. Rows are laid out
    from left to right and turned round where they are painted and clicked.
    """

    pressed = Signal(str, QPersistentModelIndex)  # command, row

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self.opened = QPersistentModelIndex()
        self._hovered: tuple[QPersistentModelIndex, str] | None = None
        self._held: tuple[QPersistentModelIndex, str] | None = None

    def forget(self) -> None:
        """Drop what was laid out: font or theme changed."""

    def buttons(self, index: AnyIndex) -> Iterable[PlacedButton]:
        """The buttons a row shows now. Subclasses say."""
        raise NotImplementedError

    @property
    def mirror(self) -> Mirror:
        """Turns a row round within the viewport where the view is read from right to left."""
        return Mirror(QRectF(self._view.viewport().rect()), self._view.isRightToLeft())

    def is_open(self, index: AnyIndex) -> bool:
        """Whether a row shows everything."""
        return self.opened.isValid() and self.opened == index

    def button_rect(self, index: AnyIndex, command: str) -> QRectF | None:
        """The rectangle of a row's button in the viewport; None where the row does not show it."""
        found = next((placed for placed in self.buttons(index) if placed.button.command == command), None)
        return None if found is None else self._seen(found, self._view.visualRect(index))

    def button_at(self, index: AnyIndex, point: QPointF) -> RowButton | None:
        """The button of a row at a point of the viewport."""
        placed = self._placed_at(self._view.visualRect(index), index, point)
        return None if placed is None else placed.button

    def paint_card(self, painter: QPainter, card: QRectF, *, selected: bool, hovered: bool) -> None:
        """Draw the ground of a row, see :func:`paint_card`."""
        paint_card(painter, card, self._view, selected=selected, hovered=hovered)

    def paint_buttons(self, painter: QPainter, row: QRect, index: AnyIndex) -> None:
        """Draw a row's buttons."""
        for placed in self.buttons(index):
            paint_button(painter, placed, self._seen(placed, row), hovered=self.is_hovered(index, placed))

    def _seen(self, placed: PlacedButton, row: QRect) -> QRectF:
        """The rectangle of a button of a row in the viewport."""
        return self.mirror.rect(placed.rect.translated(0, row.top()))

    def is_hovered(self, index: AnyIndex, placed: PlacedButton) -> bool:
        """Whether the pointer is on the button."""
        return self.hovered_command(index) == placed.button.command

    def hovered_command(self, index: AnyIndex) -> str | None:
        """What the button of a row does that the pointer is on; None where it is on none."""
        return self._hovered[1] if self._hovered is not None and self._hovered[0] == index else None

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
        placed = self._placed_at(option.rect, index, event.position())
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
        placed = self._placed_at(option.rect, index, event.pos().toPointF())
        if placed is None or not placed.button.hint:
            return super().helpEvent(event, view, option, index)
        where = self._seen(placed, option.rect).toAlignedRect()
        QToolTip.showText(event.globalPos(), plain_tooltip(placed.button.hint), view, where)
        return True

    def _placed_at(self, row: QRect, index: AnyIndex, point: QPointF) -> PlacedButton | None:
        return next((one for one in self.buttons(index) if self._seen(one, row).contains(point)), None)

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


def paint_card(
    painter: QPainter, card: QRectF, view: QAbstractItemView, *, selected: bool, hovered: bool
) -> None:
    """Draw the ground of a row that is selected or under the pointer, with the focus ring where it applies."""
    if selected:
        paint_box(painter, card, RADIUS_ROW, colour("accent_soft"))
        if view.hasFocus():
            paint_focus(painter, card, RADIUS_ROW)
    elif hovered:
        paint_box(painter, card, RADIUS_ROW, colour("hover"))


def drops_layouts(event: QEvent) -> bool:
    """Whether a change event means that what was laid out is stale: colours, font, style or direction are others."""
    return event.type() in {
        QEvent.Type.LayoutDirectionChange,
        QEvent.Type.PaletteChange,
        QEvent.Type.FontChange,
        QEvent.Type.ApplicationFontChange,
        QEvent.Type.StyleChange,
    }


_CARD_INSET = 8


class CardLayout(Protocol):
    """Where everything of a row is, from the row's top left corner."""

    @property
    def height(self) -> int:
        """Of the row."""

    @property
    def text_left(self) -> float:
        """Where its text begins, and the line below it."""

    @property
    def buttons(self) -> tuple[PlacedButton, ...]:
        """Those that the row shows."""


class CardDelegate(RowDelegate):
    """The rows of a list; what is in them is drawn by :meth:`paint_row`."""

    def __init__(self, view: QListView, right_inset: float) -> None:
        """Draw the rows of ``view``, whose text ends ``right_inset`` from their edge."""
        super().__init__(view)
        self._list, self._right_inset = view, right_inset

    def layout(self, index: AnyIndex) -> CardLayout:
        """Where everything of a row is. Subclasses say."""
        raise NotImplementedError

    def paint_row(self, painter: QPainter, corner: QPointF, index: AnyIndex, *, selected: bool) -> None:
        """Draw what is in a row whose top left is ``corner``. Subclasses say."""
        raise NotImplementedError

    def buttons(self, index: AnyIndex) -> tuple[PlacedButton, ...]:
        """The row's buttons."""
        return self.layout(index).buttons if index.isValid() else ()

    # -- QStyledItemDelegate --------------------------------------------------------------------------------------

    def sizeHint(self, _option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """As tall as the row's text at the view's width."""
        return QSize(100, self.layout(index).height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw a row over the whole width."""
        row = QRectF(0, option.rect.top(), self._list.viewport().width(), option.rect.height())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        selected = self.is_open(index)
        self.paint_card(
            painter, row.adjusted(_CARD_INSET, 1, -_CARD_INSET, -1), selected=selected, hovered=hovered
        )
        if not selected and not hovered and self._is_followed(index):
            line = self.mirror.rect(row.adjusted(self.layout(index).text_left, 0, -self._right_inset, 0))
            paint_hairline(painter, line.left(), line.right(), row.bottom() - 1)
        self.paint_row(painter, row.topLeft(), index, selected=selected)
        self.paint_buttons(painter, option.rect, index)
        painter.restore()

    def _is_followed(self, index: AnyIndex) -> bool:
        """Whether a row below it needs a line above it; the open one is distinct without."""
        after = index.row() + 1
        return after < index.model().rowCount() and not (self.opened.isValid() and after == self.opened.row())
