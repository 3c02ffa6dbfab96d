"""Straight lines and dots that a page draws, and whether a picture covers it."""

import math
from collections.abc import Iterator
from ctypes import c_float, c_int
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.pdf.words import Frame

MOST_OBJECTS = 2_000_000  # on one page
MOST_TEXTS = 50_000  # pieces of text on one page
_MOST_EXAMINED = 20_000  # objects a page is searched through for lines; tables have fewer
_DEEPEST_FORM = 6
_MOST_SEGMENTS = 1000  # of one path
_THIN, _SHORT = 2.5, 4.0  # points: thickest line, shortest line
_COVERING = 0.5  # of the page's area
_DOT = 1.0, 10.0  # points: smallest and largest dot
_ROUND = 1.35  # times its other side, that a dot is long at most


class Rule(NamedTuple):
    """A line along an axis: at ``at``, from ``start`` to ``end``, upright coordinates in points."""

    at: float
    start: float
    end: float


class Dot(NamedTuple):
    """A small shape as wide as it is high, such as a bullet: from ``x0`` to ``x1``, its middle at ``y``."""

    x0: float
    x1: float
    y: float


@dataclass
class Drawings:
    """Horizontal and vertical lines and dots of a page; ``scanned`` where a picture covers most of it."""

    horizontal: list[Rule] = field(default_factory=list)
    vertical: list[Rule] = field(default_factory=list)
    dots: list[Dot] = field(default_factory=list)
    scanned: bool = False
    pictures: int = 0


class _Object(NamedTuple):
    handle: Any
    kind: int
    matrices: tuple[Any, ...]


