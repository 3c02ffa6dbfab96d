"""Trying a model from its page: a button beside its address, and below it what came of it."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from webrag_desktop.gui.data.upkeep import Health
from webrag_desktop.gui.kit.quantities import duration, number, rate
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import HEADING_LINE, SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.painting import paint_box
from webrag_desktop.gui.kit.theme.tokens import RADIUS_ROW, SPACE_M, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.bars import BusyBar
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import HEALTH_LOOKS, HealthIcon, Label, SelectableText
from webrag_desktop.gui.kit.widgets.panes import column, row
from webrag_desktop.gui.settings.fields import LABEL_WIDTH
from webrag_desktop.gui.settings.pages import SettingsPage
from webrag_desktop.models.stack import ServerTrial

_ICON = 16


class Banner(QFrame):
    """A few words on a ground in the colour of how something does."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Say nothing yet."""
        super().__init__(parent)
        self._health: Health = "busy"
        self._icon = HealthIcon(_ICON)
        self.title = Label("", "body", "text", SEMIBOLD, wrap=True)
        self.detail = SelectableText(self.tr("Result"), "body", "text2", line_ratio=HEADING_LINE)
        self.bar = BusyBar()
        words = column(spacing=SPACE_XS)
        for shown in (self.title, self.detail, self.bar):
            words.addWidget(shown)
        whole = row(self, (SPACE_M, SPACE_M, SPACE_M, SPACE_M), SPACE_S)
        whole.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        whole.addLayout(words, 1)

    def tell(self, health: Health, title: str, detail: str = "") -> None:
        """Say how it does."""
        self._health = health
        self._icon.show_health(health)
        self.title.setText(title)
        self.title.set_role(HEALTH_LOOKS[health].role if health != "busy" else "text")
        self.detail.set_text(detail)
        self.detail.setVisible(bool(detail))
        self.bar.setVisible(health == "busy")
        self.setAccessibleName(title)
        self.setAccessibleDescription(detail)
        self.show()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Fill the ground."""
        paint_box(QPainter(self), QRectF(self.rect()), RADIUS_ROW, colour(HEALTH_LOOKS[self._health].ground))


class ModelTrial(QWidget):
    """The trial of the model on a page."""

    requested = Signal(object)  # dict[str, str]: what is typed
    stopped = Signal()

    def __init__(self, page: SettingsPage, address: str, model: str) -> None:
        """Put the button beside the setting ``address``; ``model`` is offered what the server lists."""
        super().__init__()
        self._page, self._model = page, page.rows[model]
        self._running = False
        self.button = push_button(self.tr("Test connection"))
        self.button.setAccessibleName(self.tr("Test connection: {0}").format(page.title))
        self.button.clicked.connect(self._press)
        page.rows[address].extra.addWidget(self.button)
        self.banner = Banner()
        self.banner.hide()
        line = row(self, spacing=SPACE_M)
        line.addSpacing(grown(LABEL_WIDTH) + SPACE_M)
        line.addWidget(self.banner, 1)
        page.body.insertWidget(page.body.indexOf(page.rows[model]) + 1, self)
        page.changed.connect(self._forget)

    def _press(self) -> None:
        if self._running:
            self.stop()
            return
        self._running = True
        self.button.setText(self.tr("Stop"))
        self.banner.tell("busy", self.tr("Trying …"), self.tr("A server may have to load the model first."))
        self.requested.emit(self._page.typed())

    def stop(self) -> None:
        """Wait no longer."""
        if self._running:
            self.stopped.emit()
            self._end()
            self.banner.hide()

    def _end(self) -> None:
        self._running = False
        self.button.setText(self.tr("Test connection"))

    def _forget(self) -> None:
        """What was found out says nothing of what is typed now."""
        if self._running:
            self.stop()
        self.banner.hide()

    def show_trial(self, trial: ServerTrial) -> None:
        """Tell what came of it, unless it was stopped."""
        if not self._running:
            return
        self._end()
        self._page.blockSignals(True)  # an offer changes nothing
        self._model.offer(trial.models)
        self._page.blockSignals(False)
        detail = self._listed(trial)
        if trial.ok:
            self.banner.tell("ok", self.tr("Connected"), " ".join(filter(None, (self._found(trial), detail))))
        else:
            self.banner.tell("failing", trial.problem, " ".join(filter(None, (trial.remedy, detail))))

    def _found(self, trial: ServerTrial) -> str:
        parts = [trial.model]
        if trial.dimensions is not None:
            parts.append(self.tr("{0} dimensions").format(number(trial.dimensions)))
        if trial.rate is not None:
            unit = self.tr("{0} texts a second")
            if trial.dimensions is None:
                unit = self.tr("{0} tokens a second") if trial.counted else self.tr("{0} pieces a second")
            parts.append(unit.format(rate(trial.rate)))
        if trial.seconds is not None:
            parts.append(self.tr("first answer after {0}").format(duration(trial.seconds)))
        parts.append(self.tr("at {0}").format(trial.address) if trial.address else self.tr("in the program"))
        found = ", ".join(parts) + "."
        return f"{found} {self.tr('Its weights: {0}.').format(trial.weights)}" if trial.weights else found

    def _listed(self, trial: ServerTrial) -> str:
        if not trial.models:
            return ""
        if trial.weights:
            return self.tr("The program brings {0} models; choose one above.").format(len(trial.models))
        words = self.tr("The server lists {0} models; choose one above.")
        if len(trial.models) == 1:
            return self.tr("The server lists one model: {0}.").format(trial.models[0])
        return words.format(len(trial.models))
