"""The list of pages to fetch: a check box, title, reason, address and score of each."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter
from PySide6.QtWidgets import QListView, QMenu, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from webrag_desktop.gui.data.map import PageToFetch
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex, paint_card
from webrag_desktop.gui.kit.shortcuts import commands_of
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.painting import (
    RIGHT,
    icon,
    paint_box,
    paint_hairline,
    paint_icon,
    paint_line,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CHIP, Role
from webrag_desktop.gui.kit.widgets.bars import paint_score, score_size
from webrag_desktop.gui.map import words
from webrag_desktop.gui.map.page_rows import PageList

PageRole = Qt.ItemDataRole.UserRole  # PageToFetch
_YES, _NO = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class ToFetchModel(QAbstractListModel):
    """What the user ticked or unticked stays so while the same page is offered; else what is proposed holds."""

    ticks_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        """Offer nothing yet."""
        super().__init__(parent)
        self._pages: tuple[PageToFetch, ...] = ()
        self._chosen: dict[str, bool] = {}  # by the user

    def show(self, pages: Sequence[PageToFetch]) -> bool:
        """Offer these; returns whether they differ from before."""
        if tuple(pages) == self._pages:
            return False
        self.beginResetModel()
        self._pages = tuple(pages)
        offered = {page.address for page in pages}
        self._chosen = {address: is_on for address, is_on in self._chosen.items() if address in offered}
        self.endResetModel()
        self.ticks_changed.emit()
        return True

    @property
    def pages(self) -> tuple[PageToFetch, ...]:
        """What is offered, in order."""
        return self._pages

    def is_ticked(self, page: PageToFetch) -> bool:
        """Whether it would be fetched."""
        return self._chosen.get(page.address, page.ticked)

    @property
    def ticked(self) -> tuple[str, ...]:
        """The addresses that would be fetched."""
        return tuple(page.address for page in self._pages if self.is_ticked(page))

    def tick(self, rows: Sequence[int], *, on: bool) -> None:
        """Tick pages, or take their ticks away."""
        if not rows:
            return
        self._chosen.update({self._pages[row].address: on for row in rows})
        changed = [Qt.ItemDataRole.CheckStateRole, Qt.ItemDataRole.AccessibleTextRole]
        self.dataChanged.emit(self.index(min(rows)), self.index(max(rows)), changed)
        self.ticks_changed.emit()

    def row_of(self, address: str) -> int | None:
        """The row of a page."""
        return next((at for at, page in enumerate(self._pages) if page.address == address), None)

    # -- Qt's methods --------------------------------------------------------------------------------------------

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """How many pages are offered."""
        return 0 if parent.isValid() else len(self._pages)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Every page can be selected and ticked."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A page, its tick, and how it is read out."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        page = self._pages[index.row()]
        if role == PageRole:
            return page
        if role == Qt.ItemDataRole.CheckStateRole:
            return _YES if self.is_ticked(page) else _NO
        return self._words(page, role)

    def _words(self, page: PageToFetch, role: int) -> str | None:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return page.title
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(f"{page.title}\n{page.why}\n{page.address}")
            case Qt.ItemDataRole.AccessibleTextRole:
                return words.candidate_sentence(page, ticked=self.is_ticked(page))
        return None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a tick, as a screen reader sets it."""
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        self.tick([index.row()], on=Qt.CheckState(value) == _YES)
        return True


_INSET, _PAD, _BOX, _TICK, _AFTER_BOX, _CARD, _LEADING = 20, 10, 16, 12, 10, 8, 4


