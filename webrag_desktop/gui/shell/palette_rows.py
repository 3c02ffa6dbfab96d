"""The lines of the command palette: which of them fit what is typed, in which order, and how they are drawn."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from PySide6.QtCore import (
    QAbstractListModel,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QIcon,
    QPainter,
)
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from webrag_desktop.gui.kit.matching import NO_LETTERS, Fit, Match, match
from webrag_desktop.gui.kit.rows.laid_text import LaidText, Mark
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex
from webrag_desktop.gui.kit.shortcuts import key_cap
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import (
    RADIUS_ROW,
    SPACE_S,
)
from webrag_desktop.gui.kit.widgets.labels import key_cap_size, paint_key_cap

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
            "searches": self.tr("Searches"),
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


class PaletteDelegate(QStyledItemDelegate):
    """Draws a line: its icon, its text with the matched letters in semibold, what it belongs to, its key."""

    def __init__(self, view: QListView) -> None:
        """Draw the lines of ``view``."""
        super().__init__(view)
        self._view = view

    def sizeHint(self, _option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Headings are lower."""
        return QSize(100, grown(_ROW if index.data(PaletteModel.ROW).entry is not None else _HEADING))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw a line."""
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
