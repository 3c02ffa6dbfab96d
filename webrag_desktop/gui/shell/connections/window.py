"""Connects the whole window: views, navigation, notices, the stack, and the commands of menu and keyboard."""

from uuid import UUID

from PySide6.QtCore import QObject

from webrag_desktop.gui.data.library import DocumentFacts, DocumentLabels
from webrag_desktop.gui.data.questions import PastSearch
from webrag_desktop.gui.data.view_data import DocumentRow, Listing, SpanReference
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, STATUS_HEIGHT
from webrag_desktop.gui.kit.widgets.messages import Toast, ToastArea
from webrag_desktop.gui.library.document_actions import can_be_read
from webrag_desktop.gui.session.undoing import Notice
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.adding import AddingConnections
from webrag_desktop.gui.shell.connections.answering import AnswerConnections
from webrag_desktop.gui.shell.connections.commands import Commands
from webrag_desktop.gui.shell.connections.filtering import FilterConnections
from webrag_desktop.gui.shell.connections.library import (
    COPIED_TIME,
    LibraryConnections,
    VersionConnections,
)
from webrag_desktop.gui.shell.connections.links import LinkConnections, MapConnections, QuoteConnections
from webrag_desktop.gui.shell.connections.maintenance import SafekeepingConnections, StackConnections
from webrag_desktop.gui.shell.connections.palette import PaletteConnections
from webrag_desktop.gui.shell.connections.questions import QuestionConnections
from webrag_desktop.gui.shell.connections.reading import PageLookConnections, ReadingConnections
from webrag_desktop.gui.shell.connections.research import ResearchConnections, SharedSelection
from webrag_desktop.gui.shell.connections.settings import SettingsConnections
from webrag_desktop.gui.shell.connections.sidebar import SidebarConnections
from webrag_desktop.gui.shell.main_window import LIBRARY, MAP, RESEARCH, MainWindow
from webrag_desktop.gui.shell.window_state import History, Remembered, View, Visit


class LabelConnections(QObject):
    """The dialog is opened once the labels are known."""

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        self._selected: UUID | None = None
        window.library.labels_requested.connect(operations.labelling.fetch)
        window.library.document_selected.connect(self._note_selected)
        operations.labelling.labels.connect(self._ask)
        window.library.facts_requested.connect(operations.bibliography.fetch)
        operations.bibliography.facts.connect(self._ask_facts)
        for changes in (operations.labelling, operations.collections, operations.bibliography):
            changes.changed.connect(lambda: operations.documents.fetch_details(self._selected))

    def _note_selected(self, document_id: UUID | None) -> None:
        self._selected = document_id

    def _ask(self, labels: DocumentLabels) -> None:
        if not labels.ids:
            return  # removed meanwhile
        from webrag_desktop.gui.library.dialogs.check_list import LabelDialog

        dialog = LabelDialog(labels, self._window)
        dialog.change_requested.connect(self._do.labelling.change)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _ask_facts(self, facts: DocumentFacts) -> None:
        from webrag_desktop.gui.library.dialogs.facts_dialog import FactsDialog

        dialog = FactsDialog(facts, self._window)
        dialog.change_requested.connect(self._do.bibliography.change)
        self._do.bibliography.changed.connect(dialog.accept)
        self._do.bibliography.refused.connect(dialog.show_refusal)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


class MoveConnections(QObject):
    """Offers a move, shows how far it is, and steers it."""

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations.moving
        strip = window.library.move_strip
        strip.begin_requested.connect(self._do.begin)
        strip.pause_requested.connect(self._do.pause)
        strip.resume_requested.connect(self._do.resume)
        strip.cancel_requested.connect(self._do.cancel)
        self._do.progress.connect(strip.show_move)
        self._do.offered.connect(strip.show_offer)

    def ask(self) -> None:
        """Compare library and settings because the user wants to know, also where the move was put off."""
        self._window.show_view(LIBRARY)
        self._window.library.move_strip.show_again()
        self._do.compare(by_user=True)


_NAMES: dict[int, View] = {LIBRARY: "library", RESEARCH: "research", MAP: "map"}
_VIEWS: dict[View, int] = {name: view for view, name in _NAMES.items()}


