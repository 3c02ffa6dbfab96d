"""Finding text in the document being read, whatever its case: the bar, and the search over the displayed text."""

import re
from bisect import bisect_left
from itertools import islice

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from webrag_desktop.gui.data.reader import CELL_BORDER, LINE_BREAK
from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.kit.shortcuts import command_of, commands_of, key_of
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.painting import icon
from webrag_desktop.gui.kit.theme.tokens import CONTROL_HEIGHT, PANE_INSET, SPACE_S
from webrag_desktop.gui.kit.widgets.buttons import name_within, tool_button
from webrag_desktop.gui.kit.widgets.labels import label
from webrag_desktop.gui.kit.widgets.panes import Panel, row
from webrag_desktop.gui.reader.page import ReadingSpan
from webrag_desktop.gui.reader.text import ReaderText

_PAUSE = 120  # milliseconds without a key before a long document is gone through
_FIELD_WIDTH = 280


_MODIFIERS = Qt.KeyboardModifier.KeyboardModifierMask


class FindBar(Panel):
    """A field, how many there are, and the way through them. Esc closes it."""

    query_changed = Signal(str)
    next_requested = Signal()
    previous_requested = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        """Start empty and hidden."""
        super().__init__("window", bottom_line=True, parent=parent)
        self._field = QLineEdit()
        self._field.setPlaceholderText(self.tr("Find in this text"))
        self._field.setAccessibleName(self.tr("Find in this text"))
        self._field.setMaximumWidth(grown(_FIELD_WIDTH))
        self._field.addAction(icon("search", "text3"), QLineEdit.ActionPosition.LeadingPosition)
        name_within(self._field, self.tr("Find"))
        self._field.installEventFilter(self)
        self._count = label("", "small", "text2", figures=True)
        self._previous = tool_button("arrow-up", self.tr("Previous"), key_of("find bar", "previous"), size=16)
        self._next = tool_button("arrow-down", self.tr("Next"), key_of("find bar", "next"), size=16)
        self._close = tool_button("x", self.tr("Close"), key_of("find bar", "escape"), size=16)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._lay_out()
        self._connect()
        self.hide()

    def _lay_out(self) -> None:
        self.setMinimumHeight(grown(CONTROL_HEIGHT) + 9)
        layout = row(self, (PANE_INSET, 4, 10, 5), SPACE_S)
        layout.addWidget(self._field, 1)
        layout.addWidget(self._previous)
        layout.addWidget(self._next)
        layout.addWidget(self._count)
        layout.addStretch(1)
        layout.addWidget(self._close)
        self.show_count(None, 0)

    def tab_stops(self) -> list[QWidget]:
        """What the keyboard stops at, in order."""
        return [self._field, self._previous, self._next, self._close]

    def _connect(self) -> None:
        self._field.textChanged.connect(lambda _text: self._pause.start())
        self._pause.timeout.connect(self._emit_query)
        self._previous.clicked.connect(self._go_back)
        self._next.clicked.connect(self._go_on)
        self._close.clicked.connect(self.closed)

    @property
    def query(self) -> str:
        """The text to find."""
        return self._field.text()

    def open(self, query: str = "") -> None:
        """Show the bar and put the keyboard there; ``query`` replaces what it held."""
        if query:
            self._field.setText(query)
        self.show()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()
        self._emit_query()

    def show_count(self, current: int | None, total: int, *, more: bool = False) -> None:
        """Show the number of the current hit and their count; ``more``: not all were counted."""
        for button in (self._previous, self._next):
            button.setEnabled(total > 0)
        if not self.query:
            words = ""
        elif not total:
            words = self.tr("Not in this text")
        else:
            number = (current or 0) + 1
            words = (self.tr("{0:,} of more than {1:,}") if more else self.tr("{0:,} of {1:,}")).format(
                number, total
            )
        self._count.setText(words)
        self._field.setAccessibleDescription(words)

    def _emit_query(self) -> None:
        self._pause.stop()
        self.query_changed.emit(self.query)

    def _settle(self) -> bool:
        """Look for what was typed last; whether that was still to be done."""
        waiting = self._pause.isActive()
        if waiting:
            self._emit_query()
        return waiting

    def _go_on(self) -> None:
        if not self._settle():
            self.next_requested.emit()

    def _go_back(self) -> None:
        if not self._settle():
            self.previous_requested.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The field's Enter goes on, Shift+Enter goes back, Esc closes."""
        if watched is self._field and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        keys = commands_of("find bar")
        command = command_of(
            event, keys, ignored=_MODIFIERS & ~Qt.KeyboardModifier.ShiftModifier
        ) or command_of(event, keys, ignored=_MODIFIERS)
        if command in {"next", "previous"}:
            (self._go_back if command == "previous" else self._go_on)()
        elif command == "escape":
            self.closed.emit()
        else:
            return False
        return True


MOST_HITS = 10_000
_BLANKS = dict.fromkeys(map(ord, ("\n", LINE_BREAK, CELL_BORDER)), " ")


class Finding(QObject):
    """Connects the find bar with the text."""

    def __init__(self, bar: FindBar, text: ReaderText) -> None:
        super().__init__(bar)
        self._bar, self._text = bar, text
        self._searched = ""
        self._hits: list[ReadingSpan] = []
        self._current: int | None = None
        bar.query_changed.connect(self._find)
        bar.next_requested.connect(lambda: self.step(1))
        bar.previous_requested.connect(lambda: self.step(-1))
        bar.closed.connect(self.close)

    @property
    def is_open(self) -> bool:
        """Whether the bar is there."""
        return not self._bar.isHidden()

    def open(self) -> None:
        """Show the bar; it finds the selected text, if that is on one line."""
        selected = self._text.selected_text()
        self._bar.open(selected if "\n" not in selected else "")

    def close(self) -> None:
        """Hide the bar and what it marked; the keyboard goes back to the text."""
        self._bar.hide()
        self._hits, self._current = [], None
        self._text.set_hits((), None)
        self._text.setFocus()

    def show_document(self, document: ReaderDocument | None) -> None:
        """Look in another document."""
        self._searched = document.trace.display.translate(_BLANKS) if document is not None else ""
        self._hits, self._current = [], None
        if self.is_open:
            self._find(self._bar.query)

    def _find(self, query: str) -> None:
        found = re.finditer(re.escape(query), self._searched, re.IGNORECASE) if query.strip() else iter(())
        self._hits = [ReadingSpan(*hit.span()) for hit in islice(found, MOST_HITS + 1)]
        self._current = self._nearest()
        self._show()

    def _nearest(self) -> int | None:
        """The first hit that is not above what is read now."""
        if not self._hits:
            return None
        return bisect_left(self._hits, (self._text.top_position(),)) % len(self._hits)

    def step(self, by: int) -> None:
        """Go on, or back; after the last comes the first."""
        if self._current is not None:
            self._current = (self._current + by) % len(self._hits)
            self._show()

    def _show(self) -> None:
        self._text.set_hits(self._hits, self._current)
        total = min(len(self._hits), MOST_HITS)
        self._bar.show_count(self._current, total, more=len(self._hits) > MOST_HITS)
