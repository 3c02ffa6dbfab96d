"""Keeps the formulas of the reader's page drawn, and as wide as its lines."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from webrag_desktop.gui.kit.mathematics.drawings import Drawings

if TYPE_CHECKING:
    from webrag_desktop.gui.reader.page import ReaderPage


class FormulaFitting(QObject):
    """Puts in what was drawn, and adapts it to lines of another width in a turn of its own.

    Qt loses a resize that comes within another, as when a formula that shrinks takes a scroll bar away.
    """

    changed = Signal()  # other characters than before take the room of formulas

    def __init__(self, page: "ReaderPage") -> None:
        super().__init__(page)
        self._page = page
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._fit)
        Drawings.of_window().drawn.connect(self._draw)

    def start(self) -> None:
        """Adapt them soon."""
        self._timer.start()

    def _draw(self) -> None:
        formulas = self._page.formulas
        if formulas is not None and len(formulas):
            self._page.change_formulas(formulas.refresh)
            self.changed.emit()
            self.start()

    def _fit(self) -> None:
        formulas = self._page.formulas
        if formulas is not None and len(formulas):
            self._page.change_formulas(formulas.refit)
