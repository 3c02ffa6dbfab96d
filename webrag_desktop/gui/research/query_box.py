"""The box that takes queries, and the badge that shows how they are answered."""

from collections.abc import Callable, Sequence
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QSizePolicy, QToolButton, QWidget

from webrag_desktop.gui.kit.shortcuts import command_of, commands_of, key_cap, key_of
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_focus, paint_icon, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import CHIP_HEIGHT, RADIUS_ROW, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import name_tool, push_button, tool_button
from webrag_desktop.gui.kit.widgets.choices import Chip
from webrag_desktop.gui.kit.widgets.labels import KeyCap
from webrag_desktop.gui.kit.widgets.panes import row
from webrag_desktop.gui.kit.widgets.popups import FocusMemory, Popover
from webrag_desktop.gui.research.suggestions import SuggestionList
from webrag_desktop.text.typed_filters import TypedFilter, without

if TYPE_CHECKING:
    from webrag_desktop.gui.data.answers import SelectedText

_HEIGHT, _ICON, _ICON_LEFT, _ICON_GAP, _EDGE = 36, 16, 12, 10, 10
_ROOMY = 480  # less has no room for the keys
_MOST_ABOUT = 190  # of what a question is about
_FOR_A_MOMENT = frozenset((Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason))


def _text_left() -> int:
    """Where the words begin: after the icon."""
    return _ICON_LEFT + grown(_ICON) + _ICON_GAP


