"""Messages of panes and the window: an empty state, and passing notices (toasts), each with its undo."""

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QEnterEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, grown
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_icon
from webrag_desktop.gui.kit.theme.tokens import RADIUS_ROW, SPACE_L, SPACE_S, SPACE_XL, SPACE_XS, TOAST_TIME
from webrag_desktop.gui.kit.widgets.buttons import LINK_INSET, push_button
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import column, row
from webrag_desktop.gui.kit.widgets.popups import FocusMemory

_HEIGHT, _ICON, _ICON_LEFT, _ICON_GAP = 42, 16, 14, 10
_WIDTH, _AT_MOST = 430, 2


def _text_left() -> int:
    """Where the words begin: after the icon."""
    return _ICON_LEFT + grown(_ICON) + _ICON_GAP


class Toast(QFrame):
    """One notice. It goes away by itself, but not while the pointer or the keyboard is on it; Esc ends it."""

    expired = Signal()
    acted = Signal()
    way_taken = Signal()
    gone = Signal()

    def __init__(
        self, text: str, action: str, shortcut: str, milliseconds: int, parent: QWidget, way: str = ""
    ) -> None:
        """Show ``text`` and, where there are any, buttons for ``action`` and for a second one, ``way``."""
        super().__init__(parent)
        self.setAccessibleName(text)
        self._is_gone = False
        self._time = QTimer(self)
        self._time.setSingleShot(True)
        self._time.setInterval(milliseconds)
        self._time.timeout.connect(self._expire)
        self._focus = FocusMemory(self)
        self._focus.entered.connect(self._time.stop)
        self._focus.left.connect(self._wait)
        self._line = row(self, (SPACE_S, SPACE_XS, SPACE_S, SPACE_XS), SPACE_XL)
        self._line.addSpacing(_text_left() - SPACE_S)  # room for the tick, on whichever side it is
        self._line.addWidget(Label(text, "body", "surface", MEDIUM, wrap=True), 1)
        if way:
            self._line.addWidget(self._action_button(way, self.way_taken))
        self._action = action
        self.action_button = self._action_button(action, self.acted) if action else None
        if self.action_button is not None:
            self._line.addWidget(self.action_button)
        self.show_shortcut(shortcut)
        self._time.start()

    def show_shortcut(self, shortcut: str) -> None:
        """Show the key that does what the button does now; none for an empty one."""
        if self.action_button is not None:
            self.action_button.setText(f"{self._action}   {shortcut}" if shortcut else self._action)
            self.action_button.setAccessibleName(f"{self._action} ({shortcut})" if shortcut else self._action)

    def _action_button(self, action: str, signal: SignalInstance) -> QPushButton:
        button = push_button(action, "notice")
        button.setAccessibleDescription(self.accessibleName())  # of which of two notices it is
        button.clicked.connect(lambda: self._act(signal))
        return button

    def set_width(self, width: int) -> None:
        """Be that wide, and as high as the words then need."""
        self.setFixedSize(width, max(self._line.heightForWidth(width), grown(_HEIGHT)))

    def dismiss(self) -> None:
        """Take the notice away now; a keyboard that was on it goes back to where it came from."""
        if self._is_gone:
            return
        self._is_gone = True
        self._time.stop()
        self._focus.give_back()
        self.hide()
        self.gone.emit()
        self.deleteLater()

    def _expire(self) -> None:
        self.dismiss()
        self.expired.emit()

    def _act(self, signal: SignalInstance) -> None:
        self.dismiss()
        signal.emit()

    def _wait(self) -> None:
        if not self._is_gone and not self.underMouse() and not self._focus.inside:
            self._time.start()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Stay while the pointer is here."""
        super().enterEvent(event)
        self._time.stop()

    def leaveEvent(self, event: QEvent) -> None:
        """Go on counting once the pointer has left."""
        super().leaveEvent(event)
        self._wait()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the dark ground (light in the dark theme) and the tick."""
        painter = QPainter(self)
        paint_box(painter, QRectF(self.rect()), RADIUS_ROW, colour("text"))
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        left = self.width() - _ICON_LEFT - grown(_ICON) if mirrored else _ICON_LEFT
        paint_icon(painter, "circle-check", left, (self.height() - grown(_ICON)) / 2, grown(_ICON), "surface")


