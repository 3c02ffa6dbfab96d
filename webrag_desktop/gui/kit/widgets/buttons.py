"""Push buttons and tool buttons in the kinds of the theme, and a switch between a few views."""

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyleOptionButton,
    QToolButton,
    QWidget,
)

from webrag_desktop.gui.kit.theme.colours import colour, is_dark, is_system
from webrag_desktop.gui.kit.theme.direction import isolated, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.painting import (
    LEFT,
    paint_box,
    paint_focus,
    paint_icon,
    paint_line,
    text_width,
)
from webrag_desktop.gui.kit.theme.painting import icon as themed_icon
from webrag_desktop.gui.kit.theme.tokens import CONTROL_HEIGHT, SMALLEST_TARGET, Role
from webrag_desktop.gui.kit.widgets.panes import row

Kind = Literal["default", "primary", "quiet", "mini", "link", "bare", "notice"]
LINK_INSET = 3  # from a link's edge to its words: room for the ring
_ICON, _MINI_ICON, _GAP = 16, 14, 5
_FONT_EVENTS = {QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange, QEvent.Type.StyleChange}
_ICON_ROLE: dict[Kind, Role] = {"primary": "on_accent", "link": "accent_text", "notice": "surface"}


class _PushButton(QPushButton):
    """Keeps its icon as large as the font needs; ``least`` is meant for the smallest font."""

    least, gap = 0, 0

    def fit_icon(self) -> None:
        side = grown(self.least)
        self.setIconSize(QSize(side + self.gap, side))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if self.least and event.type() in _FONT_EVENTS:
            self.fit_icon()

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        """Its words run as they do by themselves: a number before an English word would else come behind it."""
        super().initStyleOption(option)
        if QGuiApplication.isRightToLeft() and option.text:
            option.text = isolated(option.text)


class _ToolButton(QToolButton):
    """The same for a button with only an icon."""

    least = 0

    def fit_icon(self) -> None:
        side, least = grown(self.least), grown(SMALLEST_TARGET)
        self.setIconSize(QSize(side, side))
        # Where there is no room a line gives it this, and its icon is cut to it.
        self.setMinimumSize(least, least)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if self.least and event.type() in _FONT_EVENTS:
            self.fit_icon()


def push_button(text: str, kind: Kind = "default", icon: str | None = None) -> QPushButton:
    """A button with a word on it. At most one of kind "primary" belongs in a pane.

    It takes the keyboard by Tab, not by a click, so that a click leaves the list one works in alone.
    """
    button = _PushButton(text)
    button.setProperty("kind", kind)
    button.setFont(
        font("small" if kind in {"mini", "bare"} else "body", SEMIBOLD if kind == "primary" else MEDIUM)
    )
    if icon is not None:
        button.setIcon(themed_icon(icon, _ICON_ROLE.get(kind, "text2"), _GAP))
        button.least, button.gap = _MINI_ICON if kind == "mini" else _ICON, _GAP
        button.fit_icon()
    button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setAutoDefault(False)
    if kind == "link":
        button.setCursor(Qt.CursorShape.PointingHandCursor)
    return button


def tool_button(
    icon: str, name: str, shortcut: str = "", checkable: bool = False, size: int = 18
) -> QToolButton:
    """A button with only an icon. Its name, with the key in parentheses, is its tooltip and what is read out.

    The key itself belongs to an action of the window.
    """
    button = _ToolButton()
    button.setIcon(themed_icon(icon))
    button.least = size
    button.fit_icon()
    button.setCheckable(checkable)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    name_tool(button, name, shortcut)
    return button


def name_tool(button: QToolButton, name: str, shortcut: str = "") -> None:
    """Give a tool button another name."""
    whole = f"{name} ({shortcut})" if shortcut else name
    button.setToolTip(plain_tooltip(whole))
    button.setAccessibleName(whole)


def name_within(field: QLineEdit, name: str) -> None:
    """Name the buttons that Qt makes within a field for screen readers, those without a name yet."""
    for button in field.findChildren(QToolButton):
        if not button.accessibleName():
            button.setAccessibleName(name)


_SEGMENT_EDGE, _SEGMENT_INSET, _SEGMENT_ICON, _SEGMENT_ICON_GAP = 2, 14, 16, 6
_TROUGH_RADIUS, _SEGMENT_RADIUS = 7.0, 5.5


class _Segment(QToolButton):
    """One position of the switch."""

    def __init__(self, icon: str, label: str) -> None:
        super().__init__()
        self._icon = icon
        self.setText(label)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        width = text_width(self.text(), font("body", SEMIBOLD)) + 2 * _SEGMENT_INSET
        return QSize(
            round(width + (grown(_SEGMENT_ICON) + _SEGMENT_ICON_GAP if self._icon else 0)),
            grown(CONTROL_HEIGHT) - 2 * _SEGMENT_EDGE,
        )

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = QRectF(self.rect())
        if self.isChecked():
            chosen = colour("accent_soft" if is_system() else "raised")
            paint_box(painter, rect, _SEGMENT_RADIUS, chosen, colour("line_strong"))
        elif self.underMouse():
            paint_box(painter, rect, _SEGMENT_RADIUS, colour("hover"))
        if self.hasFocus():
            paint_focus(painter, rect, _SEGMENT_RADIUS)
        self._paint_content(painter, rect)

    def _paint_content(self, painter: QPainter, rect: QRectF) -> None:
        on = self.isChecked()
        used = font("body", SEMIBOLD if on else MEDIUM)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = grown(_SEGMENT_ICON)
        taken = side + _SEGMENT_ICON_GAP if self._icon else 0
        left = (rect.width() - taken - text_width(self.text(), used)) / 2
        if self._icon:
            at = rect.width() - left - side if mirrored else left
            paint_icon(
                painter, self._icon, at, (rect.height() - side) / 2, side, "accent_text" if on else "text2"
            )
        words = rect.adjusted(0, 0, -left - taken, 0) if mirrored else rect.adjusted(left + taken, 0, 0, 0)
        paint_line(
            painter, words, self.text(), used, "text" if on else "text2", LEFT, Qt.TextElideMode.ElideNone
        )


class Segmented(QFrame):
    """Made from (icon, label, shortcut) of each position. Arrow keys move; Tab stops once.

    The keys themselves belong to actions of the window.
    """

    chosen = Signal(int)

    def __init__(self, items: Sequence[tuple[str, str, str]], parent: QWidget | None = None) -> None:
        """Begin with the first position."""
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        line = row(self, (_SEGMENT_EDGE, _SEGMENT_EDGE, _SEGMENT_EDGE, _SEGMENT_EDGE))
        for index, (icon, label, shortcut) in enumerate(items):
            segment = _Segment(icon, label)
            name_tool(segment, label, shortcut)
            self._group.addButton(segment, index)
            line.addWidget(segment)
        self.choose(0)
        self._group.idClicked.connect(self.chosen)

    def choose(self, index: int) -> None:
        """Move the switch without a signal."""
        self._group.button(index).setChecked(True)
        for at, segment in enumerate(
            self._group.buttons()
        ):  # Qt does so only once one of them had the keyboard
            segment.setFocusPolicy(Qt.FocusPolicy.TabFocus if at == index else Qt.FocusPolicy.NoFocus)

    def current(self) -> int:
        """The position that is chosen."""
        return self._group.checkedId()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the trough."""
        trough = colour("sidebar") if is_dark() or is_system() else colour("line", 0.75)
        edge = colour("line") if is_system() else None
        paint_box(QPainter(self), QRectF(self.rect()), _TROUGH_RADIUS, trough, edge)
