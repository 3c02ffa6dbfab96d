"""The command palette: everything the user can do or open, found by a few typed letters."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from PySide6.QtCore import (
    QAbstractListModel,
    QEasingCurve,
    QEvent,
    QModelIndex,
    QObject,
    QPropertyAnimation,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QIcon,
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
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from webrag_desktop.gui.kit.matching import NO_LETTERS, Fit, Match, match
from webrag_desktop.gui.kit.rows.laid_text import LaidText, Mark
from webrag_desktop.gui.kit.rows.lists import set_up_rows
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex
from webrag_desktop.gui.kit.shortcuts import STEPS, command_of, commands_of, is_kept, key_cap, key_of
from webrag_desktop.gui.kit.theme.colours import colour, is_dark
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.painting import duration, paint_box, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import (
    FADE,
    RADIUS_DIALOG,
    RADIUS_ROW,
    SPACE_L,
    SPACE_M,
    SPACE_S,
    SPACE_XL,
)
from webrag_desktop.gui.kit.widgets.labels import IconLabel, KeyCap, key_cap_size, label, paint_key_cap
from webrag_desktop.gui.kit.widgets.panes import Panel, column, row
from webrag_desktop.gui.kit.widgets.popups import FocusMemory

Section = Literal["commands", "documents", "listings", "searches", "search"]
SECTIONS: tuple[Section, ...] = ("commands", "documents", "listings", "searches", "search")
PREFIXES: dict[str, tuple[Section, str]] = {
    ">": ("commands", ""),
    "#": ("listings", "tag"),
    "@": ("listings", "site"),
}
_ELSEWHERE = Match(Fit.LETTERS, ())  # in what is not shown
_MOST: dict[Section, int] = {"commands": 8, "documents": 8, "listings": 6, "searches": 5}
REMEMBERED = 30


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One line. ``key`` stays the same from one opening to the next; ``kind`` tells listings apart.

    ``keys`` are shown, in Qt's portable form. What is ``fitting`` was found by somebody else and is not matched again.
    """

    key: str
    section: Section
    text: str
    run: Callable[[], object]
    detail: str = ""
    keys: str = ""
    icon: QIcon = field(default_factory=QIcon, compare=False)
    kind: str = ""
    fitting: bool = False


@dataclass(frozen=True, slots=True)
class PaletteRow:
    """A line as it is listed, with the letters that matched; without an entry it is the heading of a section."""

    entry: PaletteEntry | None
    text: str
    found: Match = NO_LETTERS


def ranked(
    entries: Iterable[PaletteEntry], typed: str, recent: Sequence[str]
) -> list[tuple[PaletteEntry, Match]]:
    """What fits, section by section: what was used last first, then by how well it fits, then as it was given."""
    only, kind, text = _narrowed(typed)
    listed = [
        (entry, found)
        for entry in entries
        if (only is None or entry.section == only) and (not kind or entry.kind == kind)
        if (found := _match(entry, text)) is not None
    ]
    used = {key: at for at, key in enumerate(recent)}

    def rank(one: tuple[PaletteEntry, Match]) -> tuple[int, bool, int, int]:
        entry, found = one
        last = used.get(entry.key, REMEMBERED)
        return SECTIONS.index(entry.section), found.fit is not Fit.WHOLE, last, found.fit

    listed.sort(key=rank)
    if only is not None or not text:
        return listed
    return [
        one
        for section, group in groupby(listed, key=lambda one: one[0].section)
        for one in list(group)[: _MOST.get(section)]
    ]


def _narrowed(typed: str) -> tuple[Section | None, str, str]:
    """The section and the kind that a first sign restricts the list to, and what is looked for there."""
    text = typed.strip()
    only, kind = PREFIXES.get(text[:1], (None, ""))
    return only, kind, text[1:].strip() if only is not None else text


def _match(entry: PaletteEntry, text: str) -> Match | None:
    found = match(entry.text, text)
    return _ELSEWHERE if found is None and entry.fitting else found