class Connections(QObject):
    """Lives as long as the window."""

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        self._history = History(Visit("library"))
        self._offers: list[tuple[Notice, Toast]] = []
        self.library = LibraryConnections(window, operations)
        self.research = ResearchConnections(window, operations)
        self.reading = ReadingConnections(window, operations, self.research)
        self.page_looks = PageLookConnections(window, operations)
        self.links = LinkConnections(window, operations)
        self.adding = AddingConnections(window, operations, self.links.open_among)
        self.stack = StackConnections(window, operations)
        self.versions = VersionConnections(window, operations)
        self.moving = MoveConnections(window, operations)
        self.settings = SettingsConnections(window, operations)
        self.safekeeping = SafekeepingConnections(window, operations)
        self.filtering = FilterConnections(window, operations, self.research)
        self.questions = QuestionConnections(window, operations, self.research, self.filtering)
        self.labelling = LabelConnections(window, operations)
        self.sidebar = SidebarConnections(window, operations)
        self.quotes = QuoteConnections(window, operations)
        self.answering = AnswerConnections(window, operations, self.research)
        self.map = MapConnections(window, operations)
        self.selection = SharedSelection(window.research, operations)
        self.palette = PaletteConnections(window, operations, self)
        self.commands = Commands(window, self)
        self._connect_navigation()
        self._connect_telling()

    def start(self) -> None:
        """Show what there is before the library is open, and say where the keyboard begins."""
        self.library.start()
        self.map.start()
        self._do.settings.fetch_awaited_keys()
        self._window.query.focus()
        self._show_history()

    def restore(self, remembered: Remembered) -> None:
        """Show the view and the question that the window was closed with, before the library is open."""
        self.questions.searches_as_typed = remembered.as_typed
        self.questions.restore(remembered.question)
        self.library.restore(remembered.order)
        self.show_view(_VIEWS[remembered.view])
        self._history = History(Visit(remembered.view))
        self._show_history()

    @property
    def remembered(self) -> Remembered:
        """What the next window is to begin with."""
        return Remembered(
            _NAMES[self._window.view],
            self.questions.last,
            as_typed=self.questions.searches_as_typed,
            order=self._window.sidebar.order,
        )

    # -- Navigation -------------------------------------------------------------------------------------------

    def _connect_navigation(self) -> None:
        window = self._window
        window.view_chosen.connect(self.show_view)
        window.query.left_downwards.connect(self.focus_view)
        window.back_button.clicked.connect(self.back)
        window.forward_button.clicked.connect(self.forward)
        window.research.full_changed.connect(self._full_changed)
        self._do.scheduled.documents_wanted.connect(self._show_documents)
        self.adding.documents_wanted.connect(self._show_documents)
        self.library.document_opened.connect(self._read_document)
        self.library.listing_chosen.connect(self._show_library)
        self.library.scope_chosen.connect(self.filtering.scope)
        self.filtering.scope_left.connect(self.library.list_all)
        self.versions.version_opened.connect(self._read_version)
        self.quotes.place_wanted.connect(self._read_place)
        self.links.place_wanted.connect(self._follow_to)
        self.research.full_wanted.connect(self._read_full)
        self.links.followed.connect(self._follow_link)
        self.research.shown.connect(self._note_shown)
        self.reading.rested.connect(self._note_rested)
        self.reading.related_opened.connect(self._follow_link)
        self._do.searching.started.connect(lambda _query: self._visit(Visit("research")))
        self.answering.set_up_wanted.connect(lambda: self.settings.open("answers", "CHAT_MODEL"))
        self.stack.set_up_wanted.connect(lambda: self.settings.open("answers", "CHAT_MODEL"))
        self.settings.move_wanted.connect(self.moving.ask)
        window.settings_button.clicked.connect(lambda _checked: self.settings.open())
        self.map.document_wanted.connect(self._read_document)
        self.map.shown.connect(lambda: self.show_view(MAP))

    def show_view(self, view: int) -> None:
        """Go to the Library, the Research view or the Map, the keyboard with it."""
        self._window.show_view(view)
        if view == MAP:
            self.map.enter()
        self._visit(Visit(_NAMES[view], self._history.current.span if view == RESEARCH else None))
        self.focus_view()

    def _show_library(self) -> None:
        self._window.show_view(LIBRARY)
        self._visit(Visit("library"))

    def read_or_select(self, row: DocumentRow) -> None:
        """Read a document, or select it in the library while there is no text."""
        if can_be_read(row):
            self._read_document(row.id)
        else:
            self._show_documents((row.id,))

    def show_listing(self, listing: Listing) -> None:
        """List a part of the library; the keyboard goes to its documents."""
        self.library.show_listing(listing)
        self._window.library.focus_first()

    def search(self, text: str) -> None:
        """Search the library as if it had been typed into the query box."""
        self._window.query.set_text(text)
        self._window.query.search()

    def search_again(self, past: PastSearch) -> None:
        """Search for an earlier question, within what it was restricted to."""
        self.questions.ask(past.question, past.filters)

    def _show_documents(self, ids: tuple[UUID, ...]) -> None:
        self._show_library()
        self.library.choose(ids)

    def focus_view(self) -> None:
        """Put the keyboard where work in this view begins."""
        if self._window.view == LIBRARY:
            self._window.library.focus_first()
        elif self._window.view == MAP:
            self._window.map.focus_first()
        elif self._window.research.is_full:
            self._window.research.reader.setFocus()
        elif self._window.research.results.is_idle:
            self._window.query.focus()  # a list that is hidden would take the keyboard later, in the midst of typing
        else:
            self._window.research.results.focus_list()

    def _read_document(self, document_id: UUID) -> None:
        self._visit(Visit("research", full=True))
        self._do.reading.open_document(document_id)
        self._read_full()

    def _read_version(self, beginning: SpanReference) -> None:
        self._do.reading.open_span(beginning)
        self._read_full()
        self._window.activateWindow()

    def _read_place(self, span: SpanReference) -> None:
        self.research.show_span(span)
        self._read_full()

    def _follow_to(self, span: SpanReference) -> None:
        """Read what a link names that came from elsewhere, and come back from there."""
        self._visit(Visit("research", span, full=True))
        self._read_place(span)

    def _follow_link(self, link: SpanReference, target: SpanReference) -> None:
        """Read what a link leads to; going back leads to the link."""
        self._note_shown(link)
        self._visit(Visit("research", target, self._window.research.is_full))
        self.research.show_span(target)

    def _read_full(self) -> None:
        self._window.show_view(RESEARCH)
        self._window.research.set_full(True)
        self._window.research.reader.setFocus()

    def _full_changed(self, full: bool) -> None:
        span = self._history.current.span
        self._visit(Visit("research", span, full))
        if not full and self._window.view == RESEARCH:
            self._window.research.results.focus_list()

    def _note_shown(self, span: SpanReference) -> None:
        # Walking through passages is one visit, not one each.
        self._history.amend(Visit(_NAMES[self._window.view], span, self._window.research.is_full))

    def _note_rested(self, span: SpanReference) -> None:
        """Going back leads to where one read."""
        present = self._history.current
        if present.full and present.span is not None and present.span.version_id == span.version_id:
            self._history.amend(Visit("research", span, full=True))

    def _visit(self, place: Visit) -> None:
        self._history.visit(place)
        self._show_history()

    def back(self) -> None:
        """Go back to where the user was."""
        self._go(self._history.back())

    def forward(self) -> None:
        """Go forward again."""
        self._go(self._history.forward())

    def _go(self, place: Visit) -> None:
        self._window.show_view(_VIEWS[place.view])
        self._window.research.full_changed.disconnect(self._full_changed)
        self._window.research.set_full(place.full)
        self._window.research.full_changed.connect(self._full_changed)
        if place.span is not None:
            self.research.show_span(place.span)
        self._show_history()
        self.focus_view()

    def _show_history(self) -> None:
        self._window.back_button.setEnabled(self._history.can_go_back)
        self._window.forward_button.setEnabled(self._history.can_go_forward)

    # -- Telling ----------------------------------------------------------------------------------------------

    def _connect_telling(self) -> None:
        self._window.toasts.set_distance(grown(STATUS_HEIGHT) + SPACE_L)
        for operation in (
            self._do.documents,
            self._do.refreshing,
            self._do.citing,
            self._do.versions,
            self._do.moving,
            self._do.labelling,
            self._do.bibliography,
            self._do.collections,
            self._do.scheduled,
            self._do.answering,
            self._do.kept,
        ):
            operation.noticed.connect(self._notice)
            operation.failed.connect(self._window.errors.report)
        for failed in (self._do.failed, self._do.filtering.failed, self._do.expanding.failed):
            failed.connect(self._window.errors.report)
        self._do.background.failed.connect(self._do.tell_failure)
        self._do.undo.latest_changed.connect(self._show_undo_key)

    def retry_all(self) -> None:
        """Try again everything that failed."""
        self._do.documents.retry_all()

    def undo(self) -> None:
        """Take back what was done last, or say that there is nothing."""
        if self._do.undo.is_empty:
            self._window.toasts.show_notice(self.tr("There is nothing to undo."), milliseconds=COPIED_TIME)
        entry = self._do.undo.latest
        self._do.undo.undo()
        for notice, toast in list(self._offers):
            if notice.entry is entry is not None:
                toast.dismiss()  # it would offer what is done

    def escape(self) -> None:
        """Close what is open, stop what runs, then go back to the results."""
        window = self._window
        window.query.drop_held()
        if window.overlay.is_open:
            window.overlay.close_pane()
        elif window.view == LIBRARY:
            window.library.focus_first()
        elif window.view == MAP:
            self.map.escape()
        elif not window.research.reader.escape() and not self.answering.escape():
            self._do.searching.cancel()
            window.research.results.focus_list()

    def _notice(self, notice: Notice) -> None:
        offer = (notice, show_notice(self._window.toasts, notice))
        self._offers.append(offer)
        offer[1].gone.connect(lambda: self._offers.remove(offer))
        self._show_undo_key()

    def _show_undo_key(self) -> None:
        """The key takes back what was done last alone: only the notice of that shows it."""
        for notice, toast in self._offers:
            if notice.entry is not None:
                toast.show_shortcut(notice.shortcut if notice.entry is self._do.undo.latest else "")


def show_notice(toasts: ToastArea, notice: Notice) -> Toast:
    """Show a notice and report to it when its toast goes: what it offers to undo lasts as long as that is seen."""
    toast = toasts.show_notice(
        notice.text, notice.action, notice.on_action, notice.shortcut, way=notice.way, on_way=notice.on_way
    )
    toast.gone.connect(notice.on_gone)
    toast.expired.connect(notice.on_expired)
    notice.on_shown()
    return toast
