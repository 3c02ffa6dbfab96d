"""A row of a form for one setting: label, control by its kind, what it is for, and what is wrong with what is typed."""

import re
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QLineEdit, QWidget

from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_M, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.choices import CheckBox, ChoiceBox
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import column, row
from webrag_desktop.models.settings import SettingState

Check = Callable[[str, str], str]  # name and text: what is wrong with it, empty for nothing

LABEL_WIDTH = 150
_NARROW = 140
_SERVED = ("EMBEDDING_MODEL", "CHAT_MODEL", "RETRIEVAL_RERANK_MODEL")  # a server lists what they may be


class SettingRow(QWidget):
    """One setting. Only what was changed here is written; what is typed is checked at once."""

    changed = Signal()

    def __init__(self, state: SettingState, check: Check, parent: QWidget | None = None) -> None:
        """Show a setting as it is given."""
        super().__init__(parent)
        self.state = state
        self._check = check
        self._removed = False
        self._initial = _text_of(state)
        self.control = self._made_control()
        self.control.setAccessibleName(state.label)
        self.control.setAccessibleDescription(state.description)
        secret = state.kind == "secret"
        self.reset_button = push_button(self.tr("Remove") if secret else self.tr("Reset"), "link")
        removing, resetting = self.tr("Remove: {0}"), self.tr("Reset to default: {0}")
        self.reset_button.setAccessibleName((removing if secret else resetting).format(state.label))
        self.reset_button.setToolTip("" if secret else self.tr("Have the default hold again"))
        self.reset_button.clicked.connect(self.reset)
        self.problem = Label("", "small", "bad", wrap=True)
        self.note = Label("", "small", "text2", wrap=True)
        self.help = Label("", "small", "text3", wrap=True)
        self._lay_out()
        self._show()

    # -- Parts ------------------------------------------------------------------------------------------------

    def _made_control(self) -> QWidget:
        kind = self.state.kind
        if kind == "yes or no":
            box = CheckBox(self.tr("On"))
            box.setChecked(self._initial == "true")
            box.toggled.connect(self._take_change)
            return box
        if kind == "choice" or self.state.name in _SERVED:
            return self._combo(editable=kind != "choice")
        edit = QLineEdit(self._initial)
        edit.setPlaceholderText(self._placeholder())
        if kind == "secret":
            edit.setEchoMode(QLineEdit.EchoMode.Password)
        if kind in ("number", "whole number"):
            edit.setFixedWidth(grown(_NARROW))
        edit.textChanged.connect(self._take_change)
        return edit

    def _combo(self, *, editable: bool) -> QComboBox:
        combo = ChoiceBox()
        combo.setEditable(editable)
        combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        combo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        combo.addItems(self.state.choices)
        edit = combo.lineEdit()
        if edit is not None:
            edit.setPlaceholderText(self._placeholder())
            edit.setAccessibleName(self.state.label)
            combo.setEditText(self._initial)
        else:
            combo.setCurrentText(self._initial)
        combo.currentTextChanged.connect(self._take_change)
        return combo

    def _placeholder(self) -> str:
        if self.state.kind == "secret":
            places = {
                "keyring": self.tr("Kept in the system’s keyring"),
                "file": self.tr("Kept in the settings file"),
                "environment": self.tr("Given by the environment"),
            }
            return places.get(self.state.place, self.tr("None"))
        return self.state.default or self.state.otherwise

    def _lay_out(self) -> None:
        name = Label(self.state.label, "body", "text2", wrap=True)
        name.setFixedWidth(grown(LABEL_WIDTH))
        name.setBuddy(self.control)
        line = row(spacing=SPACE_S)
        narrow = self.state.kind in ("number", "whole number", "yes or no")
        line.addWidget(self.control, 0 if narrow else 1)
        if self.state.unit:
            line.addWidget(Label(self.state.unit, "body", "text2"))
        if narrow:
            line.addStretch(1)
        if self.state.kind in ("file", "folder") and not self.state.is_fixed:
            choose = push_button(self.tr("Choose…"), "mini")
            choose.setAccessibleName(self.tr("Choose: {0}").format(self.state.label))
            choose.clicked.connect(self._choose)
            line.addWidget(choose)
        self.extra = row(spacing=SPACE_S)  # for what belongs beside the control
        line.addLayout(self.extra)
        line.addWidget(self.reset_button)
        words = column(spacing=SPACE_XS)
        words.addLayout(line)
        for shown in (self.problem, self.note, self.help):
            words.addWidget(shown)
        whole = row(self, (0, SPACE_XS, 0, SPACE_S), SPACE_M)
        whole.addWidget(name, 0, Qt.AlignmentFlag.AlignTop)
        whole.addLayout(words, 1)
        name.setContentsMargins(0, SPACE_S - 2, 0, 0)

    def _choose(self) -> None:
        chosen, _filter = QFileDialog.getOpenFileName(self, self.state.label, self.text())
        if chosen:
            self.set_text(chosen)

    # -- What is typed ----------------------------------------------------------------------------------------

    def text(self) -> str:
        """What the control says, as a settings file would."""
        if isinstance(self.control, QCheckBox):
            return "true" if self.control.isChecked() else "false"
        if isinstance(self.control, QComboBox):
            return self.control.currentText().strip()
        assert isinstance(self.control, QLineEdit)
        return self.control.text() if _keeps_spaces(self.state) else self.control.text().strip()

    def set_text(self, text: str) -> None:
        """Have the control say something, as if it were typed."""
        if isinstance(self.control, QCheckBox):
            self.control.setChecked(text == "true")
        elif isinstance(self.control, QComboBox):
            if self.control.isEditable():
                self.control.setEditText(text)
            else:
                self.control.setCurrentText(text)
        else:
            assert isinstance(self.control, QLineEdit)
            self.control.setText(text)

    def offer(self, choices: Sequence[str]) -> None:
        """Let the user choose among what a server lists; what is typed stays."""
        if isinstance(self.control, QComboBox) and self.control.isEditable():
            typed = self.control.currentText()
            self.control.clear()
            self.control.addItems(list(choices))
            self.control.setEditText(typed)

    @property
    def is_changed(self) -> bool:
        """Whether something else would be written than is given."""
        if self.state.is_fixed:
            return False
        return self._removed or self.text() != self._initial

    @property
    def is_wrong(self) -> bool:
        """Whether what is typed cannot be used."""
        return bool(self._problem())

    def change(self) -> str | None:
        """What is to be written; None takes the setting out of the file."""
        text = self.text()
        if self._removed and (not text or text == self._default()):
            return None
        return text or None

    def reset(self) -> None:
        """Take the setting out of the file, so that its default holds; nothing is written yet."""
        self.set_text("" if self._is_free_text() else self._default())
        self._removed = self.state.place in ("file", "keyring")
        self._take_change(reset=True)

    def _is_free_text(self) -> bool:
        return not isinstance(self.control, QCheckBox) and self.state.kind != "choice"

    def _default(self) -> str:
        return self.state.default

    def _problem(self) -> str:
        text = self.text()
        return "" if self.state.is_fixed or not text else self._check(self.state.name, text)

    def _take_change(self, _typed: object = None, *, reset: bool = False) -> None:
        if self._removed and not reset and self.text() not in ("", self._default()):
            self._removed = False
        self._show()
        self.changed.emit()

    # -- What is shown ----------------------------------------------------------------------------------------

    def _show(self) -> None:
        fixed = self.state.is_fixed
        self.control.setEnabled(not fixed)
        problem = self._problem()
        self.problem.setText(self.tr("This cannot be used: {0}.").format(problem) if problem else "")
        self.problem.setVisible(bool(problem))
        self.note.setText(self._noted())
        self.note.setVisible(bool(self.note.text()))
        self.help.setText(self._helped())
        given = self.state.place in ("file", "keyring") and not self._removed
        self.reset_button.setVisible(not fixed and (given or self.is_changed))
        description = " ".join(filter(None, (self.problem.text(), self.note.text(), self.help.text())))
        self.control.setAccessibleDescription(description)

    def _noted(self) -> str:
        if self.state.place == "environment":
            words = self.tr("The environment variable {0} sets this. It can only be changed there.")
            return words.format(self.state.name)
        if self._removed:
            if self.state.kind == "secret":
                return self.tr("Will be removed when you save.")
            return self.tr("The default will hold when you save.")
        return ""

    def _helped(self) -> str:
        parts = [commands_quoted(self.state.description)]
        default = {"true": self.tr("on"), "false": self.tr("off")}.get(self.state.default, self.state.default)
        if default:
            parts.append(self.tr("Default: {0}.").format(default))
        elif self.state.otherwise:
            parts.append(self.tr("If it is empty: {0}.").format(self.state.otherwise))
        bounds = str(self.state.bounds)
        if bounds:
            parts.append(self.tr("Allowed: {0}.").format(bounds))
        return " ".join(parts)

    def matches(self, words: Sequence[str]) -> bool:
        """Whether all of the words are in what is said of the setting."""
        said = f"{self.state.label} {self.state.name} {self.state.description}".casefold()
        return all(word in said for word in words)


def commands_quoted(description: str) -> str:
    """A description as the window shows it: commands in quotation marks, not in those of markdown."""
    return re.sub(r"`([^`]+)`", r"“\1”", description)


def _text_of(state: SettingState) -> str:
    """What the control says at first: what is given, or where nothing can be left empty the default."""
    if state.kind == "yes or no":
        written = (state.value or state.default).strip().lower()
        return "true" if written in ("true", "1", "yes", "on", "y", "t") else "false"
    if state.kind == "choice":
        return state.value or state.default
    return state.value or ""


def _keeps_spaces(state: SettingState) -> bool:
    """A prefix of a model may end in a space."""
    return state.name.endswith("_PREFIX")
