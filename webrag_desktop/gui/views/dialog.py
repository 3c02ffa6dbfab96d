"""What all dialogs of the window share: the ground, the fitting height, and the window dimmed behind them."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from webrag_desktop.gui.theme.colours import colour, is_dark
from webrag_desktop.gui.theme.fonts import grown
from webrag_desktop.gui.theme.tokens import SPACE_S
from webrag_desktop.gui.widgets.layouts import column, row

_MARGINS = (24, 22, 24, 18)
_SCRIM_LIGHT, _SCRIM_DARK = 0.3, 0.5


class Scrim(QWidget):
    """Dims a window while a dialog keeps it waiting."""

    def __init__(self, window: QWidget) -> None:
        """Lie over ``window`` and follow its size."""
        super().__init__(window)
        window.installEventFilter(self)
        self.setGeometry(window.rect())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window's size."""
        window = self.parentWidget()
        if watched is window and window is not None and event.type() == QEvent.Type.Resize:
            self.setGeometry(window.rect())
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Darken."""
        QPainter(self).fillRect(self.rect(), colour("scrim", _SCRIM_DARK if is_dark() else _SCRIM_LIGHT))


class Dialog(QDialog):
    """A dialog of a fixed width, as high as its words need. It dims the window that it keeps waiting."""

    def __init__(self, title: str, width: int, parent: QWidget | None = None) -> None:
        """``width`` is meant for a 13 px font and grows with the present one."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self._width = width
        self._scrim: Scrim | None = None
        self.content: QVBoxLayout = column(self, _MARGINS)

    @staticmethod
    def footer(leading: tuple[QWidget, ...], trailing: tuple[QWidget, ...]) -> QHBoxLayout:
        """The buttons at the foot: what is seldom wanted first, what is wanted most last."""
        made = row(spacing=SPACE_S)
        for widget in leading:
            made.addWidget(widget)
        made.addStretch(1)
        for widget in trailing:
            made.addWidget(widget)
        return made

    def fit(self) -> None:
        """Be as high as the words need at this width, but no higher than the screen."""
        width = grown(self._width)
        self.content.activate()
        needed = self.content.totalHeightForWidth(width)
        if needed < 0:
            needed = self.content.totalSizeHint().height()
        self.setMinimumWidth(width)
        self.resize(width, min(needed, self.screen().availableGeometry().height()))

    def showEvent(self, event: QShowEvent) -> None:
        """Take the height that is needed, and dim the window if it has to wait."""
        self.fit()
        parent = self.parentWidget()
        if parent is not None and self.windowModality() != Qt.WindowModality.NonModal and self._scrim is None:
            self._scrim = Scrim(parent.window())
            self._scrim.show()
            self._scrim.raise_()
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Give the window its light back."""
        super().hideEvent(event)
        if self._scrim is not None:
            self._scrim.hide()
            self._scrim.deleteLater()
            self._scrim = None

    def changeEvent(self, event: QEvent) -> None:
        """Follow the application's font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationFontChange and self.isVisible():
            self.fit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Fill the ground."""
        QPainter(self).fillRect(self.rect(), colour("raised"))
