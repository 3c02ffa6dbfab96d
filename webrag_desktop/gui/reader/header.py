"""The reader's header: title, origin and matches; below it a note where a newer text exists."""

from datetime import datetime

from PySide6.QtCore import QCoreApplication, QDate, QLocale, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.kit.shortcuts import key_of
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.painting import icon
from webrag_desktop.gui.kit.theme.tokens import PANE_HEADER_HEIGHT, PANE_INSET, SPACE_M, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import name_tool, push_button, tool_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, label
from webrag_desktop.gui.kit.widgets.panes import Panel, row
from webrag_desktop.text.links import is_web

_ICON = 16
_GAPS = PANE_INSET + 10 + 2 * SPACE_S + SPACE_M + 2 * SPACE_XS


def day(moment: datetime, *, year: bool = True) -> str:
    """A date as it is said: ``3 October 2026``; without ``year`` the present year is left out."""
    local = moment.astimezone()
    date = QDate(local.year, local.month, local.day)
    short = not year and date.year() == QDate.currentDate().year()
    return QLocale().toString(date, "d MMMM" if short else "d MMMM yyyy")


def match_words(current: int | None, total: int, *, full: bool) -> str:
    """``1 of 9 matches``, or shorter in the pane."""
    said = QCoreApplication.translate
    if not total:
        return ""
    if current is None:
        return said("Reader", "1 match") if total == 1 else said("Reader", "{0} matches").format(total)
    words = said("Reader", "{0} of {1}").format(current + 1, total)
    if not full:
        return words
    many = said("Reader", "{0} of {1} match") if total == 1 else said("Reader", "{0} of {1} matches")
    return many.format(current + 1, total)


def header_height() -> int:
    """The height of the reader's head, and of the outline's beside it."""
    return grown(PANE_HEADER_HEIGHT) + 2


