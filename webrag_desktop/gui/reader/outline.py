"""The outline beside the reader: headings, the number of matches below each, and the current one."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from webrag_desktop.gui.data.view_data import OutlineEntry, ReaderDocument
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror, is_mirrored, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.painting import CENTER, paint_box, paint_focus, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import (
    OUTLINE_WIDTH,
    RADIUS_CHIP,
    RADIUS_CONTROL,
    SPACE_S,
    SPACE_XS,
    TREE_ROW,
    Role,
)
from webrag_desktop.gui.kit.widgets.panes import PaneHeader, Panel, column
from webrag_desktop.gui.reader.header import header_height

_INSET, _PADDING, _INDENT, _MOST_LEVELS = SPACE_S, 10, 18, 4
_CHIP_WIDTH, _CHIP_PADDING = 20, 7


@dataclass(frozen=True, slots=True)
class Section:
    """A heading in the outline: its text, its depth, and the number of matches in its section."""

    text: str
    depth: int
    matches: int


def sections(entries: Sequence[OutlineEntry], matches: Sequence[int]) -> list[Section]:
    """The outline's rows; ``matches`` are positions in the markdown, in order.

    A heading is as deep as there are larger headings around it, whatever its own level.
    """
    found: list[Section] = []
    around: list[int] = []
    for index, entry in enumerate(entries):
        while around and around[-1] >= entry.level:
            around.pop()
        following = (later for later in entries[index + 1 :] if later.level <= entry.level)
        last = next(following, None)
        first_match = bisect_left(matches, entry.char_start)
        after = len(matches) if last is None else bisect_left(matches, last.char_start)
        found.append(Section(entry.text, min(len(around), _MOST_LEVELS), after - first_match))
        around.append(entry.level)
    return found


def without_title(outline: Sequence[OutlineEntry]) -> Sequence[OutlineEntry]:
    """The headings of an outline but for the one at its top that is above all others: the document's title."""
    if len(outline) > 1 and all(entry.level > outline[0].level for entry in outline[1:]):
        return outline[1:]
    return outline


class OutlineModel(QAbstractListModel):
    """The sections of one document."""

    def __init__(self) -> None:
        super().__init__()
        self._sections: Sequence[Section] = ()

    def show_sections(self, found: Sequence[Section]) -> None:
        """Replace everything, or only the counts where the headings are the same."""
        same = [(one.text, one.depth) for one in found] == [(one.text, one.depth) for one in self._sections]
        if same:
            self._sections = found
            if found:
                self.dataChanged.emit(self.index(0), self.index(len(found) - 1))
            return
        self.beginResetModel()
        self._sections = found
        self.endResetModel()

    def section(self, row: int) -> Section:
        """One row."""
        return self._sections[row]

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """How many headings there are."""
        return 0 if parent is not None and parent.isValid() else len(self._sections)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The heading's words; a whole sentence for screen readers."""
        if not index.isValid():
            return None
        section = self._sections[index.row()]
        if role == Qt.ItemDataRole.AccessibleTextRole and section.matches:
            counted = (
                self.tr("1 match") if section.matches == 1 else self.tr("{0} matches").format(section.matches)
            )
            return f"{section.text}, {counted}"
        return (
            section.text
            if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}
            else None
        )


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: "OutlineView") -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, _option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:
        return QSize(0, max(grown(TREE_ROW), int(QFontMetricsF(font("body")).height()) + SPACE_S))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        painter.save()
        section = self._view.outline.section(index.row())
        rect = QRectF(option.rect).adjusted(_INSET, 0, -_INSET, 0)
        current = index.row() == self._view.here
        if current:
            paint_box(painter, rect, RADIUS_CONTROL, colour("accent_soft"))
        if self._view.hasFocus() and self._view.currentIndex() == index:
            paint_focus(painter, rect)
        mirror = Mirror(rect, is_mirrored(painter))
        words = rect.adjusted(_PADDING + _INDENT * section.depth, 0, -SPACE_S, 0)
        words.setRight(words.right() - self._chip(painter, mirror, section.matches))
        role: Role = "accent_text" if current else ("text2" if section.depth else "text")
        used = font("body", SEMIBOLD if current else MEDIUM)
        paint_line(painter, mirror.rect(words), section.text, used, role)
        painter.restore()

    @staticmethod
    def _chip(painter: QPainter, mirror: Mirror, count: int) -> float:
        """The number of matches at the end of a row; how much room it takes."""
        if not count:
            return 0
        used, row = font("micro", SEMIBOLD, figures=True), mirror.bounds
        width = max(_CHIP_WIDTH, text_width(str(count), used) + 2 * _CHIP_PADDING)
        height = QFontMetricsF(used).height() + 1
        left = mirror.left(row.right() - SPACE_S - width, width)
        chip = QRectF(left, row.center().y() - height / 2, width, height)
        paint_box(painter, chip, RADIUS_CHIP, colour("evidence"))
        painter.setFont(used)
        painter.setPen(colour("evidence_ink"))
        painter.drawText(chip, CENTER, str(count))
        return width + 2 * SPACE_S


