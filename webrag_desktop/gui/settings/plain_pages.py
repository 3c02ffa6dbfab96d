"""Pages on which nothing is typed: all keys, what leaves this computer, and what a browser can do."""

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtWidgets import QWidget

from webrag_desktop.gui.kit.shortcuts import shown_keys
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD
from webrag_desktop.gui.kit.theme.tokens import SPACE_M, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.labels import KeyCap, Label, SelectableText
from webrag_desktop.gui.kit.widgets.panes import row
from webrag_desktop.gui.settings.pages import Page

Keys = tuple[str, str, tuple[str, ...]]  # section, words, keys


class ShortcutsPage(Page):
    """Every key of the window, by what it is for; the search above finds words and keys."""

    def __init__(self, listed: Sequence[Keys]) -> None:
        """Show the keys."""
        super().__init__("", "", "keyboard")
        self.set_words(
            self.tr("Shortcuts"),
            self.tr("Every key of the window. They cannot be changed yet; F1 lists them, too."),
        )
        self._listed: list[tuple[QWidget, str]] = []
        self._titles: list[tuple[Label, list[QWidget]]] = []
        for title, group in groupby((one for one in listed if one[2]), key=lambda one: one[0]):
            name = Label(title, "small", "text3", SEMIBOLD)
            name.setContentsMargins(0, SPACE_M, 0, 0)
            self.body.addWidget(name)
            self._titles.append((name, [self._add(words, keys) for _title, words, keys in group]))

    def _add(self, words: str, keys: tuple[str, ...]) -> QWidget:
        line = QWidget()
        inside = row(line, (0, SPACE_XS, 0, SPACE_XS), SPACE_S)
        text = Label(words, "body", "text")
        shown = [shown_keys(one) for one in keys]
        text.setAccessibleName(f"{words}: {', '.join(shown)}")
        inside.addWidget(text, 1)
        for one in shown:
            inside.addWidget(KeyCap(one))
        self.body.addWidget(line)
        self._listed.append((line, f"{words} {' '.join(shown)}".casefold()))
        return line

    def matches(self, words: Sequence[str]) -> bool:
        """Leave the lines that hold the words, or all where the page itself is meant."""
        if super().matches(words) and all(word in self.title.casefold() for word in words):
            words = ()
        for line, said in self._listed:
            line.setVisible(all(word in said for word in words))
        for title, lines in self._titles:
            title.setVisible(any(not line.isHidden() for line in lines))
        return any(not line.isHidden() for line, _said in self._listed)


class FactsPage(Page):
    """Facts in sentences, each under a few words."""

    def __init__(self, title: str, about: str, icon_name: str, facts: Sequence[tuple[str, str]]) -> None:
        """Show ``facts``."""
        super().__init__(title, about, icon_name)
        add_facts(self, facts)


def add_facts(page: Page, facts: Sequence[tuple[str, str]]) -> None:
    """Add facts to a page, selectable."""
    for name, words in facts:
        page.facts.addWidget(Label(name, "body", "text", SEMIBOLD))
        text = SelectableText(name, "body", "text2")
        text.set_text(words)
        page.facts.addWidget(text)
        page.facts.addSpacing(SPACE_S)
