"""The command palette: everything the user can do or open, found by a few typed letters."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QEasingCurve,
    QEvent,
    QModelIndex,
    QObject,
    QPropertyAnimation,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsOpacityEffect,
    QLineEdit,
    QListView,
    QWidget,
)

from webrag_desktop.gui.kit.rows.lists import set_up_rows
from webrag_desktop.gui.kit.shortcuts import STEPS, command_of, commands_of, is_kept, key_cap, key_of
from webrag_desktop.gui.kit.theme.colours import colour, is_dark
from webrag_desktop.gui.kit.theme.fonts import font, grown
from webrag_desktop.gui.kit.theme.painting import duration, paint_box
from webrag_desktop.gui.kit.theme.tokens import (
    FADE,
    RADIUS_DIALOG,
    SPACE_L,
    SPACE_M,
    SPACE_S,
    SPACE_XL,
)
from webrag_desktop.gui.kit.widgets.labels import IconLabel, KeyCap, label
from webrag_desktop.gui.kit.widgets.panes import Panel, column, row
from webrag_desktop.gui.kit.widgets.popups import FocusMemory
from webrag_desktop.gui.shell.palette_rows import (
    REMEMBERED,
    PaletteDelegate,
    PaletteEntry,
    PaletteModel,
    ranked,
    spoken,
)

_ICON = 16


class _Field(QLineEdit):
    """Passes the palette's keys on, and keeps them from the window's shortcuts."""

    commanded = Signal(str)
    _keys = commands_of("palette")

    def event(self, event: QEvent) -> bool:
        if is_kept(event, self._keys):
            return True
        if event.type() == QEvent.Type.KeyPress and (command := command_of(event, self._keys)) is not None:
            self.commanded.emit(command)
            return True
        return super().event(event)


_WIDTH, _TOP, _LIST_HEIGHT, _FIELD_HEIGHT = 640, 128, 390, 54
_DIMMED = {False: 0.3, True: 0.5}


class CommandPalette(QWidget):
    """Lies over the whole window while it is open; the keyboard stays in its field and goes back when it closes.

    ``recent`` are the keys of what was run last, newest first.
    """

    typed = Signal(str)
    ran = Signal()  # ``recent`` is another

    def __init__(self, window: QWidget) -> None:
        """Begin closed, over ``window``."""
        super().__init__(window)
        self.recent: tuple[str, ...] = ()
        self._entries: dict[str, tuple[PaletteEntry, ...]] = {}
        self._moved = False
        self.setAccessibleName(self.tr("Command palette"))
        self._make_field()
        self._make_list()
        self._make_card()
        self._focus = FocusMemory(self)
        self._focus.left.connect(self.dismiss)
        self._motion = QPropertyAnimation(self)
        self._motion.setPropertyName(b"opacity")
        self._motion.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._motion.finished.connect(self._end_fade)
        window.installEventFilter(self)
        self.hide()

    # -- Parts ------------------------------------------------------------------------------------------------

    def _make_field(self) -> None:
        self.field = _Field()
        self.field.setProperty("bare", True)
        self.field.setFont(font("lead"))
        self.field.setPlaceholderText(self.tr("Type a command, a title, a collection…"))
        self.field.setAccessibleName(self.tr("Command palette"))
        self.field.textChanged.connect(self._type)
        self.field.commanded.connect(self._act)

    def _make_list(self) -> None:
        self.list = QListView()
        self.rows = PaletteModel(self.list)
        set_up_rows(self.list, "raised")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard stays in the field
        self.list.setModel(self.rows)
        self.list.setItemDelegate(PaletteDelegate(self.list))
        self.list.setAccessibleName(self.tr("Found"))
        self.list.clicked.connect(self._click)
        self._nothing = label(self.tr("Nothing here is called that."), "body", "text3")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def _make_card(self) -> None:
        self._card = _Card(self)
        top = Panel("raised", bottom_line=True)
        top.setFixedHeight(grown(_FIELD_HEIGHT))
        across = row(top, (SPACE_XL, 0, SPACE_L, 0), SPACE_M)
        across.addWidget(IconLabel("search", "text2", _ICON))
        across.addWidget(self.field, 1)
        across.addWidget(KeyCap(key_cap(key_of("palette", "escape"))))
        lines = column(self._card, (2, RADIUS_DIALOG // 2, 2, RADIUS_DIALOG // 2))  # within the round corners
        lines.addWidget(top)
        lines.addWidget(self.list, 1)
        lines.addWidget(self._nothing, 1)
        lines.addWidget(self._foot())

    def _foot(self) -> Panel:
        foot = Panel("raised", top_line=True)
        across = row(foot, (SPACE_XL, SPACE_S, SPACE_XL, SPACE_S), SPACE_S)
        for keys, words in (
            ("↑ ↓", self.tr("choose")),
            ("↵", self.tr("run")),
            (key_cap(key_of("palette", "search")), self.tr("search the library")),
            ("\N{LEFT-TO-RIGHT ISOLATE}> # @\N{POP DIRECTIONAL ISOLATE}", self.tr("commands, tags, sites")),
        ):
            across.addWidget(KeyCap(keys))
            across.addWidget(label(words, "small", "text3"))
            across.addSpacing(SPACE_M)
        across.addStretch(1)
        return foot

    # -- Opening and closing ----------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether it is there for the user."""
        return not self.isHidden()

    def open(self) -> None:
        """Lie over the window with an empty field, which has the keyboard."""
        self._entries = {}
        self.field.clear()
        self._focus.remember()
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)
        self._fade()
        self._list()

    def _fade(self) -> None:
        if not (milliseconds := duration(FADE)):
            return
        effect = QGraphicsOpacityEffect(self)
        self.setGraphicsEffect(effect)
        self._motion.setTargetObject(effect)
        self._motion.setDuration(milliseconds)
        self._motion.setStartValue(0.0)
        self._motion.setEndValue(1.0)
        self._motion.start()

    def _end_fade(self) -> None:
        self._motion.stop()
        self.setGraphicsEffect(None)  # type: ignore[arg-type]  # an effect costs a copy of the window at each repaint

    def dismiss(self) -> None:
        """Go away; the keyboard goes back to where it was, unless it is elsewhere already."""
        if self.is_open:
            self._end_fade()
            self._focus.give_back()
            self.hide()
            self._entries = {}
            self.rows.show(())

    # -- The list ---------------------------------------------------------------------------------------------

    def offer(self, source: str, entries: Sequence[PaletteEntry]) -> None:
        """List these among the others; they replace what the same ``source`` offered before."""
        if self.is_open:
            self._entries[source] = tuple(entries)
            self._list()

    def _list(self) -> None:
        current = self.rows.entry(self.list.currentIndex())
        every = [entry for entries in self._entries.values() for entry in entries]
        self.rows.show(ranked(every, self.field.text(), self.recent))
        self.list.setVisible(self.rows.rowCount() > 0)
        self._nothing.setVisible(self.rows.rowCount() == 0)
        at = self.rows.row_of(current.key if current is not None and self._moved else "")
        self._go_to(at)

    def _type(self, text: str) -> None:
        self._moved = False
        self._list()
        self.typed.emit(text)

    def _go_to(self, at: int | None) -> None:
        before = self.rows.entry(self.list.currentIndex())
        index = self.rows.index(at) if at is not None else QModelIndex()
        self.list.setCurrentIndex(index)
        if at == 1:
            self.list.scrollToTop()  # its heading, too
        entry = self.rows.entry(index)
        if entry is not None and entry != before:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.list, spoken(entry)))

    def _act(self, command: str) -> None:
        current = self.list.currentIndex()
        if command in STEPS and current.isValid():
            self._moved = True
            self._go_to(self.rows.step(current.row(), STEPS[command]))
        elif command == "run":
            self._run(self.rows.entry(current))
        elif command == "search":
            every = [entry for entries in self._entries.values() for entry in entries]
            self._run(next((one for one in every if one.section == "search"), None))
        elif command == "escape":
            self.dismiss()

    def _click(self, index: QModelIndex) -> None:
        self._run(self.rows.entry(index))

    def _run(self, entry: PaletteEntry | None) -> None:
        """Close first, so that what is run finds the keyboard where it was."""
        if entry is None:
            return
        self.dismiss()
        if entry.section != "search":
            self.recent = (entry.key, *(key for key in self.recent if key != entry.key))[:REMEMBERED]
            self.ran.emit()
        entry.run()

    # -- Looks ------------------------------------------------------------------------------------------------

    def _place(self) -> None:
        window = self.parentWidget()
        if window is None:
            return
        self.setGeometry(window.rect())
        width = min(grown(_WIDTH), self.width() - 2 * SPACE_XL)
        top = min(grown(_TOP), self.height() // 8)
        height = min(grown(_LIST_HEIGHT) + 2 * grown(_FIELD_HEIGHT), self.height() - 2 * top)
        self._card.setGeometry((self.width() - width) // 2, top, width, height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window's size."""
        if watched is self.parent() and event.type() == QEvent.Type.Resize and self.is_open:
            self._place()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc, wherever in it the keyboard is."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Close on a click beside the card."""
        event.accept()
        if not self._card.geometry().contains(event.position().toPoint()):
            self.dismiss()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Dim the window."""
        QPainter(self).fillRect(self.rect(), colour("scrim", _DIMMED[is_dark()]))


class _Card(QFrame):
    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), RADIUS_DIALOG, colour("raised"), colour("line_strong"))
