"""The dialog of differences between two versions of a document, and the text in which they are shown."""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import (
    QActionGroup,
    QFont,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFrame,
    QTextFrameFormat,
)
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QMenu, QPushButton, QTextEdit, QWidget

from webrag_desktop.gui.data.texts import (
    ChangeKind,
    Piece,
    PieceKind,
    TextChange,
    TextDifference,
    TextVersion,
)
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.kit.quantities import counted, long_time, number
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import (
    MEDIUM,
    READER_LINE,
    REGULAR,
    SEMIBOLD,
    Step,
    base_pixels,
    font,
    grown,
)
from webrag_desktop.gui.kit.theme.painting import paint_box
from webrag_desktop.gui.kit.theme.tokens import (
    RADIUS_ROW,
    SPACE_L,
    SPACE_M,
    SPACE_S,
    SPACE_XL,
    SPACE_XS,
    Role,
)
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.kit.widgets.messages import EmptyState
from webrag_desktop.gui.kit.widgets.panes import Panel, column, dialog_foot, row
from webrag_desktop.gui.kit.widgets.popups import open_below
from webrag_desktop.text.printable import without_turning

MOST_SHOWN = 400  # what comes beyond is counted: nobody reads so many, and each takes time to lay out
_READING = 15 / 13
_INKS: dict[PieceKind, Role] = {"same": "text", "removed": "bad", "added": "ok"}


