"""What panes are made of: box and flow layouts, panels, pane headers and splitters."""

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QSplitter,
    QSplitterHandle,
    QVBoxLayout,
    QWidget,
)

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.painting import paint_hairline
from webrag_desktop.gui.kit.theme.tokens import (
    PANE_HEADER_HEIGHT,
    PANE_INSET,
    SPACE_M,
    SPACE_S,
    SPACE_XL,
    Role,
)
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel

Margins = tuple[int, int, int, int]
NONE: Margins = (0, 0, 0, 0)


def column(parent: QWidget | None = None, margins: Margins = NONE, spacing: int = 0) -> QVBoxLayout:
    """A layout from top to bottom; margins are left, top, right, bottom."""
    made = QVBoxLayout(parent) if parent is not None else QVBoxLayout()
    made.setContentsMargins(*margins)
    made.setSpacing(spacing)
    return made


def row(parent: QWidget | None = None, margins: Margins = NONE, spacing: int = 0) -> QHBoxLayout:
    """A layout along the line of reading; margins are left, top, right, bottom."""
    made = QHBoxLayout(parent) if parent is not None else QHBoxLayout()
    made.setContentsMargins(*margins)
    made.setSpacing(spacing)
    return made


def button_row(
    *buttons: QWidget,
    leading: Sequence[QWidget] = (),
    parent: QWidget | None = None,
    margins: Margins = NONE,
    spacing: int = SPACE_S,
) -> QHBoxLayout:
    """A row with ``leading`` at its beginning and ``buttons`` at its end."""
    made = row(parent, margins, spacing)
    for button in leading:
        made.addWidget(button)
    made.addStretch(1)
    for button in buttons:
        made.addWidget(button)
    return made


def add_centred(page: QWidget, block: QWidget, margins: Margins = NONE) -> None:
    """Show ``block`` in the middle of an empty page, a little above the centre."""
    across = row()
    across.addStretch(1)
    across.addWidget(block, 100)
    across.addStretch(1)
    whole = column(page, margins)
    whole.addStretch(2)
    whole.addLayout(across)
    whole.addStretch(3)