class OutlineView(QListView):
    """A list of headings; a click or Enter goes there."""

    section_chosen = Signal(int)  # which heading

    def __init__(self, parent: QWidget | None = None) -> None:
        """Start without headings."""
        super().__init__(parent)
        self.outline = OutlineModel()
        self.here = -1  # the section that is read
        self.setModel(self.outline)
        self.setItemDelegate(_Delegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("surface", "window")
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAccessibleName(self.tr("Outline"))
        self.clicked.connect(lambda index: self.section_chosen.emit(index.row()))

    def show_sections(self, found: Sequence[Section]) -> None:
        """Show the headings of a document."""
        self.outline.show_sections(found)
        if self.here >= len(found):
            self.here = -1

    def set_here(self, row: int) -> None:
        """Mark the section that is read; -1 for none."""
        if row == self.here:
            return
        self.here = row
        self.viewport().update()
        if not self.hasFocus():
            self.setCurrentIndex(self.outline.index(row))
        if row >= 0:
            self.scrollTo(self.outline.index(row))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes to the heading."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.currentIndex().isValid():
            self.section_chosen.emit(self.currentIndex().row())
            return
        super().keyPressEvent(event)

    def tooltip(self, point: QPoint) -> str:
        """The whole heading at a point where it is cut."""
        index = self.indexAt(point)
        return self.outline.section(index.row()).text if index.isValid() else ""

    def viewportEvent(self, event: object) -> bool:
        """Show a heading that is too long."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tooltip(self.tooltip(event.pos())), self.viewport())
            return True
        return super().viewportEvent(event)  # type: ignore[arg-type]


class OutlinePane(Panel):
    """The outline with its head: how many matches there are, and where one is, follow the reader."""

    section_chosen = Signal(int)  # a position in the markdown

    def __init__(self, parent: QWidget | None = None) -> None:
        """Start without headings."""
        super().__init__("window", parent=parent)
        self._entries: Sequence[OutlineEntry] = ()
        self._positions: list[int] = []  # of the headings, in the reading
        self._led_to: int | None = None
        self._lines: list[int] = []  # where those of the headings begin in the markdown, and where it ends
        self._header = PaneHeader(self.tr("Outline"), role="window")
        self._header.setMinimumHeight(header_height())
        self.list = OutlineView()
        layout = column(self)
        layout.addWidget(self._header)
        layout.addSpacing(SPACE_XS)
        layout.addWidget(self.list, 1)
        self.setFixedWidth(grown(OUTLINE_WIDTH))
        self.list.section_chosen.connect(self._go)

    def show_document(self, document: ReaderDocument | None) -> None:
        """Show the headings of another document."""
        self._entries, self._positions, self._led_to = (), [], None
        if document is not None:
            self._entries, markdown = without_title(document.outline), document.markdown
            begins = (markdown.rfind("\n", 0, entry.char_start) + 1 for entry in self._entries)
            self._lines = [*begins, len(markdown)]
            starts = (entry.char_start for entry in self._entries)
            self._positions = [document.trace.to_reading(start, start + 1)[0] for start in starts]
        self.list.set_here(-1)
        self.show_matches([])

    def show_matches(self, matches: Sequence[int]) -> None:
        """Count matches; their positions in the markdown, in order."""
        self.list.show_sections(sections(self._entries, matches))
        counted = self.tr("1 match") if len(matches) == 1 else self.tr("{0} matches").format(len(matches))
        self._header.set_detail(counted if matches else "")

    def lead(self, position: int) -> None:
        """The reader is led to a position of the reading: its section is marked while that stays in sight."""
        self._led_to = position
        self.list.set_here(self._row_of(position))

    def release(self) -> None:
        """The user scrolls on by himself."""
        self._led_to = None

    def follow(self, first: int, upper: int, last: int) -> None:
        """Mark the section that is read, of the positions in sight ``[first, last]``.

        It is the first one to begin above ``upper``, else the one that goes on there: a heading at the top is read,
        however little is below it.
        """
        if self._led_to is not None and first <= self._led_to <= last:
            self.list.set_here(self._row_of(self._led_to))
            return
        self._led_to = None
        begins = bisect_left(self._positions, first)
        is_near = begins < len(self._positions) and self._positions[begins] <= upper
        self.list.set_here(begins if is_near else self._row_of(first))

    def marked(self) -> tuple[int, int] | None:
        """The span of the markdown from the line of the marked heading to that of the next one."""
        row = self.list.here
        return (self._lines[row], self._lines[row + 1]) if 0 <= row < len(self._entries) else None

    def _row_of(self, position: int) -> int:
        return bisect_right(self._positions, position) - 1

    def _go(self, row: int) -> None:
        self.section_chosen.emit(self._entries[row].char_start)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the hairline towards the text."""
        super().paintEvent(event)
        x = 0 if self.isRightToLeft() else self.width() - 1
        QPainter(self).fillRect(x, 0, 1, self.height(), colour("line"))
