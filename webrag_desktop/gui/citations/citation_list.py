"""The list of citations with its keys, menus, buttons and dragging, and the pane around it."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget

from webrag_desktop.gui.citations.citation_delegate import CitationDelegate, CitationRole, CitationsModel
from webrag_desktop.gui.data.view_data import CitationRow, CitationState, SpanReference
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.rows.lists import OpeningList
from webrag_desktop.gui.kit.shortcuts import COPY_LINK, commands_of, key_cap, key_of
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.panes import PaneHeader, Panel, column
from webrag_desktop.gui.kit.widgets.popups import add_command, open_below
from webrag_desktop.gui.library.document_actions import (
    add_copy_link,
    copy_span_links,
)
from webrag_desktop.text.citation_formats import FORMATS, IN_MENUS, PLAIN_TEXT, CitationFormat


class CitationRows(OpeningList):
    """Citations that can be dragged to another place."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.delegate = CitationDelegate(self)
        self.citations = CitationsModel(self)
        self.show_rows(self.citations, self.delegate)
        self.setAutoScroll(False)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)

    @property
    def row_delegate(self) -> CitationDelegate:
        """What draws the rows."""
        return self.delegate


Run = Callable[[str], None]


def citation_menu(parent: QWidget, citation: CitationRow, last: bool, run: Run) -> QMenu:
    """The menu of a citation; ``run`` gets the command chosen. A link is offered where there is one."""
    menu = QMenu(parent)
    if citation.version_id is not None:
        add_command(
            menu, "book-open", _tr("Open in the reader"), key_of("citations", "open"), lambda: run("open")
        )
        if citation.state is not CitationState.EXACT and citation.document_id is not None:
            add_command(menu, "history", _tr("Show what changed"), "", lambda: run("difference"))
        menu.addSeparator()
    add_command(menu, "copy", _tr("Copy quote"), key_of("citations", "copy"), lambda: run("copy"))
    for form in IN_MENUS:
        keys = key_of("citations", "copy_text") if form is IN_MENUS[0] else ""
        add_command(menu, "", _tr("Copy as {0}").format(form.label), keys, partial(run, f"copy_{form.name}"))
    if citation.link:
        add_command(menu, "", _tr("Copy as link"), "", lambda: run("reference_link"))
    if span_of(citation) is not None:
        add_copy_link(menu, lambda: run(COPY_LINK))
    references = menu.addMenu(_tr("Copy reference"))
    _add_references(references, citation, run)
    menu.addSeparator()
    if citation.number > 1:
        add_command(menu, "arrow-up", _tr("Move up"), key_of("citations", "move_up"), lambda: run("move_up"))
    if not last:
        add_command(
            menu, "arrow-down", _tr("Move down"), key_of("citations", "move_down"), lambda: run("move_down")
        )
    add_command(menu, "trash-2", _tr("Remove"), key_of("citations", "remove"), lambda: run("remove"))
    return menu


def reference_menu(parent: QWidget, citation: CitationRow, run: Run) -> QMenu:
    """The forms in which a reference can be copied."""
    menu = QMenu(parent)
    _add_references(menu, citation, run)
    return menu


def _add_references(menu: QMenu, citation: CitationRow, run: Run) -> None:
    for form in IN_MENUS:
        add_command(menu, "", _tr("As {0}").format(form.label), "", partial(run, f"reference_{form.name}"))
    if citation.link:
        add_command(menu, "", _tr("As link"), "", lambda: run("reference_link"))


def span_of(citation: CitationRow) -> SpanReference | None:
    """What the citation quotes, where the library still has it."""
    if citation.document_id is None or citation.version_id is None:
        return None
    return SpanReference(citation.document_id, citation.version_id, citation.char_start, citation.char_end)


def _how_to_cite() -> str:
    return _tr("Press {0} on a passage to cite it.").format(key_cap(key_of("results", "cite")))


def _tr(text: str) -> str:
    return QCoreApplication.translate("CitationMenus", text)


