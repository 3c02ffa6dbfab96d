"""The inspector's part about a document over time: versions, differences, schedule of checks, history dialog."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, Signal, SignalInstance
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QDialog, QMenu, QWidget

from webrag_desktop.gui.data.library import NEVER
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.kit.quantities import counted, long_time, number
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import LINK_INSET, push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.kit.widgets.panes import Panel, button_row, column, dialog_foot, row, scroll_area
from webrag_desktop.gui.kit.widgets.popups import open_below
from webrag_desktop.gui.library.document_words import CHOICES, event_words, every_words
from webrag_desktop.gui.library.inspector_parts import FACT_NAME, Facts, Notice

if TYPE_CHECKING:
    from webrag_desktop.gui.data.texts import DocumentHistory, DocumentTexts, TextVersion


Choose = Callable[[timedelta | None], None]


def schedule_menu(parent: QWidget, texts: "DocumentTexts", of_document: Choose, of_library: Choose) -> QMenu:
    """One choice for the document, and below it one for all documents; what holds now is ticked."""
    menu = QMenu(parent)
    menu.setAccessibleName(_tr("How often it is checked"))
    same = _tr("Like all documents ({0})").format(every_words(texts.library).lower())
    _add_choices(menu, [(None, same), *_named(texts.own)], texts.own, of_document)
    menu.addSeparator()
    every = menu.addMenu(_tr("All documents"))
    library = texts.library or NEVER
    _add_choices(every, _named(library), library, lambda chosen: of_library(chosen or None))
    return menu


def _named(present: timedelta | None) -> list[tuple[timedelta | None, str]]:
    """The usual choices, and the present one where it is another."""
    known: set[timedelta] = {*CHOICES, present if present is not None else NEVER}
    return [(every, every_words(every)) for every in sorted(known)]


def _add_choices(
    menu: QMenu,
    choices: Sequence[tuple[timedelta | None, str]],
    present: timedelta | None,
    choose: Choose,
) -> None:
    group = QActionGroup(menu)
    for every, words in choices:
        action = menu.addAction(words)
        action.setCheckable(True)
        action.setChecked(every == present)
        group.addAction(action)
        action.triggered.connect(lambda _checked, every=every: choose(every))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Schedule", text)


MOST_LISTED = 4  # the newest; the others can be chosen where two are compared


class VersionLine(QWidget):
    """A text: when it was copied, which opens it, and what is to be said of it."""

    opened = Signal(object)  # TextVersion

    def __init__(self, parent: QWidget | None = None) -> None:
        """Of no text yet."""
        super().__init__(parent)
        self._version: TextVersion | None = None
        self._name = Label("", "body", "text3", figures=True)
        self._name.setMinimumWidth(grown(FACT_NAME))
        self.link = push_button("", "link")
        self.link.clicked.connect(lambda: self.opened.emit(self._version))
        self._detail = Label("", "body", "text3", figures=True, wrap=True)
        first = row(spacing=SPACE_M - LINK_INSET)
        first.addWidget(self._name)
        first.addWidget(self.link)
        first.addStretch(1)
        below = row(margins=(grown(FACT_NAME) + SPACE_M, 0, 0, 0))
        below.addWidget(self._detail, 1)
        lines = column(self)
        lines.addLayout(first)
        lines.addLayout(below)

    def show_version(self, version: "TextVersion") -> None:
        """Show another text."""
        self._version = version
        parts = [
            self.tr("shown") if version.shown else "",
            self.tr("extracted differently") if version.reason == "reread" else "",
            self.tr("{0} cited").format(number(version.citations)) if version.citations else "",
        ]
        when, detail = long_time(version.fetched_at), ", ".join(part for part in parts if part)
        self._name.setText(self.tr("Version {0}").format(version.number))
        self.link.setText(when)
        self.link.setToolTip(self.tr("Read the text as it was then"))
        self.link.setAccessibleName(
            ", ".join(part for part in (f"{self._name.text()}: {when}", detail, self.tr("read it")) if part)
        )
        self._detail.setText(detail)
        self._detail.setVisible(bool(detail))


class VersionsSection(QWidget):
    """Emits what the user wants; shows the texts it is given."""

    open_requested = Signal(object)  # SpanReference: the beginning of a stored text
    difference_requested = Signal(object)  # UUID of the document
    history_requested = Signal(object)  # UUID of the document
    schedule_chosen = Signal(object, object)  # UUID of the document; timedelta | None
    library_schedule_chosen = Signal(object)  # timedelta | None

    def __init__(self, check: QAction, parent: QWidget | None = None) -> None:
        """``check`` checks the selected document at once."""
        super().__init__(parent)
        self._texts: DocumentTexts | None = None
        self.changed = Notice()
        self._difference = push_button(self.tr("Show what changed"), "mini", "history")
        self._lines = [VersionLine() for _ in range(MOST_LISTED)]
        self._earlier = Label("", "body", "text3")
        self._check = push_button(check.text(), "mini", "download")
        self._check.setToolTip(plain_tooltip(f"{check.text()} ({check.shortcut().toString()})"))
        self._history = push_button(self.tr("What happened"), "mini")
        self._every_name = Label(self.tr("Automatic check"), "body", "text3")
        self._every_name.setMinimumWidth(grown(FACT_NAME))
        self._every = push_button("", "mini", "chevron-down")
        self._connect(check)
        self._lay_out()

    def _connect(self, check: QAction) -> None:
        self._check.clicked.connect(check.trigger)
        check.changed.connect(lambda: self._check.setEnabled(check.isEnabled()))
        self._difference.clicked.connect(lambda: self._ask(self.difference_requested))
        self._history.clicked.connect(lambda: self._ask(self.history_requested))
        self._every.clicked.connect(self._choose)
        for line in self._lines:
            line.opened.connect(self._open)

    def _lay_out(self) -> None:
        lines = column(self, spacing=SPACE_XS)
        self.changed.lines.addSpacing(SPACE_S)
        self.changed.lines.addWidget(self._difference, 0, Qt.AlignmentFlag.AlignLeft)
        lines.addWidget(self.changed)
        texts = column(margins=(0, SPACE_XS, 0, 0))
        for line in self._lines:
            texts.addWidget(line)
        lines.addLayout(texts)
        lines.addWidget(self._earlier)
        lines.addSpacing(SPACE_S)
        lines.addLayout(button_row(leading=[self._check, self._history]))
        lines.addSpacing(SPACE_XS)
        lines.addLayout(button_row(leading=[self._every_name, self._every], spacing=SPACE_M))

    # -- What is shown ----------------------------------------------------------------------------------------

    def show_texts(self, texts: "DocumentTexts") -> None:
        """Show what became of a document, the newest text first."""
        self._texts = texts
        newest = texts.versions[::-1]
        for line, version in zip(self._lines, newest, strict=False):
            line.show_version(version)
        for at, line in enumerate(self._lines):
            line.setVisible(at < len(newest))
        more = len(newest) - MOST_LISTED
        self._earlier.setText(
            self.tr("and {0} before").format(counted(more, self.tr("text"), self.tr("texts")))
        )
        self._earlier.setVisible(more > 0)
        self._show_change(texts)
        same = texts.own is None
        self._every.setText(every_words(texts.library if same else texts.own))
        self._every.setAccessibleName(self.tr("Checked automatically: {0}").format(self._every.text()))
        self._every.setToolTip(self.tr("As often as all documents") if same else self.tr("For this document"))

    def offer_checks(self, offered: bool) -> None:
        """Offer to look for a changed page, now and automatically; what is in the bin is not checked."""
        for part in (self._check, self._every_name, self._every):
            part.setVisible(offered)

    def _show_change(self, texts: "DocumentTexts") -> None:
        """Say that it is not as it was, with the way to what changed."""
        shown = texts.shown
        self.changed.setVisible(len(texts.versions) > 1 and shown is not None)
        if shown is None:
            return
        if shown.reason == "reread":
            headline = self.tr("Its copy was read again, and its text differs")
        elif shown.number == 1:
            headline = self.tr("An earlier text is shown")
        else:
            headline = self.tr("This document changed")
        kept = self.tr("{0}. The earlier text is kept, with your citations from it.")
        kept = kept.format(long_time(shown.fetched_at))
        self.changed.show_notice("history", "accent_text", "accent_soft", headline, kept)

    # -- What is wanted ---------------------------------------------------------------------------------------

    def _ask(self, signal: SignalInstance) -> None:
        if self._texts is not None:
            signal.emit(self._texts.document_id)

    def _open(self, version: "TextVersion") -> None:
        if self._texts is not None:
            self.open_requested.emit(SpanReference(self._texts.document_id, version.id, 0, 0))

    def _choose(self) -> None:
        if self._texts is None:
            return
        document_id = self._texts.document_id
        menu = schedule_menu(
            self,
            self._texts,
            lambda every: self.schedule_chosen.emit(document_id, every),
            self.library_schedule_chosen.emit,
        )
        open_below(menu, self._every)


_HISTORY_SIZE = (560, 520)
MOST_EVENTS = 200


class HistoryDialog(QDialog):
    """Stands beside the window, which goes on working."""

    def __init__(self, history: "DocumentHistory", parent: QWidget | None = None) -> None:
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
        area = scroll_area(inner, name=self.windowTitle(), focusable=True)
        close = push_button(self.tr("Close"))
        close.clicked.connect(self.reject)
        head = Panel("raised", bottom_line=True)
        column(head, (SPACE_XL, SPACE_L, SPACE_XL, SPACE_M)).addWidget(
            ElidedLabel(title, "title", "text", SEMIBOLD)
        )
        whole = column(self)
        whole.addWidget(head)
        whole.addWidget(area, 1)
        whole.addWidget(dialog_foot(close))
        area.setFocus()  # the arrow keys scroll
