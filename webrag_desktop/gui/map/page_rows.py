"""Lists of pages on the Map: rows with an icon, title, address and count, and the pane of all pages by their links."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QMouseEvent, QPainter
from PySide6.QtWidgets import QLineEdit, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from webrag_desktop.gui.data.map import LinkedPage, LinkMap
from webrag_desktop.gui.kit.quantities import documents
from webrag_desktop.gui.kit.rows.lists import KeyedList
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex, drops_layouts, paint_card
from webrag_desktop.gui.kit.shortcuts import commands_of
from webrag_desktop.gui.kit.theme.direction import Mirror, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, font, grown
from webrag_desktop.gui.kit.theme.painting import (
    RIGHT,
    paint_count,
    paint_icon,
    paint_line,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import SPACE_M, SPACE_S, SPACE_XS, Role
from webrag_desktop.gui.kit.widgets.bars import BusyBar
from webrag_desktop.gui.kit.widgets.choices import CheckRow
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import PaneHeader, Panel, column
from webrag_desktop.gui.map import words

_INSET, _CARD, _PAD, _ICON, _GAP = 20, 8, 5, 15, 7


@dataclass(frozen=True, slots=True)
class PageRow:
    """One line; ``badge`` is a count on the marker colour, ``end`` small text; either is at the far edge."""

    key: str
    label: str
    detail: str
    icon: str
    ink: Role
    spoken: str
    badge: str = ""
    end: str = ""
    detail_ink: Role = "text3"


class PageRowsModel(QAbstractListModel):
    """The rows in their order, each created when it is first visible: there may be thousands."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Hold nothing yet."""
        super().__init__(parent)
        self._keys: tuple[str, ...] = ()
        self._places: dict[str, int] = {}
        self._make: Callable[[int], PageRow] | None = None
        self._made: dict[int, PageRow] = {}

    def show(self, keys: Sequence[str], make: Callable[[int], PageRow]) -> None:
        """Hold pages of these keys; ``make`` makes the row of a place. Where only more come behind, the others stay."""
        given, kept = tuple(keys), len(self._keys)
        if not kept or given[:kept] != self._keys:
            self.beginResetModel()
            self._take(given, make)
            self.endResetModel()
            return
        if len(given) > kept:
            self.beginInsertRows(QModelIndex(), kept, len(given) - 1)
            self._take(given, make)
            self.endInsertRows()
        self._take(given, make)
        self.dataChanged.emit(self.index(0), self.index(kept - 1))

    def _take(self, keys: tuple[str, ...], make: Callable[[int], PageRow]) -> None:
        if keys != self._keys:
            self._places = {key: at for at, key in enumerate(keys)}
        self._keys, self._make, self._made = keys, make, {}

    def row(self, at: int) -> PageRow | None:
        """The row of a place."""
        if at not in self._made and self._make is not None and 0 <= at < len(self._keys):
            self._made[at] = self._make(at)
        return self._made.get(at)

    def row_of(self, key: str) -> int | None:
        """The row of a page."""
        return self._places.get(key)

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """How many there are."""
        return 0 if parent.isValid() else len(self._keys)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A row, and how it is read out."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        row = self.row(index.row())
        return row if row is None or role == Qt.ItemDataRole.UserRole else self._words(row, role)

    @staticmethod
    def _words(row: PageRow, role: int) -> str | None:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.label
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(row.spoken)
        return None


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    @staticmethod
    def _heights() -> tuple[float, float]:
        return QFontMetricsF(font("small", MEDIUM)).height(), QFontMetricsF(font("micro")).height()

    def sizeHint(self, _option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:
        return QSize(100, round(sum(self._heights())) + 2 * _PAD + 3)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        painter.save()
        row: PageRow = index.data(Qt.ItemDataRole.UserRole)
        card = QRectF(option.rect).adjusted(_CARD, 1, -_CARD, -1)
        selected = index == self._view.currentIndex()
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        paint_card(painter, card, self._view, selected=selected, hovered=hovered)
        self._paint_words(painter, row, card, selected=selected)
        painter.restore()

    def _paint_words(self, painter: QPainter, row: PageRow, card: QRectF, *, selected: bool) -> None:
        mirror = Mirror(QRectF(self._view.viewport().rect()), self._view.isRightToLeft())
        first, second = self._heights()
        top, side = card.top() + _PAD, float(grown(_ICON))
        end = float(self._view.viewport().width() - _INSET)
        paint_icon(painter, row.icon, mirror.left(_INSET, side), top + (first - side) / 2, side, row.ink)
        left = _INSET + side + _GAP
        end -= self._paint_end(painter, row, mirror, QRectF(left, top, end - left, first))
        line = QRectF(left, top, end - left, first)
        paint_line(painter, mirror.rect(line), row.label, font("small", MEDIUM))
        line = QRectF(left, top + first + 1, end - left, second)
        quiet: Role = "text2" if selected and row.detail_ink == "text3" else row.detail_ink
        paint_line(painter, mirror.rect(line), row.detail, font("micro"), quiet)

    @staticmethod
    def _paint_end(painter: QPainter, row: PageRow, mirror: Mirror, line: QRectF) -> float:
        """How much room was taken at the far edge."""
        if row.badge:
            return paint_count(painter, mirror, line.right(), line.center().y(), row.badge) + _GAP
        if row.end:
            used = font("micro", figures=True)
            wide = text_width(row.end, used) + 2
            at = mirror.rect(QRectF(line.right() - wide, line.top(), wide, line.height()))
            paint_line(painter, at, row.end, used, "text3", RIGHT)
            return wide + _GAP
        return 0.0


class PageList(KeyedList):
    """Pages of the Map: J and K move, plus, minus and 0 zoom the drawing. Subclasses set the model and the delegate."""

    page_chosen = Signal(str)  # the key of the page that became the current one
    zoom_requested = Signal(str)  # "larger", "smaller" or "fit"

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """``name`` is the accessible name of the list."""
        super().__init__(parent)
        self._quiet = False  # while set, ``page_chosen`` is not emitted
        self.setUniformItemSizes(True)
        self.setAccessibleName(name)

    def key_of(self, index: AnyIndex) -> str | None:
        """The key of a row's page. Subclasses define it."""
        raise NotImplementedError

    def row_of(self, key: str) -> int | None:
        """The row of a page. Subclasses define it."""
        raise NotImplementedError

    @property
    def current_key(self) -> str | None:
        """The key of the current page."""
        return self.key_of(self.currentIndex())

    def choose(self, key: str) -> bool:
        """Make a page the current one; False where it is not listed."""
        row = self.row_of(key)
        if row is not None:
            self.setCurrentIndex(self.model().index(row, 0))
        return row is not None

    @property
    def whole_height(self) -> int:
        """The height of the list with all its rows."""
        return self.model().rowCount() * max(self.sizeHintForRow(0), 0) + 2

    def run(self, command: str) -> None:
        """Move, or request a zoom of the drawing."""
        if command in {"down", "up"}:
            self.step(1 if command == "down" else -1)
        else:
            self.zoom_requested.emit(command)

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        """Report the page that became the current one."""
        super().currentChanged(current, previous)
        self.viewport().update()
        key = self.key_of(current)
        if key is not None and not self._quiet:
            self.page_chosen.emit(key)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Begin with the first row."""
        super().focusInEvent(event)
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self.model().index(0, 0))

    def changeEvent(self, event: QEvent) -> None:
        """Lay out again in another theme or font."""
        super().changeEvent(event)
        if drops_layouts(event):
            self.scheduleDelayedItemsLayout()


class PageRows(PageList):
    """Enter or a double click opens a page."""

    keys: ClassVar[Mapping[str, str]] = commands_of("map pages")
    page_opened = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """``name`` is the accessible name of the list."""
        super().__init__(name, parent)
        self.pages = PageRowsModel(self)
        self.setModel(self.pages)
        self.setItemDelegate(_Delegate(self))

    def key_of(self, index: AnyIndex) -> str | None:
        """The key of a row's page."""
        row: PageRow | None = index.data(Qt.ItemDataRole.UserRole)
        return row.key if row is not None else None

    def row_of(self, key: str) -> int | None:
        """The row of a page."""
        return self.pages.row_of(key)

    def show_rows(self, keys: Sequence[str], make: Callable[[int], PageRow]) -> None:
        """Show pages; the current one remains current while it is listed. See :meth:`PageRowsModel.show`."""
        current, self._quiet = self.current_key, True
        self.pages.show(keys, make)
        if current is not None and self.current_key != current:
            self.choose(current)
        self._quiet = False

    def run(self, command: str) -> None:
        """Open the current page, move or zoom."""
        if command != "open":
            super().run(command)
        elif self.current_key is not None:
            self.page_opened.emit(self.current_key)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The first click has chosen the page; the second opens it."""
        if event.button() == Qt.MouseButton.LeftButton and self.indexAt(event.position().toPoint()).isValid():
            self.run("open")


class LinksPane(Panel):
    """The same pages as in the drawing, for the keyboard and screen readers."""

    page_chosen = Signal(str)  # a document's id
    page_opened = Signal(str)
    navigation_chosen = Signal(bool)  # whether links of menus and footers count

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("surface", parent=parent)
        self._shown = LinkMap()
        self._header = PaneHeader(self.tr("Pages by their links"))
        self._busy = BusyBar()
        self._title = Label("", "body", "text", MEDIUM, wrap=True)
        self._sentence = Label("", "body", "text2", wrap=True)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Find a page or site in this list"))
        self.field.setAccessibleName(self.field.placeholderText())
        self.navigation = CheckRow("menu", self.tr("With menus and footers"), "")
        self.navigation.setToolTip(self.tr("Count the links around the texts, too; most sites repeat them"))
        self.list = PageRows(self.tr("Pages by their links. Enter opens one."))
        note = Panel("surface")
        inside = column(note, (_INSET, SPACE_M, _INSET - 4, SPACE_S), SPACE_XS)
        for part in (self._busy, self._title, self._sentence, self.field, self.navigation):
            inside.addWidget(part)
        layout = column(self)
        layout.addWidget(self._header)
        layout.addWidget(note)
        layout.addWidget(self.list, 1)
        self.field.textChanged.connect(self._find)
        self.navigation.toggled.connect(self.navigation_chosen)
        self.list.page_chosen.connect(self.page_chosen)
        self.list.page_opened.connect(self.page_opened)

    def show_waiting(self) -> None:
        """The links are being read; what was shown before stays meanwhile."""
        if self._shown.pages:
            return
        self._say(self.tr("Reading the links of your library"), "")
        self._busy.show()
        self.field.hide()

    def show_links(self, shown: LinkMap) -> None:
        """List the pages."""
        self._shown = shown
        self._busy.hide()
        self.field.setVisible(bool(shown.pages))
        self._header.set_detail(documents(len(shown.pages)) if shown.pages else "")
        if not shown.pages:
            self._say(self.tr("No links yet."), words.no_links(shown))
        elif shown.limited:
            self._say("", words.limited(len(shown.pages)))
        else:
            self._say("", "")
        self._find()

    def show_failure(self, message: str, hint: str) -> None:
        """The links could not be read."""
        self._busy.hide()
        self._say(message, hint)

    def _say(self, title: str, sentence: str) -> None:
        for label, text in ((self._title, title), (self._sentence, sentence)):
            label.setText(text)
            label.setVisible(bool(text))

    def _find(self) -> None:
        wanted = self.field.text().strip().casefold()
        found = [
            page
            for page in self._shown.pages
            if wanted in page.label.casefold() or wanted in page.address.casefold()
        ]
        self.list.show_rows([str(page.document_id) for page in found], lambda at: _row(found[at]))

    @property
    def first(self) -> QWidget:
        """Where work with the keyboard begins."""
        return self.list


def _row(page: LinkedPage) -> PageRow:
    return PageRow(
        str(page.document_id),
        page.label,
        page.host,
        "globe",
        "text2",
        words.link_sentence(page),
        end=words.link_detail(page),
    )
