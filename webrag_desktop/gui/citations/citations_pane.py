"""The citations pane: what was cited, in order, with whether each quote still stands."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from webrag_desktop.gui.citations.citation_list import CitationList, span_of
from webrag_desktop.gui.data.view_data import CitationRow
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.empty_state import EmptyState
from webrag_desktop.gui.kit.widgets.layouts import column
from webrag_desktop.gui.kit.widgets.link_copying import copy_span_links
from webrag_desktop.gui.kit.widgets.pane_header import PaneHeader
from webrag_desktop.gui.kit.widgets.panel import Panel
from webrag_desktop.gui.kit.widgets.popup_menus import open_below
from webrag_desktop.gui.research.citation_text import all_as_markdown, all_as_text
from webrag_desktop.gui.research.result_menus import add_command


class CitationsView(Panel):
    """Shows the citations it is given; another order or a removal is only asked for."""

    citation_selected = Signal(object)  # CitationRow
    open_requested = Signal(object)  # CitationRow
    remove_requested = Signal(object)  # UUID
    move_requested = Signal(object)  # CitationMove
    copied = Signal(str)  # a sentence that says what was copied

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("surface", parent=parent)
        self.list = CitationList()
        self._empty = EmptyState(
            "text-quote", self.tr("No citations yet"), self.tr("Press C on a passage to cite it.")
        )
        self._copy_all = push_button(self.tr("Copy all"), "bare", "copy")
        self._header = PaneHeader(self.tr("Citations"), [self._copy_all])
        self._pages = QStackedWidget()
        layout = column(self)
        layout.addWidget(self._header)
        layout.addWidget(self._pages, 1)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.list)
        for name in ("citation_selected", "open_requested", "remove_requested", "move_requested", "copied"):
            getattr(self.list, name).connect(getattr(self, name))
        self._copy_all.clicked.connect(self._choose_form)
        self.show_citations(())

    def show_citations(self, rows: Sequence[CitationRow]) -> None:
        """Show the citations in their order; the selected one stays selected."""
        self.list.show_citations(tuple(rows))
        self._header.set_detail(number(len(rows)) if rows else "")
        self._copy_all.setVisible(bool(rows))
        self._pages.setCurrentWidget(self.list if rows else self._empty)

    def select_number(self, number: int) -> None:
        """Select citation ``number``, counting from 1; it is told also where it was selected already."""
        self.list.select_number(number)

    def show_selected(self, number: int) -> None:
        """Select citation ``number`` without telling."""
        self.list.show_selected(number)

    def focus_list(self) -> None:
        """Give the keyboard to the citations."""
        self.list.setFocus()

    def copy_all(self, *, markdown: bool = False) -> None:
        """Copy every quote with the list of references."""
        rows = self.list.citations.rows
        QGuiApplication.clipboard().setText(all_as_markdown(rows) if markdown else all_as_text(rows))
        one, many = self.tr("One citation copied."), self.tr("{0} citations copied.")
        self.copied.emit(one if len(rows) == 1 else many.format(number(len(rows))))

    def copy_all_links(self) -> None:
        """Copy a link to each quote that the library still has, one a line."""
        spans = [span for row in self.list.citations.rows if (span := span_of(row)) is not None]
        self.copied.emit(copy_span_links(spans))

    def copy_all_menu(self) -> QMenu:
        """The forms in which all citations can be copied."""
        menu = QMenu(self)
        add_command(menu, "", self.tr("As text"), "", self.copy_all)
        add_command(menu, "", self.tr("As Markdown"), "", lambda: self.copy_all(markdown=True))
        if any(span_of(row) is not None for row in self.list.citations.rows):
            add_command(menu, "link", self.tr("As WebRAG links"), "", self.copy_all_links)
        return menu

    def _choose_form(self) -> None:
        menu = self.copy_all_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        open_below(menu, self._copy_all)
