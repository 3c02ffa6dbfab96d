"""The drawing of the library's links: a circle for each site with its pages in it, lines between pages that link."""

from collections import defaultdict
from collections.abc import Iterator
from math import hypot, log2, sqrt

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from webrag_desktop.gui.data.map import LinkMap, PlacedSite
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.theme.colours import colour, mixed
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, font
from webrag_desktop.gui.kit.theme.painting import CENTER, paint_box, paint_line, text_width
from webrag_desktop.gui.map import words
from webrag_desktop.gui.map.canvas import ViewState

_MARGIN, _NAME, _NEAR = 28.0, 30.0, 13.0
_LEAST_DOT, _MOST_DOT = 3.5, 9.0
_CELL = 64.0  # pixels of the grid by which pages are found
_FEW = 12  # neighbours that are named
_NAMED = 46  # screen pixels that a site's circle must have to be named
_LABEL = 190
_FEW_LINES, _WIDEST = 200, 8.0


class LinkScene:
    """Built once for a library; what is chosen changes only what is painted above it."""

    def __init__(self, shown: LinkMap) -> None:
        self.shown = shown
        self._numbers = {str(page.document_id): at for at, page in enumerate(shown.pages)}
        self._dots = [_dot(page.links_in) for page in shown.pages]
        places = shown.places
        self._lines = [QLineF(*places[one], *places[other]) for one, other in shown.lines]
        self._bundles, self._points = self._drawn_bundles(), self._drawn_dots()
        self._cells: dict[tuple[int, int], list[int]] = defaultdict(list)
        for at, (x, y) in enumerate(shown.places):
            self._cells[int(x // _CELL), int(y // _CELL)].append(at)
        self.bounds = self._bounds()

    def _drawn_bundles(self) -> list[tuple[QLineF, int]]:
        middles = {site.host: QPointF(site.x, site.y) for site in self.shown.sites}
        return [(QLineF(middles[one], middles[other]), count) for one, other, count in self.shown.bundles]

    def _drawn_dots(self) -> list[tuple[float, QPolygonF]]:
        """The pages by the size of their dots: so many are drawn at once."""
        sizes: dict[float, list[QPointF]] = defaultdict(list)
        for place, dot in zip(self.shown.places, self._dots, strict=True):
            sizes[dot].append(QPointF(*place))
        return [(dot, QPolygonF(points)) for dot, points in sizes.items()]

    def _bounds(self) -> QRectF:
        sites = self.shown.sites
        right = max((site.x + site.radius for site in sites), default=0.0)
        bottom = max((site.y + site.radius for site in sites), default=0.0)
        return QRectF(-_MARGIN, -2 * _MARGIN, right + 2 * _MARGIN, bottom + 3 * _MARGIN)

    is_centred = True

    @property
    def beginning(self) -> QRectF:
        """All of it."""
        return self.bounds

    def rect_of(self, key: str) -> QRectF | None:
        """The rectangle of a page, with some room around it."""
        at = self._numbers.get(key)
        if at is None:
            return None
        x, y = self.shown.places[at]
        return QRectF(x - _CELL / 2, y - _CELL / 2, _CELL, _CELL)

    def key_at(self, point: QPointF) -> str | None:
        """The page nearest to a point, if it is near."""
        column, row = int(point.x() // _CELL), int(point.y() // _CELL)
        near = [
            at
            for x in range(column - 1, column + 2)
            for y in range(row - 1, row + 2)
            for at in self._cells.get((x, y), ())
        ]
        away = [(hypot(point.x() - x, point.y() - y), at) for at in near for x, y in (self.shown.places[at],)]
        nearest = min(away, default=None)
        if nearest is None or nearest[0] > _NEAR:
            return None
        return str(self.shown.pages[nearest[1]].document_id)

    def words_of(self, key: str) -> str:
        """What the page is, and how many link to it."""
        at = self._numbers.get(key)
        return "" if at is None else words.link_tooltip(self.shown.pages[at])

    # -- Painting -------------------------------------------------------------------------------------------------

    def paint_ground(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        """Draw sites, lines, pages, and the sites' names on top."""
        self._paint_bundles(painter, exposed, zoom)
        for site in self._sites_in(exposed):
            self._paint_site(painter, site, zoom)
        self._paint_lines(painter)
        self._paint_pages(painter)
        for site in self._sites_in(exposed):
            self._paint_site_name(painter, site, zoom)

    def paint(self, painter: QPainter, exposed: QRectF, view: ViewState) -> None:
        """Draw what is pointed at and what is chosen, with all that they are linked with."""
        for key in (view.hovered, view.chosen):
            at = self._numbers.get(key) if key is not None else None
            if at is not None:
                self._paint_chosen(painter, exposed, at, view)

    def _sites_in(self, exposed: QRectF) -> Iterator[PlacedSite]:
        for site in self.shown.sites:
            around = QRectF(
                site.x - site.radius, site.y - site.radius - _NAME, 2 * site.radius, 2 * site.radius + _NAME
            )
            if around.intersects(exposed):
                yield site

    @staticmethod
    def _paint_site(painter: QPainter, site: PlacedSite, zoom: float) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour("line_strong"), max(1.0, 0.7 / zoom)))
        painter.setBrush(colour("surface"))
        painter.drawEllipse(QPointF(site.x, site.y), site.radius, site.radius)

    @staticmethod
    def _paint_site_name(painter: QPainter, site: PlacedSite, zoom: float) -> None:
        if 2 * site.radius * zoom < _NAMED:
            return
        used = font("small", SEMIBOLD)
        scale = 1 / min(zoom, 1.0)  # names stay legible while the map is small
        painter.save()
        painter.translate(site.x, site.y - site.radius)
        painter.scale(scale, scale)
        count = number(site.pages)
        room = 2 * site.radius / scale
        beside = text_width(f" {count}", font("small", figures=True)) + 8
        wide = min(text_width(site.host, used) + 2, max(room - beside, 24.0))
        left = -(wide + beside) / 2
        paint_box(painter, QRectF(left - 6, -25, wide + beside + 12, 22), 4, colour("window", 0.85))
        paint_line(painter, QRectF(left, -24, wide, 20), site.host, used, "text2")
        paint_line(
            painter, QRectF(left + wide + 6, -24, beside, 20), count, font("small", figures=True), "text3"
        )
        painter.restore()

    def _paint_bundles(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for line, count in self._bundles:
            if _box(line).intersects(exposed):
                wide = min(1 + log2(count), _WIDEST) / min(zoom * 2, 1.0)
                painter.setPen(QPen(colour("line_strong"), wide))
                painter.drawLine(line)

    def _paint_lines(self, painter: QPainter) -> None:
        """All of them: to leave out those out of sight takes longer than to draw them there."""
        if self._lines:
            share = 0.7 if len(self._lines) < _FEW_LINES else 0.35
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(mixed(colour("surface"), colour("control"), share), 0))  # one device pixel
            painter.drawLines(self._lines)

    def _paint_pages(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for dot, points in self._points:
            pen = QPen(colour("accent"), 2 * dot)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawPoints(points)

    def _paint_chosen(self, painter: QPainter, exposed: QRectF, at: int, view: ViewState) -> None:
        """The page, those that it is linked with, and their names; no line runs through the name of a site."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        here = QPointF(*self.shown.places[at])
        painter.setPen(QPen(colour("evidence_edge"), max(1.5, 1.2 / view.zoom)))
        others = self.shown.neighbours[at]
        painter.drawLines([QLineF(here, QPointF(*self.shown.places[other])) for other in others])
        for site in self._sites_in(exposed):
            self._paint_site_name(painter, site, view.zoom)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("evidence_edge"))
        for other in (*others, at):
            dot = self._dots[other] + 1
            painter.drawEllipse(QPointF(*self.shown.places[other]), dot, dot)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour("focus"), max(2.0, 1.5 / view.zoom)))
        painter.drawEllipse(here, self._dots[at] + 4, self._dots[at] + 4)
        if view.zoom >= 0.6 and len(others) <= _FEW:
            for other in others:
                self._paint_name(painter, other, view, strong=False)
        self._paint_name(painter, at, view, strong=True)

    def _paint_name(self, painter: QPainter, at: int, view: ViewState, *, strong: bool) -> None:
        used = font("small", SEMIBOLD if strong else MEDIUM)
        label, scale = self.shown.pages[at].label, 1 / min(view.zoom, 1.0)
        x, y = self.shown.places[at]
        wide = min(text_width(label, used) + 12, _LABEL)
        painter.save()
        painter.translate(x, y + self._dots[at] + 5)
        painter.scale(scale, scale)
        box = QRectF(-wide / 2, 0, wide, 20)
        paint_box(painter, box, 4, colour("raised"), colour("line_strong"))
        paint_line(painter, box.adjusted(6, 0, -5, 0), label, used, "text" if strong else "text2", CENTER)
        painter.restore()


def _dot(links_in: int) -> float:
    """The more pages link to one, the larger it is."""
    return min(_MOST_DOT, _LEAST_DOT + sqrt(links_in) * 0.9)


def _box(line: QLineF) -> QRectF:
    """The room that a line takes, never empty."""
    return QRectF(line.p1(), line.p2()).normalized().adjusted(-1, -1, 1, 1)
