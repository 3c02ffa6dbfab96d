"""The list of results with its commands: on keys, in menus, and as buttons in the selected row."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from uuid import UUID

from PySide6.QtCore import QCoreApplication, QEvent, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QGuiApplication, QHideEvent, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from webrag_desktop.gui.data.view_data import AlsoIn, CitationRow, Passage, ResultGroup, SearchResults
from webrag_desktop.gui.kit.shortcuts import COPY_LINK, commands_of, is_kept, key_of, run_key
from webrag_desktop.gui.kit.theme.direction import isolated, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.widgets.popups import add_command, open_for_row
from webrag_desktop.gui.library.document_actions import (
    add_copy_link,
    copy_document_links,
    copy_span_links,
)
from webrag_desktop.gui.research.passage_layout import more_button
from webrag_desktop.gui.research.passage_tree import PassageTree
from webrag_desktop.gui.research.results_model import Order, ResultRole
from webrag_desktop.text.citation_formats import PLAIN_TEXT
from webrag_desktop.text.links import is_web

Run = Callable[[str], None]
Open = Callable[[AlsoIn], None]
_MOST_DOCUMENTS, _MOST_NAME = 8, 320  # entries; pixels


def passage_menu(
    parent: QWidget,
    group: ResultGroup,
    passage: Passage,
    number: int | None,
    shows_reasons: bool,
    run: Run,
    open_other: Open,
) -> QMenu:
    """The menu of a passage; ``run`` gets the command chosen, ``open_other`` a document that says nearly the same."""
    menu = QMenu(parent)
    cite = _tr("Cite") if number is None else _tr("Remove citation {0}").format(number)
    add_command(menu, "text-quote", cite, key_of("results", "cite"), lambda: run("cite"))
    add_command(menu, "book-open", _tr("Open in the reader"), key_of("results", "open"), lambda: run("open"))
    if passage.whole is not None:
        add_command(menu, "", _tr("Ask about this passage"), "", lambda: run("ask"))
    menu.addSeparator()
    add_command(menu, "copy", _tr("Copy quote"), key_of("results", "copy"), lambda: run("copy"))
    add_command(
        menu,
        "copy",
        _tr("Copy quote with reference"),
        key_of("results", "copy_reference"),
        lambda: run("copy_reference"),
    )
    add_copy_link(menu, lambda: run(COPY_LINK))
    if is_web(group.address):
        add_command(menu, "external-link", _tr("Open in browser"), "", lambda: run("browse"))
    _add_documents(menu, passage.also_in, open_other)
    menu.addSeparator()
    _add_reasons(menu, shows_reasons, run)
    return menu


def group_menu(parent: QWidget, is_open: bool, shows_reasons: bool, run: Run) -> QMenu:
    """The menu of a document."""
    menu = QMenu(parent)
    back, on = key_of("results", "close"), key_of("results", "enter")
    if parent.isRightToLeft():
        back, on = on, back
    if is_open:
        add_command(menu, "chevron-right", _tr("Close"), back, lambda: run("close"))
    else:
        add_command(menu, "chevron-down", _tr("Open"), on, lambda: run("enter"))
    add_command(menu, "", _tr("Open all documents"), "", lambda: run("expand_all"))
    add_command(menu, "", _tr("Close all documents"), "", lambda: run("collapse_all"))
    add_copy_link(menu, lambda: run(COPY_LINK))
    menu.addSeparator()
    _add_reasons(menu, shows_reasons, run)
    return menu


def _add_documents(menu: QMenu, documents: Sequence[AlsoIn], open_other: Open) -> None:
    """Add an entry for each of the first of these documents."""
    if documents:
        menu.addSeparator()
        menu.setToolTipsVisible(True)
    for one in documents[:_MOST_DOCUMENTS]:
        name = menu.fontMetrics().elidedText(one.name, Qt.TextElideMode.ElideRight, grown(_MOST_NAME))
        text = _tr("Open “{0}”").format(isolated(name)).replace("&", "&&")
        add_command(menu, "book-open", text, "", partial(open_other, one))
        menu.actions()[-1].setToolTip(plain_tooltip(f"{one.title}\n{one.address}"))


def _add_reasons(menu: QMenu, shown: bool, run: Run) -> None:
    action = menu.addAction(_tr("Show reasons for every passage"))
    action.setCheckable(True)
    action.setChecked(shown)
    action.triggered.connect(lambda _checked: run("reasons"))


def _tr(text: str) -> str:
    return QCoreApplication.translate("ResultMenus", text)


_KEYS = commands_of("results")
_MIRRORED_KEYS = {**_KEYS, "Left": _KEYS["Right"], "Right": _KEYS["Left"]}


class ResultList(PassageTree):
    """Moves of the user emit ``passage_selected``; what :meth:`select_passage` selects does not."""

    passage_selected = Signal(object)  # Passage
    preview_requested = Signal(object)  # Passage
    open_requested = Signal(object)  # Passage
    cite_toggled = Signal(object)  # Passage
    browser_requested = Signal(object)  # Passage
    other_requested = Signal(object, object)  # Passage, and the AlsoIn of it to open
    ask_requested = Signal(object)  # SelectedText
    copied = Signal(str)  # a sentence that says so
    reasons_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Results"))
        self.chosen.connect(self._emit_selected)
        self.double_clicked.connect(lambda index: self.open_requested.emit(index.data(ResultRole.PASSAGE)))
        self.delegate.pressed.connect(self._press_button)
        self._quiet = False

    # -- What is shown --------------------------------------------------------------------------------------------

    def show_results(self, results: SearchResults | None, selected: UUID | None = None) -> None:
        """Show results. The passage of that id stays selected; if it is gone the first is selected and emitted."""
        self.paint_gradually()
        self.delegate.use_measured(results)
        self.delegate.is_dimmed = False
        self.results.show(results)
        kept = self.results.reveal(selected) if selected else QModelIndex()
        current = kept if kept.isValid() else next(self.results.passage_indexes(), QModelIndex())
        self.delegate.opened = QPersistentModelIndex(current)  # before rows are measured: once is enough
        self.expandAll()
        self.setCurrentIndex(current)
        if kept.isValid():
            self.reveal_current()
        else:
            self.scrollToTop()
            self.chosen.emit(current)

    def set_citations(self, citations: Sequence[CitationRow]) -> None:
        """Number the passages that are cited."""
        self.results.set_citations(citations)
        self.scheduleDelayedItemsLayout()  # the open row's buttons have other words

    def set_order(self, order: Order) -> None:
        """Order the passages of each document; the current one stays in sight."""
        self.results.set_order(order)
        self.reveal_current()

    def set_shows_reasons(self, shown: bool) -> None:
        """Say for every passage, or for the selected one alone, why it was found."""
        if shown != self.delegate.shows_reasons:
            self.delegate.shows_reasons = shown
            self.lay_out_again()
            self.reasons_toggled.emit(shown)

    def set_dimmed(self, dimmed: bool) -> None:
        """Show that these do not answer what was asked last."""
        self.delegate.is_dimmed = dimmed
        self.viewport().update()

    def passage(self) -> Passage | None:
        """The selected passage."""
        found: Passage | None = self.currentIndex().data(ResultRole.PASSAGE)
        return found

    def select_passage(self, chunk_id: UUID) -> bool:
        """Select a passage without emitting a signal; False where it is not among the results."""
        index = self.results.reveal(chunk_id)
        if index.isValid():
            self._quiet = True
            self.setCurrentIndex(index)
            self._quiet = False
        return index.isValid()

    def _emit_selected(self, index: QModelIndex) -> None:
        passage = index.data(ResultRole.PASSAGE)
        if passage is not None and not self._quiet:
            self.passage_selected.emit(passage)

    # -- Commands -------------------------------------------------------------------------------------------------

    def run(self, command: str) -> None:
        """Run the command of a key, a menu entry or a button on the current row."""
        moves: dict[str, Callable[[], None]] = {
            "down": lambda: self.step(backwards=False),
            "up": lambda: self.step(backwards=True),
            "close": self.close_or_leave,
            "enter": self.open_or_enter,
            "expand_all": self.expandAll,
            "collapse_all": self._collapse_all,
            "reasons": lambda: self.set_shows_reasons(not self.delegate.shows_reasons),
        }
        passage, group = self.passage(), self.currentIndex().data(ResultRole.GROUP)
        if command in moves:
            moves[command]()
        elif passage is not None:
            self._run_on(command, passage, group)
        elif command == "open" and self.currentIndex().data(ResultRole.MORE) is not None:
            self.show_more(self.currentIndex())
        elif command == "open" and group is not None:
            self.setExpanded(self.currentIndex(), not self.isExpanded(self.currentIndex()))
        elif command == COPY_LINK and group is not None:
            self.copied.emit(copy_document_links([group.document_id]))

    def _run_on(self, command: str, passage: Passage, group: ResultGroup) -> None:
        from webrag_desktop.gui.data.answers import SelectedText

        if command == "open":
            self.open_requested.emit(passage)
        elif command == "preview":
            self.preview_requested.emit(passage)
        elif command == "cite":
            self.cite_toggled.emit(passage)
        elif command == "browse":
            self.browser_requested.emit(passage)
        elif command == "more" and self.delegate.has_more(self.currentIndex()):
            self.delegate.toggle_whole(passage)
            self.lay_out_again()
            self.viewport().update()
        elif command == "ask" and passage.whole is not None:
            self.ask_requested.emit(SelectedText(passage.whole, passage.text))
        elif command == "copy":
            self._copy(passage.quote, self.tr("Quote copied."))
        elif command == COPY_LINK:
            self.copied.emit(copy_span_links([passage.span]))
        elif command == "copy_reference":
            text = PLAIN_TEXT.quotation(group.quotation(passage))
            self._copy(text, self.tr("Quote copied with its reference."))

    def _copy(self, text: str, sentence: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.copied.emit(sentence)

    def _collapse_all(self) -> None:
        current = self.currentIndex()
        self.setCurrentIndex(current.parent() if current.parent().isValid() else current)
        self.collapseAll()

    def _press_button(self, command: str, row: QPersistentModelIndex) -> None:
        if row == self.currentIndex():
            self.run(command)

    # -- Keys and menu --------------------------------------------------------------------------------------------

    def hideEvent(self, event: QHideEvent) -> None:
        """Keep no pictures of rows that nobody sees."""
        super().hideEvent(event)
        self.delegate.forget_pictures()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Taking the keyboard focus selects, without a signal."""
        self._quiet = True
        super().focusInEvent(event)
        self._quiet = False

    def _keys(self) -> Mapping[str, str]:
        return _MIRRORED_KEYS if self.isRightToLeft() else _KEYS

    def event(self, event: QEvent) -> bool:
        """Keep the list's keys from the window's shortcuts while the list has the keyboard."""
        return is_kept(event, self._keys()) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run a command or move; leave other letters to the window."""
        if not run_key(event, self._keys(), self.run):
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the menu of the current row."""
        menu = self.menu()
        if menu is not None:
            open_for_row(menu, self, event)

    def menu(self) -> QMenu | None:
        """The menu of the current row."""
        index = self.currentIndex()
        group = index.data(ResultRole.GROUP)
        if group is None:
            return None
        shows = self.delegate.shows_reasons
        if index.data(ResultRole.MORE) is not None:
            menu = QMenu(self)
            add_command(
                menu, "chevron-down", index.data(), key_of("results", "open"), lambda: self.run("open")
            )
        elif index.data(ResultRole.PASSAGE) is None:
            menu = group_menu(self, self.isExpanded(index), shows, self.run)
        else:
            passage, number = index.data(ResultRole.PASSAGE), index.data(ResultRole.NUMBER)
            open_other = partial(self.other_requested.emit, passage)
            menu = passage_menu(self, group, passage, number, shows, self.run, open_other)
            if self.delegate.has_more(index):
                button = more_button(is_whole=self.delegate.is_whole(passage))
                add_command(
                    menu, button.icon, button.text, key_of("results", "more"), lambda: self.run("more")
                )
        return menu
