"""The pieces of the stack dialog: a card for each part, a line for each log."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from webrag_desktop.gui.data.stack import StackPart
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import HEADING_LINE, SEMIBOLD
from webrag_desktop.gui.kit.theme.painting import paint_box
from webrag_desktop.gui.kit.theme.tokens import RADIUS_ROW, SPACE_M, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.kit.widgets.layouts import column, row
from webrag_desktop.gui.kit.widgets.selectable_text import SelectableText
from webrag_desktop.gui.maintenance.health import HEALTH_LOOKS, HealthIcon

_ICON = 16


class PartCard(QFrame):
    """A part on a ground in the colour of its health: name, word and version; what it is; what to do."""

    acted = Signal(str)  # the part's name

    def __init__(self, part: StackPart, parent: QWidget | None = None) -> None:
        """Show a first part."""
        super().__init__(parent)
        self._part = part
        self._icon = HealthIcon(_ICON)
        self._name, self._word = Label("", "body", "text", SEMIBOLD), Label("", "body", "text", SEMIBOLD)
        self._version = ElidedLabel("", "small", "text2", figures=True)
        self._detail = SelectableText(self.tr("What it is"), "body", "text2", line_ratio=HEADING_LINE)
        self._remedy = SelectableText(self.tr("What to do"), "body", "text", line_ratio=HEADING_LINE)
        self.action = push_button("")
        self.action.setAutoDefault(True)
        self.action.clicked.connect(lambda: self.acted.emit(self._part.name))
        self._lay_out()
        self.show_part(part)

    def _lay_out(self) -> None:
        head = row(spacing=SPACE_S)
        for shown in (self._name, self._word):
            head.addWidget(shown)
        head.addStretch(1)
        head.addWidget(self._version)
        lines = column(spacing=SPACE_XS)
        lines.addLayout(head)
        lines.addWidget(self._detail)
        lines.addWidget(self._remedy)
        below = row(margins=(0, SPACE_XS, 0, 0))
        below.addWidget(self.action)
        below.addStretch(1)
        lines.addLayout(below)
        whole = row(self, (SPACE_M, SPACE_M, SPACE_M, SPACE_M), SPACE_S)
        whole.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        whole.addLayout(lines, 1)

    def show_part(self, part: StackPart) -> None:
        """Show how the part does now."""
        self._part = part
        self._icon.show_health(part.health)
        self._name.setText(part.name)
        self._word.setText(part.word)
        self._word.set_role(HEALTH_LOOKS[part.health].role)
        self._version.setText(self._version_words(part.version or ""))
        for shown, text in ((self._detail, part.detail), (self._remedy, part.remedy)):
            shown.set_text(text)
            shown.setVisible(bool(text))
        self.action.setText(part.action)
        self.action.setAccessibleName(f"{part.action}: {part.name}")
        self.action.setVisible(bool(part.action))
        self.setAccessibleName(f"{part.name}: {part.word}")
        self.setAccessibleDescription(" ".join(words for words in (part.detail, part.remedy) if words))
        self.update()

    def _version_words(self, version: str) -> str:
        """A bare number says what it is; a name and number says so itself."""
        return self.tr("Version {0}").format(version) if version[:1].isdigit() else version

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Fill the ground."""
        ground = colour(HEALTH_LOOKS[self._part.health].ground)
        paint_box(QPainter(self), QRectF(self.rect()), RADIUS_ROW, ground)


class PathLine(QWidget):
    """A name, a path, and what can be done with it."""

    opened = Signal(str)  # the path
    shown = Signal(str)  # the path

    def __init__(self, name: str, path: str, *, is_log: bool, parent: QWidget | None = None) -> None:
        """A log can be shown here; a folder can only be opened."""
        super().__init__(parent)
        words = column(spacing=1)
        words.addWidget(Label(name, "body", "text"))
        self._path = ElidedLabel(path, "micro", "text3", family="mono", elide=Qt.TextElideMode.ElideMiddle)
        self._path.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        words.addWidget(self._path)
        line = row(self, spacing=SPACE_S)
        line.addLayout(words, 1)
        if is_log:
            show = push_button(self.tr("Show last lines"), "mini")
            show.setAccessibleName(self.tr("Show last lines: {0}").format(name))
            show.clicked.connect(lambda: self.shown.emit(path))
            show.setAutoDefault(True)
            line.addWidget(show)
        folder = push_button(self.tr("Open folder"), "mini", "folder-open")
        folder.setAccessibleName(self.tr("Open folder: {0}").format(name))
        folder.clicked.connect(lambda: self.opened.emit(path))
        folder.setAutoDefault(True)
        line.addWidget(folder)
