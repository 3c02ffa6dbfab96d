"""The page of the keys: each with what it does, and another key for it, pressed where it is shown."""

from collections.abc import Sequence
from functools import partial
from itertools import groupby

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from webrag_desktop.gui.kit.choosing_keys import Chosen, changeable, fixed_keys, name_of, problem_of
from webrag_desktop.gui.kit.shortcuts import Shortcut, present_keys, pressed_keys, shown_keys
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_M, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import KeyCap, Label
from webrag_desktop.gui.kit.widgets.panes import button_row, column, row
from webrag_desktop.gui.settings.pages import Page

_FIELD_WIDTH = 150
_MODIFIERS = {Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr}


class KeyField(QLineEdit):
    """Takes the next key that is pressed, whatever it does elsewhere. Esc, Tab or a click elsewhere leave it."""

    pressed = Signal(str)  # in Qt's portable form
    left = Signal()

    def __init__(self, words: str) -> None:
        """Ask for the key of what is called so."""
        super().__init__()
        self.setReadOnly(True)
        self.setPlaceholderText(self.tr("Press a key"))
        self.setAccessibleName(self.tr("New key: {0}").format(words))
        self.setAccessibleDescription(self.tr("Press the new key, or Escape to keep the present one."))
        self.setFixedWidth(grown(_FIELD_WIDTH))

    def event(self, event: QEvent) -> bool:
        """Keep keys from the shortcuts of the window and of the dialog."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tell the key, once there is more of it than Ctrl or Shift."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() not in _MODIFIERS:
            self.pressed.emit(pressed_keys(event))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Nothing is to be pressed any more."""
        super().focusOutEvent(event)
        self.left.emit()


class _Line(QWidget):
    """What a key does, and the key. It can be found by both."""

    def __init__(self, words: str, keys: Sequence[str]) -> None:
        super().__init__()
        self.words = words
        self.name = Label(words, "body", "text", wrap=True)
        self._caps = row(spacing=SPACE_XS)
        self.first = row(spacing=SPACE_S)
        self.first.addWidget(self.name, 1)
        self.first.addLayout(self._caps)
        self.show_keys(keys)

    def show_keys(self, keys: Sequence[str]) -> None:
        while (taken := self._caps.takeAt(0)) is not None:
            if cap := taken.widget():
                cap.hide()
                cap.deleteLater()
        shown = [shown_keys(one) for one in keys]
        for one in shown:
            self._caps.addWidget(KeyCap(one))
        self.name.setAccessibleName(f"{self.words}: {', '.join(shown)}")
        self.said = f"{self.words} {' '.join(shown)}".casefold()


class _FixedLine(_Line):
    """A key that stays as it is."""

    def __init__(self, words: str, keys: Sequence[str]) -> None:
        super().__init__(words, keys)
        column(self, (0, SPACE_XS, 0, SPACE_XS)).addLayout(self.first)


class ShortcutLine(_Line):
    """A key that can be another one: Change asks for it, Reset has the usual one hold again."""

    wanted = Signal(str)  # a key was pressed; empty for the usual one

    def __init__(self, shortcut: Shortcut, keys: Sequence[str]) -> None:
        """Show its keys."""
        super().__init__(name_of(shortcut), keys)
        self.shortcut = shortcut
        self.change_button = push_button(self.tr("Change"), "mini")
        self.change_button.setAccessibleName(self.tr("Change the key: {0}").format(self.words))
        self.reset_button = push_button(self.tr("Reset"), "link")
        self.reset_button.setAccessibleName(self.tr("Reset to default: {0}").format(self.words))
        self.reset_button.setToolTip(self.tr("Have the default hold again"))
        self.field = KeyField(self.words)
        self.field.hide()
        self.problem = Label("", "small", "bad", wrap=True)
        self.problem.hide()
        for one in (self.reset_button, self.field, self.change_button):
            self.first.addWidget(one)
        whole = column(self, (0, SPACE_XS, 0, SPACE_XS), SPACE_XS)
        whole.addLayout(self.first)
        whole.addWidget(self.problem)
        self.change_button.clicked.connect(self._ask)
        self.reset_button.clicked.connect(partial(self.wanted.emit, ""))
        self.field.pressed.connect(self.wanted)
        self.field.left.connect(self.stop_asking)

    def _ask(self) -> None:
        self.change_button.hide()
        self.field.show()
        self.field.setFocus()

    def stop_asking(self) -> None:
        """Keep the key that is shown."""
        if not self.field.isHidden():
            had_keyboard = self.field.hasFocus()
            self.field.hide()
            self.show_problem("")
            self.change_button.show()
            if had_keyboard:
                self.change_button.setFocus()

    def show_problem(self, words: str) -> None:
        """Say why a key cannot be chosen."""
        self.problem.setText(words)
        self.problem.setAccessibleName(words)
        self.problem.setVisible(bool(words))

    def show_chosen(self, chosen: Chosen) -> None:
        """Show the keys as they are chosen now."""
        self.show_keys(present_keys(self.shortcut, chosen))
        self.reset_button.setVisible(self.shortcut.id in chosen)


