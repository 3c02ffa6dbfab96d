"""How the characters of a formula's source look: hidden, with the room of its drawing, or shown as a source."""

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QTextCharFormat, QTextFormat

from webrag_desktop.gui.kit.mathematics.drawings import Drawing
from webrag_desktop.gui.kit.theme.fonts import font

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
