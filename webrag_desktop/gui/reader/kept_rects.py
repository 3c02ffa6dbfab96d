"""Where spans of a text document are: found once, and again only where something in it was laid out anew."""

from collections.abc import Callable, Iterable, Iterator

from PySide6.QtCore import QObject, QPointF, QRectF
from PySide6.QtGui import QTextDocument

_MOST = 4000  # spans: those that are cut by the edges of the view differ with every step of scrolling


class KeptRects(QObject):
    """Finding the lines of a span takes most of a repaint of a text with much code in its lines."""

    def __init__(self, document: QTextDocument) -> None:
        """``document`` owns this, and its layout says when to forget."""
        super().__init__(document)
        self._kept: dict[tuple[int, int], tuple[QRectF, ...]] = {}
        layout = document.documentLayout()
        for changed in (layout.update, layout.documentSizeChanged, document.contentsChanged):
            changed.connect(self._forget)

    def rects(
        self, start: int, end: int, offset: QPointF, find: Callable[[int, int], Iterable[QRectF]]
    ) -> Iterator[QRectF]:
        """The rectangles that ``find`` gives for ``[start, end)`` while the document begins at ``offset``."""
        if (start, end) not in self._kept:
            if len(self._kept) >= _MOST:
                self._forget()
            self._kept[start, end] = tuple(rect.translated(-offset) for rect in find(start, end))
        return (rect.translated(offset) for rect in self._kept[start, end])

    def _forget(self) -> None:
        self._kept.clear()
