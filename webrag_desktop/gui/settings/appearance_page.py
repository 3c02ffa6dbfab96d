"""The page of how the window looks: what is chosen there holds at once, or says when."""

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from webrag_desktop.gui.data.appearance import SCALES, SYSTEM, THEMES, Appearance
from webrag_desktop.gui.kit.languages import language_names
from webrag_desktop.gui.kit.shortcuts import key_of, shown_keys
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_M, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import Segmented
from webrag_desktop.gui.kit.widgets.choices import ChoiceBox
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import column, row
from webrag_desktop.gui.settings.fields import LABEL_WIDTH
from webrag_desktop.gui.settings.pages import Page

READER_STEPS = tuple(range(-4, 13))


class AppearancePage(Page):
    """Theme, scale, size of the reader's text, language."""

    changed = Signal(object)  # Appearance
    zoom_changed = Signal(int)

    def __init__(self, appearance: Appearance, zoom: int) -> None:
        """Show what is chosen."""
        super().__init__("", "", "sun")
        self.set_words(
            self.tr("Appearance"),
            self.tr("How the window looks. It is kept with the window, not the library."),
        )
        self._appearance = appearance
        themes = (self.tr("System"), self.tr("Light"), self.tr("Dark"))
        self.theme = Segmented([("", words, "") for words in themes])
        self.theme.setAccessibleName(self.tr("Theme"))
        self.theme.choose(THEMES.index(appearance.theme))
        self.theme.chosen.connect(lambda at: self._change(replace(self._appearance, theme=THEMES[at])))
        self._add(self.tr("Theme"), self.theme, self.tr("Holds at once."))
        self.scale = self._box([f"{scale}%" for scale in SCALES], _nearest(appearance.scale))
        self.scale.currentIndexChanged.connect(
            lambda at: self._change(replace(self._appearance, scale=SCALES[at]))
        )
        after = self.tr("Holds from the next start of the program.")
        self._add(self.tr("Interface scale"), self.scale, after)
        self.zoom = self._box([f"{step:+d}" if step else self.tr("Usual") for step in READER_STEPS], zoom + 4)
        self.zoom.currentIndexChanged.connect(lambda at: self.zoom_changed.emit(READER_STEPS[at]))
        keys = (shown_keys(key_of("reader", one)) for one in ("larger", "smaller"))
        same = self.tr("Holds at once; {0} and {1} in the reader do the same.").format(*keys)
        self._add(self.tr("Text in the reader"), self.zoom, same)
        names = language_names()
        self._codes = [SYSTEM, *(code for code, _name in names)]
        at = self._codes.index(appearance.language) if appearance.language in self._codes else 0
        self.language = self._box([self.tr("As the system"), *(name for _code, name in names)], at)
        self.language.currentIndexChanged.connect(
            lambda at: self._change(replace(self._appearance, language=self._codes[at]))
        )
        said = self.tr(
            "How numbers and dates are written, and Qt's own words, as in file dialogs. The program's own words are in "
            "English so far."
        )
        self._add(self.tr("Language"), self.language, f"{said} {after}")

    def _box(self, choices: list[str], at: int) -> ChoiceBox:
        box = ChoiceBox()
        box.addItems(choices)
        box.setCurrentIndex(at)
        return box

    def _add(self, name: str, control: QWidget, note: str) -> None:
        label = Label(name, "body", "text2")
        label.setFixedWidth(grown(LABEL_WIDTH))
        label.setContentsMargins(0, SPACE_S - 2, 0, 0)
        control.setAccessibleName(name)
        control.setAccessibleDescription(note)
        words = column(spacing=SPACE_XS)
        first = row()
        first.addWidget(control)
        first.addStretch(1)
        words.addLayout(first)
        words.addWidget(Label(note, "small", "text3", wrap=True))
        line = row(margins=(0, SPACE_XS, 0, SPACE_S), spacing=SPACE_M)
        line.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(words, 1)
        self.body.addLayout(line)

    def _change(self, appearance: Appearance) -> None:
        if appearance != self._appearance:
            self._appearance = appearance
            self.changed.emit(appearance)


def _nearest(scale: int) -> int:
    return min(range(len(SCALES)), key=lambda at: abs(SCALES[at] - scale))