class ShortcutsPage(Page):
    """Every key of the table, by where it works; the search above finds words and keys."""

    changed = Signal(object)  # Chosen

    def __init__(self, chosen: Chosen) -> None:
        """Show the keys, as they are chosen so far."""
        super().__init__("", "", "keyboard")
        self.set_words(
            self.tr("Shortcuts"),
            self.tr("The keys of the window. Another key holds from the next start of the program."),
        )
        self._chosen = dict(chosen)
        self._titles: list[tuple[Label, Sequence[_Line]]] = []
        for title, group in groupby(changeable(), key=lambda one: one[0]):
            self._add_section(title, [self._changeable(shortcut) for _title, shortcut in group])
        self._add_section(self.tr("Fixed"), [_FixedLine(*one) for one in fixed_keys()])
        self.reset_button = push_button(self.tr("Reset all shortcuts"))
        self.reset_button.clicked.connect(self._reset_all)
        self.body.addSpacing(SPACE_M)
        self.body.addLayout(button_row(leading=[self.reset_button]))
        self._show()

    def _add_section(self, title: str, lines: Sequence[_Line]) -> None:
        name = Label(title, "small", "text3", SEMIBOLD)
        name.setContentsMargins(0, SPACE_M, 0, 0)
        self.body.addWidget(name)
        for line in lines:
            self.body.addWidget(line)
        self._titles.append((name, lines))

    def _changeable(self, shortcut: Shortcut) -> ShortcutLine:
        line = ShortcutLine(shortcut, shortcut.keys)
        line.wanted.connect(partial(self._choose, line))
        return line

    @property
    def lines(self) -> list[_Line]:
        """All lines, in order."""
        return [line for _title, lines in self._titles for line in lines]

    def line(self, shortcut_id: str) -> ShortcutLine:
        """The line of a shortcut."""
        return next(one for one in self._changeable_lines() if one.shortcut.id == shortcut_id)

    def _changeable_lines(self) -> list[ShortcutLine]:
        return [one for one in self.lines if isinstance(one, ShortcutLine)]

    # -- Choosing ---------------------------------------------------------------------------------------------

    def _choose(self, line: ShortcutLine, pressed: str) -> None:
        usual = line.shortcut.keys[0]
        key = pressed or usual
        others = {name: one for name, one in self._chosen.items() if name != line.shortcut.id}
        problem = problem_of(line.shortcut, key, others)
        line.show_problem(problem)
        if not problem:
            line.stop_asking()
            self._take(others if key == usual else others | {line.shortcut.id: key})

    def _reset_all(self) -> None:
        self._take({})

    def _take(self, chosen: dict[str, str]) -> None:
        if chosen != self._chosen:
            self._chosen = chosen
            self._show()
            self.changed.emit(chosen)

    def _show(self) -> None:
        for line in self._changeable_lines():
            line.show_chosen(self._chosen)
        self.reset_button.setEnabled(bool(self._chosen))

    # -- Searching --------------------------------------------------------------------------------------------

    def matches(self, words: Sequence[str]) -> bool:
        """Leave the lines that hold the words, or all where the page itself is meant."""
        if super().matches(words) and all(word in self.title.casefold() for word in words):
            words = ()
        for title, lines in self._titles:
            for line in lines:
                line.setVisible(all(word in line.said for word in words))
            title.setVisible(any(not line.isHidden() for line in lines))
        self.reset_button.setVisible(not words)
        return any(not line.isHidden() for line in self.lines)
