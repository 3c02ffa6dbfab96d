"""Cards, menus and panes that open over others, and the keyboard focus that returns when they close."""

from collections.abc import Callable

from PySide6.QtCore import (
    QEasingCurve,
    QEvent,
    QObject,
    QPoint,
    QPropertyAnimation,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFrame, QMenu, QWidget
from shiboken6 import isValid

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.painting import duration, icon, paint_box
from webrag_desktop.gui.kit.theme.tokens import PANE_MOTION, RADIUS_ROW, SPACE_L, SPACE_M, SPACE_XS, Role
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import column

_WIDTH = 320
_OPENING = {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}


class PopupCard(QFrame):
    """Closes itself on Esc or on a click elsewhere; the keyboard goes back to where it was."""

    def __init__(self, parent: QWidget) -> None:
        """Make an empty card, not yet shown."""
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)

    def show_below(self, control: QWidget) -> None:
        """Open under ``control``, its trailing edge below the control's; above it where there is no room below.

        It stays within the screen, and within the window where it has room there.
        """
        self._fit()
        room = self._room(control)
        mirrored = control.layoutDirection() == Qt.LayoutDirection.RightToLeft
        left = 0 if mirrored else control.width() - self.width()
        place = control.mapToGlobal(QPoint(left, control.height() + SPACE_XS))
        if place.y() + self.height() > room.bottom() + 1:
            place.setY(control.mapToGlobal(QPoint(0, -SPACE_XS - self.height())).y())
        place.setX(max(room.left(), min(place.x(), room.right() + 1 - self.width())))
        place.setY(max(room.top(), min(place.y(), room.bottom() + 1 - self.height())))
        self.move(place)
        self.show()
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def _fit(self) -> None:
        """Be as high as the words need at the width there is; the size hint is for a width of its own."""
        self.adjustSize()
        layout = self.layout()
        if layout is not None and layout.hasHeightForWidth():
            self.resize(self.width(), layout.totalHeightForWidth(self.width()))

    def _room(self, control: QWidget) -> QRect:
        screen = QGuiApplication.screenAt(control.mapToGlobal(control.rect().center())) or control.screen()
        around = screen.availableGeometry()
        within = around.intersected(control.window().geometry())
        return within if within.width() >= self.width() and within.height() >= self.height() else around

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        paint_box(QPainter(self), QRectF(self.rect()), RADIUS_ROW, colour("raised"), colour("line_strong"))


class Popover(PopupCard):
    """Explains something once."""

    def __init__(self, title: str, text: str, parent: QWidget) -> None:
        """Explain ``title`` with ``text``; ``parent`` is the control."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        self.setFixedWidth(grown(_WIDTH))
        content = column(self, (SPACE_L, SPACE_M, SPACE_L, SPACE_M), SPACE_XS)
        content.addWidget(Label(title, "body", "text", SEMIBOLD, wrap=True))
        content.addWidget(Label(text, "body", "text2", wrap=True))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on the keys that opened it, too."""
        if event.key() in _OPENING:
            self.close()
        else:
            super().keyPressEvent(event)


class HoverCard(QFrame):
    """A card beside a part of a pane, for as long as the pointer or the keyboard is there; it takes neither."""

    def __init__(self, parent: QWidget, width: int) -> None:
        """Lie over ``parent``, a window, ``width`` wide at the smallest font; not yet shown."""
        super().__init__(parent)
        self._wide = width
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def show_beside(self, part: QRect) -> None:
        """Open under ``part`` of the screen, or over it where there is no room below."""
        parent, layout = self.parentWidget(), self.layout()
        if parent is None or layout is None:
            return
        width = min(grown(self._wide), parent.width() - 2 * SPACE_M)
        self.setFixedSize(width, layout.totalHeightForWidth(width))
        place = QRect(parent.mapFromGlobal(part.topLeft()), part.size())
        left = place.right() + 1 - width if self.isRightToLeft() else place.left()
        top = place.bottom() + 1 + SPACE_XS
        if top + self.height() > parent.height() - SPACE_M:
            top = place.top() - self.height() - SPACE_XS
        self.move(max(SPACE_M, min(left, parent.width() - width - SPACE_M)), max(SPACE_M, top))
        self.show()
        self.raise_()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        paint_box(QPainter(self), QRectF(self.rect()), RADIUS_ROW, colour("raised"), colour("line_strong"))


def open_below(menu: QMenu, control: QWidget, part: QRect | None = None, *, keep: bool = False) -> None:
    """Open a menu under a control, or under a part of it, aligned at the same edge.

    It is deleted when it closes, unless ``keep`` is set.
    """
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, not keep)
    above = control.rect() if part is None else part
    left = above.right() + 1 - menu.sizeHint().width() if control.isRightToLeft() else above.left()
    menu.popup(control.mapToGlobal(QPoint(left, above.bottom() + 1)))


def open_for_row(menu: QMenu, view: QAbstractItemView, event: QContextMenuEvent) -> None:
    """Open the menu of the current row: under the pointer, or for the Menu key in the middle of the row.

    It is deleted when it closes.
    """
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
    middle = view.visualRect(view.currentIndex()).center()
    menu.popup(view.viewport().mapToGlobal(middle) if by_key else event.globalPos())


