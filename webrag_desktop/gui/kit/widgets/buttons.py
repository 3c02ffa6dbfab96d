"""Push buttons and tool buttons in the kinds of the theme."""

from typing import Literal

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QSizePolicy, QStyleOptionButton, QToolButton

from webrag_desktop.gui.kit.theme.direction import isolated
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.icons import icon as themed_icon
from webrag_desktop.gui.kit.theme.plain_tooltip import plain_tooltip
from webrag_desktop.gui.kit.theme.tokens import SMALLEST_TARGET, Role

Kind = Literal["default", "primary", "quiet", "mini", "link", "bare", "notice"]
LINK_INSET = 3  # from a link's edge to its words: room for the ring
_ICON, _MINI_ICON, _GAP = 16, 14, 5
_FONT_EVENTS = {QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange, QEvent.Type.StyleChange}
_ICON_ROLE: dict[Kind, Role] = {"primary": "on_accent", "link": "accent_text", "notice": "surface"}


class _PushButton(QPushButton):
    """Keeps its icon as large as the font asks for; ``least`` is meant for the smallest font."""

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
