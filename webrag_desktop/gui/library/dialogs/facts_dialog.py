"""The dialog in which the user says who wrote a document, when, and where it appeared."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QGridLayout, QLineEdit, QPlainTextEdit, QWidget

from webrag_desktop.gui.data.library import DocumentFacts, FactChange
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.kit.shortcuts import install
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import Panel, button_row, column
from webrag_desktop.gui.library.inspector_facts import fact_word
from webrag_desktop.models.metadata import FACT_NAMES, FactName

_WIDTH = 520
_AUTHORS_HEIGHT = 76


class FactsDialog(QDialog):
    """A field for each fact; one whose text is what the document says itself is no longer the user's.

    It stays open until the change was made, so that nothing typed is lost where one of the facts cannot be.
    """

    change_requested = Signal(object)  # FactChange

    def __init__(self, facts: DocumentFacts, parent: QWidget | None = None) -> None:
        """Show what is known of a document."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("About the document"))
        self._facts = facts
        self.title = QLineEdit(facts.user_title or facts.stated_title)
        self.title.setAccessibleName(self.tr("Title"))
        self.title.setPlaceholderText(facts.stated_title or facts.title)
        self.authors = QPlainTextEdit("\n".join(facts.known["authors"]))
        self.authors.setProperty("field", True)
        self.authors.setTabChangesFocus(True)
        self.authors.setPlaceholderText(self.tr("One on each line, in their order"))
        self.authors.setFixedHeight(grown(_AUTHORS_HEIGHT))
        self.authors.setAccessibleName(fact_word("authors"))
        self.fields: dict[FactName, QLineEdit] = {
            name: self._field(name) for name in FACT_NAMES if name != "authors"
        }
        self.cancel_button = push_button(self.tr("Cancel"))
        self.cancel_button.clicked.connect(self.reject)
        self.save_button = push_button(self.tr("Save"), "primary")
        self.save_button.clicked.connect(self._save)
        install(self, "dialog", "accept", self._save)
        self._refusal = Label("", "small", "bad", wrap=True)
        self._refusal.hide()
        self._lay_out()
        self.authors.setFocus()

    def _field(self, name: FactName) -> QLineEdit:
        field = QLineEdit("".join(self._facts.known[name]))
        field.setAccessibleName(fact_word(name))
        stated = "".join(self._facts.stated[name])
        if name in self._facts.by_user and stated:
            field.setPlaceholderText(self.tr("The document says {0}").format(stated))
        elif name in ("published_time", "modified_time"):
            field.setPlaceholderText(self.tr("2024, 2024-05 or 2024-05-31"))
        return field

    def _lay_out(self) -> None:
        ground = Panel("raised")
        lines = column(ground, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L), SPACE_S)
        lines.addWidget(Label(self.tr("About the document"), "title", "text", SEMIBOLD))
        said = self.tr("What you change here stays when the document is checked or read again.")
        lines.addWidget(Label(said, "small", "text3", wrap=True))
        grid = QGridLayout()
        grid.setContentsMargins(0, SPACE_S, 0, SPACE_S)
        grid.setHorizontalSpacing(SPACE_L)
        grid.setVerticalSpacing(SPACE_M)
        shown: list[QWidget] = [self.title, self.authors, *self.fields.values()]
        for at, field in enumerate(shown):
            grid.addWidget(Label(field.accessibleName(), "body", "text2"), at, 0)
            grid.addWidget(field, at, 1)
        lines.addLayout(grid)
        lines.addWidget(self._refusal)
        lines.addLayout(button_row(self.cancel_button, self.save_button))
        column(self).addWidget(ground)
        self.resize(grown(_WIDTH), self.sizeHint().height())

    def _typed(self, name: FactName) -> tuple[str, ...]:
        if name == "authors":
            names = (" ".join(line.split()) for line in self.authors.toPlainText().splitlines())
            return tuple(dict.fromkeys(filter(None, names)))
        text = " ".join(self.fields[name].text().split())
        return (text,) if text else ()

    @property
    def change(self) -> FactChange:
        """What is to be done."""
        facts: dict[FactName, tuple[str, ...]] = {}
        forget: list[FactName] = []
        for name in FACT_NAMES:
            typed = self._typed(name)
            if typed == self._facts.known[name]:
                continue
            if typed == self._facts.stated[name]:
                forget.append(name)
            else:
                facts[name] = typed
        return FactChange(self._facts.id, facts, tuple(forget), self._typed_title())

    def _typed_title(self) -> str | None:
        own = self._facts.stated_title
        typed = " ".join(self.title.text().split())
        if typed == " ".join((self._facts.user_title or own).split()):
            return None
        return "" if typed == " ".join(own.split()) else typed

    def show_refusal(self, failure: Failure) -> None:
        """Say why what was typed was not saved."""
        self._refusal.setText(f"{failure.message} {failure.hint}")
        self._refusal.show()
        self.save_button.setEnabled(True)

    def _save(self) -> None:
        change = self.change
        if not change:
            self.accept()
        elif self.save_button.isEnabled():
            self.save_button.setEnabled(False)
            self.change_requested.emit(change)