class DrawingReader:
    """Reads what is drawn on one page."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._found: list[tuple[float, float, float, float]] = []
        self._drawings = Drawings()
        self._area = pdfium.FPDF_GetPageWidthF(page) * pdfium.FPDF_GetPageHeightF(page)

    def read(self) -> Drawings:
        """What the page draws; its lines are upright only once :meth:`lines` has turned them.

        Raises :class:`~webrag_desktop.errors.ExtractionError` above :data:`MOST_OBJECTS` and :data:`MOST_TEXTS`.
        """
        if self._is_overloaded(pdfium.FPDFPage_CountObjects(self._page)):
            raise ExtractionError(
                "A page of this PDF is made of more pieces than can be read",
                "Add the part you need as a file.",
            )
        for item in self._objects():
            if item.kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                self._picture(item)
            elif item.kind == pdfium.FPDF_PAGEOBJ_PATH:
                self._path(item)
        return self._drawings

    def _is_overloaded(self, count: int) -> bool:
        """Whether there is too much on the page; the library needs quadratic time for text in many pieces."""
        if count <= MOST_TEXTS:
            return False
        if count > MOST_OBJECTS:
            return True
        objects = (pdfium.FPDFPage_GetObject(self._page, index) for index in range(count))
        texts: int = sum(pdfium.FPDFPageObj_GetType(item) == pdfium.FPDF_PAGEOBJ_TEXT for item in objects)
        return texts > MOST_TEXTS

    def lines(self, frame: Frame) -> Drawings:
        """The lines and dots found, upright in ``frame``."""
        for xa, ya, xb, yb in self._found:
            (x0, y0), (x1, y1) = frame.place(xa, ya), frame.place(xb, yb)
            if _is_dot(abs(x0 - x1), abs(y0 - y1)):
                self._drawings.dots.append(Dot(min(x0, x1), max(x0, x1), (y0 + y1) / 2))
            elif abs(y0 - y1) <= abs(x0 - x1):
                self._drawings.horizontal.append(Rule((y0 + y1) / 2, min(x0, x1), max(x0, x1)))
            else:
                self._drawings.vertical.append(Rule((x0 + x1) / 2, min(y0, y1), max(y0, y1)))
        return self._drawings

    def _objects(self) -> Iterator[_Object]:
        """The objects of the page, forms entered; gives up on pages that draw more than tables do."""
        count = pdfium.FPDFPage_CountObjects(self._page)
        waiting: list[tuple[Any, int, tuple[Any, ...]]] = [
            (self._page, index, ()) for index in range(min(count, _MOST_EXAMINED) - 1, -1, -1)
        ]
        examined = 0
        while waiting and examined < _MOST_EXAMINED:
            parent, index, matrices = waiting.pop()
            examined += 1
            read = pdfium.FPDFFormObj_GetObject if matrices else pdfium.FPDFPage_GetObject
            handle = read(parent, index)
            if not handle:
                continue
            kind = pdfium.FPDFPageObj_GetType(handle)
            yield _Object(handle, kind, matrices)
            if kind == pdfium.FPDF_PAGEOBJ_FORM and len(matrices) < _DEEPEST_FORM:
                inside = min(max(0, pdfium.FPDFFormObj_CountObjects(handle)), _MOST_EXAMINED - examined)
                own = (_matrix(handle), *matrices)
                waiting.extend((handle, position, own) for position in range(inside - 1, -1, -1))

    def _picture(self, item: _Object) -> None:
        box = _bounds(item)
        self._drawings.pictures += 1
        if box and abs((box[2] - box[0]) * (box[3] - box[1])) >= _COVERING * self._area:
            self._drawings.scanned = True

    def _path(self, item: _Object) -> None:
        box = _bounds(item)
        if box is None:
            return
        left, bottom, right, top = box
        if _is_dot(right - left, top - bottom):
            self._found.append(box)
            return
        if top - bottom <= _THIN or right - left <= _THIN:
            if max(right - left, top - bottom) >= _SHORT:
                self._found.append(_middle_line(left, bottom, right, top))
            return
        fill, stroke = c_int(), c_int()
        pdfium.FPDFPath_GetDrawMode(item.handle, fill, stroke)
        if stroke.value:
            self._found.extend(_segments(item))


def _is_dot(width: float, height: float) -> bool:
    return _DOT[0] <= min(width, height) and max(width, height) <= min(_DOT[1], _ROUND * min(width, height))


def _middle_line(left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
    if top - bottom <= right - left:
        return left, (bottom + top) / 2, right, (bottom + top) / 2
    return (left + right) / 2, bottom, (left + right) / 2, top


def _segments(item: _Object) -> Iterator[tuple[float, float, float, float]]:
    """The straight lines of a path that run along an axis."""
    count = pdfium.FPDFPath_CountSegments(item.handle)
    if not 1 < count <= _MOST_SEGMENTS:
        return
    matrices = (_matrix(item.handle), *item.matrices)
    x, y = c_float(), c_float()
    start = last = (0.0, 0.0)
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(item.handle, index)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = _mapped(matrices, x.value, y.value)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO and _is_straight(last, point):
            yield (*last, *point)
        if pdfium.FPDFPathSegment_GetClose(segment) and _is_straight(point, start):
            yield (*point, *start)
        last = point


def _is_straight(one: tuple[float, float], other: tuple[float, float]) -> bool:
    wide, high = abs(one[0] - other[0]), abs(one[1] - other[1])
    return min(wide, high) <= 1 and max(wide, high) >= _SHORT


def _bounds(item: _Object) -> tuple[float, float, float, float] | None:
    left, bottom, right, top = c_float(), c_float(), c_float(), c_float()
    if not pdfium.FPDFPageObj_GetBounds(item.handle, left, bottom, right, top):
        return None
    corners = [_mapped(item.matrices, x.value, y.value) for x in (left, right) for y in (bottom, top)]
    if not all(math.isfinite(value) for corner in corners for value in corner):
        return None
    xs, ys = [corner[0] for corner in corners], [corner[1] for corner in corners]
    return min(xs), min(ys), max(xs), max(ys)


def _matrix(handle: Any) -> Any:
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(handle, matrix)
    return matrix


def _mapped(matrices: tuple[Any, ...], x: float, y: float) -> tuple[float, float]:
    for m in matrices:
        x, y = m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f
    return x, y