class QueryBox(QFrame):
    """A field with a magnifier. The frame paints the field's focus ring, and suggestions open under it.

    Enter or its button searches, Ctrl+Enter or its button has the question answered. A question about a selected text
    is only answered: a chip says what it is about.
    """

    search_requested = Signal(str)
    answer_requested = Signal(str)
    history_requested = Signal()
    about_chosen = Signal()  # show what the question is about
    about_removed = Signal()
    text_edited = Signal(str)
    filters_requested = Signal()
    last_filter_removed = Signal()  # Backspace at the start
    suggestions_wanted = Signal()  # Down in an empty box
    committing = Signal()  # before the question is asked: what is typed is complete
    left_downwards = Signal()  # Down: to the widget below

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
        self._answer = push_button(self.tr("Answer"), "bare")
        self._enter_key = KeyCap("↵")
        self._answer_key, self._focus_key = (
            KeyCap(key_cap(key_of("window", one))) for one in ("answer", "search")
        )
        self.about = Chip()
        self.about.setMaximumWidth(grown(_MOST_ABOUT))
        self._is_about = False
        self._held: Callable[[], None] | None = None  # sends what was asked
        self._is_held = False
        self.history_button = tool_button(
            "history", self.tr("Earlier questions"), key_of("window", "history"), size=16
        )
        self.filter_button = tool_button("list-filter", "", checkable=True, size=16)
        self.filter_button.setFont(font("small", SEMIBOLD, figures=True))
        line = row(self, (_EDGE, 0, _EDGE, 0), SPACE_XS)
        line.addSpacing(_text_left() - _EDGE)  # room for the magnifier, on whichever side it is
        line.addWidget(self.about)
        line.addWidget(self._edit, 1)
        for hint in (
            self._clear,
            self._search,
            self._enter_key,
            self._answer,
            self._answer_key,
            self._focus_key,
        ):
            line.addWidget(hint)
        for button in (self.history_button, self.filter_button):
            line.addWidget(button)
        self.setFocusProxy(self._edit)
        self.suggestions = SuggestionList(self)
        self._focus = FocusMemory(self)
        self._connect()
        self.show_about(None)
        self.show_filters(0)

    def _connect(self) -> None:
        self._edit.returnPressed.connect(self.search)
        self._edit.textChanged.connect(self._show_hints)
        self._edit.textEdited.connect(self.text_edited)
        self.text_edited.connect(self.drop_held)
        self.suggestions.value_chosen.connect(self._complete)
        self._search.clicked.connect(self.search)
        self._answer.clicked.connect(self.answer)
        self.history_button.clicked.connect(self.history_requested)
        self.about.clicked.connect(self.about_chosen)
        self.about.removed.connect(self._remove_about)
        self._clear.clicked.connect(self._empty)
        self.filter_button.clicked.connect(self._choose_filters)
        self._focus.entered.connect(self._show_hints)
        self._focus.left.connect(self._show_hints)
        self._edit.installEventFilter(self)

    def text(self) -> str:
        """The question, without space around it."""
        return self._edit.text().strip()

    @property
    def whole_text(self) -> str:
        """All that is typed, as it is."""
        return self._edit.text()

    @property
    def typed(self) -> str:
        """The words up to the cursor, as they are."""
        return self._edit.text()[: self._edit.cursorPosition()]

    def take_out(self, filters: Sequence[TypedFilter]) -> None:
        """Leave these filters out of what is typed; the cursor stays where it is between the other words."""
        text, cursor = self._edit.text(), self._edit.cursorPosition()
        left = len(without(text[:cursor], [one for one in filters if one.end <= cursor]))
        self._edit.selectAll()
        self._edit.insert(without(text, filters))
        self._edit.setCursorPosition(left)

    def _complete(self, text: str) -> None:
        """Take a suggestion for what is typed up to the cursor, as if the user had typed it."""
        self._edit.setSelection(0, self._edit.cursorPosition())
        self._edit.insert(text)
        self.text_edited.emit(self._edit.text())

    def set_text(self, text: str) -> None:
        """Show a question without searching for it."""
        self._held = None
        self._edit.setText(text)
        if not self._edit.hasFocus():
            self._edit.home(False)

    def show_filters(self, count: int) -> None:
        """Show how many filters are on."""
        self._filters = count
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        self.filter_button.setToolButtonStyle(beside if count else Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.filter_button.setText(str(count) if count else "")
        self.filter_button.setChecked(bool(count))
        name = self.tr("Filters, {0} on").format(count) if count else self.tr("Filters")
        name_tool(self.filter_button, name, key_of("window", "filters"))

    def _choose_filters(self) -> None:
        self.filter_button.setChecked(bool(self._filters))  # a click does not turn them on or off
        self.filters_requested.emit()

    def focus(self) -> None:
        """Bring the keyboard here, with the question selected."""
        self._edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._edit.selectAll()

    @property
    def is_about(self) -> bool:
        """Whether the question is about a selected text alone."""
        return self._is_about

    @property
    def has_keyboard(self) -> bool:
        """Whether the user is typing here."""
        return self._edit.hasFocus()

    def show_about(self, about: "SelectedText | None") -> None:
        """Make questions be about a selected text alone; None: about the library."""
        self._is_about = about is not None
        if about is not None:
            description = self.tr(
                "The question is about this text alone. Press Delete to ask the whole library."
            )
            words = " ".join(about.words.split())
            self.about.show_words(self.tr("About"), words, words, description)
        self.about.setVisible(self._is_about)
        ask = self.tr("Ask about the selected text") if self._is_about else self.tr("Search your library")
        self._edit.setPlaceholderText(ask)
        self._edit.setAccessibleName(ask)
        self._show_hints()

    def _remove_about(self) -> None:
        self.show_about(None)
        self._edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.about_removed.emit()

    def search(self) -> None:
        """Ask what is in the box, as Enter does."""
        self._commit(self._send_answer if self._is_about else self._send_search)

    def answer(self) -> None:
        """Have what is in the box answered, as Ctrl+Enter does."""
        self._commit(self._send_answer)

    def _commit(self, send: Callable[[], None]) -> None:
        self.suggestions.close()
        self._held, self._is_held = send, False
        self.committing.emit()
        if not self._is_held:
            self._held = None
            send()

    def hold(self) -> None:
        """While :attr:`committing`: ask only once :meth:`resume` is called; another key drops the question."""
        self._is_held = True

    def resume(self) -> None:
        """Ask what was held; nothing happens if nothing was."""
        send, self._held = self._held, None
        if send is not None:
            self._commit(send)

    def drop_held(self) -> None:
        """Ask no longer what is held."""
        self._held = None

    def _send_search(self) -> None:
        if self.text():
            self.search_requested.emit(self.text())

    def _send_answer(self) -> None:
        if self.text():
            self.answer_requested.emit(self.text())

    def _empty(self) -> None:
        self._edit.clear()
        self.focus()
        self.text_edited.emit("")

    def _show_hints(self) -> None:
        filled = bool(self._edit.text())
        used, roomy = filled or self._focus.inside, self.width() >= grown(_ROOMY)
        self._clear.setVisible(filled)
        for button in (self._search, self._answer):
            button.setVisible(used and (button is self._answer or not self._is_about))
            button.setEnabled(bool(self.text()))
            button.setToolTip("" if self.text() else self.tr("Type a question first"))
        self._enter_key.setVisible(used and roomy and not self._is_about)
        self._answer_key.setVisible(used and roomy)
        self._focus_key.setVisible(not used)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The keys are shown where there is room beside a question."""
        super().resizeEvent(event)
        self._show_hints()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Paint the ring as the keyboard enters and leaves the field, and take the keys that are not the field's."""
        if event.type() in {QEvent.Type.FocusIn, QEvent.Type.FocusOut}:
            self.update()
        if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusOut:
            self.suggestions.close()
            if event.reason() not in _FOR_A_MOMENT:
                self._edit.home(False)  # a long question is read from its beginning
        if self.suggestions.keeps(event):  # from the window's own Esc
            event.accept()
            return True
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and watched is self._edit
            and self._acts(event)
        ):
            return True
        return super().eventFilter(watched, event)

    def _acts(self, event: QKeyEvent) -> bool:
        """Whether a key was one of the box's own, or of the suggestions below it."""
        if self.suggestions.take_key(event):
            return True
        if event.key() == Qt.Key.Key_Down:
            (self.left_downwards if self._edit.text() else self.suggestions_wanted).emit()
        elif command_of(event, commands_of("window")) == "answer":
            self.answer()
        elif event.key() == Qt.Key.Key_Backspace and self._stands_first():
            self._remove_about() if self._is_about else self.last_filter_removed.emit()
        else:
            return False
        return True

    def _stands_first(self) -> bool:
        return self._edit.cursorPosition() == 0 and not self._edit.hasSelectedText()

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