def add_command(menu: QMenu, icon_name: str, text: str, keys: str, run: Callable[[], None]) -> None:
    """Add an entry that shows its key; the key press itself is handled by the list."""
    action = menu.addAction(text)
    if icon_name:
        action.setIcon(icon(icon_name))
    action.setShortcut(keys)
    action.setShortcutVisibleInContextMenu(True)
    action.triggered.connect(lambda _checked: run())


class FocusMemory(QObject):
    """Watches the keyboard enter and leave a widget and what is in it."""

    entered = Signal()
    left = Signal()

    def __init__(self, widget: QWidget) -> None:
        """Watch ``widget``, which owns this."""
        super().__init__(widget)
        self._widget = widget
        self._before: QWidget | None = None
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow)

    @property
    def inside(self) -> bool:
        """Whether the keyboard is in the widget."""
        return self._holds(QApplication.focusWidget())

    def remember(self) -> None:
        """Take where the keyboard is now for the place to go back to."""
        self._before = QApplication.focusWidget()

    def give_back(self) -> None:
        """Bring the keyboard back, if it is here and the place it came from still shows."""
        before, self._before = self._before, None
        if self.inside and before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    def _holds(self, other: QWidget | None) -> bool:
        if other is None or not isValid(self._widget):
            return False
        return other is self._widget or self._widget.isAncestorOf(other)

    def _follow(self, old: QWidget | None, new: QWidget | None) -> None:
        came, went = self._holds(new), self._holds(old)
        if came and not went:
            self._before = old if old is not None else self._before
            self.entered.emit()
        elif went and not came and new is not None:  # with None the window itself lost the keyboard
            self.left.emit()


_EDGE = 1


class _Outside(QWidget):
    """Covers the rest of the parent and takes the click that closes."""

    pressed = Signal()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()
        self.pressed.emit()


class SlidingOverlay(QFrame):
    """Closes on Esc, on a click outside, and when the keyboard leaves; the keyboard goes back where it was."""

    closed = Signal()

    def __init__(self, parent: QWidget, width: int, role: Role = "sidebar") -> None:
        """Begin closed and empty, over ``parent``."""
        super().__init__(parent)
        self._role, self._wide = role, width
        self._content: QWidget | None = None
        self._outside = _Outside(parent)
        self._outside.pressed.connect(self.close_pane)
        self._column = column(self, (0, 0, _EDGE, 0))
        self._motion = QPropertyAnimation(self, b"pos", self)
        self._motion.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._focus = FocusMemory(self)
        self._focus.left.connect(self.close_pane)
        parent.installEventFilter(self)
        self.hide()
        self._outside.hide()

    def set_content(self, content: QWidget) -> None:
        """Take a widget in; it is this pane's until :meth:`take_content`."""
        self._content = content
        self._column.addWidget(content)
        content.show()

    def take_content(self) -> QWidget | None:
        """Give the widget back, to be shown elsewhere."""
        content, self._content = self._content, None
        if content is not None:
            self._column.removeWidget(content)
            content.setParent(None)
        return content

    @property
    def is_open(self) -> bool:
        """Whether the pane is there for the user."""
        return not self.isHidden()

    def open(self) -> None:
        """Slide in and take the keyboard."""
        if self.is_open:
            return
        self._focus.remember()
        self._place()
        self._outside.show()
        self._outside.raise_()
        self.show()
        self.raise_()
        self._slide()
        self._take_keyboard()

    def _slide(self) -> None:
        end = self.pos()
        side = 1 if self._mirrored() else -1
        self._motion.stop()
        self._motion.setDuration(duration(PANE_MOTION))
        self._motion.setStartValue(end + QPoint(side * self.width(), 0))
        self._motion.setEndValue(end)
        self._motion.start()

    def _take_keyboard(self) -> None:
        """Focus what Tab reaches first."""
        part = self.nextInFocusChain()
        while part is not None and part is not self:
            if self.isAncestorOf(part) and _takes_keyboard(part):
                part.setFocus(Qt.FocusReason.PopupFocusReason)
                return
            part = part.nextInFocusChain()
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def close_pane(self) -> None:
        """Go away; the keyboard goes back, unless it is elsewhere already."""
        if not self.is_open:
            return
        self._motion.stop()
        self._outside.hide()
        self._focus.give_back()
        self.hide()
        self.closed.emit()

    def _mirrored(self) -> bool:
        return self.layoutDirection() == Qt.LayoutDirection.RightToLeft

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is None:
            return
        self._motion.stop()
        width = min(self._wide, parent.width())
        self.setGeometry(parent.width() - width if self._mirrored() else 0, 0, width, parent.height())
        self._outside.setGeometry(parent.rect())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_pane()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the parent's size."""
        if watched is self.parent() and event.type() == QEvent.Type.Resize and self.is_open:
            self._place()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground and the edge."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour(self._role))
        left = 0 if self._mirrored() else self.width() - _EDGE
        painter.fillRect(left, 0, _EDGE, self.height(), colour("line_strong"))


def _takes_keyboard(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isVisible() and widget.isEnabled()