class CitationList(CitationRows):
    """Moves of the user emit ``citation_selected``. Nothing is moved or removed here: it is asked for."""

    keys = commands_of("citations")
    citation_selected = Signal(object)  # CitationRow
    open_requested = Signal(object)  # CitationRow
    difference_requested = Signal(object)  # CitationRow: what changed since it was cited
    remove_requested = Signal(object)  # UUID
    move_requested = Signal(object)  # CitationMove
    copied = Signal(str)  # a sentence that says so

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Citations"))
        self.citations.move_requested.connect(self.move_requested)
        self.chosen.connect(lambda index: self.citation_selected.emit(index.data(CitationRole.CITATION)))
        self.double_clicked.connect(lambda: self.run("open"))
        self.delegate.pressed.connect(self._press_button)

    # -- What is shown --------------------------------------------------------------------------------------------

    def show_citations(self, rows: tuple[CitationRow, ...]) -> None:
        """Show the citations. The selected one stays so, one just added is selected, else who takes its place."""
        known = {row.id for row in self.citations.rows}
        added = [row for row in rows if row.id not in known] if known else []
        current, at = self.citation(), self.currentIndex().row()
        wanted = added[-1] if added else current
        self.quiet = True
        self.citations.show(rows)
        index = self.citations.find(wanted.id) if wanted is not None else QModelIndex()
        if not index.isValid() and at >= 0:
            index = self.citations.index(min(at, len(rows) - 1))
        self.setCurrentIndex(index)
        self.quiet = False
        self.scheduleDelayedItemsLayout()

    def citation(self) -> CitationRow | None:
        """The selected citation."""
        found: CitationRow | None = self.currentIndex().data(CitationRole.CITATION)
        return found

    def show_selected(self, number: int) -> None:
        """Select a citation without emitting a signal."""
        self.quiet = True
        self.setCurrentIndex(self.citations.index(number - 1))
        self.quiet = False

    def select_number(self, number: int) -> None:
        """Select a citation and emit the signal, even if it is selected already."""
        index = self.citations.index(number - 1)
        if not index.isValid():
            return
        if index == self.currentIndex():
            self.emit_chosen(index)
        self.setCurrentIndex(index)

    # -- Commands -------------------------------------------------------------------------------------------------

    def run(self, command: str) -> None:
        """Run the command of a key, a menu entry or a button on the current row."""
        citation, at = self.citation(), self.currentIndex().row()
        if command.startswith("number "):
            self.select_number(int(command.removeprefix("number ")))
        elif command in {"down", "up"}:
            self.step(1 if command == "down" else -1)
        elif citation is None:
            return
        elif command == "open":
            self.open_requested.emit(citation)
        elif command == "difference":
            self.difference_requested.emit(citation)
        elif command == "remove":
            self.remove_requested.emit(citation.id)
        elif command in {"move_up", "move_down"}:
            self.citations.request_move(citation.id, at - 1 if command == "move_up" else at + 2)
        elif command == COPY_LINK:
            if (span := span_of(citation)) is not None:
                self.copied.emit(copy_span_links([span]))
        else:
            self._copy(command, citation)

    def _copy(self, command: str, citation: CitationRow) -> None:
        what, _, name = command.partition("_")
        if command == "copy":
            text, sentence = citation.quote, self.tr("Quote copied.")
        elif name == "link":
            text, sentence = citation.link or "", self.tr("Link copied.")
        else:
            form = FORMATS[name]
            is_usual = form is IN_MENUS[0]
            if what == "copy":
                text = form.quotation(citation)
                usual, other = self.tr("Quote copied with its reference."), self.tr("Quote copied as {0}.")
            else:
                text = form.reference(citation)
                usual, other = self.tr("Reference copied."), self.tr("Reference copied as {0}.")
            sentence = usual if is_usual else other.format(form.label)
        QGuiApplication.clipboard().setText(text)
        self.copied.emit(sentence)

    def _press_button(self, command: str, row: QPersistentModelIndex) -> None:
        index = self.citations.index(row.row())
        if index != self.currentIndex():
            self.setCurrentIndex(index)
        if command != "reference":
            self.run(command)
            return
        citation, where = self.citation(), self.delegate.button_rect(index, "reference")
        if citation is not None and where is not None:
            menu = reference_menu(self, citation, self.run)
            open_below(menu, self.viewport(), where.adjusted(0, 0, 0, 2).toRect())

    def menu(self) -> QMenu | None:
        """The menu of the current row."""
        citation = self.citation()
        if citation is None:
            return None
        last = self.currentIndex().row() + 1 == self.citations.rowCount()
        return citation_menu(self, citation, last, self.run)


class CitationsView(Panel):
    """Shows the citations it is given; another order or a removal is only asked for. None take one line."""

    citation_selected = Signal(object)  # CitationRow
    open_requested = Signal(object)  # CitationRow
    remove_requested = Signal(object)  # UUID
    move_requested = Signal(object)  # CitationMove
    copied = Signal(str)  # a sentence that says what was copied

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("surface", parent=parent)
        self.list = CitationList()
        self._copy_all = push_button(self.tr("Copy all"), "bare", "copy")
        self._header = PaneHeader(self.tr("Citations"), [self._copy_all])
        layout = column(self)
        layout.addWidget(self._header)
        layout.addWidget(self.list, 1)
        layout.addStretch(0)
        for name in ("citation_selected", "open_requested", "remove_requested", "move_requested", "copied"):
            getattr(self.list, name).connect(getattr(self, name))
        self._copy_all.clicked.connect(self._choose_form)
        self.show_citations(())

    def show_citations(self, rows: Sequence[CitationRow]) -> None:
        """Show the citations in their order; the selected one stays selected."""
        self.list.show_citations(tuple(rows))
        self._header.set_detail(number(len(rows)) if rows else _how_to_cite())
        self._copy_all.setVisible(bool(rows))
        self.list.setVisible(bool(rows))

    def select_number(self, number: int) -> None:
        """Select citation ``number``, counting from 1; emits the signal even if it was selected already."""
        self.list.select_number(number)

    def show_selected(self, number: int) -> None:
        """Select citation ``number`` without emitting a signal."""
        self.list.show_selected(number)

    def focus_list(self) -> None:
        """Give the keyboard to the citations."""
        self.list.setFocus()

    def copy_all(self, form: CitationFormat = PLAIN_TEXT) -> None:
        """Copy every quote with its reference."""
        rows = self.list.citations.rows
        QGuiApplication.clipboard().setText(form.listed(rows))
        one, many = self.tr("One citation copied."), self.tr("{0} citations copied.")
        self.copied.emit(one if len(rows) == 1 else many.format(number(len(rows))))

    def copy_all_links(self) -> None:
        """Copy a link to each quote that the library still has, one a line."""
        spans = [span for row in self.list.citations.rows if (span := span_of(row)) is not None]
        self.copied.emit(copy_span_links(spans))

    def copy_all_menu(self) -> QMenu:
        """The forms in which all citations can be copied."""
        menu = QMenu(self.tr("Copy all citations"), self)
        for form in IN_MENUS:
            add_command(menu, "copy", self.tr("As {0}").format(form.label), "", partial(self.copy_all, form))
        if any(span_of(row) is not None for row in self.list.citations.rows):
            add_command(menu, "link", self.tr("As WebRAG links"), "", self.copy_all_links)
        return menu

    def _choose_form(self) -> None:
        menu = self.copy_all_menu()
        open_below(menu, self._copy_all)
