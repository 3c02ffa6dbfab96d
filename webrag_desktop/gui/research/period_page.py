"""From a date to a date, as the user writes them."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from webrag_desktop.gui.data.filters import NO_PERIOD, Period, is_period
from webrag_desktop.gui.kit.theme.fonts import MEDIUM
from webrag_desktop.gui.kit.theme.tokens import SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.layouts import column


class PeriodPage(QWidget):
    """Two lines; what is no period is told of and not used."""

    changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """``name`` is what has these dates."""
        super().__init__(parent)
        self._shown = NO_PERIOD
        self.setAccessibleName(name)
        self.first, self.last = QLineEdit(), QLineEdit()
        self._wrong = Label("", "small", "bad", wrap=True)
        hint = self.tr("A year, a month or a day: 2019, 2019-05 or 2019-05-31. Both are included.")
        lines = column(self, spacing=SPACE_XS)
        for words, field in ((self.tr("From"), self.first), (self.tr("To"), self.last)):
            label = Label(words, "small", "text2", MEDIUM)
            label.setBuddy(field)
            field.setAccessibleName(f"{name}: {words}")
            field.setAccessibleDescription(hint)
            field.setPlaceholderText(self.tr("any time"))
            field.editingFinished.connect(self._take)
            lines.addWidget(label)
            lines.addWidget(field)
            lines.addSpacing(SPACE_S)
        lines.addWidget(self._wrong)
        lines.addWidget(Label(hint, "small", "text3", wrap=True))
        lines.addStretch(1)
        self._wrong.hide()

    @property
    def period(self) -> Period:
        """What was written last that is a period."""
        return self._shown

    def show_period(self, period: Period) -> None:
        """Show dates."""
        self._shown = period
        self.first.setText(period.first)
        self.last.setText(period.last)
        self._wrong.hide()

    def focus_first(self) -> None:
        """Put the keyboard where writing begins."""
        self.first.setFocus()

    @property
    def is_right(self) -> bool:
        """Whether what stands there now is a period."""
        return is_period(self._written())

    def focus_wrong(self) -> None:
        """Put the keyboard where what is no period is mended, and say why it is none."""
        self._take()
        field = self.last if is_period(Period(first=self.first.text().strip())) else self.first
        field.setFocus()
        field.selectAll()

    def _written(self) -> Period:
        return Period(self.first.text().strip(), self.last.text().strip())

    def _take(self) -> None:
        written = self._written()
        right = is_period(written)
        self._wrong.setText("" if right else self._reason(written))
        self._wrong.setVisible(not right)
        if right and written != self._shown:
            self._shown = written
            self.changed.emit()

    def _reason(self, written: Period) -> str:
        for text in (written.first, written.last):
            if not is_period(Period(first=text)):
                return self.tr("“{0}” is no date.").format(text)
        return self.tr("This ends before it begins.")

    def hideEvent(self, event: QHideEvent) -> None:
        """What was written counts, also where the card is closed on it."""
        super().hideEvent(event)
        self._take()
