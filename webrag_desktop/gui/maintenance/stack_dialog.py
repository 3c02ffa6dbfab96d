"""What the program runs on: each part, the data folder, the logs; and a report of it all to send to someone."""

import platform

from PySide6.QtCore import QRectF, Qt, QTimer, Signal, qVersion
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QFrame, QVBoxLayout, QWidget

from webrag_desktop.gui.data.upkeep import LogText, StackPart, StackReport
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import HEADING_LINE, SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.painting import paint_box
from webrag_desktop.gui.kit.theme.tokens import (
    RADIUS_ROW,
    SPACE_L,
    SPACE_M,
    SPACE_S,
    SPACE_XL,
    SPACE_XS,
    SPACE_XXL,
)
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import (
    HEALTH_LOOKS,
    ElidedLabel,
    HealthIcon,
    Label,
    MonoField,
    SelectableText,
)
from webrag_desktop.gui.kit.widgets.panes import Panel, button_row, column, dialog_foot, row, scroll_area
from webrag_desktop.version import VERSION

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
        lines.addLayout(button_row(leading=[self.action], margins=(0, SPACE_XS, 0, 0)))
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
        self._detail.setAccessibleName(self.tr("{0}: what it is").format(part.name))
        self._remedy.setAccessibleName(self.tr("{0}: what to do").format(part.name))
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


_SIZE, _LOG_HEIGHT = (600, 560), 180


