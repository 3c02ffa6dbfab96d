"""Beside the full reader: what else the library says about the section that is read. Quiet, and can be closed."""

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from webrag_desktop.gui.data.view_data import Failure, Passage, ResultGroup, SearchResults
from webrag_desktop.gui.kit.rows.laid_text import LaidText
from webrag_desktop.gui.kit.rows.lists import KeyedList
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex, drops_layouts, paint_card
from webrag_desktop.gui.kit.shortcuts import commands_of, key_of
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, font, grown
from webrag_desktop.gui.kit.theme.painting import RIGHT, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import OUTLINE_WIDTH, SPACE_L, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import tool_button
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import PaneHeader, Panel, column
from webrag_desktop.gui.reader.header import header_height
from webrag_desktop.gui.research.results_model import strength_words
from webrag_desktop.text.citation_formats import reference

_INSET, _PAD, _QUOTE_LINES = SPACE_S, 10, 4


class RelatedModel(QAbstractListModel):
    """A passage of each document, nearest first."""

    def __init__(self) -> None:
        """Start without any."""
        super().__init__()
        self._rows: tuple[tuple[ResultGroup, Passage], ...] = ()

    def show(self, results: SearchResults | None) -> None:
        """Replace all."""
        self.beginResetModel()
        groups = results.groups if results is not None else ()
        self._rows = tuple((group, group.passages[0]) for group in groups if group.passages)
        self.endResetModel()

    def row(self, at: int) -> tuple[ResultGroup, Passage]:
        """One of them, with its document."""
        return self._rows[at]

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """How many there are."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The sentence; where it is from and how near it is, too, for screen readers and as the tooltip."""
        if not index.isValid():
            return None
        group, passage = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return passage.quote
        if role == Qt.ItemDataRole.AccessibleTextRole:
            near = strength_words()[passage.strength].lower()
            return f"{group.title}, {_place(group, passage)}, {near}: {passage.quote}"
        return None


def _place(group: ResultGroup, passage: Passage) -> str:
    """The site or folder, and the section unless that is named like the document."""
    section = passage.heading if passage.heading != group.title else None
    return reference(group.place, section)


class _Delegate(QStyledItemDelegate):
    """The document and how near it is, the sentence, and where that stands."""

    def __init__(self, view: "RelatedList") -> None:
        super().__init__(view)
        self._view = view
        self._laid: dict[tuple[str, int], LaidText] = {}

    def forget(self) -> None:
        self._laid.clear()

    def _quote(self, index: AnyIndex) -> LaidText:
        width = self._view.viewport().width() - 2 * (_INSET + _PAD)
        key = (str(index.data()), width)
        if key not in self._laid:
            self._laid[key] = LaidText(key[0], font("small"), width, most_lines=_QUOTE_LINES)
        return self._laid[key]

    @staticmethod
    def _heights() -> tuple[float, float]:
        return QFontMetricsF(font("small", MEDIUM)).height(), QFontMetricsF(font("micro")).height()

    def sizeHint(self, _option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        words = sum(self._heights()) + self._quote(index).height + 2 * SPACE_XS
        return QSize(0, round(words) + 2 * _PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        painter.save()
        group, passage = self._view.related.row(index.row())
        card = QRectF(option.rect).adjusted(_INSET, 1, -_INSET, -1)
        selected = index == self._view.currentIndex() and self._view.hasFocus()
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        paint_card(painter, card, self._view, selected=selected, hovered=hovered)
        mirror = Mirror(card, self._view.isRightToLeft())
        title, place = self._heights()
        line = QRectF(card.left() + _PAD, card.top() + _PAD - 1, card.width() - 2 * _PAD, title)
        strength, used = strength_words()[passage.strength], font("micro")
        wide = text_width(strength, used) + 2
        end = QRectF(line.right() - wide, line.top(), wide, title)
        paint_line(painter, mirror.rect(end), strength, used, "text2" if selected else "text3", RIGHT)
        line.setRight(line.right() - wide - SPACE_S)
        paint_line(painter, mirror.rect(line), group.title, font("small", MEDIUM))
        quote, top = self._quote(index), line.bottom() + SPACE_XS
        quote.paint(painter, card.left() + _PAD, top, "text2")
        below = QRectF(card.left() + _PAD, top + quote.height + SPACE_XS, card.width() - 2 * _PAD, place)
        paint_line(
            painter, mirror.rect(below), _place(group, passage), used, "text2" if selected else "text3"
        )
        painter.restore()


class RelatedList(KeyedList):
    """A click or Enter opens a passage."""

    keys = commands_of("related")
    opened = Signal(object)  # Passage

    def __init__(self, parent: QWidget | None = None) -> None:
        """Start without passages."""
        super().__init__(parent, surface="window")
        self.related = RelatedModel()
        self.setModel(self.related)
        self._delegate = _Delegate(self)
        self.setItemDelegate(self._delegate)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setAccessibleName(self.tr("Related passages"))
        self.clicked.connect(self._open)

    def run(self, command: str) -> None:
        """Move, or open the current passage."""
        if command in {"down", "up"}:
            self.step(1 if command == "down" else -1)
        elif self.currentIndex().isValid():
            self._open(self.currentIndex())

    def _open(self, index: QModelIndex) -> None:
        self.opened.emit(self.related.row(index.row())[1])

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Begin with the first row."""
        super().focusInEvent(event)
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self.related.index(0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the sentences for the new width."""
        self._delegate.forget()
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Lay out again in another theme or font."""
        super().changeEvent(event)
        if drops_layouts(event):
            self._delegate.forget()
            self.scheduleDelayedItemsLayout()


class RelatedPane(Panel):
    """The list with its head; what was found stays until something else is."""

    closed = Signal()
    opened = Signal(object)  # Passage

    def __init__(self, parent: QWidget | None = None) -> None:
        """Start with nothing looked for."""
        super().__init__("window", parent=parent)
        self.close_button = tool_button(
            "x", self.tr("Close related passages"), key_of("reader", "related"), size=16
        )
        header = PaneHeader(self.tr("Related passages"), [self.close_button], role="window")
        header.setMinimumHeight(header_height())
        self.list = RelatedList()
        self.note = Label("", "small", "text3", wrap=True)
        self.note.setContentsMargins(SPACE_L, SPACE_S, SPACE_L, 0)
        layout = column(self)
        layout.addWidget(header)
        layout.addWidget(self.note)
        layout.addSpacing(SPACE_XS)
        layout.addWidget(self.list, 1)
        layout.addStretch(0)
        self.setFixedWidth(grown(OUTLINE_WIDTH))
        self.close_button.clicked.connect(self.closed)
        self.list.opened.connect(self.opened)
        self.clear()

    def clear(self) -> None:
        """Show nothing: another text is read."""
        self._show(None, "")

    def show_results(self, results: SearchResults) -> None:
        """Show what was found, or say that nothing was."""
        self._show(results, "" if results.groups else self.tr("Nothing else in your library is about this."))

    def show_failure(self, failure: Failure) -> None:
        """Say why nothing can be found."""
        self._show(None, failure.message)

    def _show(self, results: SearchResults | None, note: str) -> None:
        self.list.related.show(results)
        self.list.setVisible(self.list.related.rowCount() > 0)
        self.note.setText(note)
        self.note.setVisible(bool(note))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the hairline towards the text."""
        super().paintEvent(event)
        x = self.width() - 1 if self.isRightToLeft() else 0
        QPainter(self).fillRect(x, 0, 1, self.height(), colour("line"))
