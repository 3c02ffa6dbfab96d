"""The legend below the Map: what its icons mean, the number of pages of each, and how much of the limits is used."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from webrag_desktop.gui.data.map import PageState, ShownExpansion
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.labels import IconLabel, Label
from webrag_desktop.gui.kit.widgets.panes import FlowLayout, Panel, row
from webrag_desktop.gui.map import words

_ICON, _HEIGHT, _INSET = 15, 38, 20
_NARROW = 820


class _Entry(QWidget):
    def __init__(self, state: PageState) -> None:
        super().__init__()
        self.state: PageState = state
        self._words = Label("", "small", "text2", figures=True)
        line = row(self, spacing=SPACE_S - 1)
        sign = IconLabel(*words.STATE_SIGNS[state], _ICON)
        sign.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        line.addWidget(sign)
        line.addWidget(self._words)
        self.hide()

    def show_count(self, count: int) -> None:
        self._words.setText(words.state_count(self.state, count))
        self.setVisible(bool(count))


class Legend(Panel):
    """Icons without pages are left out; in a narrow window they take another line."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", top_line=True, parent=parent)
        self.setMinimumHeight(grown(_HEIGHT))
        self._entries = [_Entry(state) for state in words.STATES]
        self._counted = False
        self._signs = QWidget()
        flow = FlowLayout(self._signs, SPACE_L + SPACE_XS, SPACE_XS)
        for entry in self._entries:
            flow.addWidget(entry)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self._signs.setSizePolicy(policy)
        self._reach = Label("", "small", "text3", figures=True)
        self._line = row(self, (_INSET, SPACE_S + 2, _INSET, SPACE_S), SPACE_XS)
        self._line.addWidget(self._signs, 1)
        self._line.addWidget(self._reach, 0, Qt.AlignmentFlag.AlignTop)

    def show_expansion(self, shown: ShownExpansion) -> None:
        """Count the pages of an expansion."""
        self._show_counts([shown.count(entry.state) for entry in self._entries])
        self.say(words.reach(shown))

    def say(self, sentence: str) -> None:
        """Show a sentence at the far edge."""
        self._reach.setText(sentence)

    def show_sentence(self, sentence: str) -> None:
        """Show a sentence alone."""
        self._show_counts([0] * len(self._entries))
        self.say(sentence)

    def _show_counts(self, counts: Sequence[int]) -> None:
        for entry, count in zip(self._entries, counts, strict=True):
            entry.show_count(count)
        self._counted = any(counts)
        self._stack()

    def _stack(self) -> None:
        """Where there is little room, the sentence is below the icons, and alone where there are none."""
        is_narrow = self.width() < grown(_NARROW)
        self._line.setDirection(
            QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        )
        self._signs.setVisible(self._counted or not is_narrow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make the best of the width."""
        super().resizeEvent(event)
        self._stack()
