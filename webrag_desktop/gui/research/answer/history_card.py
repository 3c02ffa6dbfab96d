"""The card of earlier questions: choosing one shows its answer as it was kept."""

from uuid import UUID

from PySide6.QtCore import QAbstractListModel, QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QListView, QMenu, QStyle, QStyleOptionViewItem, QWidget

from webrag_desktop.gui.data.answers import AskedQuestion
from webrag_desktop.gui.kit.quantities import long_time
from webrag_desktop.gui.kit.rows.lists import KeyedList
from webrag_desktop.gui.kit.rows.row_delegate import (
    AnyIndex,
    PlacedButton,
    RowButton,
    RowDelegate,
    button_height,
    place_at_right,
)
from webrag_desktop.gui.kit.shortcuts import commands_of, key_of
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, font, grown
from webrag_desktop.gui.kit.theme.painting import paint_line
from webrag_desktop.gui.kit.theme.tokens import DOCUMENT_ROW, SPACE_L, SPACE_M, SPACE_S
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import column
from webrag_desktop.gui.kit.widgets.popups import PopupCard, add_command

_WIDTH, _ROWS = 440, 7
_INSET, _CARD = 12, 4
_QUESTION = Qt.ItemDataRole.UserRole


class QuestionsModel(QAbstractListModel):
    """The questions, newest first."""

    def __init__(self, parent: QWidget) -> None:
        """Begin without any."""
        super().__init__(parent)
        self._questions: tuple[AskedQuestion, ...] = ()

    def show(self, questions: tuple[AskedQuestion, ...]) -> None:
        """Hold other questions."""
        self.beginResetModel()
        self._questions = questions
        self.endResetModel()

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """How many there are."""
        return 0 if parent is not None and parent.isValid() else len(self._questions)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A question, and how it is read out."""
        question = self._questions[index.row()]
        if role == _QUESTION:
            return question
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return f"{question.question}, {_details(self, question)}"
        return None


def _details(model: QuestionsModel, question: AskedQuestion) -> str:
    said = [long_time(question.asked_at)]
    if question.kind == "extract":
        said.append(model.tr("extract"))
    words = {
        "refused": model.tr("not answered by your documents"),
        "stopped": model.tr("stopped"),
        "failed": model.tr("failed"),
    }
    return ", ".join([*said, *(words[stage] for stage in [question.stage] if stage in words)])


class _QuestionDelegate(RowDelegate):
    def __init__(self, view: QListView, model: QuestionsModel) -> None:
        super().__init__(view)
        self._model = model

    def sizeHint(self, _option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:
        return QSize(100, grown(DOCUMENT_ROW))

    def buttons(self, index: AnyIndex) -> tuple[PlacedButton, ...]:
        if index != self._view.currentIndex():
            return ()
        top = (grown(DOCUMENT_ROW) - button_height()) / 2
        right = self._view.viewport().width() - _INSET
        return place_at_right([RowButton("remove", self.tr("Remove"), "trash-2")], right, top)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        question: AskedQuestion = index.data(_QUESTION)
        painter.save()
        row = option.rect
        card = QRectF(row).adjusted(_CARD, 1, -_CARD, -1)
        selected = index == self._view.currentIndex()
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        self.paint_card(painter, card, selected=selected, hovered=hovered)
        placed = self.buttons(index)
        end = placed[0].rect.left() - SPACE_S if placed else row.width() - _INSET
        half = card.height() / 2
        for at, (text, used, ink) in enumerate(
            (
                (question.question, font("body", MEDIUM), "text"),
                (_details(self._model, question), font("small"), "text2" if selected else "text3"),
            )
        ):
            line = QRectF(_INSET, card.top() + at * half + (4 - 4 * at) - 2 * at, end - _INSET, half - 2)
            paint_line(painter, self.mirror.rect(line), text, used, ink)  # type: ignore[arg-type]
        self.paint_buttons(painter, row, index)
        painter.restore()


class _Questions(KeyedList):
    keys = commands_of("history")
    chosen = Signal(object)  # UUID
    removed = Signal(object)  # UUID

    def __init__(self) -> None:
        super().__init__(surface="raised")
        self.questions = QuestionsModel(self)
        self.delegate = _QuestionDelegate(self, self.questions)
        self.setModel(self.questions)
        self.setItemDelegate(self.delegate)
        self.setAccessibleName(self.tr("Earlier questions"))
        self._on_button = False
        self.delegate.pressed.connect(lambda command, _row: self.run(command))
        self.clicked.connect(self._click)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        self._on_button = index.isValid() and self.delegate.button_at(index, event.position()) is not None
        super().mousePressEvent(event)

    def _click(self, index: QModelIndex) -> None:
        if not self._on_button:
            self.setCurrentIndex(index)
            self.run("show")

    def run(self, command: str) -> None:
        index = self.currentIndex()
        if command in {"down", "up"}:
            self.step(1 if command == "down" else -1)
        elif index.isValid():
            question: AskedQuestion = index.data(_QUESTION)
            (self.chosen if command == "show" else self.removed).emit(question.id)

    def menu(self) -> QMenu | None:
        if not self.currentIndex().isValid():
            return None
        menu = QMenu(self)
        add_command(
            menu, "history", self.tr("Show the answer"), key_of("history", "show"), lambda: self.run("show")
        )
        add_command(
            menu, "trash-2", self.tr("Remove"), key_of("history", "remove"), lambda: self.run("remove")
        )
        return menu


class HistoryCard(PopupCard):
    """Lists earlier questions under the control that opened it."""

    chosen = Signal(object)  # UUID: show the answer that was kept
    removed = Signal(object)  # UUID

    def __init__(self, parent: QWidget) -> None:
        """Make the card, not yet shown."""
        super().__init__(parent)
        self.setAccessibleName(self.tr("Earlier questions"))
        self.setFixedWidth(grown(_WIDTH))
        self.list = _Questions()
        self._nothing = Label(
            self.tr("Questions that were answered are kept here."), "body", "text2", wrap=True
        )
        self._nothing.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_M)
        content = column(self, (1, _CARD, 1, _CARD))
        content.addWidget(self.list)
        content.addWidget(self._nothing)
        self.list.chosen.connect(self._choose)
        self.list.removed.connect(self.removed)

    def show_questions(self, questions: tuple[AskedQuestion, ...]) -> None:
        """List these; the selected row stays where it is."""
        at = max(0, self.list.currentIndex().row())
        self.list.questions.show(questions)
        self.list.setVisible(bool(questions))
        self._nothing.setVisible(not questions)
        self.list.setFixedHeight(grown(DOCUMENT_ROW) * min(max(len(questions), 1), _ROWS))
        self.list.setCurrentIndex(self.list.questions.index(min(at, len(questions) - 1)))
        self.adjustSize()

    def open_below(self, control: QWidget) -> None:
        """Open under ``control``, the keyboard on the newest question."""
        self.list.setCurrentIndex(self.list.questions.index(0))
        self.show_below(control)
        self.list.setFocus(Qt.FocusReason.PopupFocusReason)

    def _choose(self, answer_id: UUID) -> None:
        self.close()
        self.chosen.emit(answer_id)
