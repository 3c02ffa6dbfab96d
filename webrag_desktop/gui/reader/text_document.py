"""The text document of the reader's page: it loads nothing; its formulas are kept drawn and fitted to the lines."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QTextDocument

from webrag_desktop.gui.kit.mathematics.document import DocumentFormulas
from webrag_desktop.gui.kit.mathematics.drawings import Drawings


class FormulaFitting(QObject):
    """Puts in what was drawn, and adapts it to lines of another width in a turn of its own.

    Qt loses a resize that comes within another, as when a formula that shrinks takes a scroll bar away.
    """

    changed = Signal()  # other characters than before take the room of formulas

    def __init__(
        self,
        page: QObject,
        formulas: Callable[[], DocumentFormulas | None],
        change: Callable[[Callable[[], bool]], None],
    ) -> None:
        """``formulas`` are those shown; ``change`` calls what changes their sizes and keeps the page in its place."""
        super().__init__(page)
        self._formulas, self._change = formulas, change
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._fit)
        Drawings.of_window().drawn.connect(self._draw)

    def start(self) -> None:
        """Adapt them soon."""
        self._timer.start()

    def _draw(self) -> None:
        formulas = self._formulas()
        if formulas is not None and len(formulas):
            self._change(formulas.refresh)
            self.changed.emit()
            self.start()

    def _fit(self) -> None:
        formulas = self._formulas()
        if formulas is not None and len(formulas):
            self._change(formulas.refit)


class SilentDocument(QTextDocument):
    """What it names stays where it is: neither the network nor this computer is asked."""

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:
        """Nothing is loaded."""
        return None
