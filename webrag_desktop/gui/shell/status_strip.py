"""The strip at the foot of the window: what the program runs on, and how large the library is."""

from math import ceil

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton, QSizePolicy, QToolButton, QWidget

from webrag_desktop.gui.data.upkeep import StackPart, StackReport
from webrag_desktop.gui.data.view_data import LibraryFigures
from webrag_desktop.gui.kit.quantities import documents, file_size, passages
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, font, grown
from webrag_desktop.gui.kit.theme.painting import (
    LEFT,
    paint_box,
    paint_focus,
    paint_icon,
    paint_line,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import (
    RADIUS_CHIP,
    SPACE_L,
    SPACE_M,
    SPACE_S,
    SPACE_XS,
    STATUS_HEIGHT,
)
from webrag_desktop.gui.kit.widgets.bars import BusyBar
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import HEALTH_LOOKS, ElidedLabel
from webrag_desktop.gui.kit.widgets.panes import Panel, row

_ICON, _ICON_GAP, _WORD_GAP, _INSET = 13, 5, 5, 5
_BAR_WIDTH, _LEAST_CHARACTERS = 64, "MMMM…"
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


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
        self.setToolTip(plain_tooltip(said))
        self.setAccessibleName(f"{part.name}: {part.word}" if part.word else part.name)
        self.setAccessibleDescription(said)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as the words, as high as the strip lets it be."""
        used = font("small", figures=True)
        words = text_width(self._part.name, used) + _WORD_GAP + text_width(self._part.word, used)
        return QSize(ceil(2 * _INSET + grown(_ICON) + _ICON_GAP + words) + 1, grown(STATUS_HEIGHT) - 3)

    def minimumSizeHint(self) -> QSize:
        """Icon and the beginning of the name; the word is cut first."""
        least = text_width(_LEAST_CHARACTERS, font("small", figures=True))
        width = ceil(2 * _INSET + grown(_ICON) + _ICON_GAP + least) + 1
        return QSize(min(width, self.sizeHint().width()), self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw icon, name and word along the line of reading."""
        painter, rect = QPainter(self), QRectF(self.rect())
        if self.underMouse():
            paint_box(painter, rect, RADIUS_CHIP, colour("hover"))
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        look = HEALTH_LOOKS[self._part.health]
        side = grown(_ICON)
        left = rect.right() - _INSET - side if mirrored else rect.left() + _INSET
        paint_icon(painter, look.icon, left, rect.center().y() - side / 2, side, look.role)
        used, start = font("small", figures=True), float(_INSET + side + _ICON_GAP)
        self._paint_word(painter, start, self._part.name, mirrored=mirrored, strong=True)
        start += text_width(self._part.name, used) + _WORD_GAP
        self._paint_word(painter, start, self._part.word, mirrored=mirrored, strong=False)
        if self.hasFocus():
            paint_focus(painter, rect, RADIUS_CHIP)

    def _paint_word(
        self, painter: QPainter, start: float, word: str, *, mirrored: bool, strong: bool
    ) -> None:
        width = self.width() - start - _INSET + 1
        if width < _INSET:
            return
        rect = QRectF(_INSET - 1 if mirrored else start, 0, width, self.height())
        paint_line(painter, rect, word, font("small", figures=True), "text2" if strong else "text3", LEFT)


class _Part(QWidget):
    """A part's button, and beside it what to do where it does not do well."""

    opened = Signal()
    acted = Signal(str)  # the name of the part

    def __init__(self, part: StackPart) -> None:
        super().__init__()
        self._name = part.name
        self.button = PartButton(part)
        self.button.clicked.connect(self.opened)
        self.action: QPushButton = push_button("", "link")
        self.action.clicked.connect(lambda: self.acted.emit(self._name))
        line = row(self, spacing=SPACE_XS)
        line.addWidget(self.button)
        line.addWidget(self.action)
        self.grow()
        self.show_part(part)

    def show_part(self, part: StackPart) -> None:
        self._name = part.name
        self.button.show_part(part)
        if not part.action and self.action.hasFocus():
            self.button.setFocus(Qt.FocusReason.OtherFocusReason)
        self.action.setText(part.action)
        self.action.setAccessibleName(f"{part.action}: {part.name}")
        self.action.setToolTip(plain_tooltip(part.remedy))
        self.action.setVisible(bool(part.action))

    def grow(self) -> None:
        self.action.setFont(font("small", MEDIUM))
        self.button.updateGeometry()


class StatusStrip(Panel):
    """One line: the parts of the stack with what to do about a broken one, and the library's figures.

    A note of what is going on just now takes the place of the parts.
    """

    opened = Signal()  # the user wants to know more of the stack
    action_requested = Signal(str)  # the name of the part whose remedy is wanted

    def __init__(self, parent: QWidget | None = None) -> None:
        """Show nothing yet."""
        super().__init__("window", top_line=True, parent=parent)
        self.setAccessibleName(self.tr("Status"))
        self._parts: list[_Part] = []
        self._shown = 0
        self._note = PartButton(StackPart("", "", "busy"))
        self._note.clicked.connect(self.opened)
        self._bar = BusyBar()
        self._figures = [ElidedLabel("", "small", "text3", figures=True) for _ in range(3)]
        self._line = row(self, (SPACE_M - 3, 1, SPACE_L - 2, 0), SPACE_S)
        self._line.addWidget(self._note)
        self._line.addWidget(self._bar)
        self._line.addStretch(1)
        for figure in self._figures:
            self._line.addWidget(figure)
        self._grow()
        self.show_note("")

    # -- Data -------------------------------------------------------------------------------------------------

    def show_report(self, report: StackReport) -> None:
        """Show how the parts do; the keyboard stays where it is."""
        for part in report.parts[len(self._parts) :]:
            made = _Part(part)
            made.opened.connect(self.opened)
            made.acted.connect(self.action_requested)
            self._line.insertWidget(len(self._parts), made)
            self._parts.append(made)
        self._shown = len(report.parts)
        for shown, part in zip(self._parts, report.parts, strict=False):
            shown.show_part(part)
        self._arrange(noted=not self._note.isHidden())

    def show_note(self, text: str) -> None:
        """Say what is going on just now; the parts come back when it is empty."""
        said = f"{text} …" if text and not text.endswith(("…", ".")) else text
        self._note.show_part(StackPart(said, "", "busy", detail=self.tr("Shows what the program runs on.")))
        self._arrange(noted=bool(text))

    def show_figures(self, figures: LibraryFigures) -> None:
        """Show how large the library is."""
        said = [self.tr("No documents yet"), "", ""]
        if figures.documents:
            size = "" if figures.bytes_on_disk is None else file_size(figures.bytes_on_disk)
            said = [documents(figures.documents), passages(figures.passages), size]
        for label, text in zip(self._figures, said, strict=True):
            label.setText(text)
        self._fit()

    # -- Room -------------------------------------------------------------------------------------------------

    def _arrange(self, *, noted: bool) -> None:
        """Show the note or the parts; a keyboard that is here stays here."""
        before = QApplication.focusWidget()
        for widget in (self._note, self._bar):
            widget.setVisible(noted)
        for at, part in enumerate(self._parts):
            part.setVisible(not noted and at < self._shown)
        parts = self._parts[: self._shown]
        first = self._note if noted else parts[0].button if parts else None
        self.setFocusProxy(first)  # type: ignore[arg-type]  # with a hidden one Tab would go no further
        stays = QApplication.focusWidget() is before and before is not None and before.isVisible()
        if self._holds(before) and not stays:
            self._pass_keyboard(first)
        self._fit()

    def _pass_keyboard(self, first: QWidget | None) -> None:
        if first is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.focusNextChild()

    def _holds(self, widget: QWidget | None) -> bool:
        return widget is not None and self.isAncestorOf(widget)

    def _fit(self) -> None:
        """Leave out the last figures where there is no room for all."""
        for count in (3, 2, 1):
            for at, label in enumerate(self._figures):
                label.setVisible(at < count and bool(label.text()))
            if self._line.sizeHint().width() <= self.width():
                return

    def _grow(self) -> None:
        self.setFixedHeight(grown(STATUS_HEIGHT))
        self._bar.setFixedWidth(grown(_BAR_WIDTH))
        for label in self._figures:
            label.setFont(font("small", figures=True))
        for part in self._parts:
            part.grow()
        self._note.updateGeometry()

    # -- Events -----------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many figures as there is room for."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Grow with the font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._grow()
            self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter press a button, as Space does."""
        focused = QApplication.focusWidget()
        if event.key() in _ENTER and isinstance(focused, QAbstractButton) and self._holds(focused):
            focused.click()
        else:
            super().keyPressEvent(event)
