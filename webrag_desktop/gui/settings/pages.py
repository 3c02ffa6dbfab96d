"""A page of the settings: a title, a sentence, rows; what most people never need is folded."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout

from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD
from webrag_desktop.gui.kit.theme.painting import icon
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import Panel, button_row, column, scroll_area
from webrag_desktop.gui.settings.fields import Check, SettingRow, commands_quoted
from webrag_desktop.models.settings import SettingSection


class Page(Panel):
    """What every page has. ``body`` takes what is on it."""

    def __init__(self, title: str, about: str, icon_name: str) -> None:
        """Say what it is for."""
        super().__init__("raised")
        self.title, self.icon_name = title, icon_name
        self._lines = column(self, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L), SPACE_S)
        self._title = Label(title, "title", "text", SEMIBOLD)
        self._lines.addWidget(self._title)
        self._about = Label(about, "body", "text2", wrap=True)
        self._lines.addWidget(self._about)
        self._lines.addSpacing(SPACE_M)
        self.facts: QVBoxLayout = column(spacing=SPACE_XS)  # what is shown before anything can be changed
        self._lines.addLayout(self.facts)
        self.body: QVBoxLayout = column(spacing=SPACE_S)
        self._lines.addLayout(self.body)
        self._lines.addStretch(1)
        self.area = scroll_area(self, name=title)

    def set_words(self, title: str, about: str) -> None:
        """Say what it is for."""
        self.title = title
        self._title.setText(title)
        self._about.setText(about)
        self.area.setAccessibleName(title)

    def matches(self, words: Sequence[str]) -> bool:
        """Show what holds all of the words; whether anything does. No words show everything."""
        said = f"{self.title} {self._about.text()} {self.own_words()}".casefold()
        return all(word in said for word in words)

    def own_words(self) -> str:
        """What else it can be found by."""
        return " ".join(one.text() for one in self.findChildren(Label))


class SettingsPage(Page):
    """A page generated from a group of declared settings."""

    changed = Signal()

    def __init__(self, section: SettingSection, check: Check, icon_name: str) -> None:
        """Make a row for each setting."""
        super().__init__(section.title, commands_quoted(section.about), icon_name)
        self.id = section.id
        self.rows = {one.name: SettingRow(one, check) for one in section.settings}
        for row in self._of(advanced=False):
            self.body.addWidget(row)
        self.foot = column(spacing=SPACE_S)
        self.body.addLayout(self.foot)
        self.advanced_button = push_button("", "quiet", "chevron-right")
        self.advanced_button.setCheckable(True)
        self.advanced_button.toggled.connect(self._show_advanced)
        self.body.addLayout(button_row(leading=[self.advanced_button]))
        for row in self._of(advanced=True):
            self.body.addWidget(row)
        for row in self.rows.values():
            row.changed.connect(self.changed)
        self.advanced_button.setVisible(any(self._of(advanced=True)))
        # What was set there is not hidden.
        given = any(row.state.place != "default" for row in self._of(advanced=True))
        self.advanced_button.setChecked(given)
        self._show_advanced(given)

    def _of(self, *, advanced: bool) -> Iterable[SettingRow]:
        return [row for row in self.rows.values() if row.state.advanced == advanced]

    def _show_advanced(self, shown: bool) -> None:
        rows = list(self._of(advanced=True))
        words = self.tr("Hide advanced settings") if shown else self.tr("Advanced settings ({0})")
        self.advanced_button.setText(words.format(len(rows)))
        self.advanced_button.setIcon(icon("chevron-down" if shown else "chevron-right", "text2", 5))
        for row in rows:
            row.setVisible(shown)

    def matches(self, words: Sequence[str]) -> bool:
        """Hide the rows that do not hold the words, unless none does and the page itself has them."""
        found = [row for row in self.rows.values() if row.matches(words)]
        if not words:
            self._show_all()
            return True
        for row in self.rows.values():
            row.setVisible(row in found)
        self.advanced_button.setVisible(False)
        return bool(found)

    def _show_all(self) -> None:
        for row in self._of(advanced=False):
            row.show()
        self.advanced_button.setVisible(any(self._of(advanced=True)))
        self._show_advanced(self.advanced_button.isChecked())

    def reveal(self, name: str) -> None:
        """Bring a setting into view, and the keyboard to it."""
        row = self.rows[name]
        if row.state.advanced:
            self.advanced_button.setChecked(True)
        row.control.setFocus()
        self.area.ensureWidgetVisible(row)

    # -- What is changed --------------------------------------------------------------------------------------

    def changes(self) -> dict[str, str | None]:
        """What is to be written; None for what is to go."""
        return {name: row.change() for name, row in self.rows.items() if row.is_changed}

    def typed(self) -> dict[str, str]:
        """What every control says, for trying it; what was left empty, and is secret and kept, is not in it."""
        texts = {name: row.text() for name, row in self.rows.items() if not row.state.is_fixed}
        return {
            name: text
            for name, text in texts.items()
            if self.rows[name].is_changed or (text and self.rows[name].state.place != "default")
        }

    def is_wrong(self) -> bool:
        """Whether something on it cannot be used."""
        return any(row.is_wrong for row in self.rows.values())
