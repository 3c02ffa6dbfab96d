"""The Library view: what there is, how far it is, and what is known of the document that is selected."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from webrag_desktop.gui.adding.drops import EmptyLibrary
from webrag_desktop.gui.data.import_report import BatchProgress
from webrag_desktop.gui.data.library import DocumentDetails, ListGroup
from webrag_desktop.gui.data.view_data import (
    DocumentNews,
    DocumentRow,
    Failure,
    LibraryFigures,
    Listing,
)
from webrag_desktop.gui.kit import quantities
from webrag_desktop.gui.kit.shortcuts import install, key_of
from webrag_desktop.gui.kit.theme.tokens import INSPECTOR_RANGE, INSPECTOR_WIDTH, SIDEBAR_WIDTH, WINDOW_SIZE
from webrag_desktop.gui.kit.widgets.buttons import push_button, tool_button
from webrag_desktop.gui.kit.widgets.messages import EmptyState
from webrag_desktop.gui.kit.widgets.panes import PaneHeader, Panel, Splitter, column
from webrag_desktop.gui.kit.widgets.popups import open_below
from webrag_desktop.gui.library import document_words as words
from webrag_desktop.gui.library.arranging import FilterField
from webrag_desktop.gui.library.document_list import DocumentList
from webrag_desktop.gui.library.inspector import Inspector
from webrag_desktop.gui.library.opening_page import OpeningPage
from webrag_desktop.gui.library.progress_strip import ProgressStrip
from webrag_desktop.gui.maintenance.move_strip import MoveStrip
from webrag_desktop.progress import SourceState

_LIST_LEAST = 420
_SHOWN, _HIDDEN = b"shown", b"hidden"


class LibraryView(QWidget):
    """Pages for opening, for an empty library and for documents; it emits what the user wants.

    ``document_selected`` is emitted again when the state of the selected document changed: its details did too.
    """

    listing_wanted = Signal(object)  # Listing
    narrowing_expected = Signal()  # the keyboard is in the filter
    rows_wanted = Signal(object)  # tuple[UUID, ...]
    document_selected = Signal(object)  # UUID | None: none, or several
    open_requested = Signal(object)  # UUID
    retry_requested = Signal(object)  # tuple[UUID, ...]
    retry_all_requested = Signal()
    reread_requested = Signal(object)  # tuple[UUID, ...]
    refresh_requested = Signal(object)  # tuple[UUID, ...]
    cancel_requested = Signal(object)  # tuple[UUID, ...]
    remove_requested = Signal(object)  # tuple[UUID, ...]
    restore_requested = Signal(object)  # tuple[UUID, ...]
    delete_requested = Signal(object)  # tuple[UUID, ...]: for good
    empty_requested = Signal()  # the bin
    labels_requested = Signal(object)  # tuple[UUID, ...]
    facts_requested = Signal(object)  # UUID
    browser_requested = Signal(str)
    page_look_requested = Signal(object)  # UUID
    pause_requested = Signal()
    resume_requested = Signal()
    cancel_all_requested = Signal()
    paste_requested = Signal()
    files_requested = Signal()
    failure_acted = Signal()
    copied = Signal(str)  # what was copied, in words

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.opening = OpeningPage()
        self.empty = EmptyLibrary()
        self.list = DocumentList()
        self.move_strip = MoveStrip()
        self.strip = ProgressStrip(below=self.list)
        self.inspector = Inspector(self.list.actions_)
        self._figures = LibraryFigures()
        self._waits = False  # whether the keyboard is here already, but no document yet
        self._shown_first: QWidget = self.list  # where the keyboard began on the page shown last
        self._nothing = EmptyState("library", "", "")
        self._make_documents_page()
        self._pages = QStackedWidget()
        for page in (self._documents, self.empty, self.opening):
            self._pages.addWidget(page)
        column(self).addWidget(self._pages)
        self.setAccessibleName(self.tr("Library"))
        self._connect()
        self._show_header()
        self._show_nothing()

    def menus(self) -> Iterator[tuple[str, QMenu]]:
        """A new menu of what can be done with the selected documents."""
        if self.list.isVisible():
            self.list.actions_.update()
            yield self.tr("Documents"), self.list.actions_.menu(self)

    def _make_documents_page(self) -> None:
        self.details_button = tool_button(
            "panel-right", self.tr("Details"), key_of("library", "details"), checkable=True
        )
        self.details_button.setChecked(True)
        self.filter = FilterField()
        self.arrange_button = tool_button("list-filter", self.tr("Groups and columns"))
        self.retry_all_button = push_button(self.tr("Retry all"), icon="rotate-cw")
        self.retry_all_button.hide()
        self.empty_bin_button = push_button(self.tr("Empty bin…"), "mini", "trash-2")
        self.empty_bin_button.hide()
        actions = [
            self.empty_bin_button,
            self.retry_all_button,
            self.filter,
            self.arrange_button,
            self.details_button,
        ]
        self.header = PaneHeader("", actions)
        self._body = QStackedWidget()
        self._body.addWidget(self.list)
        self._body.addWidget(self._nothing)
        left = Panel("surface")
        left.setMinimumWidth(_LIST_LEAST)
        lines = column(left)
        lines.addWidget(self.header)
        lines.addWidget(self.move_strip)
        lines.addWidget(self.strip)
        lines.addWidget(self._body, 1)
        self.inspector.setMinimumWidth(INSPECTOR_RANGE[0])
        self.inspector.setMaximumWidth(INSPECTOR_RANGE[1])
        width = WINDOW_SIZE[0] - SIDEBAR_WIDTH
        self._documents = Splitter(Qt.Orientation.Horizontal, [width - INSPECTOR_WIDTH, INSPECTOR_WIDTH])
        self._documents.addWidget(left)
        self._documents.addWidget(self.inspector)
        self._documents.setStretchFactor(0, 1)
        self._documents.setStretchFactor(1, 0)

    def _connect(self) -> None:
        actions, listed = self.list.actions_, self.list
        actions.open_requested.connect(self.open_requested)
        actions.browser_requested.connect(self.browser_requested)
        actions.page_look_requested.connect(self.page_look_requested)
        actions.retry_requested.connect(self.retry_requested)
        actions.reread_requested.connect(self.reread_requested)
        actions.refresh_requested.connect(self.refresh_requested)
        actions.cancel_requested.connect(self.cancel_requested)
        actions.remove_requested.connect(self.remove_requested)
        actions.restore_requested.connect(self.restore_requested)
        actions.delete_requested.connect(self.delete_requested)
        actions.empty_requested.connect(self.empty_requested)
        self.empty_bin_button.clicked.connect(self.empty_requested)
        actions.labels_requested.connect(self.labels_requested)
        actions.facts_requested.connect(self.facts_requested)
        actions.copied.connect(self.copied)
        listed.listing_wanted.connect(self.listing_wanted)
        listed.documents.rows_wanted.connect(self.rows_wanted)
        listed.documents.dataChanged.connect(lambda *_: self._show_selection())
        listed.chosen_changed.connect(self._select)
        self.filter.textChanged.connect(self._narrow)
        self.filter.entered.connect(self.narrowing_expected)
        self.filter.left_downwards.connect(self._leave_filter)
        self.arrange_button.clicked.connect(
            lambda: open_below(self.list.arrangement_menu(), self.arrange_button)
        )
        self.retry_all_button.clicked.connect(self.retry_all_requested)
        self.strip.pause_requested.connect(self.pause_requested)
        self.strip.resume_requested.connect(self.resume_requested)
        self.strip.cancel_requested.connect(self.cancel_all_requested)
        self.empty.zone.paste_requested.connect(self.paste_requested)
        self.empty.zone.files_requested.connect(self.files_requested)
        self.opening.acted.connect(self.failure_acted)
        self.details_button.toggled.connect(lambda _: self._show_inspector())
        for name, run in (("details", self.details_button.toggle), ("filter", self.focus_filter)):
            for key in install(self, "library", name, run):
                key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

    # -- Documents --------------------------------------------------------------------------------------------

    def show_listing(self, listing: Listing, keys: Sequence[int], groups: Sequence[ListGroup] = ()) -> None:
        """Show these documents in this order, or by these groups."""
        self.list.show_listing(listing, keys, groups)
        if not self.filter.hasFocus() and self.filter.text().strip() != listing.containing:
            self.filter.blockSignals(True)
            self.filter.setText(listing.containing)  # another list was chosen
            self.filter.blockSignals(False)
        self._show_documents()

    # -- Arranging --------------------------------------------------------------------------------------------

    def focus_filter(self) -> None:
        """Put the keyboard into the filter, its text selected."""
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def _narrow(self, text: str) -> None:
        self.list.ask(containing=text.strip())

    def _leave_filter(self) -> None:
        if self.list.documents.rowCount():
            if not self.list.chosen().count:
                self.list.choose(0)
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_rows(self, rows: Iterable[DocumentRow]) -> None:
        """Show rows that were asked for."""
        self.list.documents.show_rows(rows)

    def apply_news(self, news: Sequence[DocumentNews]) -> None:
        """Show a notification's news at once."""
        chosen = self.list.chosen_id
        before = self._state_of(chosen)
        self.list.apply_news(news)
        if any(one.state is None for one in news):
            self._show_documents()
        if chosen is not None and chosen == self.list.chosen_id and self._state_of(chosen) != before:
            self.document_selected.emit(chosen)

    def hide_documents(self, ids: Iterable[UUID]) -> None:
        """Leave documents out until :meth:`unhide_documents`: they are being removed."""
        self.list.hide_documents(ids)
        self._show_documents()

    def forget_documents(self, ids: Iterable[UUID]) -> None:
        """Take documents off the list: they are in the bin, or deleted. Another listing may hold them."""
        gone = tuple(ids)
        self.apply_news([DocumentNews(id_, None) for id_ in gone])
        self.unhide_documents(gone)

    def unhide_documents(self, ids: Iterable[UUID]) -> None:
        """Show documents again: they were not removed."""
        self.list.unhide_documents(ids)
        self._show_documents()

    def show_batch(self, batch: BatchProgress | None) -> None:
        """Show how the work is going."""
        self.strip.show_batch(batch)

    def show_figures(self, figures: LibraryFigures) -> None:
        """Know how much there is, to say so where a list is empty."""
        self._figures = figures
        self._show_header()
        self._show_nothing()

    def show_details(self, details: DocumentDetails | None) -> None:
        """Show what is known of the selected document; what is known of another comes too late."""
        if details is None or details.row.id == self.list.chosen_id:
            self.inspector.show_details(details)

    # -- Before there are documents ---------------------------------------------------------------------------

    def show_opening(self, title: str, step: str, share: float | None) -> None:
        """Show that the library is being made or opened."""
        self.opening.show_opening(title, step, share)
        self._show_page(self.opening)

    def show_failure(self, failure: Failure, action: str) -> None:
        """Show that the library cannot be opened."""
        self.opening.show_failure(failure, action)
        self._show_page(self.opening)

    # -- Selection --------------------------------------------------------------------------------------------

    def _select(self) -> None:
        self._show_selection()
        self.document_selected.emit(self.list.chosen_id)

    def _show_selection(self) -> None:
        chosen = self.list.chosen()
        known = chosen.count == len(chosen.rows)
        states = (
            words.states_counted([row.state for row in chosen.rows]) if known and chosen.count > 1 else ""
        )
        self.inspector.show_selection(chosen.count, chosen.single, states)

    def _state_of(self, document_id: UUID | None) -> SourceState | None:
        row = self.list.documents.document(document_id) if document_id is not None else None
        return row.state if row is not None else None

    # -- Pages ------------------------------------------------------------------------------------------------

    def _show_documents(self) -> None:
        """Show the list, or what it means that there is nothing in it."""
        count = self.list.documents.count
        self._show_header()
        self._show_nothing()
        self._body.setCurrentWidget(self.list if count else self._nothing)
        self._show_inspector()
        listing = self.list.listing
        empty = (
            count == 0 and listing.group == "all" and not listing.containing and not self.filter.hasFocus()
        )
        self._show_page(self.empty if empty else self._documents)

    def _show_header(self) -> None:
        listing = self.list.listing
        titles = {
            "all": self.tr("All documents"),
            "inbox": self.tr("Inbox"),
            "open": self.tr("In progress"),
            "opened": self.tr("Recently opened"),
            "attention": self.tr("Needs attention"),
            "collection": self._collection_name(listing),
            "site": listing.site or "",
            "tag": listing.tag or "",
            "bin": self.tr("Bin"),
        }
        count = self.list.documents.count
        self.retry_all_button.setVisible(listing.group == "attention" and count > 0)
        self.header.set_title(titles[listing.group])
        self.header.set_detail(quantities.documents(count) if count else "")
        self.empty_bin_button.setVisible(listing.group == "bin" and count > 0)

    def _collection_name(self, listing: Listing) -> str:
        return next((one.name for one in self._figures.collections if one.id == listing.collection), "")

    def _show_nothing(self) -> None:
        listing, ready = self.list.listing, self._figures.ready
        ready_words = self.tr("{0} can be searched.").format(quantities.documents(ready)) if ready else ""
        if listing.containing:
            title = self.tr("No document here is called “{0}”.").format(listing.containing)
            text = self.tr(
                "Titles, authors, sites, addresses and tags are looked through. Esc shows all again."
            )
            self._nothing.show_state("list-filter", title, text)
        elif listing.group == "open":
            self._nothing.show_state("circle-check", self.tr("Nothing is in progress."), ready_words)
        elif listing.group == "attention":
            self._nothing.show_state("circle-check", self.tr("Nothing needs attention."), ready_words)
        elif listing.group == "inbox":
            text = self.tr("What you add comes here until it is in a collection or has a tag.")
            self._nothing.show_state("inbox", self.tr("Everything is filed."), text)
        elif listing.group == "opened":
            self._nothing.show_state("clock", self.tr("You have opened nothing yet."), ready_words)
        elif listing.group == "collection":
            self._nothing.show_state(
                "folder", self.tr("Nothing here yet."), self.tr("Drop documents on its name.")
            )
        elif listing.group == "tag":
            title = self.tr("No document has the tag “{0}”.").format(listing.tag)
            self._nothing.show_state("tag", title, "")
        elif listing.group == "bin":
            text = self.tr("What you remove rests here for a while and can be restored.")
            self._nothing.show_state("trash-2", self.tr("The bin is empty."), text)
        else:
            title = self.tr("No documents from {0}.").format(listing.site)
            text = self.tr("Drop a link of this site anywhere to add it.")
            self._nothing.show_state("globe", title, text)

    def _show_inspector(self) -> None:
        listed = self._body.currentWidget() is self.list
        self.inspector.setVisible(self.details_button.isChecked() and listed)

    def _show_page(self, page: QWidget) -> None:
        """Show a page; the keyboard goes along if it was in the view, be it that a dialog has it for now."""
        focused, first = self.window().focusWidget(), self._shown_first
        inside = focused is not None and self.isAncestorOf(focused)
        changed = self._pages.currentWidget() is not page
        self._pages.setCurrentWidget(page)
        self._shown_first = self._first()
        typing = focused is self.filter and page is self._documents
        if inside and not typing and (changed or self._waits or self._shown_first is not first):
            self.focus_first()

    def _first(self) -> QWidget:
        """Where the keyboard begins."""
        page = self._pages.currentWidget()
        if page is self.empty or page is self.opening:
            return page
        return self.list if self._body.currentWidget() is self.list else self.details_button

    def focus_first(self) -> None:
        """Put the keyboard where the page begins: on the list, or on the first control."""
        first = self._first()
        self._waits = first is self.list and not self.list.documents.rowCount()
        if first is self.list and not self._waits and not self.list.chosen().count:
            self.list.choose(max(self.list.currentIndex().row(), 0))
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the keyboard on to where it begins. A focus proxy would do so too, but Tab would skip what is before."""
        self._first().setFocus(event.reason())

    # -- What the window remembers ----------------------------------------------------------------------------

    def saved_layout(self) -> dict[str, bytes]:
        """How wide the panes are, and whether the details are shown; for :meth:`restore_layout`."""
        shown = self.details_button.isChecked()
        return {
            "library": self._documents.saved(),
            "library_details": _SHOWN if shown else _HIDDEN,
            "library_columns": self.list.columns.saved(),
        }

    def restore_layout(self, panes: Mapping[str, bytes]) -> None:
        """Take a layout that :meth:`saved_layout` gave; what is missing stays as it is."""
        if "library" in panes:
            self._documents.restore(panes["library"])
        self.details_button.setChecked(panes.get("library_details", _SHOWN) != _HIDDEN)
        if "library_columns" in panes:
            self.list.columns.restore(panes["library_columns"])
