"""Draws the rows of the results: documents, and passages with their place, text, score, reasons and buttons."""

from collections.abc import Hashable, Iterator
from uuid import UUID

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QToolTip, QTreeView

from webrag_desktop.gui.data.view_data import Passage, ResultGroup, SearchResults
from webrag_desktop.gui.kit.rows.pictures import RowPictures
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex, PlacedButton, RowDelegate
from webrag_desktop.gui.kit.theme.direction import Mirror, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.painting import (
    RIGHT,
    number_chip,
    paint_hairline,
    paint_icon,
    paint_line,
    paint_number,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import RESULT_GROUP, Role
from webrag_desktop.gui.kit.widgets.bars import paint_rating
from webrag_desktop.gui.library.document_words import document_icon, kind_words
from webrag_desktop.gui.research.passage_layout import (
    CARD_INSET,
    NUMBER_GAP,
    NUMBER_LEFT,
    PassageLayout,
    PassageLayouts,
    line_height,
    number_size,
    text_left,
)
from webrag_desktop.gui.research.results_model import (
    SHOWN_AT_FIRST,
    ResultRole,
    best_first,
    elsewhere_text,
    reasons_text,
    share_of_passages,
    strength_words,
)
from webrag_desktop.text.citation_formats import reference

_MORE = 32
_CHEVRON_LEFT, _CHEVRON, _ICON, _GAP, _TITLE_GAP, _RIGHT = 14, 14, 18, 6, 8, 20


def disclosure_right() -> int:
    """Before it a click opens and closes the row."""
    return _CHEVRON_LEFT + grown(_CHEVRON) + _GAP


def group_height() -> int:
    """The height of a document's row."""
    return max(grown(RESULT_GROUP), 2 * _line() + grown(18))


def more_height() -> int:
    """The height of the row that stands for the other passages of a document."""
    return max(grown(_MORE), line_height(font("small", MEDIUM)) + 10)


def paint_more(painter: QPainter, rect: QRectF, mirror: Mirror, words: str) -> None:
    """Draw how many passages more there are, in line with the text of those above."""
    side, used = grown(_CHEVRON), font("small", MEDIUM, figures=True)
    left, middle = text_left(), rect.center().y() - 1
    paint_icon(painter, "chevron-down", mirror.left(left, side), middle - side / 2, side, "accent_text")
    line = QRectF(
        left + side + _GAP, rect.top() - 1, rect.width() - left - side - _GAP - _RIGHT, rect.height()
    )
    paint_line(painter, mirror.rect(line), words, used, "accent_text")


def paint_group(
    painter: QPainter, rect: QRectF, mirror: Mirror, group: ResultGroup, *, expanded: bool, selected: bool
) -> None:
    """Draw the row's contents; its ground is there already. ``rect`` is the row as it is read from left to right."""
    line = _line()
    chevron_side, side, icon_left = grown(_CHEVRON), grown(_ICON), disclosure_right()
    title_left = icon_left + side + _TITLE_GAP
    first = QRectF(title_left, rect.center().y() - line + 1, rect.width() - title_left - _RIGHT, line)
    second = first.translated(0, line - 1)
    quiet: Role = "text2" if selected else "text3"
    middle = first.center().y() + 2
    chevron, left = "chevron-down" if expanded else "chevron-right", mirror.left(_CHEVRON_LEFT, chevron_side)
    paint_icon(painter, chevron, left, middle - chevron_side / 2, chevron_side, quiet)
    icon = document_icon(group.kind, group.address)
    paint_icon(painter, icon, mirror.left(icon_left, side), middle - side / 2, side, "text2")
    counts, figures = share_of_passages(group), font("small", figures=True)
    paint_line(painter, mirror.rect(first), counts, figures, quiet, RIGHT)
    title = mirror.rect(first.adjusted(0, 0, -text_width(counts, figures) - 16, 0))
    paint_line(painter, title, group.title, font("body", SEMIBOLD), "text")
    _paint_place(painter, second, mirror, group, quiet)


def _paint_place(painter: QPainter, rect: QRectF, mirror: Mirror, group: ResultGroup, role: Role) -> None:
    used = font("small", figures=True)
    details = f"{date_words(group)} · {kind_words(group.kind, group.address)}"
    needed = text_width(details, used) + 1
    place = mirror.rect(rect.adjusted(0, 0, -needed - 12, 0))
    x = rect.left() + paint_line(painter, place, group.place, used, role, elide=Qt.TextElideMode.ElideMiddle)
    rest = QRectF(x + (12 if group.place else 0), rect.top(), needed, rect.height())
    paint_line(painter, mirror.rect(rest), details, used, role)


def date_words(group: ResultGroup) -> str:
    """Of which day the stored copy is."""
    local = group.fetched_at.astimezone()
    day = QLocale().toString(QDate(local.year, local.month, local.day), "d MMM yyyy")
    return QCoreApplication.translate("GroupRow", "copy of {0}").format(day)


def _line() -> int:
    return max(grown(19), round(QFontMetricsF(font("body", SEMIBOLD)).height() + 0.5))


_BRANCH, _PAGE_GAP = 14, 10
_DIMMED = 0.45
_FILLED = {"strong": 1.0, "fair": 2 / 3, "weak": 1 / 3}  # of the bar below the word
_SEEN_FIRST = 8  # rows that have room in a window of usual size


class RowTree(QTreeView):
    """A tree whose rows have the same width with and without a scroll bar, so that none is laid out again."""

    @property
    def row_width(self) -> int:
        """The width of a row, in logical pixels."""
        return max(0, self.width() - self.verticalScrollBar().sizeHint().width())


class PassageDelegate(RowDelegate):
    """The rows of a :class:`RowTree`."""

    def __init__(self, view: RowTree) -> None:
        super().__init__(view)
        self._tree = view
        self._layouts = PassageLayouts()
        self._pictures = RowPictures()
        self._measured: tuple[SearchResults, PassageLayouts] | None = None
        self._whole: set[UUID] = set()  # passages of which all is shown where they are open
        self.shows_reasons = False
        self.is_dimmed = False

    def forget(self) -> None:
        """Drop what was laid out: passages, font or theme changed."""
        self._layouts, self._measured = PassageLayouts(), None
        self._pictures.forget()

    def forget_pictures(self) -> None:
        """Drop the pictures of rows, which are drawn again when they are shown again."""
        self._pictures.forget()

    def forget_undrawn(self) -> bool:
        """Drop what was laid out without formulas that were drawn since; whether any row is shown so."""
        if self._measured is not None:
            self._measured[1].forget_undrawn()
        self._pictures.forget()
        return self._layouts.forget_undrawn()

    def measure(self, results: SearchResults) -> Iterator[None]:
        """Measure an answer's rows at rest before it is shown, one a step, and lay out those to be seen first."""
        layouts = PassageLayouts()
        self._measured = results, layouts
        passages = (
            (group, one) for group in results.groups for one in best_first(group.passages)[:SHOWN_AT_FIRST]
        )
        for place, (group, passage) in enumerate(passages):
            if place < _SEEN_FIRST:
                self._laid_at_rest(layouts, group, passage)
            self._resting(layouts, group, passage)
            yield

    def use_measured(self, results: SearchResults | None) -> None:
        """Forget what was shown; of an answer that was measured before, take that."""
        measured = self._measured
        self.forget()
        self._whole.clear()
        if measured is not None and measured[0] is results:
            self._layouts = measured[1]

    def _resting(self, layouts: PassageLayouts, group: ResultGroup, passage: Passage) -> int:
        """The height of a passage's row that is not open."""
        height = None if self.shows_reasons else layouts.resting_height(passage, self._tree.row_width)
        return self._laid_at_rest(layouts, group, passage).height if height is None else height

    def _laid_at_rest(self, layouts: PassageLayouts, group: ResultGroup, passage: Passage) -> PassageLayout:
        width, reasons = self._tree.row_width, self.shows_reasons
        return layouts.layout(group, passage, None, width, is_open=False, with_reasons=reasons)

    def buttons(self, index: AnyIndex) -> tuple[PlacedButton, ...]:
        """The open passage's buttons."""
        if not self.is_open(index) or index.data(ResultRole.PASSAGE) is None:
            return ()
        return self.layout(index).buttons

    def layout(self, index: AnyIndex) -> PassageLayout:
        """The layout of a passage's row."""
        is_open = self.is_open(index)
        return self._layouts.layout(
            index.data(ResultRole.GROUP),
            index.data(ResultRole.PASSAGE),
            index.data(ResultRole.NUMBER),
            self._tree.row_width,
            is_open=is_open,
            with_reasons=is_open or self.shows_reasons,
            is_whole=is_open and self.is_whole(index.data(ResultRole.PASSAGE)),
        )

    def is_whole(self, passage: Passage) -> bool:
        """Whether all of a passage is shown while it is open."""
        return passage.chunk_id in self._whole

    def toggle_whole(self, passage: Passage) -> None:
        """Show all of a passage while it is open, or as much as any other."""
        self._whole ^= {passage.chunk_id}

    def has_more(self, index: AnyIndex) -> bool:
        """Whether the open row leaves out something of its passage, or would."""
        return any(placed.button.command == "more" for placed in self.buttons(index))

    def reasons_at(self, index: AnyIndex) -> str:
        """Why a row was found; empty where it says so itself, or is no passage."""
        passage: Passage | None = index.data(ResultRole.PASSAGE)
        if passage is None or self.shows_reasons or self.is_open(index):
            return ""
        return reasons_text(passage)

    def elsewhere_rect(self, index: AnyIndex) -> QRectF | None:
        """Where a row in the viewport names a document that says nearly the same; None where it names none."""
        if index.data(ResultRole.PASSAGE) is None:
            return None
        named = next((one for one in self.layout(index).reasons if one.reason.is_title), None)
        if named is None:
            return None
        line = named.name | named.value | named.rest
        return self.mirror.rect(line.translated(0, self._tree.visualRect(index).top()))

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        """Say what a button does; where a row has room for one document's title, say all of them."""
        where = self.elsewhere_rect(index)
        if where is None or not where.contains(event.pos().toPointF()):
            return super().helpEvent(event, view, option, index)
        text = elsewhere_text(index.data(ResultRole.PASSAGE))
        QToolTip.showText(event.globalPos(), plain_tooltip(text), view, where.toAlignedRect())
        return True

    # -- QStyledItemDelegate --------------------------------------------------------------------------------------

    def sizeHint(self, _option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """As tall as the row's text at the view's width."""
        if index.data(ResultRole.MORE) is not None:
            return QSize(100, more_height())
        if index.data(ResultRole.PASSAGE) is None:
            return QSize(100, group_height())
        if not self.is_open(index):
            group, passage = index.data(ResultRole.GROUP), index.data(ResultRole.PASSAGE)
            return QSize(100, self._resting(self._layouts, group, passage))
        return QSize(100, self.layout(index).height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw a row over the whole width."""
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QRect(QPoint(), QSize(self._tree.viewport().width(), option.rect.height()))
        if self.is_dimmed:
            painter.setOpacity(_DIMMED)
        shown = index.data(ResultRole.GROUP), index.data(ResultRole.PASSAGE)
        self._pictures.paint(
            painter, QPointF(0, option.rect.top()), ground.size(), shown, self._state(index, hovered=hovered),
            lambda drawing: self._paint_row(drawing, ground, index, hovered=hovered),
        )  # fmt: skip
        painter.restore()

    def _state(self, index: AnyIndex, *, hovered: bool) -> Hashable:
        """What a row's picture depends on beside its document and passage."""
        is_open, is_document = self.is_open(index), not index.parent().isValid()
        passage = index.data(ResultRole.PASSAGE)
        return (
            index.data(ResultRole.NUMBER), index.data(ResultRole.MORE), self._tree.row_width, hovered,
            is_document, is_document and index.row() > 0, is_document and self._tree.isExpanded(index),
            is_open, is_open and self._tree.hasFocus(), is_open and self.hovered_command(index),
            is_open and passage is not None and self.is_whole(passage), self.shows_reasons,
        )  # fmt: skip

    def _paint_row(self, painter: QPainter, rect: QRect, index: AnyIndex, *, hovered: bool) -> None:
        row = QRectF(0, rect.top(), self._tree.row_width, rect.height())
        passage, selected, mirror = index.data(ResultRole.PASSAGE), self.is_open(index), self.mirror
        is_document = not index.parent().isValid()
        above, below = (5, 3) if is_document else (0, 2)
        card = mirror.rect(row.adjusted(CARD_INSET, above, -CARD_INSET, -below))
        self.paint_card(painter, card, selected=selected, hovered=hovered)
        if is_document:
            self._paint_document(painter, row, mirror, index, selected)
        elif passage is None:
            paint_more(painter, row, mirror, index.data())
        else:
            self._paint_passage(painter, row, mirror, index, passage)
            self.paint_buttons(painter, rect, index)

    def _paint_document(
        self, painter: QPainter, row: QRectF, mirror: Mirror, index: AnyIndex, selected: bool
    ) -> None:
        if index.row():
            line = mirror.rect(row)
            paint_hairline(painter, line.left(), line.right(), row.top())
        group, expanded = index.data(ResultRole.GROUP), self._tree.isExpanded(index)
        paint_group(painter, row, mirror, group, expanded=expanded, selected=selected)

    def _paint_passage(
        self, painter: QPainter, row: QRectF, mirror: Mirror, index: AnyIndex, passage: Passage
    ) -> None:
        laid, selected = self.layout(index), self.is_open(index)
        place = laid.place.translated(row.topLeft())
        begins = self._paint_number(painter, place, mirror, index.data(ResultRole.NUMBER), selected)
        place.setLeft(max(place.left(), begins))
        self._paint_place(painter, place, mirror, passage, "text2" if selected else "text3")
        score = mirror.rect(laid.score.translated(row.topLeft()))
        word, share = strength_words()[passage.strength], _FILLED[passage.strength]
        paint_rating(painter, score, word, share, active=selected)
        at = laid.text_at + row.topLeft()
        text_left = mirror.left(at.x(), laid.text.width)
        laid.text.paint(painter, text_left, at.y(), "text" if selected else "text2")
        self._paint_reasons(painter, laid, mirror, row.topLeft())

    @staticmethod
    def _paint_number(
        painter: QPainter, place: QRectF, mirror: Mirror, number: int | None, selected: bool
    ) -> float:
        """The number of the citation that the passage is; returns where the words beside it may begin."""
        side, middle = number_size(), place.center().y()
        if number is None:
            left = mirror.left(NUMBER_LEFT + 2, _BRANCH)
            paint_icon(painter, "corner-down-right", left, middle - _BRANCH / 2, _BRANCH, "line_strong")
            return place.left()
        width = number_chip(number, side).width()
        left = mirror.left(NUMBER_LEFT, width)
        paint_number(painter, left, middle - side / 2, number, filled=selected, size=side)
        return NUMBER_LEFT + width + NUMBER_GAP

    def _paint_place(
        self, painter: QPainter, rect: QRectF, mirror: Mirror, passage: Passage, role: Role
    ) -> None:
        used = font("small", figures=True)
        page = reference(page=passage.page, page_words=self.tr("p. {0}"))
        needed = text_width(page, used) + _PAGE_GAP if page else 0
        room = mirror.rect(rect.adjusted(0, 0, -needed, 0))
        taken = paint_line(painter, room, passage.place, used, role, elide=Qt.TextElideMode.ElideLeft)
        rest = rect.adjusted(taken + (_PAGE_GAP if passage.place else 0), 0, 1, 0)
        paint_line(painter, mirror.rect(rest), page, used, role)

    @staticmethod
    def _paint_reasons(painter: QPainter, laid: PassageLayout, mirror: Mirror, corner: QPointF) -> None:
        names, values = font("small", figures=True), font("small", MEDIUM, figures=True)
        for placed in laid.reasons:
            reason, rects = placed.reason, (placed.name, placed.value, placed.rest)
            name, value, rest = (mirror.rect(rect.translated(corner)) for rect in rects)
            paint_line(painter, name, reason.name, names, "text2")
            paint_line(painter, value, reason.value, values, "text")
            if reason.rest:
                paint_line(painter, rest, reason.rest, names, "text2")