class ReaderHeader(Panel):
    """Title, place and date at the left; matches, zoom, and where to go from here at the right."""

    outline_toggled = Signal(bool)
    previous_requested = Signal()
    next_requested = Signal()
    zoom_requested = Signal(int)
    find_requested = Signal()
    cite_requested = Signal()
    browser_requested = Signal()
    full_requested = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        """Start with nothing to read, as a pane."""
        super().__init__("surface", bottom_line=True, parent=parent)
        self._full = False
        self._document: ReaderDocument | None = None
        self._title = ElidedLabel("", "body", "text", SEMIBOLD)
        self._place = ElidedLabel("", "small", "text3")
        self._copied = ElidedLabel("", "small", "text3")
        self._count = label("", "small", "text2", figures=True)
        self._outline = tool_button(
            "table-of-contents", self.tr("Outline"), key_of("reader", "outline"), checkable=True, size=_ICON
        )
        self._outline.setChecked(True)
        self._previous = tool_button(
            "arrow-up", self.tr("Previous match"), key_of("reader", "previous_match"), size=_ICON
        )
        self._next = tool_button(
            "arrow-down", self.tr("Next match"), key_of("reader", "next_match"), size=_ICON
        )
        self._smaller = tool_button(
            "zoom-out", self.tr("Smaller text"), key_of("reader", "smaller"), size=_ICON
        )
        self._larger = tool_button("zoom-in", self.tr("Larger text"), key_of("reader", "larger"), size=_ICON)
        self._find = tool_button("search", self.tr("Find in this text"), key_of("reader", "find"), size=_ICON)
        self._cite = tool_button(
            "text-quote", self.tr("Cite selection"), key_of("reader", "cite"), size=_ICON
        )
        self._browser = tool_button(
            "external-link", self.tr("Open in browser"), key_of("window", "browse"), size=_ICON
        )
        self._toggle = tool_button("chevrons-up-down", "", size=_ICON)
        self._lay_out()
        self._connect()
        self.show_document(None)

    def _lay_out(self) -> None:
        self.setMinimumHeight(header_height())
        layout = self._line = row(self, (PANE_INSET, 0, 10, 1), 2)
        layout.addWidget(self._outline)
        layout.addSpacing(SPACE_XS)
        layout.addWidget(self._title)
        for detail in (self._place, self._copied):
            layout.addSpacing(SPACE_S)
            layout.addWidget(detail)
        layout.addStretch(1)
        layout.addSpacing(SPACE_M)
        layout.addWidget(self._count)
        layout.addSpacing(SPACE_XS)
        for button in self._buttons():
            layout.addWidget(button)

    def _buttons(self) -> list[QWidget]:
        return [
            self._previous,
            self._next,
            self._smaller,
            self._larger,
            self._find,
            self._cite,
            self._browser,
            self._toggle,
        ]

    def tab_stops(self) -> list[QWidget]:
        """What the keyboard stops at, in order."""
        return [self._outline, *self._buttons()]

    def _connect(self) -> None:
        self._outline.toggled.connect(self.outline_toggled)
        self._previous.clicked.connect(self.previous_requested)
        self._next.clicked.connect(self.next_requested)
        self._smaller.clicked.connect(lambda: self.zoom_requested.emit(-1))
        self._larger.clicked.connect(lambda: self.zoom_requested.emit(1))
        self._find.clicked.connect(self.find_requested)
        self._cite.clicked.connect(self.cite_requested)
        self._browser.clicked.connect(self.browser_requested)
        self._toggle.clicked.connect(lambda: self.full_requested.emit(not self._full))

    # -- What it shows ----------------------------------------------------------------------------------------

    def show_document(self, document: ReaderDocument | None) -> None:
        """Show the document that is read; None: nothing."""
        self._document = document
        there = document is not None
        for button in (self._smaller, self._larger, self._find):
            button.setEnabled(there)
        self._browser.setEnabled(document is not None and is_web(document.address))
        self.set_title(document.title if document is not None else "")
        self.show_matches(None, 0)
        self.set_selection(selected=False)
        self.set_full(self._full)

    def set_title(self, title: str) -> None:
        """Change the title alone, while its document is on the way."""
        self._title.setText(title or self.tr("Reader"))

    def show_matches(self, current: int | None, total: int) -> None:
        """Show the number of the current match and their count."""
        self._count.setText(match_words(current, total, full=self._full))
        self._previous.setEnabled(total > 0)
        self._next.setEnabled(total > 0)
        self._count.setVisible(total > 0)
        self._current, self._total = current, total

    def set_selection(self, *, selected: bool) -> None:
        """Citing needs something selected."""
        self._cite.setEnabled(selected)

    def set_full(self, full: bool) -> None:
        """Have the tools of the full reader, or those of the pane."""
        self._full = full
        document = self._document
        copied = ""
        if document is not None:
            copied = self.tr("copy of {0}").format(day(document.fetched_at))
        self._place.setText(document.place if document is not None else "")
        self._copied.setText(copied)
        self._show_details()
        for button in (self._smaller, self._larger):
            button.setVisible(full)
        self._outline.setVisible(full and document is not None and bool(document.outline))
        self._toggle.setIcon(icon("x" if full else "chevrons-up-down"))
        name = self.tr("Close the full reader") if full else self.tr("Open in full")
        name_tool(self._toggle, name, key_of("reader", "escape" if full else "open"))
        self._toggle.setEnabled(full or document is not None)
        self.show_matches(self._current, self._total)
        self._title.setToolTip(
            plain_tooltip(f"{document.title}\n{document.place}, {copied}") if document is not None else ""
        )

    def _show_details(self) -> None:
        """Say place and date in full, or, where that takes room from the title, not at all: its tooltip has them."""
        details = [self._place, self._copied]
        shown = [part for part in (*self._buttons(), self._outline, self._count) if not part.isHidden()]
        needed = sum(part.sizeHint().width() for part in (self._title, *details))
        needed += sum(part.sizeHint().width() + self._line.spacing() for part in shown) + _GAPS
        for detail in details:
            detail.setVisible(self._full and bool(detail.text()) and needed <= self.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out what there is no room for."""
        super().resizeEvent(event)
        self._show_details()

    @property
    def wants_outline(self) -> bool:
        """Whether the user wants to see the outline."""
        return self._outline.isChecked()

    def toggle_outline(self) -> None:
        """Show or hide the outline, as its button does."""
        self._outline.toggle()


class OlderTextNote(Panel):
    """Shown only where there is a newer text, or the document was removed."""

    difference_requested = Signal(object, object)  # UUIDs of the document and of the text that is read

    def __init__(self, parent: QWidget | None = None) -> None:
        """Begin hidden."""
        super().__init__("sunken", bottom_line=True, parent=parent)
        self.words = label("", "small", "text2", wrap=True)
        self.difference = push_button(self.tr("Show what changed"), "link")
        self.difference.clicked.connect(self._ask)
        self._document: ReaderDocument | None = None
        line = row(self, (PANE_INSET, 3, PANE_INSET, 4), SPACE_M)
        line.addWidget(self.words, 1)
        line.addWidget(self.difference)
        self.hide()

    def show_document(self, document: ReaderDocument) -> None:
        """Show which copy is read, if there is a newer one, or its document is in the bin."""
        self._document = document
        words = self.tr("This is your copy of {0}. A newer one exists.")
        if document.in_bin:
            words = self.tr("This document is in the bin. It is your copy of {0}.")
        self.words.setText(words.format(day(document.fetched_at, year=False)))
        self.difference.setVisible(not document.in_bin)
        self.setVisible(document.in_bin or not document.current)

    def _ask(self) -> None:
        if self._document is not None:
            self.difference_requested.emit(self._document.document_id, self._document.version_id)