class ToastArea(QWidget):
    """Holds the notices of a window, the newest lowest. No larger than they are, and beside what is ``in_use``."""

    def __init__(self, parent: QWidget) -> None:
        """Lie over the bottom centre of ``parent`` and follow its size."""
        super().__init__(parent)
        self._toasts: list[Toast] = []
        self._distance = SPACE_L
        self.in_use: Callable[[], Iterable[QRect]] = tuple  # what notices are not to cover, in the parent
        parent.installEventFilter(self)
        self.hide()

    def set_distance(self, distance: int) -> None:
        """Keep ``distance`` pixels free below, as for a status bar."""
        self._distance = distance
        self._place()

    def show_notice(
        self,
        text: str,
        action: str = "",
        on_action: Callable[[], None] | None = None,
        shortcut: str = "",
        milliseconds: int = TOAST_TIME,
        way: str = "",
        on_way: Callable[[], None] | None = None,
    ) -> Toast:
        """Show a notice; screen readers hear it. ``on_action`` and ``on_way`` are called if their button is pressed."""
        toast = Toast(text, action, shortcut, milliseconds, self, way)
        if on_way is not None:
            toast.way_taken.connect(on_way)
        if on_action is not None:
            toast.acted.connect(on_action)
        toast.gone.connect(lambda: self._forget(toast))
        self._toasts.append(toast)
        for old in self._toasts[:-_AT_MOST]:
            old.dismiss()
        self._place()
        offer = f"{action}: {shortcut}" if shortcut else action
        heard = ". ".join(part for part in (text, offer, way) if part)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(toast, heard))
        return toast

    def _forget(self, toast: Toast) -> None:
        self._toasts.remove(toast)
        self._place()

    def _place(self) -> None:
        parent = self.parentWidget()
        if not self._toasts or parent is None:
            self.hide()
            return
        width, height = min(grown(_WIDTH), parent.width() - 2 * SPACE_L), 0
        for toast in self._toasts:
            toast.set_width(width)
            toast.move(0, height)
            height += toast.height() + SPACE_S
        height -= SPACE_S
        left, top = (parent.width() - width) // 2, parent.height() - self._distance - height
        self.setGeometry(self._beside(QRect(left, top, width, height)))
        self.show()
        for toast in self._toasts:  # only now: elsewhere one might come under the pointer, and stay for it
            toast.show()
        self.raise_()

    def _beside(self, place: QRect) -> QRect:
        """The place, or the next one above it that leaves free what is in use; itself where there is none."""
        used = sorted(self.in_use(), key=QRect.bottom, reverse=True)
        moved = QRect(place)
        for rect in used:
            if moved.intersects(rect):
                moved.moveBottom(rect.top() - SPACE_S)
        return moved if moved.top() >= 0 else place

    def rearrange(self) -> None:
        """Look again what is in use; a notice under the pointer stays."""
        if self._toasts and not any(toast.underMouse() for toast in self._toasts):
            self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window's size."""
        if watched is self.parent() and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)


_EMPTY_ICON, _EMPTY_WIDTH = 18, 520


class _EmptyIcon(QWidget):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(grown(_EMPTY_ICON), grown(_EMPTY_ICON))

    def paintEvent(self, _event: QPaintEvent) -> None:
        rect = QRectF(self.rect())
        paint_icon(
            QPainter(self),
            self.name,
            0,
            rect.center().y() - grown(_EMPTY_ICON) / 2,
            grown(_EMPTY_ICON),
            "text3",
        )


class EmptyState(QFrame):
    """An icon, a title, a sentence, and what to do about it, at the top of the pane: an action, links before it."""

    acted = Signal()
    link_chosen = Signal(int)  # which of the links that are shown

    def __init__(
        self, icon: str, title: str, text: str, action: str = "", parent: QWidget | None = None
    ) -> None:
        """Show a first state."""
        super().__init__(parent)
        self._icon = _EmptyIcon(icon)
        self._title = Label(title, "body", "text", MEDIUM, wrap=True)
        self._text = Label(text, "body", "text2", wrap=True)
        self._action = push_button(action, "link")
        self._action.clicked.connect(self.acted)
        for above in (self._title, self._text):  # in line with the words of the link
            above.setContentsMargins(LINK_INSET, 0, 0, 0)
        words = QWidget()
        words.setMaximumWidth(grown(_EMPTY_WIDTH))
        sentences = column(words, spacing=SPACE_XS)
        sentences.addWidget(self._title)
        sentences.addWidget(self._text)
        self.links: list[QPushButton] = []
        self._linked = column(spacing=SPACE_XS)
        sentences.addLayout(self._linked)
        sentences.addWidget(self._action, 0, Qt.AlignmentFlag.AlignLeading)
        sentences.addStretch(1)
        line = row(self, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L), SPACE_S)
        line.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(words, 1)
        line.addStretch(0)
        self.show_state(icon, title, text, action)

    def show_state(self, icon: str, title: str, text: str, action: str = "") -> None:
        """Show another state, without links; what is empty is left out."""
        self.show_links(())
        self._icon.name = icon
        self._icon.update()
        self._title.setText(title)
        self._text.setText(text)
        self._action.setText(action)
        self._text.setVisible(bool(text))
        self._action.setVisible(bool(action))
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)

    def show_links(self, words: Sequence[str]) -> None:
        """Offer these, one on each line."""
        for link in self.links:
            self._linked.removeWidget(link)
            link.hide()
            link.deleteLater()
        self.links = [push_button(text, "link") for text in words]
        before: QWidget | None = None
        for at, link in enumerate(self.links):
            link.clicked.connect(lambda _checked=False, at=at: self.link_chosen.emit(at))
            self._linked.addWidget(link, 0, Qt.AlignmentFlag.AlignLeading)
            link.show()  # else the layout shows it a turn later
            if before is not None:
                QWidget.setTabOrder(before, link)
            before = link
        if before is not None:
            QWidget.setTabOrder(before, self._action)
