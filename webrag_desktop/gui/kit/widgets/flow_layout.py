"""A layout that puts widgets along the line of reading and goes on in the next line where there is no room."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


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
