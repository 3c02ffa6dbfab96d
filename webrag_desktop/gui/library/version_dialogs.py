"""Dialogs about a document over time: the differences between two versions, and its history."""

from collections import Counter

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QMenu, QPushButton, QScrollArea, QWidget

from webrag_desktop.gui.data.versions import ChangeKind, DocumentHistory, TextDifference, TextVersion
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.kit.quantities import counted, long_time
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.empty_state import EmptyState
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.kit.widgets.layouts import column, row
from webrag_desktop.gui.kit.widgets.panel import Panel
from webrag_desktop.gui.kit.widgets.popup_menus import open_below
from webrag_desktop.gui.library.difference_text import DifferenceText
from webrag_desktop.gui.library.document_words import event_words
from webrag_desktop.gui.library.inspector_parts import Facts

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
        foot = Panel("raised", top_line=True)
        buttons = row(foot, (SPACE_M, SPACE_M, SPACE_XL, SPACE_M), SPACE_S)
        buttons.addWidget(self.read_button)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        whole = column(self)
        whole.addWidget(head)
        whole.addWidget(self.text, 1)
        whole.addWidget(self._nothing, 1)
        whole.addWidget(foot)

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
        told = ", ".join(counted(counts[kind], one, many) for kind, one, many in named if counts[kind])
        if not difference.coarse:
            return told
        coarse = self.tr("They differ so much that not every change is told word by word.")
        return f"{told}. {coarse}" if told else coarse

    # -- What is wanted ---------------------------------------------------------------------------------------

    def menu(self, button: QPushButton) -> QMenu:
        """The texts that can stand on that side, the newest first; the one of the other side cannot."""
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


_HISTORY_SIZE = (560, 520)
MOST_EVENTS = 200


class HistoryDialog(QDialog):
    """Stands beside the window, which goes on working."""

    def __init__(self, history: DocumentHistory, parent: QWidget | None = None) -> None:
        """Show what is known now."""
        super().__init__(parent)
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("What happened"))
        self.setAccessibleName(f"{self.windowTitle()}: {history.title}")
        self.events = Facts()
        newest = history.entries[::-1][:MOST_EVENTS]
        self.events.show_facts([(long_time(entry.at), event_words(entry)) for entry in newest])
        self._lay_out(history.title)
        self.resize(*map(grown, _HISTORY_SIZE))

    def _lay_out(self, title: str) -> None:
        inner = Panel("raised")
        lines = column(inner, (SPACE_XL, SPACE_L, SPACE_XL, SPACE_L))
        lines.addWidget(self.events)
        lines.addStretch(1)
        area = QScrollArea()
        area.setWidget(inner)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setProperty("surface", "raised")
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setAccessibleName(self.windowTitle())
        close = push_button(self.tr("Close"))
        close.clicked.connect(self.reject)
        head, foot = Panel("raised", bottom_line=True), Panel("raised", top_line=True)
        column(head, (SPACE_XL, SPACE_L, SPACE_XL, SPACE_M)).addWidget(
            ElidedLabel(title, "title", "text", SEMIBOLD)
        )
        buttons = row(foot, (SPACE_M, SPACE_M, SPACE_XL, SPACE_M))
        buttons.addStretch(1)
        buttons.addWidget(close)
        whole = column(self)
        whole.addWidget(head)
        whole.addWidget(area, 1)
        whole.addWidget(foot)
        area.setFocus()  # the arrow keys scroll
