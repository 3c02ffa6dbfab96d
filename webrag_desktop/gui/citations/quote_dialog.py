"""The dialog that finds a pasted quotation in the library: how exact it is, and in which places."""

from collections.abc import Mapping

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QSizePolicy, QStyle, QWidget

from webrag_desktop.gui.citations.quote_place_delegate import GRADE_LOOKS, grade_word
from webrag_desktop.gui.citations.quote_places import QuotePlaceList
from webrag_desktop.gui.data.texts import FoundQuote, QuoteGrade
from webrag_desktop.gui.data.view_data import Failure, SpanReference
from webrag_desktop.gui.kit.quantities import counted, number
from webrag_desktop.gui.kit.shortcuts import install
from webrag_desktop.gui.kit.theme.direction import direction_of
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.painting import paint_pill, pill_width
from webrag_desktop.gui.kit.theme.tokens import (
    SKELETON_AFTER,
    SPACE_L,
    SPACE_M,
    SPACE_S,
    SPACE_XL,
    SPACE_XS,
)
from webrag_desktop.gui.kit.widgets.bars import BusyBar
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.kit.widgets.messages import EmptyState
from webrag_desktop.gui.kit.widgets.panes import Panel, column, row
from webrag_desktop.progress import Step
from webrag_desktop.text.quotation_marks import unquoted

SEARCH_AFTER = 250  # ms without a key: what is being typed is no quotation yet
_SIZE, _FIELD_HEIGHT, _BAR_WIDTH = (680, 640), 96, 120


class GradePill(QWidget):
    """A grade as an icon and a word."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Show nothing before there is a grade."""
        super().__init__(parent)
        self.grade: QuoteGrade | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_grade(self, grade: QuoteGrade | None) -> None:
        """Show another grade, or none."""
        self.grade = grade
        self.setAccessibleName(grade_word(grade) if grade else "")
        self.setVisible(grade is not None)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as its word."""
        if self.grade is None:
            return QSize()
        width = pill_width(grade_word(self.grade), GRADE_LOOKS[self.grade].icon)
        return QSize(round(width + 1), grown(22))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the pill."""
        if self.grade is not None:
            look, middle = GRADE_LOOKS[self.grade], QRectF(self.rect()).center().y()
            paint_pill(QPainter(self), 0, middle, grade_word(self.grade), look.ink, look.ground, look.icon)


