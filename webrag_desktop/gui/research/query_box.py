"""The one box that takes questions."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import paint_box
from webrag_desktop.gui.kit.theme.tokens import RADIUS_ROW, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import name_tool, push_button, tool_button
from webrag_desktop.gui.kit.widgets.focus_memory import FocusMemory
from webrag_desktop.gui.kit.widgets.key_cap import KeyCap
from webrag_desktop.gui.kit.widgets.layouts import row

_HEIGHT, _ICON, _ICON_LEFT, _ICON_GAP, _EDGE = 36, 16, 12, 10, 10


def _text_left() -> int:
    """Where the words begin: after the icon."""
    return _ICON_LEFT + grown(_ICON) + _ICON_GAP


class QueryBox(QFrame):
    """A field with a magnifier. The frame paints the field's focus ring; Enter or its button searches."""

    search_requested = Signal(str)
    text_edited = Signal(str)
    filters_requested = Signal()
    left_downwards = Signal()  # Down: to what stands below

    def __init__(self, parent: QWidget | None = None) -> None:
        """Make an empty box."""
        super().__init__(parent)
        self.setMinimumWidth(240)
        self.setFixedHeight(grown(_HEIGHT))
        self._edit = QLineEdit()
        self._edit.setProperty("bare", True)
        self._edit.setFont(font("lead"))
        self._edit.setPlaceholderText(self.tr("Search your library"))
        self._edit.setAccessibleName(self.tr("Search your library"))
        self._clear = tool_button("x", self.tr("Clear the question"), size=14)
        self._search = push_button(self.tr("Search"), "bare")
        self._enter_key, self._focus_key = KeyCap("↵"), KeyCap("Ctrl L")
        self.filter_button = tool_button("list-filter", "", checkable=True, size=16)
        self.filter_button.setFont(font("small", SEMIBOLD, figures=True))
        line = row(self, (_EDGE, 0, _EDGE, 0), SPACE_XS)
        line.addSpacing(_text_left() - _EDGE)  # room for the magnifier, on whichever side it is
        line.addWidget(self._edit, 1)
        for hint in (self._clear, self._search, self._enter_key, self._focus_key, self.filter_button):
            line.addWidget(hint)
        self.setFocusProxy(self._edit)
        self._focus = FocusMemory(self)
        self._connect()
        self._show_hints()
        self.show_filters(0)

    def _connect(self) -> None:
        self._edit.returnPressed.connect(self._request)
        self._edit.textChanged.connect(self._show_hints)
        self._edit.textEdited.connect(self.text_edited)
        self._search.clicked.connect(self._request)
        self._clear.clicked.connect(self._empty)
        self.filter_button.clicked.connect(self._choose_filters)
        self._focus.entered.connect(self._show_hints)
        self._focus.left.connect(self._show_hints)
        self._edit.installEventFilter(self)

    def text(self) -> str:
        """The question, without space around it."""
        return self._edit.text().strip()

    def set_text(self, text: str) -> None:
        """Show a question without searching for it."""
        self._edit.setText(text)

    def show_filters(self, count: int) -> None:
        """Show how many filters are on."""
        self._filters = count
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        self.filter_button.setToolButtonStyle(beside if count else Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.filter_button.setText(str(count) if count else "")
        self.filter_button.setChecked(bool(count))
        name = self.tr("Filters, {0} on").format(count) if count else self.tr("Filters")
        name_tool(self.filter_button, name, "Ctrl+Shift+F")

    def _choose_filters(self) -> None:
        self.filter_button.setChecked(bool(self._filters))  # a click does not turn them on or off
        self.filters_requested.emit()

    def focus(self) -> None:
        """Bring the keyboard here, with the question selected."""
        self._edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._edit.selectAll()

    @property
    def has_keyboard(self) -> bool:
        """Whether the user is typing here."""
        return self._edit.hasFocus()

    def _request(self) -> None:
        if self.text():
            self.search_requested.emit(self.text())

    def _empty(self) -> None:
        self._edit.clear()
        self.focus()
        self.text_edited.emit("")

    def _show_hints(self) -> None:
        filled = bool(self._edit.text())
        used = filled or self._focus.inside
        self._clear.setVisible(filled)
        self._search.setVisible(used)
        self._search.setEnabled(bool(self.text()))
        self._search.setToolTip("" if self.text() else self.tr("Type a question first"))
        self._enter_key.setVisible(used)
        self._focus_key.setVisible(not used)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Paint the ring as the keyboard enters and leaves the field."""
        if event.type() in {QEvent.Type.FocusIn, QEvent.Type.FocusOut}:
            self.update()
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Down
        ):
            self.left_downwards.emit()
            return True
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click beside the text is meant for it."""
        self._edit.setFocus(Qt.FocusReason.MouseFocusReason)
        super().mousePressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the field's ground, its edge or its focus ring, and the magnifier."""
        painter = QPainter(self)
        focused = self._edit.hasFocus()
        edge, thickness = (colour("focus"), 2.0) if focused else (colour("control"), 1.0)
        paint_box(painter, QRectF(self.rect()), RADIUS_ROW, colour("surface"), edge, thickness)
        left = (
            self.width() - _ICON_LEFT - grown(_ICON)
            if self.layoutDirection() == Qt.LayoutDirection.RightToLeft
            else _ICON_LEFT
        )
        paint_icon(painter, "search", left, (self.height() - grown(_ICON)) / 2, grown(_ICON), "text3")
