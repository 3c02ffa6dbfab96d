"""Pictures of painted rows: a list that is painted as a whole again copies them, which takes a tenth of drawing."""

from collections.abc import Callable, Hashable

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QPainter, QPixmap

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.tokens import Role

BUDGET = 32 << 20  # bytes; more only where twice what is in sight takes more
_PIXEL = 4  # bytes
TALLEST = 640  # a passage that is shown whole would take megabytes


class RowPictures:
    """Keeps the pictures of the rows that were painted last."""

    def __init__(self, surface: Role = "surface") -> None:
        """The rows lie on ``surface``; pictures without a ground would have other edges of letters."""
        self._surface: Role = surface
        self._kept: dict[Hashable, tuple[QPixmap, tuple[object, ...]]] = {}
        self._bytes = 0
        self._width = 0

    def forget(self) -> None:
        """Drop all: what rows show, font or theme changed, or nobody sees them."""
        self._kept.clear()
        self._bytes = 0

    def paint(
        self,
        painter: QPainter,
        corner: QPointF,
        size: QSize,
        shown: tuple[object, ...],
        state: Hashable,
        draw: Callable[[QPainter], None],
    ) -> None:
        """Paint a row at ``corner``, which ``draw`` draws at the origin.

        It depends on what is ``shown``, by identity since comparing texts takes long, and on its ``state``.
        """
        scale = painter.device().devicePixelRatioF()
        if scale != int(scale) or size.height() > TALLEST:  # between pixels letters would be blurred
            painter.translate(corner)
            draw(painter)
            painter.translate(-corner)
            return
        if size.width() != self._width:
            self.forget()
            self._width = size.width()
        key = (*map(id, shown), state, size.height(), scale, painter.layoutDirection())
        kept = self._kept.pop(key, None)
        if kept is None:
            # What is kept with its picture is not freed, so that nothing else gets its identity.
            kept = self._drawn(painter, size, scale, draw), shown
            self._bytes += _bytes_of(kept[0])
        self._kept[key] = kept
        seen = painter.device()
        most = max(BUDGET, int(2 * seen.width() * seen.height() * scale**2) * _PIXEL)
        while self._bytes > most:
            picture, _ = self._kept.pop(next(iter(self._kept)))
            self._bytes -= _bytes_of(picture)
        painter.drawPixmap(corner, kept[0])

    def _drawn(
        self, painter: QPainter, size: QSize, scale: float, draw: Callable[[QPainter], None]
    ) -> QPixmap:
        picture = QPixmap(size * scale)
        picture.setDevicePixelRatio(scale)
        picture.fill(colour(self._surface))
        drawing = QPainter(picture)
        drawing.setLayoutDirection(painter.layoutDirection())
        drawing.setRenderHints(painter.renderHints())
        draw(drawing)
        drawing.end()
        return picture


def _bytes_of(picture: QPixmap) -> int:
    return picture.width() * picture.height() * _PIXEL