class QuoteDialog(QDialog):
    """A modeless dialog: it requests searches, and shows the results it is given."""

    search_requested = Signal(str, bool)  # a quotation; whether to search older versions, too
    stop_requested = Signal()
    place_shown = Signal(object)  # FoundPlace: it was clicked
    place_opened = Signal(object)  # FoundPlace: the user wants to read there
    cite_toggled = Signal(object)  # FoundPlace
    copied = Signal(str)  # a sentence that says so

    def __init__(self, parent: QWidget | None = None) -> None:
        """Empty as yet; see :meth:`paste`."""
        super().__init__(parent)
        self.setModal(False)
        self.setWindowTitle(self.tr("Where is this from?"))
        self.setAccessibleName(self.windowTitle())
        self._quote = ""  # the quotation of the running or the last search
        self._found: FoundQuote | None = None
        self._pasted = False  # the keyboard goes to the places when they come
        self._in_older = False  # older versions are being searched
        self._make_parts()
        self._make_foot()
        self._lay_out()
        self._connect()
        self.resize(*map(grown, _SIZE))
        self._show_nothing()

    # -- Parts ------------------------------------------------------------------------------------------------

    def _make_parts(self) -> None:
        self.field = QPlainTextEdit()
        self.field.setProperty("field", True)
        self.field.setTabChangesFocus(True)
        self.field.setAccessibleName(self.tr("Quotation"))
        self.field.setPlaceholderText(self.tr("A quotation, from anywhere"))
        self.field.setFont(font("lead", family="serif"))
        self.field.setFixedHeight(grown(_FIELD_HEIGHT))
        self.pill = GradePill()
        self.sentence = Label("", "body", "text2", figures=True, wrap=True)
        self.list = QuotePlaceList()
        self.nothing = EmptyState("clipboard-paste", "", "")
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(SEARCH_AFTER)
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(SKELETON_AFTER)

    def _make_foot(self) -> None:
        self.older_button = push_button(self.tr("Search older versions"), "quiet", "history")
        self.older_button.setToolTip(self.tr("Also search the texts that documents had before they changed"))
        self.bar = BusyBar()
        self.bar.setFixedWidth(grown(_BAR_WIDTH))
        self.step = ElidedLabel("", "small", "text2")
        self.stop_button = push_button(self.tr("Stop"))
        self.close_button = push_button(self.tr("Close"))

    def _lay_out(self) -> None:
        head = Panel("raised", bottom_line=True)
        lines = column(head, (SPACE_XL, SPACE_L, SPACE_XL, SPACE_M), SPACE_S)
        lines.addWidget(Label(self.tr("Where is this from?"), "title", "text", SEMIBOLD))
        lines.addWidget(self.field)
        verdict = row(spacing=SPACE_S)
        verdict.addWidget(self.pill, 0, Qt.AlignmentFlag.AlignTop)
        verdict.addWidget(self.sentence, 1)
        lines.addLayout(verdict)
        foot = Panel("raised", top_line=True)
        buttons = row(foot, (SPACE_M, SPACE_M, SPACE_XL, SPACE_M), SPACE_S)
        buttons.addWidget(self.older_button)
        buttons.addSpacing(SPACE_XS)
        buttons.addWidget(self.bar)
        buttons.addWidget(self.step, 1)
        buttons.addWidget(self.stop_button)
        buttons.addStretch(0)
        buttons.addWidget(self.close_button)
        ground = Panel("surface")
        body = column(ground, (0, SPACE_S, 0, 0))
        body.addWidget(self.list, 1)
        body.addWidget(self.nothing, 1)
        whole = column(self)
        whole.addWidget(head)
        whole.addWidget(ground, 1)
        whole.addWidget(foot)

    def _connect(self) -> None:
        self.field.textChanged.connect(self._edited)
        self._typing.timeout.connect(self._search)
        self._slow.timeout.connect(self._show_searching)
        self.nothing.acted.connect(self._search)
        self.list.shown.connect(self.place_shown)
        self.list.opened.connect(self.place_opened)
        self.list.cite_toggled.connect(self.cite_toggled)
        self.list.copied.connect(self.copied)
        self.older_button.clicked.connect(self._search_older)
        self.stop_button.clicked.connect(self.stop_requested)
        self.close_button.clicked.connect(self.reject)
        self.finished.connect(self._end)
        install(self, "quote dialog", "find_quote", self.paste)
        install(self, "quote dialog", "open", lambda: self.list.run("open"))

    # -- What is asked ----------------------------------------------------------------------------------------

    def paste(self) -> None:
        """Paste the quotation on the clipboard and search for it at once; without one, focus the field."""
        text = QGuiApplication.clipboard().text().strip()
        self.field.setFocus()
        if not text:
            self.field.selectAll()
            return
        cursor = self.field.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)  # so that it can be undone
        self.field.moveCursor(QTextCursor.MoveOperation.Start)
        self._pasted = True
        self._search()

    def _edited(self) -> None:
        """What was found is not about these words any more."""
        self._follow_reading()
        self._pasted = False
        if self._text() == self._quote and self._found is not None:
            return
        self._forget()
        if self._text():
            self.sentence.setText("")
            self._typing.start()
        else:
            self._typing.stop()
            self._show_nothing()

    def _follow_reading(self) -> None:
        """Begin lines where the quotation's own reading does."""
        option = self.field.document().defaultTextOption()
        if option.textDirection() != (direction := direction_of(self._text())):
            option.setTextDirection(direction)
            option.setAlignment(QStyle.visualAlignment(direction, Qt.AlignmentFlag.AlignLeft))
            self.field.document().setDefaultTextOption(option)

    def _text(self) -> str:
        return unquoted(self.field.toPlainText())

    def _forget(self) -> None:
        self._stop()
        self._quote, self._found, self._in_older = "", None, False
        self._slow.stop()
        self.pill.show_grade(None)
        self.list.show_places(())
        self._show_foot()

    def _search(self) -> None:
        self._typing.stop()
        self._forget()
        if not self._text():
            self._show_nothing()
            return
        self._quote = self._text()
        self._slow.start()
        self.search_requested.emit(self._quote, False)

    def _search_older(self) -> None:
        if self._quote:
            self._in_older = True
            self.show_step(Step("older versions"))
            self._show_foot()
            self.stop_button.setFocus()
            self.search_requested.emit(self._quote, True)

    def _end(self) -> None:
        self._typing.stop()
        self._slow.stop()
        self._stop()

    def _stop(self) -> None:
        if self._quote and (self._found is None or self._in_older):
            self.stop_requested.emit()

    # -- Results ----------------------------------------------------------------------------------------------

    def show_found(self, found: FoundQuote) -> None:
        """Show the result of the last search."""
        by_hand = self._in_older and self.stop_button.hasFocus()
        self._slow.stop()
        self._found, self._in_older = found, False
        self.pill.show_grade(found.grade)
        self.list.show_places(found.places)
        self.sentence.setText(self._words(found))
        self._announce(f"{grade_word(found.grade)}. {self.sentence.text()}")
        if not found.places:
            self._show_not_found(found)
        self._show_body(is_list=bool(found.places))
        self._show_foot()
        if (self._pasted or by_hand) and found.places:
            self.list.setFocus()
        elif by_hand:
            self.close_button.setFocus()
        self._pasted = False

    def _show_not_found(self, found: FoundQuote) -> None:
        if found.older:
            title, text = self.tr("Its source may not be in your library."), ""
        else:
            title = self.tr("It may be in an earlier version of a document.")
            text = self.tr("Searching older versions takes longer.")
        self.nothing.show_state("info" if found.older else "history", title, text)

    def _words(self, found: FoundQuote) -> str:
        if found.grade == "near":
            return self.tr(
                "Not verified. Struck out: only in your quotation. Underlined: only in the source."
            )
        if found.grade == "none" and found.older:
            return self.tr("It is in no document, nor in an earlier version.")
        if found.grade == "none":
            return self.tr("It is in no document's current text.")
        alike = sum(place.grade == found.grade for place in found.places)
        places = counted(alike, self.tr("place"), self.tr("places"))
        if found.grade == "exact":
            sentences = self.tr("Letter for letter in {0}.").format(places)
        else:
            sentences = self.tr("It reads the same but for markup and spacing, in {0}.").format(places)
        if others := len(found.places) - alike:
            sentences += " " + self.tr("It reads the same in {0} more.").format(number(others))
        if found.more:
            more = (
                self.tr("{0} more are not listed.")
                if found.complete
                else self.tr("At least {0} more are not listed.")
            )
            sentences += " " + more.format(number(found.more))
        return sentences

    def show_step(self, step: Step) -> None:
        """Show the progress of the search through older versions."""
        share = step.done / step.total if step.total else None
        self.bar.show_share(share)
        counts = self.tr("{0} of {1}").format(number(step.done), number(step.total)) if step.total else ""
        self.step.setText(" ".join(filter(None, (self.tr("Searching older versions…"), counts))))

    def show_stopped(self) -> None:
        """The search was cancelled; what was found before stays."""
        was_older, self._in_older = self._in_older, False
        self._slow.stop()
        self._show_foot()
        if was_older and self._found is not None:
            self.older_button.setFocus()

    def show_failure(self, failure: Failure) -> None:
        """Show why the search failed."""
        self._slow.stop()
        self._in_older = self._pasted = False
        self._found = None
        self.pill.show_grade(None)
        self.list.show_places(())
        self.sentence.setText("")
        self.nothing.show_state("circle-alert", failure.message, failure.hint, self.tr("Try again"))
        self._announce(failure.message)
        self._show_body(is_list=False)
        self._quote = ""
        self._show_foot()

    def set_cited(self, cited: Mapping[SpanReference, int]) -> None:
        """Set which spans are cited, and under which numbers."""
        self.list.places.set_cited(cited)

    def _show_nothing(self) -> None:
        self.sentence.setText("")
        self.nothing.show_state(
            "clipboard-paste",
            self.tr("Paste a quotation"),
            self.tr(
                "From a draft, a message, a book. Your whole library is searched for it, word for word; it "
                "stays on this computer."
            ),
        )
        self._show_body(is_list=False)
        self._show_foot()

    def _show_searching(self) -> None:
        self.sentence.setText(self.tr("Searching…"))

    def _show_body(self, *, is_list: bool) -> None:
        self.list.setVisible(is_list)
        self.nothing.setVisible(not is_list)

    def _show_foot(self) -> None:
        self.older_button.setVisible(self._found is not None and not self._found.older and not self._in_older)
        for shown in (self.bar, self.step, self.stop_button):
            shown.setVisible(self._in_older)

    def _announce(self, sentences: str) -> None:
        self.setAccessibleDescription(sentences)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentences))