class Panel(QFrame):
    """Fills itself with ``role``; the hairlines are inside, at its very edge."""

    def __init__(
        self,
        role: Role = "window",
        bottom_line: bool = False,
        top_line: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """Make an empty panel."""
        super().__init__(parent)
        self._role, self._bottom_line, self._top_line = role, bottom_line, top_line

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill, then draw the hairlines."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), colour(self._role))
        if self._top_line:
            paint_hairline(painter, 0, self.width(), 0)
        if self._bottom_line:
            paint_hairline(painter, 0, self.width(), self.height() - 1)


def dialog_foot(*buttons: QWidget, leading: Sequence[QWidget] = (), spacing: int = SPACE_S) -> Panel:
    """The last line of a dialog whose content reaches its edges: a panel with a row of buttons."""
    foot = Panel("raised", top_line=True)
    button_row(
        *buttons, leading=leading, parent=foot, margins=(SPACE_M, SPACE_M, SPACE_XL, SPACE_M), spacing=spacing
    )
    return foot


_EDGE = 10


class PaneHeader(Panel):
    """A line of the pane's height; a title too long for it is cut first."""

    def __init__(self, title: str, actions: Sequence[QWidget] = (), role: Role = "surface") -> None:
        """Show ``title`` at the left and ``actions`` at the right."""
        super().__init__(role, bottom_line=True)
        self.setMinimumHeight(grown(PANE_HEADER_HEIGHT))
        self._title = ElidedLabel(title, "body", "text", SEMIBOLD)
        self._detail = ElidedLabel("", "small", "text3", figures=True)
        self._detail.hide()
        self._line = row(self, (_EDGE, 0, _EDGE, 1), SPACE_S)
        self._line.addSpacing(PANE_INSET - _EDGE)  # words are further in than buttons
        self._line.addWidget(self._title)
        self._line.addWidget(self._detail)
        self._line.addStretch(1)
        for action in actions:
            self.add_action_widget(action)

    def set_title(self, title: str) -> None:
        """Change the title."""
        self._title.setText(title)

    def set_detail(self, detail: str) -> None:
        """Say something in small print beside the title; nothing when empty."""
        self._detail.setText(detail)
        self._detail.setVisible(bool(detail))

    def add_action_widget(self, widget: QWidget) -> None:
        """Add a control at the right end."""
        self._line.addWidget(widget)


class _Handle(QSplitterHandle):
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        splitter = self.splitter()
        if isinstance(splitter, Splitter):
            splitter.reset()
            splitter.splitterMoved.emit(
                splitter.sizes()[0], 1
            )  # the user's doing, unlike a first arrangement
        event.accept()


class Splitter(QSplitter):
    """The handle is seen one pixel wide, and wider to the pointer. A double click on it restores the sizes."""

    resized = Signal()  # the panes have new sizes already

    def __init__(
        self, orientation: Qt.Orientation, sizes: Sequence[int], parent: QWidget | None = None
    ) -> None:
        """``sizes`` are those of the panes that will be added, in logical pixels."""
        super().__init__(orientation, parent)
        self._first_sizes = list(sizes)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)

    def addWidget(self, widget: QWidget) -> None:
        """Add a pane; with the last one the panes take their sizes."""
        super().addWidget(widget)
        if self.count() == len(self._first_sizes):
            self.reset()

    def reset(self) -> None:
        """Give the panes the sizes they began with."""
        self.setSizes(self._first_sizes)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the new size among the panes."""
        super().resizeEvent(event)
        self.resized.emit()

    def saved(self) -> bytes:
        """The present sizes, for :meth:`restore`."""
        return bytes(self.saveState().data())

    def restore(self, state: bytes) -> bool:
        """Take sizes that :meth:`saved` gave; False if they are of another splitter."""
        done = self.restoreState(QByteArray(state))
        self.setHandleWidth(1)  # the state has one too
        self.setChildrenCollapsible(False)
        return done

    def createHandle(self) -> QSplitterHandle:
        """A handle that restores on double click."""
        return _Handle(self.orientation(), self)


class FlowLayout(QLayout):
    """Lines of equal height; every widget is as wide as it wants to be, or as there is room."""

    def __init__(self, parent: QWidget, gap: int, line_gap: int) -> None:
        """Leave ``gap`` between widgets and ``line_gap`` between lines."""
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap, self._line_gap = gap, line_gap
        self.setContentsMargins(0, 0, 0, 0)

    def insert(self, at: int, widget: QWidget) -> None:
        """Put a widget in before others."""
        self.addWidget(widget)
        self._items.insert(at, self._items.pop())
        self.invalidate()

    def addItem(self, item: QLayoutItem) -> None:
        """Put an item behind the others."""
        self._items.append(item)

    def count(self) -> int:
        """How many items there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """An item, or None behind the last one."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take an item out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """It takes no more than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """The number of lines depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """How high the lines are together."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def sizeHint(self) -> QSize:
        """All in one line."""
        hints = [item.sizeHint() for item in self._shown()]
        width = sum(hint.width() for hint in hints) + self._gap * max(0, len(hints) - 1)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        """One line, wide enough for what is narrowest."""
        least = [item.minimumSize() for item in self._shown()]
        return QSize(
            max((size.width() for size in least), default=0),
            max((size.height() for size in least), default=0),
        )

    def setGeometry(self, rect: QRect) -> None:
        """Arrange everything."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Go through the lines; returns their height."""
        parent = self.parentWidget()
        mirrored = parent is not None and parent.isRightToLeft()
        x = y = height = 0
        for item in self._shown():
            hint = item.sizeHint()
            width = min(hint.width(), rect.width())
            if x and x + width > rect.width():
                x, y, height = 0, y + height + self._line_gap, 0
            height = max(height, hint.height())
            if move:
                left = rect.right() + 1 - x - width if mirrored else rect.left() + x
                item.setGeometry(QRect(QPoint(left, rect.top() + y), QSize(width, hint.height())))
            x += width + self._gap
        return y + height


def scroll_area(
    inner: QWidget | None = None, surface: Role = "raised", *, name: str = "", focusable: bool = False
) -> QScrollArea:
    """An area on ``surface`` that scrolls ``inner`` up and down.

    Where ``inner`` has nothing to focus the area is ``focusable``, so that the arrow keys scroll it.
    """
    made = QScrollArea()
    made.setWidgetResizable(True)
    made.setFrameShape(QFrame.Shape.NoFrame)
    made.setProperty("surface", surface)
    made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    made.setAccessibleName(name)
    if not focusable:
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if inner is not None:
        made.setWidget(inner)
    return made