class _Delegate(QStyledItemDelegate):
    """Lays a row out from the font: title and score, why, address and kind."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    @staticmethod
    def _heights() -> tuple[float, float, float]:
        title = QFontMetricsF(font("body", SEMIBOLD)).height()
        why = QFontMetricsF(font("small")).height()
        return max(title, float(grown(_BOX))), why, why

    def sizeHint(self, _option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:
        """Three lines of the present font."""
        return QSize(100, round(sum(self._heights())) + 2 * _LEADING + 2 * _PAD + 2)

    def box_rect(self, row: QRect) -> QRectF:
        """The rectangle of the check box in the viewport."""
        side = float(grown(_BOX))
        first = self._heights()[0]
        box = QRectF(_INSET, row.top() + _PAD + (first - side) / 2, side, side)
        return self._mirror().rect(box)

    def _mirror(self) -> Mirror:
        return Mirror(QRectF(self._view.viewport().rect()), self._view.isRightToLeft())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw a row."""
        painter.save()
        page, row, width = index.data(PageRole), option.rect, self._view.viewport().width()
        selected = index == self._view.currentIndex()
        on = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
        left = _INSET + grown(_BOX) + _AFTER_BOX
        card = QRectF(_CARD, row.top() + 1, width - 2 * _CARD, row.height() - 2)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        paint_card(painter, card, self._view, selected=selected, hovered=hovered)
        if not selected and not hovered:
            line = self._mirror().rect(QRectF(left, row.bottom(), width - left - _INSET, 1))
            paint_hairline(painter, line.left(), line.right(), row.bottom())
        self._paint_box(painter, self.box_rect(row), on=on)
        self._paint_words(painter, page, row.top() + _PAD, float(left), on=on, selected=selected)
        painter.restore()

    @staticmethod
    def _paint_box(painter: QPainter, box: QRectF, *, on: bool) -> None:
        if not on:
            paint_box(painter, box, RADIUS_CHIP, colour("surface"), colour("control"), 1.4)
            return
        paint_box(painter, box, RADIUS_CHIP, colour("accent"))
        side = grown(_TICK)
        inset = (box.width() - side) / 2
        paint_icon(painter, "check", box.x() + inset, box.y() + inset, side, "on_accent")

    def _paint_words(
        self, painter: QPainter, page: PageToFetch, top: float, left: float, *, on: bool, selected: bool
    ) -> None:
        mirror, end = self._mirror(), self._view.viewport().width() - _INSET
        title, why, where = self._heights()
        score, quiet = score_size(), _quiet(selected=selected)
        at = mirror.left(end - score.width(), score.width())
        paint_score(painter, at, top, page.score, active=on)
        room = end - score.width() - 12 - left
        line = QRectF(left, top, room, title)
        used = font("body", SEMIBOLD if on else MEDIUM)
        paint_line(painter, mirror.rect(line), page.title, used, "text" if on else "text2")
        line = QRectF(left, top + title + _LEADING, room, why)
        paint_line(painter, mirror.rect(line), page.why, font("small"), "text2")
        top += title + why + 2 * _LEADING
        wide = min(text_width(page.kind, font("small", figures=True)) + 2, (end - left) / 2)
        kind = QRectF(end - wide, top, wide, where)
        paint_line(painter, mirror.rect(kind), page.kind, font("small", figures=True), quiet, RIGHT)
        line = QRectF(left, top, end - wide - 12 - left, where)
        address = page.address.partition("://")[2] or page.address
        mono, middle = font("micro", family="mono"), Qt.TextElideMode.ElideMiddle
        paint_line(painter, mirror.rect(line), address, mono, quiet, elide=middle)


def _quiet(*, selected: bool) -> Role:
    return "text2" if selected else "text3"


class ToFetchList(PageList):
    """Space ticks the current page."""

    keys: ClassVar[Mapping[str, str]] = commands_of("map fetch")
    browser_requested = Signal(str)  # the address of a page

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            QCoreApplication.translate("ToFetchList", "Pages to fetch. Space ticks a page."), parent
        )
        self.pages = ToFetchModel(self)
        self.rows = _Delegate(self)
        self._on_box = False
        self.setModel(self.pages)
        self.setItemDelegate(self.rows)

    def key_of(self, index: AnyIndex) -> str | None:
        """The address of a row's page."""
        page: PageToFetch | None = index.data(PageRole)
        return page.address if page is not None else None

    def row_of(self, key: str) -> int | None:
        """The row of an address."""
        return self.pages.row_of(key)

    def run(self, command: str) -> None:
        """Tick the current page, move or zoom."""
        if command == "tick":
            self._toggle(self.currentIndex().row())
        else:
            super().run(command)

    def _toggle(self, row: int) -> None:
        if 0 <= row < self.pages.rowCount():
            self.pages.tick([row], on=not self.pages.is_ticked(self.pages.pages[row]))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press on the tick box belongs to it."""
        self._on_box = event.button() == Qt.MouseButton.LeftButton and self._is_box(event.position())
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click that began and ended on the tick box ticks."""
        super().mouseReleaseEvent(event)
        if self._on_box and self._is_box(event.position()):
            self._toggle(self.indexAt(event.position().toPoint()).row())
        self._on_box = False

    def _is_box(self, point: QPointF) -> bool:
        index = self.indexAt(point.toPoint())
        return index.isValid() and self.rows.box_rect(self.visualRect(index)).adjusted(-5, -5, 5, 5).contains(
            point
        )

    def menu(self) -> QMenu | None:
        """What can be done with the current page."""
        address = self.current_key
        if address is None:
            return None
        menu = QMenu(self)
        tick = menu.addAction(self.tr("Fetch this page"))
        tick.setCheckable(True)
        tick.setChecked(address in self.pages.ticked)
        tick.triggered.connect(lambda: self.run("tick"))
        opened = menu.addAction(icon("external-link"), self.tr("Open in browser"))
        opened.triggered.connect(lambda: self.browser_requested.emit(address))
        return menu