class StackDialog(QDialog):
    """A dialog beside the window, which stays usable; everything in it is brought by ``show_report``."""

    action_requested = Signal(str)  # the name of a part
    refresh_requested = Signal()
    open_path = Signal(str)
    log_requested = Signal(str)  # the path of a log

    def __init__(self, parent: QWidget | None = None) -> None:
        """Say nothing yet."""
        super().__init__(parent)
        self.setModal(False)
        self.setWindowTitle(self.tr("What runs"))
        self._report: StackReport | None = None
        self._cards: list[PartCard] = []
        self._reveals_log = False  # until the user scrolls
        self._make_parts()
        self._lay_out()
        self.resize(*map(grown, _SIZE))
        self.close_button.setFocus()

    def _make_parts(self) -> None:
        self._paths: list[PathLine] = []
        self._log_name = Label("", "small", "text2", SEMIBOLD)
        self.log = MonoField(self.tr("Log"))
        self.log.setMinimumHeight(grown(_LOG_HEIGHT))
        self.refresh_button = push_button(self.tr("Look again"), "quiet", "rotate-cw")
        self.refresh_button.clicked.connect(self.refresh_requested)
        self.copy_button = push_button(self.tr("Copy report"), "quiet", "copy")
        self.copy_button.clicked.connect(self._copy)
        self.close_button = push_button(self.tr("Close"))
        self.close_button.clicked.connect(self.reject)
        for button in (self.refresh_button, self.copy_button, self.close_button):
            button.setAutoDefault(True)
        for hidden in (self._log_name, self.log):
            hidden.hide()

    def _lay_out(self) -> None:
        inner = Panel("raised")
        self._lines = column(inner, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L), SPACE_S)
        self._lay_out_head(self._lines)
        self._parts, self._places, self._logs = (column(spacing=SPACE_S) for _ in range(3))
        self._lines.addLayout(self._parts)
        self._lines.addSpacing(SPACE_S)
        self._lines.addLayout(self._places)
        self._lines.addSpacing(SPACE_S)
        self._logs_title = Label(self.tr("Logs"), "body", "text", SEMIBOLD)
        self._lines.addWidget(self._logs_title)
        self._lines.addLayout(self._logs)
        self._lines.addWidget(self._log_name)
        self._lines.addWidget(self.log, 1)
        self._lines.addStretch()
        self._area = scroll_area(inner)
        self._area.verticalScrollBar().rangeChanged.connect(self._reveal_soon)
        self._area.verticalScrollBar().actionTriggered.connect(self._let_go)
        whole = column(self)
        whole.addWidget(self._area, 1)
        copying = [self.refresh_button, self.copy_button]
        whole.addWidget(dialog_foot(self.close_button, leading=copying, spacing=SPACE_XS))

    def _lay_out_head(self, lines: QVBoxLayout) -> None:
        lines.addWidget(Label(self.tr("What runs"), "title", "text", SEMIBOLD))
        promise = self.tr("Everything is on this computer, unless a part below says where else it is.")
        lines.addWidget(Label(promise, "body", "text2", wrap=True))
        lines.addSpacing(SPACE_XS)

    # -- Data -------------------------------------------------------------------------------------------------

    def show_report(self, report: StackReport) -> None:
        """Show how everything does now; what is there already stays, and the keyboard with it."""
        before, self._report = self._report, report
        self._show_parts(report.parts)
        if before is None or (before.folder, before.logs) != (report.folder, report.logs):
            self._show_paths(report)
        self.copy_button.setText(self.tr("Copy report"))

    def _show_parts(self, parts: tuple[StackPart, ...]) -> None:
        for part in parts[len(self._cards) :]:
            card = PartCard(part)
            card.acted.connect(self.action_requested)
            self._cards.append(card)
            self._parts.addWidget(card)
        for card in self._cards[len(parts) :]:
            card.hide()
        for part, card in zip(parts, self._cards, strict=False):
            if card.action.hasFocus() and not part.action:
                self.close_button.setFocus()
            card.show_part(part)
            card.show()

    def _show_paths(self, report: StackReport) -> None:
        for line in self._paths:
            if line.isAncestorOf(self.focusWidget() or self):
                self.close_button.setFocus()
            line.deleteLater()
        self._paths = [PathLine(self.tr("Data folder"), report.folder, is_log=False)]
        self._places.addWidget(self._paths[0])
        for name, path in report.logs:
            line = PathLine(name, path, is_log=True)
            line.shown.connect(self.log_requested)
            self._logs.addWidget(line)
            self._paths.append(line)
        for line in self._paths:
            line.opened.connect(self.open_path)
        self._logs_title.setVisible(bool(report.logs))

    def show_log(self, text: LogText) -> None:
        """Show the last lines of a log, from their end."""
        name = (
            next((name for name, path in self._report.logs if path == text.path), "") if self._report else ""
        )
        self._log_name.setText(self.tr("{0}, last lines").format(name or text.path))
        self.log.setAccessibleName(self._log_name.text())
        self.log.show_text(text.text.rstrip("\n") or self.tr("This log is empty."), at_end=True)
        if self.log.isHidden():
            self._log_name.show()
            self.log.show()
            self._make_room()
        self._reveals_log = True
        self._reveal_soon()

    def _make_room(self) -> None:
        """Grow by the log, as far as the screen lets it."""
        wanted = self.height() + self._log_name.sizeHint().height() + self.log.minimumHeight()
        self.resize(self.width(), min(wanted, self.screen().availableGeometry().height() - SPACE_XXL))

    def _reveal_soon(self) -> None:
        QTimer.singleShot(0, self, self._reveal_log)  # its place is known once the new layout is done

    def _reveal_log(self) -> None:
        if self._reveals_log:
            bar = self._area.verticalScrollBar()
            bar.setValue(bar.maximum())  # nothing comes after the log

    def _let_go(self) -> None:
        self._reveals_log = False

    # -- Report -----------------------------------------------------------------------------------------------

    def report_text(self) -> str:
        """Everything shown, as plain text, with the versions of the program and of what it is built on."""
        lines = [f"WebRAG Desktop {VERSION}, Qt {qVersion()}, Python {platform.python_version()}"]
        lines.append(platform.platform())
        for part in self._report.parts if self._report else ():
            lines.append(f"{part.name}: {part.word}" + (f" ({part.version})" if part.version else ""))
            lines += [f"  {words}" for words in (part.detail, part.remedy) if words]
        if self._report:
            lines.append(f"{self.tr('Data folder')}: {self._report.folder}")
        return "\n".join(lines) + "\n"

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report_text())
        self.copy_button.setText(self.tr("Copied"))
