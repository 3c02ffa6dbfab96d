"""The drawing of an expansion: question, pages in columns by depth, lines to the pages they were found on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from webrag_desktop.gui.data.map import MapPage, PageState
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.rows.laid_text import LaidText
from webrag_desktop.gui.kit.theme.colours import colour, is_system
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import HEADING_LINE, MEDIUM, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_count, paint_icon, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import RADIUS_ROW, Role
from webrag_desktop.gui.map import words
from webrag_desktop.gui.map.canvas import ViewState


@dataclass(frozen=True, slots=True)
class TreePlaces:
    """Column and row of every page; ``parents`` index the pages, None below the question.

    The question is in column 0, at ``root_row``. Rows are counted in pages and may be between two.
    """

    columns: tuple[int, ...]
    rows: tuple[float, ...]
    parents: tuple[int | None, ...]
    root_row: float
    row_count: int

    @property
    def column_count(self) -> int:
        """How many columns there are, the question's with them."""
        return 1 + max(self.columns, default=0)


def lay_out(pages: Sequence[MapPage]) -> TreePlaces:
    """Lay a tree out: leaves take rows in the order of their visits, a page is centred on the pages it led to.

    A page whose parent is not there, or that leads back to itself, begins below the question. The same pages in the
    same order always get the same places.
    """
    parents = _parents(pages)
    children: list[list[int]] = [[] for _ in pages]
    roots: list[int] = []
    for place, parent in enumerate(parents):
        (roots if parent is None else children[parent]).append(place)
    columns, rows, taken = [0] * len(pages), [0.0] * len(pages), 0
    for place, column, is_done in _walk(roots, children):
        below = children[place]
        if not is_done:
            columns[place] = column
        elif below:
            rows[place] = (rows[below[0]] + rows[below[-1]]) / 2
        else:
            rows[place] = taken
            taken += 1
    root_row = (rows[roots[0]] + rows[roots[-1]]) / 2 if roots else 0.0
    return TreePlaces(tuple(columns), tuple(rows), tuple(parents), root_row, max(taken, 1))


def _walk(roots: Sequence[int], children: Sequence[Sequence[int]]) -> Iterator[tuple[int, int, bool]]:
    """Every page with its column before, and again after, all that it led to; without recursion."""
    waiting = [(place, 1, False) for place in reversed(roots)]
    while waiting:
        place, column, is_done = waiting.pop()
        yield place, column, is_done
        if not is_done:
            waiting.append((place, column, True))
            waiting += [(child, column + 1, False) for child in reversed(children[place])]


def _parents(pages: Sequence[MapPage]) -> list[int | None]:
    numbers = {page.address: place for place, page in enumerate(pages)}
    parents = [numbers.get(page.parent) if page.parent is not None else None for page in pages]
    settled: set[int] = set()
    for place in range(len(pages)):
        above: list[int] = []
        walked: set[int] = set()
        at: int | None = place
        while at is not None and at not in settled and at not in walked:
            above.append(at)
            walked.add(at)
            at = parents[at]
        if at is not None and at in walked:
            parents[min(above[above.index(at) :])] = (
                None  # a circle begins with the page that was visited first
            )
        settled.update(walked)
    return parents


QUESTION = "question:"  # its key; no address begins so
_WIDTH, _GAP = 244, 88
# Up to so many rows, how tall a page is and how far apart rows are. Where there are most, a page has one line.
_ROWS: tuple[tuple[float, int, int], ...] = ((8, 52, 88), (30, 52, 66), (inf, 32, 40))
_ONE_LINE = 40  # pages that are no taller have one line
_MARGIN, _TOP, _HEADING = 28, 56, 40
_LEGIBLE = 0.45  # smaller than that, words are not drawn
_DASHES = [4.0, 3.0]
_QUESTION_LINES = 3