_BADGE_ICON, _BADGE_ICON_LEFT, _BADGE_ICON_GAP, _GAP, _INSET, _RADIUS = 14, 7, 5, 9, 10, 5
_LEAST_WIDTH = 110


def _badge_text_left() -> int:
    """Where the words begin: after the icon."""
    return _BADGE_ICON_LEFT + grown(_BADGE_ICON) + _BADGE_ICON_GAP


class ModeBadge(QToolButton):
    """Shows a word and numbers, as "Chunk mode, 182k tokens / 30k threshold"; a click explains them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Say nothing yet."""
        super().__init__(parent)
        self._label, self._detail, self._explanation = "", "", ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._explain)
        self.show_mode("", "", "")

    def show_mode(self, label: str, detail: str, explanation: str) -> None:
        """Show a mode; the explanation is a sentence or two. Without a label the badge is not there."""
        self._label, self._detail, self._explanation = label, detail, explanation
        self.setToolTip(plain_tooltip(explanation))
        self.setAccessibleName(f"{label}, {detail}" if detail else label)
        self.setAccessibleDescription(explanation)
        self.setEnabled(bool(label))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if label else Qt.FocusPolicy.NoFocus)
        self.updateGeometry()
        self.update()

    def _explain(self) -> None:
        Popover(self._label, self._explanation, self).show_below(self)

    def sizeHint(self) -> QSize:
        """As wide as the words."""
        if not self._label:
            return QSize(0, grown(CHIP_HEIGHT))
        width = _badge_text_left() + text_width(self._label, font("small", SEMIBOLD)) + _INSET
        if self._detail:
            width += _GAP + text_width(self._detail, font("small", figures=True)) + 1
        return QSize(ceil(width) + 2, grown(CHIP_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        """Wide enough for the mode; the numbers are cut first."""
        return QSize(min(_LEAST_WIDTH, self.sizeHint().width()), grown(CHIP_HEIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the badge."""
        if not self._label:
            return
        painter = QPainter(self)
        rect = QRectF(self.rect())
        ground = colour("hover" if self.underMouse() else "surface")
        paint_box(painter, rect, _RADIUS, ground, colour("line_strong"))
        if self.hasFocus():
            paint_focus(painter, rect, _RADIUS)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        icon_left = rect.width() - _BADGE_ICON_LEFT - grown(_BADGE_ICON) if mirrored else _BADGE_ICON_LEFT
        paint_icon(
            painter,
            "layers",
            icon_left,
            (rect.height() - grown(_BADGE_ICON)) / 2,
            grown(_BADGE_ICON),
            "accent_text",
        )
        used = font("small", SEMIBOLD)
        taken = min(text_width(self._label, used) + 1, rect.width() - _badge_text_left() - _INSET)
        words = QRectF(_badge_text_left(), 0, taken, rect.height())
        numbers = QRectF(words.right() + _GAP, 0, rect.width() - words.right() - _GAP - _INSET, rect.height())
        if mirrored:
            words.moveRight(rect.width() - _badge_text_left())
            numbers.moveRight(words.left() - _GAP)
        paint_line(painter, words, self._label, used)
        if numbers.width() > _INSET:
            paint_line(painter, numbers, self._detail, font("small", figures=True), "text3")