class DifferenceText(QTextEdit):
    """Read-only; it can be selected and copied, and a screen reader reads what was, then what is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Show nothing yet."""
        super().__init__(parent)
        self._changes: Sequence[TextChange] = ()
        self._boxes: list[tuple[QTextFrame, Role]] = []
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("What changed"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setProperty("surface", "paper")
        self.document().setDocumentMargin(SPACE_L + SPACE_S)

    def show_changes(self, changes: Sequence[TextChange]) -> None:
        """Show other changes, from the first."""
        self._changes = changes
        self._build()
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(0)

    # -- Building ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        ink = self.palette()
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText):
            ink.setColor(role, colour("text"))
        if ink != self.palette():
            self.setPalette(ink)
        self.clear()
        self._boxes = []
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        heading: str | None = None
        for change in self._changes[:MOST_SHOWN]:
            if change.heading != heading:
                self._say(cursor, change.heading or self.tr("Before the first heading"))
                heading = change.heading
            self._insert_change(cursor, change)
            self._gap(cursor, SPACE_L)
        more = len(self._changes) - MOST_SHOWN
        if more > 0:
            self._say(cursor, self.tr("{0} more changes are not listed.").format(number(more)))
        cursor.endEditBlock()

    def _insert_change(self, cursor: QTextCursor, change: TextChange) -> None:
        if change.kind == "moved":
            self._box(cursor, "→", self.tr("Moved here"), change.after, "sunken", "text2")
            return
        both = change.kind == "changed"
        if change.before:
            word = self.tr("Before") if both else self.tr("Removed")
            self._box(cursor, "−", word, change.before, "bad_soft", "bad")
        if change.before and change.after:
            self._gap(cursor, SPACE_XS)
        if change.after:
            word = self.tr("Now") if both else self.tr("Added")
            self._box(cursor, "+", word, change.after, "ok_soft", "ok")

    @staticmethod
    def _gap(cursor: QTextCursor, height: int) -> None:
        """Make the empty line that follows every box so high."""
        form = QTextBlockFormat()
        form.setLineHeight(height, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        cursor.setBlockFormat(form)
        tiny = QTextCharFormat()
        tiny.setFont(font("micro"))
        cursor.setBlockCharFormat(tiny)

    def _say(self, cursor: QTextCursor, text: str) -> None:
        """A line of the program's own words; margins would count for nothing beside a box, so lines part them."""
        if cursor.blockNumber():
            self._gap(cursor, SPACE_XL)
            cursor.insertBlock()
        cursor.setBlockFormat(QTextBlockFormat())
        cursor.insertText(text, _words("body", SEMIBOLD, "text2"))
        cursor.insertBlock()
        self._gap(cursor, SPACE_S)

    def _box(
        self, cursor: QTextCursor, sign: str, word: str, pieces: Sequence[Piece], ground: Role, ink: Role
    ) -> None:
        """One side of a change on its ground, under a sign and a word that say which."""
        frame = QTextFrameFormat()
        frame.setPadding(SPACE_M)
        frame.setBorder(0)
        self._boxes.append((cursor.insertFrame(frame), ground))
        cursor.insertText(f"{sign} {word}", _words("small", MEDIUM, ink))
        reading = QTextBlockFormat()
        pixels = round(base_pixels() * _READING)
        height = QTextBlockFormat.LineHeightTypes.FixedHeight
        reading.setLineHeight(round(pixels * READER_LINE), height.value)
        cursor.insertBlock(reading, _read(pixels, "same"))
        shown, start = without_turning("".join(piece.text for piece in pieces)), 0
        for piece in pieces:
            end = start + len(piece.text)
            cursor.insertText(shown[start:end], _read(pixels, piece.kind if len(pieces) > 1 else "same"))
            start = end
        cursor.movePosition(QTextCursor.MoveOperation.End)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the boxes in sight, and the text over them."""
        painter = QPainter(self.viewport())
        layout, top = self.document().documentLayout(), self.verticalScrollBar().value()
        for frame, ground in self._boxes:
            rect = layout.frameBoundingRect(frame).translated(0, -top)
            if rect.intersects(QRectF(event.rect())):
                paint_box(painter, rect, RADIUS_ROW, colour(ground), colour("line"))
        painter.end()
        super().paintEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme and the application's font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:  # the sheet follows both
            self._build()


def _words(step: Step, weight: QFont.Weight, role: Role) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setFont(font(step, weight))
    made.setForeground(colour(role))
    return made


def _read(pixels: int, kind: PieceKind) -> QTextCharFormat:
    """How words are set: those that went are struck out, those that came are underlined."""
    used = font(weight=REGULAR if kind == "same" else SEMIBOLD, pixels=pixels, family="serif")
    used.setStrikeOut(kind == "removed")
    used.setUnderline(kind == "added")
    made = QTextCharFormat()
    made.setFont(used)
    made.setForeground(colour(_INKS[kind]))
    return made


_SIZE = (720, 660)


class DifferenceDialog(QDialog):
    """Stands beside the window, which goes on working; another choice of texts is only asked for."""

    compare_requested = Signal(object, object, object)  # UUIDs: document, text before, text after
    open_requested = Signal(object)  # SpanReference: the beginning of a stored text

    def __init__(self, difference: TextDifference, parent: QWidget | None = None) -> None:
        """Show a first difference."""
        super().__init__(parent)
        self._shown = difference
        self.setModal(False)
        self.setWindowTitle(self.tr("What changed"))
        self._make_parts()
        self._lay_out()
        self.resize(*map(grown, _SIZE))
        self.show_difference(difference)
        self.text.setFocus()

    def _make_parts(self) -> None:
        self._title = ElidedLabel("", "title", "text", SEMIBOLD)
        self.before_button = push_button("", icon="chevron-down")
        self.before_button.clicked.connect(lambda: self._choose(self.before_button))
        self.after_button = push_button("", icon="chevron-down")
        self.after_button.clicked.connect(lambda: self._choose(self.after_button))
        self.summary = Label("", "body", "text2", figures=True, wrap=True)
        self.text = DifferenceText()
        self._nothing = EmptyState(
            "circle-check", self.tr("The words are the same."), self.tr("Only white space may differ.")
        )
        self.read_button = push_button(self.tr("Read the earlier text"), "quiet", "book-open")
        self.read_button.clicked.connect(self._read)
        self.close_button = push_button(self.tr("Close"))
        self.close_button.clicked.connect(self.reject)
        for button in (self.before_button, self.after_button, self.read_button, self.close_button):
            button.setAutoDefault(False)  # Return belongs to what has the keyboard

    def _lay_out(self) -> None:
        head = Panel("raised", bottom_line=True)
        lines = column(head, (SPACE_XL, SPACE_L, SPACE_XL, SPACE_M), SPACE_S)
        lines.addWidget(self._title)
        lines.addLayout(self._choice())
        lines.addWidget(self.summary)
        whole = column(self)
        whole.addWidget(head)
        whole.addWidget(self.text, 1)
        whole.addWidget(self._nothing, 1)
        whole.addWidget(dialog_foot(self.close_button, leading=[self.read_button]))

    def _choice(self) -> QHBoxLayout:
        across = row(spacing=SPACE_S)
        across.addWidget(Label(self.tr("From"), "body", "text3"))
        across.addWidget(self.before_button)
        across.addSpacing(SPACE_XS)
        across.addWidget(Label(self.tr("to"), "body", "text3"))
        across.addWidget(self.after_button)
        across.addStretch(1)
        return across

    # -- What is shown ----------------------------------------------------------------------------------------

    def show_difference(self, difference: TextDifference) -> None:
        """Show another difference, from its first change."""
        self._shown = difference
        self._title.setText(difference.title)
        for button, name, version in (
            (self.before_button, self.tr("From"), difference.before),
            (self.after_button, self.tr("To"), difference.after),
        ):
            button.setText(self._version_words(version))
            button.setAccessibleName(f"{name}: {button.text()}")
        self.summary.setText(self._summary_words(difference))
        self.setAccessibleName(f"{self.windowTitle()}: {difference.title}")
        self.setAccessibleDescription(self.summary.text())
        self.text.show_changes(difference.changes)
        self.text.setVisible(bool(difference.changes))
        self._nothing.setVisible(not difference.changes)

    def _version_words(self, version: TextVersion) -> str:
        return self.tr("Version {0}, {1}").format(version.number, long_time(version.fetched_at))

    def _summary_words(self, difference: TextDifference) -> str:
        counts = Counter(change.kind for change in difference.changes)
        named: tuple[tuple[ChangeKind, str, str], ...] = (
            ("changed", self.tr("paragraph changed"), self.tr("paragraphs changed")),
            ("added", self.tr("added"), self.tr("added")),
            ("removed", self.tr("removed"), self.tr("removed")),
            ("moved", self.tr("moved"), self.tr("moved")),
        )
        counts_words = ", ".join(
            counted(counts[kind], one, many) for kind, one, many in named if counts[kind]
        )
        if not difference.coarse:
            return counts_words
        coarse = self.tr("They differ so much that not every change is shown word by word.")
        return f"{counts_words}. {coarse}" if counts_words else coarse

    # -- What is wanted ---------------------------------------------------------------------------------------

    def menu(self, button: QPushButton) -> QMenu:
        """The versions that can be chosen on that side, newest first; not the one of the other side."""
        menu = QMenu(self)
        menu.setAccessibleName(button.accessibleName())
        group = QActionGroup(menu)
        of_before = button is self.before_button
        present = self._shown.before if of_before else self._shown.after
        other = self._shown.after if of_before else self._shown.before
        for version in reversed(self._shown.versions):
            action = menu.addAction(self._version_words(version))
            action.setCheckable(True)
            action.setChecked(version.id == present.id)
            action.setEnabled(version.id != other.id)
            group.addAction(action)
            action.triggered.connect(lambda _checked, chosen=version: self._take(chosen, of_before))
        return menu

    def _choose(self, button: QPushButton) -> None:
        menu = self.menu(button)
        open_below(menu, button)

    def _take(self, version: TextVersion, of_before: bool) -> None:
        before = version if of_before else self._shown.before
        after = self._shown.after if of_before else version
        self.compare_requested.emit(self._shown.document_id, before.id, after.id)

    def _read(self) -> None:
        self.open_requested.emit(SpanReference(self._shown.document_id, self._shown.before.id, 0, 0))