class PaletteModel(QAbstractListModel):
    """The lines, each section under its heading."""

    ROW = Qt.ItemDataRole.UserRole

    def __init__(self, parent: QWidget) -> None:
        """Begin without any."""
        super().__init__(parent)
        self._titles: dict[Section, str] = {
            "commands": self.tr("Commands"),
            "documents": self.tr("Documents"),
            "listings": self.tr("In the library"),
            "searches": self.tr("Recent searches"),
            "search": self.tr("Search"),
        }
        self._rows: tuple[PaletteRow, ...] = ()

    def show(self, found: Sequence[tuple[PaletteEntry, Match]]) -> None:
        """List these."""
        rows = tuple(self._headed(found))
        if rows != self._rows:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def _headed(self, found: Sequence[tuple[PaletteEntry, Match]]) -> Iterator[PaletteRow]:
        for section, group in groupby(found, key=lambda one: one[0].section):
            yield PaletteRow(None, self._titles[section])
            yield from (PaletteRow(entry, entry.text, letters) for entry, letters in group)

    def entry(self, index: AnyIndex) -> PaletteEntry | None:
        """What a line does; None for a heading."""
        return self._rows[index.row()].entry if index.isValid() else None

    def row_of(self, key: str) -> int | None:
        """Where an entry is; with no key, or one that is not there, the first one."""
        places = {
            one.entry.key: at for at, one in reversed(list(enumerate(self._rows))) if one.entry is not None
        }
        return places.get(key, min(places.values(), default=None))

    def step(self, row: int, by: int) -> int:
        """The next entry in a direction, round at the ends."""
        entries = [at for at, one in enumerate(self._rows) if one.entry is not None]
        return entries[(entries.index(row) + by) % len(entries)] if row in entries else row

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """How many lines there are."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """A heading cannot be chosen."""
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usual if self.entry(index) is not None else Qt.ItemFlag.NoItemFlags

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A line, and how it is read out: with what it belongs to and its key."""
        shown = self._rows[index.row()]
        if role == self.ROW:
            return shown
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return spoken(shown.entry) if shown.entry is not None else shown.text
        return None


def spoken(entry: PaletteEntry) -> str:
    """An entry as it is read out."""
    return ", ".join(part for part in (entry.text, entry.detail, _caps(entry.keys)) if part)


def _caps(keys: str) -> str:
    return key_cap(keys) if keys else ""


_ROW, _HEADING, _ICON = 38, 30, 16
_CARD, _INSET, _GAP = 8, 12, 12


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, _option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(100, grown(_ROW if index.data(PaletteModel.ROW).entry is not None else _HEADING))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        shown: PaletteRow = index.data(PaletteModel.ROW)
        line = QRectF(option.rect)
        mirror = Mirror(line, self._view.isRightToLeft())
        painter.save()
        if shown.entry is None:
            inside = line.adjusted(_CARD + _INSET, SPACE_S, -_CARD - _INSET, 0)
            paint_line(painter, inside, shown.text, font("small", SEMIBOLD), "text3")
        else:
            self._paint_ground(painter, line, index, option)
            self._paint_entry(painter, mirror, line.adjusted(_CARD + _INSET, 0, -_CARD - _INSET, 0), shown)
        painter.restore()

    def _paint_ground(
        self, painter: QPainter, line: QRectF, index: AnyIndex, option: QStyleOptionViewItem
    ) -> None:
        card = line.adjusted(_CARD, 0, -_CARD, 0)
        if index == self._view.currentIndex():
            paint_box(painter, card, RADIUS_ROW, colour("accent_soft"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            paint_box(painter, card, RADIUS_ROW, colour("hover"))

    def _paint_entry(self, painter: QPainter, mirror: Mirror, line: QRectF, shown: PaletteRow) -> None:
        entry = shown.entry
        assert entry is not None  # only entries are painted here
        size, right = grown(_ICON), line.right()
        drawing = QRectF(line.left(), line.center().y() - size / 2, size, size)
        entry.icon.paint(painter, mirror.rect(drawing).toRect())
        if entry.keys:
            cap = key_cap_size(key_cap(entry.keys))
            right -= cap.width()
            keys = QRectF(right, line.center().y() - cap.height() / 2, cap.width(), cap.height())
            paint_key_cap(painter, mirror.rect(keys), key_cap(entry.keys))
            right -= _GAP
        left = line.left() + size + _GAP
        left += self._paint_text(
            painter, mirror, QRectF(left, line.top(), right - left, line.height()), shown
        )
        detail = QRectF(left, line.top(), right - left, line.height())
        if entry.detail and detail.width() > text_width("…", font("small")):
            paint_line(painter, mirror.rect(detail), entry.detail, font("small"), "text2")

    def _paint_text(self, painter: QPainter, mirror: Mirror, room: QRectF, shown: PaletteRow) -> float:
        """Draw the text with its matched letters in semibold; returns the width it took, with a gap."""
        marks = [Mark(start, end, "term") for start, end in shown.found.spans]
        along = self._view.layoutDirection()
        natural = LaidText(shown.text, font("body"), room.width(), most_lines=1, marks=marks, along=along)
        width = min(natural.natural_width + 1, room.width())
        where = mirror.rect(QRectF(room.left(), room.top(), width, room.height()))
        laid = LaidText(shown.text, font("body"), width, most_lines=1, marks=marks, along=along)
        laid.paint(painter, where.left(), where.center().y() - laid.height / 2)
        return width + _GAP


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
        self.list.setItemDelegate(_Delegate(self.list))
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
