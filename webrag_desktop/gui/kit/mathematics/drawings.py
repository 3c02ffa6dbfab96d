"""Drawings of formulas, made in a process of their own and cached; and formats that hide the source under a drawing."""

import json
import subprocess
import sys
import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from itertools import count
from math import ceil
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

from PySide6.QtCore import QCoreApplication, QObject, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPixmap,
    QPixmapCache,
    QTextCharFormat,
    QTextFormat,
)

from webrag_desktop.gui.kit.mathematics.child import DRAWING_ARGUMENT
from webrag_desktop.gui.kit.theme.fonts import font
from webrag_desktop.gui.kit.theme.painting import on_pixel

if TYPE_CHECKING:
    from webrag_desktop.text.mathematics import FormulaKind


_KEPT = 4000  # drawings
_MOST_DEATHS = 5  # of processes, by one text's formulas, after which the others are shown as source
_IDLE_SECONDS = 60.0  # after which the process goes
_TOGETHER = 40  # milliseconds for which new drawings are collected before ``drawn`` is emitted
_OUTLINE_PIXELS = 100
_MARGIN = 2  # logical pixels around a drawing, for ink outside of it


class Drawable(NamedTuple):
    """What is drawn: the source of a formula, without its position."""

    source: str
    kind: "FormulaKind" = "latex"
    display: bool = False


class Drawing:
    """One formula's outline. Widths and heights are in sizes of the font, upwards and downwards from the baseline."""

    __slots__ = ("_number", "ascent", "descent", "path", "width")
    _numbers = count()

    def __init__(self, width: float, ascent: float, descent: float, path: QPainterPath) -> None:
        """``path`` is drawn for a font of :data:`_OUTLINE_PIXELS`."""
        self.width, self.ascent, self.descent, self.path = width, ascent, descent, path
        self._number = next(self._numbers)

    def paint(self, painter: QPainter, x: float, baseline: float, pixels: float, ink: QColor) -> None:
        """Draw it in a font of ``pixels`` with its left end at ``x``, moved to whole pixels of the device."""
        above = ceil(self.ascent * pixels) + _MARGIN
        left, top = on_pixel(painter, x - _MARGIN, baseline - above)
        painter.drawPixmap(QPointF(left, top), self._picture(painter, pixels, above, ink))

    def _picture(self, painter: QPainter, pixels: float, above: int, ink: QColor) -> QPixmap:
        """The formula as pixels, which Qt keeps as far as there is room: outlines take far longer."""
        ratio = painter.device().devicePixelRatio()
        key = f"formula {self._number} {pixels} {ratio} {ink.rgba()}"
        made = QPixmap()
        if QPixmapCache.find(key, made):
            return made
        width = ceil(self.width * pixels) + 2 * _MARGIN
        height = above + ceil(self.descent * pixels) + _MARGIN
        made = QPixmap(ceil(width * ratio), ceil(height * ratio))
        made.setDevicePixelRatio(ratio)
        made.fill(Qt.GlobalColor.transparent)
        filling = QPainter(made)
        filling.setRenderHint(QPainter.RenderHint.Antialiasing)
        filling.translate(_MARGIN, above)
        filling.scale(pixels / _OUTLINE_PIXELS, pixels / _OUTLINE_PIXELS)
        filling.fillPath(self.path, ink)
        filling.end()
        QPixmapCache.insert(key, made)
        return made


def drawing_arguments(executable: str) -> tuple[str, ...]:
    """The command line that makes this program the drawing process, installed or frozen into one file."""
    if getattr(sys, "frozen", False):
        return (executable, DRAWING_ARGUMENT)
    return (executable, "-P", "-m", "webrag_desktop", DRAWING_ARGUMENT)


