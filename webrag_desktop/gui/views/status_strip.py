"""The strip at the foot of the window: what the program runs on, and how large the library is."""

from math import ceil

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from webrag_desktop.gui.models.document_words import documents, file_size, passages
from webrag_desktop.gui.theme.colours import colour
from webrag_desktop.gui.theme.fonts import MEDIUM, font, grown
from webrag_desktop.gui.theme.icons import paint_icon
from webrag_desktop.gui.theme.painting import LEFT, paint_box, paint_focus, paint_line, text_width
from webrag_desktop.gui.theme.tokens import RADIUS_CHIP, SPACE_L, SPACE_M, SPACE_XS, STATUS_HEIGHT
from webrag_desktop.gui.view_data import LibraryFigures, StackPart, StackReport
from webrag_desktop.gui.views.stack_parts import HEALTH_ICON
from webrag_desktop.gui.widgets.buttons import push_button
from webrag_desktop.gui.widgets.labels import ElidedLabel
from webrag_desktop.gui.widgets.layouts import row
from webrag_desktop.gui.widgets.panel import Panel

_ICON, _ICON_GAP, _WORD_GAP, _INSET = 13, 5, 5, 5


class PartButton(QToolButton):
    """A part of the stack: icon, name, word. A click opens what there is to know of it."""

    def __init__(self, part: StackPart) -> None:
        """Show ``part``."""
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._part = part
        self.show_part(part)

    def show_part(self, part: StackPart) -> None:
        """Show the part's present state."""
        self._part = part
        said = " ".join(filter(None, (part.detail, part.remedy)))
        self.setToolTip(said)
        self.setAccessibleName(f"{part.name}: {part.word}")
        self.setAccessibleDescription(said)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as the words, as high as the strip lets it be."""
        used = font("small", figures=True)
        words = text_width(self._part.name, used) + _WORD_GAP + text_width(self._part.word, used)
        return QSize(ceil(2 * _INSET + _ICON + _ICON_GAP + words) + 1, grown(STATUS_HEIGHT) - 3)

    def minimumSizeHint(self) -> QSize:
        """Icon and name; the word is cut first."""
        name = text_width(self._part.name, font("small", figures=True))
        return QSize(ceil(2 * _INSET + _ICON + _ICON_GAP + name) + 1, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw icon, name and word along the line of reading."""
        painter, rect = QPainter(self), QRectF(self.rect())
        if self.underMouse():
            paint_box(painter, rect, RADIUS_CHIP, colour("hover"))
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        name, role = HEALTH_ICON[self._part.health]
        left = rect.right() - _INSET - _ICON if mirrored else rect.left() + _INSET
        paint_icon(painter, name, left, rect.center().y() - _ICON / 2, _ICON, role)
        used, start = font("small", figures=True), _INSET + _ICON + _ICON_GAP
        self._paint_word(painter, start, self._part.name, mirrored=mirrored, strong=True)
        start += text_width(self._part.name, used) + _WORD_GAP
        self._paint_word(painter, start, self._part.word, mirrored=mirrored, strong=False)
        if self.hasFocus():
            paint_focus(painter, rect, RADIUS_CHIP)

    def _paint_word(
        self, painter: QPainter, start: float, word: str, *, mirrored: bool, strong: bool
    ) -> None:
        width = self.width() - start - _INSET + 1
        rect = QRectF(_INSET - 1 if mirrored else start, 0, width, self.height())
        paint_line(painter, rect, word, font("small", figures=True), "text2" if strong else "text3", LEFT)


class StatusStrip(Panel):
    """One line: the parts of the stack with what to do about a broken one, a note, and the library's figures."""

    opened = Signal()  # the user wants to know more of the stack
    action_requested = Signal(str)  # the name of the part whose remedy is wanted

    def __init__(self, parent: QWidget | None = None) -> None:
        """Show nothing yet."""
        super().__init__("window", top_line=True, parent=parent)
        self.setAccessibleName(self.tr("Status"))
        self._parts: list[tuple[PartButton, QWidget]] = []
        self._shown: tuple[StackPart, ...] = ()
        self._note = ElidedLabel("", "small", "text3", figures=True)
        self._figures = ElidedLabel("", "small", "text3", figures=True)
        self._line = row(self, (SPACE_M - 3, 1, SPACE_L - 2, 0), SPACE_XS)
        self._parts_line: QHBoxLayout = row(spacing=SPACE_XS + 2)
        self._line.addLayout(self._parts_line)
        self._line.addWidget(self._note)
        self._line.addStretch(1)
        self._line.addWidget(self._figures)
        self._note.hide()
        self._set_height()

    def show_report(self, report: StackReport) -> None:
        """Show how the parts do; the keyboard stays where it is."""
        if tuple(part.name for part in report.parts) != tuple(part.name for part in self._shown):
            self._make_parts(report.parts)
        self._shown = report.parts
        for (button, action), part in zip(self._parts, report.parts, strict=True):
            button.show_part(part)
            self._show_action(action, part)

    def _make_parts(self, parts: tuple[StackPart, ...]) -> None:
        for pair in self._parts:
            for widget in pair:
                self._parts_line.removeWidget(widget)
                widget.deleteLater()
        self._parts = [self._made(part) for part in parts]
        self.setFocusProxy(self._parts[0][0] if self._parts else None)

    def _made(self, part: StackPart) -> tuple[PartButton, QWidget]:
        button = PartButton(part)
        button.clicked.connect(self.opened)
        action = push_button("", "link")
        action.setFont(font("small", MEDIUM))
        action.clicked.connect(lambda: self.action_requested.emit(part.name))
        self._parts_line.addWidget(button)
        self._parts_line.addWidget(action)
        return button, action

    @staticmethod
    def _show_action(action: QWidget, part: StackPart) -> None:
        action.setProperty("text", part.action)
        action.setAccessibleName(f"{part.action}: {part.name}")
        action.setToolTip(part.remedy)
        action.setVisible(bool(part.action))

    def show_figures(self, figures: LibraryFigures) -> None:
        """Show how large the library is."""
        if not figures.documents:
            self._figures.setText(self.tr("No documents yet"))
            return
        size = file_size(figures.bytes_on_disk) if figures.bytes_on_disk is not None else ""
        said = [documents(figures.documents), passages(figures.passages), size]
        self._figures.setText(" \u2002 ".join(filter(None, said)))

    def show_note(self, text: str) -> None:
        """Say what is going on just now; nothing when empty."""
        self._note.setText(text)
        self._note.setVisible(bool(text))

    def _set_height(self) -> None:
        self.setFixedHeight(grown(STATUS_HEIGHT))

    def changeEvent(self, event: QEvent) -> None:
        """Grow with the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationFontChange:
            self._set_height()
            for button, action in self._parts:
                button.updateGeometry()
                action.setFont(font("small", MEDIUM))