class ExpansionScene:
    """Built for one state of an expansion, one font and one direction of reading."""

    def __init__(self, question: str, pages: Sequence[MapPage], *, mirrored: bool) -> None:
        """Lay everything out; nothing is drawn before :meth:`paint`."""
        self.pages = tuple(pages)
        self._places = lay_out(pages)
        self._numbers = {page.address: at for at, page in enumerate(pages)}
        self._mirrored = mirrored
        _most, tall, apart = next(rows for rows in _ROWS if self._places.row_count <= rows[0])
        self._has_one_line = tall <= _ONE_LINE
        self._size = (float(grown(_WIDTH)), float(grown(tall)))
        self._across = self._size[0] + grown(_GAP)
        self._down = float(grown(apart))
        self._question = LaidText(
            question,
            font("body", SEMIBOLD),
            self._size[0] - 28,
            line_ratio=HEADING_LINE,
            most_lines=_QUESTION_LINES,
        )
        self._question_words = question
        self.bounds = self._bounds()
        self._rects = [
            self._rect(column, row)
            for column, row in zip(self._places.columns, self._places.rows, strict=True)
        ]
        self._root = self._question_rect()
        self._came_through = self._evidence_ways()
        self._lines = [self._line(at) for at in range(len(pages))]

    # -- Places ---------------------------------------------------------------------------------------------------

    def _bounds(self) -> QRectF:
        wide = self._places.column_count * self._across - (self._across - self._size[0])
        tall = (self._places.row_count - 1) * self._down + self._size[1]
        tall = max(tall, self._question.height + 28)
        top = grown(_TOP)
        return QRectF(-_MARGIN, -top, wide + 2 * _MARGIN, tall + top + _MARGIN)

    def _mirror(self) -> Mirror:
        return Mirror(self.bounds, self._mirrored)

    def _rect(self, column: int, row: float) -> QRectF:
        return self._mirror().rect(QRectF(column * self._across, row * self._down, *self._size))

    def _question_rect(self) -> QRectF:
        tall = max(self._size[1], self._question.height + 20)
        middle = self._places.root_row * self._down + self._size[1] / 2
        top = max(0.0, middle - tall / 2)
        return self._mirror().rect(QRectF(0, top, self._size[0], tall))

    def _line(self, at: int) -> QPainterPath:
        parent = self._places.parents[at]
        above, rect = self._root if parent is None else self._rects[parent], self._rects[at]
        begin = QPointF(above.left() if self._mirrored else above.right(), above.center().y())
        end = QPointF(rect.right() if self._mirrored else rect.left(), rect.center().y())
        bend = QPointF((end.x() - begin.x()) * 0.55, 0)
        path = QPainterPath(begin)
        path.cubicTo(begin + bend, end - bend, end)
        return path

    def _evidence_ways(self) -> set[int]:
        """The pages that gave passages, and those that led to them."""
        found: set[int] = set()
        for at, page in enumerate(self.pages):
            step: int | None = at if page.state == "gave" else None
            while step is not None and step not in found:
                found.add(step)
                step = self._places.parents[step]
        return found

    is_centred = False

    @property
    def beginning(self) -> QRectF:
        """The question."""
        return self._root

    def rect_of(self, key: str) -> QRectF | None:
        """The rectangle of a page, or of the question."""
        if key == QUESTION:
            return self._root
        at = self._numbers.get(key)
        return None if at is None else self._rects[at]

    def key_at(self, point: QPointF) -> str | None:
        """The page at a point."""
        return next(
            (
                page.address
                for page, rect in zip(self.pages, self._rects, strict=True)
                if rect.contains(point)
            ),
            None,
        )

    def words_of(self, key: str) -> str:
        """The page's label uncut, its address, and what became of it."""
        at = self._numbers.get(key)
        return self._question_words if at is None else words.page_tooltip(self.pages[at])

    # -- Painting -------------------------------------------------------------------------------------------------

    def paint_ground(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        """Nothing: a choice changes lines and pages alike."""

    def paint(self, painter: QPainter, exposed: QRectF, view: ViewState) -> None:
        """Draw what is in ``exposed``: lines below, what brought evidence above the others, pages on top."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for brings in (False, True):
            for at, line in enumerate(self._lines):
                if (at in self._came_through) == brings and line.controlPointRect().adjusted(
                    -2, -2, 2, 2
                ).intersects(exposed):
                    self._paint_line(painter, at, line, view)
        legible = view.zoom >= _LEGIBLE
        if legible:
            self._paint_headings(painter, exposed)
        if self._root.intersects(exposed):
            self._paint_question(painter, legible=legible)
        reach = exposed.adjusted(-4, -4, 4, 4)
        for page, rect in zip(self.pages, self._rects, strict=True):
            if rect.intersects(reach):
                self._paint_page(painter, page, rect, view, legible=legible)

    def _paint_line(self, painter: QPainter, at: int, line: QPainterPath, view: ViewState) -> None:
        page, brings = self.pages[at], at in self._came_through
        ink: Role = "evidence_edge" if brings else "line_strong"
        if page.address == view.chosen and not brings:
            ink = "accent"
        pen = QPen(colour(ink), max(2.0 if brings else 1.5, 0.7 / view.zoom))
        if page.state in {"waiting", "opening"}:
            pen.setDashPattern(_DASHES)
        painter.setPen(pen)
        painter.drawPath(line)

    def _paint_headings(self, painter: QPainter, exposed: QRectF) -> None:
        top, tall = -float(grown(_HEADING)), float(grown(20))
        if exposed.top() > top + tall:
            return
        for column in range(self._places.column_count):
            name, detail = words.column_names(column)
            room = self._size[0]
            wide = min(text_width(name, font("small", SEMIBOLD)) + 8, room)
            mirror = self._mirror()
            at = mirror.rect(QRectF(column * self._across, top, wide, tall))
            paint_line(painter, at, name, font("small", SEMIBOLD), "text2")
            rest = mirror.rect(QRectF(column * self._across + wide, top, room - wide, tall))
            paint_line(painter, rest, detail, font("small"), "text3")

    def _paint_question(self, painter: QPainter, *, legible: bool) -> None:
        paint_box(painter, self._root, RADIUS_ROW, colour("text"))  # ink, not accent: a place, not a button
        if legible:
            inset = (self._root.height() - self._question.height) / 2
            self._question.paint(painter, self._root.left() + 14, self._root.top() + inset, "surface")

    def _paint_page(
        self, painter: QPainter, page: MapPage, rect: QRectF, view: ViewState, *, legible: bool
    ) -> None:
        self._paint_ground(painter, page, rect, view)
        if page.state == "gave":
            inset = rect.height() / 6
            bar = QRectF(rect.left(), rect.top() + inset, 3, rect.height() - 2 * inset)
            paint_box(painter, Mirror(rect, self._mirrored).rect(bar), 1.5, colour("evidence_edge"))
        if legible:
            self._paint_words(painter, page, rect)

    @staticmethod
    def _paint_ground(painter: QPainter, page: MapPage, rect: QRectF, view: ViewState) -> None:
        chosen, hovered = page.address == view.chosen, page.address == view.hovered
        ground = colour("hover" if hovered else "surface")
        thick = max(2.0 if chosen else 1.0, 0.7 / view.zoom)
        if page.state not in {"waiting", "opening"}:
            edge = colour("accent" if chosen else "line_strong")
            paint_box(painter, rect, RADIUS_ROW, ground, edge, thick)
            return
        pen = QPen(colour("accent" if chosen else "control"), max(thick, 1.3))
        pen.setDashPattern(_DASHES)
        painter.setPen(pen)
        painter.setBrush(ground)
        painter.drawRoundedRect(rect.adjusted(0.7, 0.7, -0.7, -0.7), RADIUS_ROW, RADIUS_ROW)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_words(self, painter: QPainter, page: MapPage, rect: QRectF) -> None:
        mirror, icon = Mirror(rect, self._mirrored), float(grown(15))
        sign, ink = words.STATE_SIGNS[page.state]
        inset = 2 if self._has_one_line else 6
        top, middle = rect.top() + inset, rect.bottom() - 2 if self._has_one_line else rect.center().y()
        first = middle - top - (0 if self._has_one_line else 1)
        left = rect.left() + 12
        paint_icon(painter, sign, mirror.left(left, icon), top + (first - icon) / 2 + 1, icon, ink)
        badge = 0.0
        if page.passages:
            edge = colour("line") if is_system() else None
            middle = top + first / 2 + 1
            badge = paint_count(painter, mirror, rect.right() - 10, middle, number(page.passages), edge) + 8
        begin = left + icon + 7
        title = QRectF(begin, top, rect.right() - 10 - badge - begin, first)
        quiet: Role = "text2" if page.state in {"opened", "failed"} else "text"
        paint_line(painter, mirror.rect(title), page.label, font("small", MEDIUM), quiet)
        if self._has_one_line:
            return
        under = QRectF(begin, middle, rect.right() - 10 - begin, rect.bottom() - middle - 5)
        detail_ink: Role = "bad" if page.state == "failed" else "text3"
        paint_line(painter, mirror.rect(under), words.page_detail(page), font("micro"), detail_ink)


def spoken(states: Sequence[tuple[PageState, int]]) -> str:
    """The accessible description of the drawing."""
    counts = ", ".join(words.state_count(state, count) for state, count in states if count)
    said = QCoreApplication.translate("Map", "Map. The same pages are in the lists beside it. {0}")
    return said.format(counts).strip()