class Drawings(QObject):
    """All drawings of the window. What is not drawn yet is drawn in the background, in the order of requests."""

    drawn = Signal()  # more was drawn, or found not to be drawable
    _arrived = Signal()
    _present: "ClassVar[Drawings | None]" = None

    def __init__(self, parent: QObject | None = None, command: Sequence[str] | None = None) -> None:
        """Start nothing yet; ``command`` replaces the program that draws."""
        super().__init__(parent)
        self._command = tuple(command or drawing_arguments(sys.executable))
        self._known: OrderedDict[Drawable, Drawing | None] = OrderedDict()
        self._asked: set[Drawable] = set()
        self._waiting: deque[Drawable] = deque()
        self._outcomes: deque[tuple[Drawable, Drawing | None]] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._deaths = 0  # since there was nothing to draw
        self._closed = False
        self._telling = QTimer(self, singleShot=True, interval=_TOGETHER)
        self._telling.timeout.connect(self._take)
        self._arrived.connect(self._wait_a_moment, Qt.ConnectionType.QueuedConnection)

    @classmethod
    def of_window(cls) -> Self:
        """Those of this application; they end with it."""
        application = QCoreApplication.instance()
        if cls._present is None or cls._present._closed:
            cls._present = cls()
            if application is not None:
                application.aboutToQuit.connect(cls._present.close)
        return cls._present  # type: ignore[return-value]

    def drawing(self, formula: Drawable) -> Drawing | None:
        """The drawing; None while there is none yet, and where there will never be one: the source is shown then."""
        if formula in self._known:
            self._known.move_to_end(formula)
            return self._known[formula]
        if not self._closed and formula not in self._asked:
            self._asked.add(formula)
            with self._changed:
                self._waiting.append(formula)
                self._start_thread()
                self._changed.notify()
        return None

    def hurry(self, formulas: Iterable[Drawable]) -> None:
        """Draw those first that were requested already and are visible now."""
        with self._changed:
            wanted = set(formulas).intersection(self._waiting)
            if wanted:
                rest = [formula for formula in self._waiting if formula not in wanted]
                self._waiting = deque([*wanted, *rest])

    def is_settled(self, formula: Drawable) -> bool:
        """Whether it is known by now how, or that not, a formula is drawn."""
        return formula in self._known

    @property
    def is_busy(self) -> bool:
        """Whether anything requested is still to come."""
        return bool(self._asked)

    def close(self) -> None:
        """Draw nothing more; ends the process at once."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify()
            process = self._process
        if process is not None:
            process.kill()
        if self._thread is not None:
            self._thread.join()

    # -- On the window's thread ---------------------------------------------------------------------------------

    def _wait_a_moment(self) -> None:
        if not self._telling.isActive():
            self._telling.start()

    def _take(self) -> None:
        while self._outcomes:
            formula, drawing = self._outcomes.popleft()
            self._asked.discard(formula)
            self._known[formula] = drawing
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        self.drawn.emit()

    def _start_thread(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._draw_all, name="formulas", daemon=True)
            self._thread.start()

    # -- On a thread of its own -----------------------------------------------------------------------------------

    def _draw_all(self) -> None:
        try:
            while (formula := self._next()) is not None:
                drawing = self._draw(formula)
                self._outcomes.append((formula, drawing))
                if self._closed:
                    return
                self._arrived.emit()
        finally:
            self._end_process()

    def _next(self) -> Drawable | None:
        with self._changed:
            if not self._waiting and not self._closed:
                self._deaths = 0
                self._changed.wait(_IDLE_SECONDS)
            if self._waiting and not self._closed:
                return self._waiting.popleft()
            if not self._closed:
                self._thread = (
                    None  # another is started when there is more to draw, with a process of its own
                )
                self._end_process()
            return None

    def _draw(self, formula: Drawable) -> Drawing | None:
        """Ask the process; one that a formula has ended is replaced for the next."""
        process = self._running() if self._deaths < _MOST_DEATHS else None
        if process is None or process.stdin is None or process.stdout is None:
            return None
        try:
            process.stdin.write(json.dumps(formula).encode() + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = b""
        if not answer:
            self._end_process()
            self._deaths += 1
            return None
        outline = json.loads(answer)
        return _drawing(*outline) if outline is not None else None

    def _running(self) -> "subprocess.Popen[bytes] | None":
        with self._changed:
            if self._process is None and not self._closed:
                try:
                    self._process = subprocess.Popen(
                        self._command,
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL,
                        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                    )
                except OSError:  # no memory or no process left: sources are shown
                    return None
            return self._process

    def _end_process(self) -> None:
        with self._changed:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.wait()


def _drawing(width: float, ascent: float, descent: float, path: str) -> Drawing:
    made = QPainterPath()
    made.setFillRule(Qt.FillRule.WindingFill)
    words = iter(path.split())
    for sign in words:
        match sign:
            case "M":
                made.moveTo(float(next(words)), float(next(words)))
            case "L":
                made.lineTo(float(next(words)), float(next(words)))
            case "Q":
                made.quadTo(*(float(next(words)) for _ in range(4)))
            case "C":
                made.cubicTo(*(float(next(words)) for _ in range(6)))
            case _:
                made.closeSubpath()
    return Drawing(width / _OUTLINE_PIXELS, ascent / _OUTLINE_PIXELS, descent / _OUTLINE_PIXELS, made)


BESIDE = 0.06  # of a formula to the words around it, in sizes of the font
_HIDDEN_SIZE = QTextFormat.Property.UserProperty.value + 19  # of characters that show nothing
_HIDDEN_SCALE, _USUAL_FONT = _HIDDEN_SIZE + 1, _HIDDEN_SIZE + 2
_SOURCE_SIZE = 0.88
# What has room in a line of usual height, and how far its own room and the one of the next line reach, in sizes.
_USUAL_ASCENT, _USUAL_DESCENT, _FREE_BELOW = 1.22, 0.62, 0.28
Pieces = Sequence[tuple[int, QTextCharFormat]]


def hidden_pieces(
    text: str,
    base: QTextCharFormat,
    drawing: Drawing,
    scale: float,
    *,
    within_line: bool = False,
    above_alone: bool = False,
) -> Pieces:
    """How many UTF-16 units of a formula's source take which format, so that all take the drawing's room.

    ``within_line``: the line's height is seen to elsewhere; ``above_alone``: only what it needs below the baseline is.
    """
    size = base.font().pixelSize()
    base = QTextCharFormat(base)
    base.setProperty(_HIDDEN_SIZE, size)
    base.setProperty(_HIDDEN_SCALE, scale)
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    width = (drawing.width * scale + 2 * BESIDE) * size
    strut = 0 if within_line else _strut(drawing, size * scale, base.font(), above_alone=above_alone)
    first = [(1, _hidden(base, text[:1], 0.0, strut))] if strut and units > 2 else []
    inner = text[len(first) : -1]
    if inner:
        first.append((units - 1 - len(first), _hidden(base, inner, 0.0)))
    return [*first, (1, _hidden(base, text[-1:], width))]


def _strut(drawing: Drawing, pixels: float, used: QFont, *, above_alone: bool) -> int:
    """The size of a font that makes a line as high as the formula needs, usually that of the text."""
    size = used.pixelSize()
    if not is_tall(drawing, pixels, size):
        return size
    sample = QFont(used)
    sample.setPixelSize(100)
    metrics = QFontMetricsF(sample)
    up = drawing.ascent * pixels / (metrics.ascent() / 100)
    if above_alone:
        return max(ceil(up), size)
    down = (drawing.descent * pixels - _FREE_BELOW * size) / (metrics.descent() / 100)
    return max(ceil(max(up, down)), 1)


def is_tall(drawing: Drawing, pixels: float, size: float) -> bool:
    """Whether a formula needs a line higher than usual: drawn in ``pixels``, in a text of ``size``."""
    return drawing.ascent * pixels > _USUAL_ASCENT * size or drawing.descent * pixels > _USUAL_DESCENT * size


def _hidden(base: QTextCharFormat, text: str, width: float, pixels: int = 1) -> QTextCharFormat:
    """A format that shows nothing of ``text`` and gives all of it ``width``."""
    used = QFont(base.font())
    used.setPixelSize(pixels)
    used.setStretch(1)  # what has the ink of a selection all the same is too thin to be seen
    used.setUnderline(False)
    used.setStrikeOut(False)
    taken = QFontMetricsF(used).horizontalAdvance(text)
    used.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, (width - taken) / max(len(text), 1))
    made = QTextCharFormat(base)
    made.setFont(used)
    made.setForeground(QColor(Qt.GlobalColor.transparent))
    return made


def hidden_scale(look: QTextCharFormat) -> float | None:
    """By how much smaller than its text a formula is drawn over hidden characters; None for characters in sight."""
    return look.doubleProperty(_HIDDEN_SCALE) if look.hasProperty(_HIDDEN_SIZE) else None


def usual(look: QTextCharFormat) -> QTextCharFormat | None:
    """The format that characters had before they were hidden or shown as a source; None where they were neither."""
    if look.hasProperty(_HIDDEN_SIZE):
        return _shown(look)
    if not look.hasProperty(_USUAL_FONT):
        return None
    made = QTextCharFormat(look)
    made.setFont(look.property(_USUAL_FONT))
    made.clearProperty(_USUAL_FONT)
    return made


def _shown(hidden: QTextCharFormat) -> QTextCharFormat:
    """The format that characters had before they were hidden, in the ink of the palette."""
    used = QFont(hidden.font())
    used.setPixelSize(hidden.intProperty(_HIDDEN_SIZE))
    used.setStretch(QFont.Stretch.Unstretched)
    used.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 0)
    made = QTextCharFormat(hidden)
    made.setFont(used)
    for name in (_HIDDEN_SIZE, _HIDDEN_SCALE, QTextFormat.Property.ForegroundBrush.value):
        made.clearProperty(name)
    return made


def source_format(base: QTextCharFormat) -> QTextCharFormat:
    """How the source of a formula is shown that is not, or not yet, drawn."""
    made = QTextCharFormat(base)
    made.setProperty(_USUAL_FONT, base.font())
    made.setFont(font(pixels=base.font().pixelSize() * _SOURCE_SIZE, family="mono"))
    return made
