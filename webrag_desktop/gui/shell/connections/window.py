"""Connects the whole window: views, navigation, notices, the stack, and the commands of menu and keyboard."""

from uuid import UUID

from PySide6.QtCore import QObject

from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, STATUS_HEIGHT
from webrag_desktop.gui.kit.widgets.toast import Toast, ToastArea
from webrag_desktop.gui.session.undoing import Notice
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.adding import AddingConnections
from webrag_desktop.gui.shell.connections.commands import Commands
from webrag_desktop.gui.shell.connections.filtering import FilterConnections
from webrag_desktop.gui.shell.connections.labelling import LabelConnections
from webrag_desktop.gui.shell.connections.library import COPIED_TIME, LibraryConnections
from webrag_desktop.gui.shell.connections.moving import MoveConnections
from webrag_desktop.gui.shell.connections.research import ResearchConnections
from webrag_desktop.gui.shell.connections.safekeeping import SafekeepingConnections
from webrag_desktop.gui.shell.connections.selection import SharedSelection
from webrag_desktop.gui.shell.connections.stack import StackConnections
from webrag_desktop.gui.shell.connections.versions import VersionConnections
from webrag_desktop.gui.shell.history import History, View, Visit
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH, MainWindow

_NAMES: dict[int, View] = {LIBRARY: "library", RESEARCH: "research"}
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
        self.adding = AddingConnections(window, operations)
        self.stack = StackConnections(window, operations)
        self.versions = VersionConnections(window, operations)
        self.moving = MoveConnections(window, operations)
        self.safekeeping = SafekeepingConnections(window, operations)
        self.filtering = FilterConnections(window, operations, self.research)
        self.labelling = LabelConnections(window, operations)
        self.selection = SharedSelection(window.research, operations)
        self.commands = Commands(window, self)
        self._connect_navigation()
        self._connect_telling()

    def start(self) -> None:
        """Show what there is before the library is open, and say where the keyboard begins."""
        self.library.start()
        self._window.query.focus()
        self._show_history()

    # -- Navigation -------------------------------------------------------------------------------------------

    def _connect_navigation(self) -> None:
        window = self._window
        window.view_chosen.connect(self.show_view)
        window.query.left_downwards.connect(self.focus_view)
        window.back_button.clicked.connect(self.back)
        window.forward_button.clicked.connect(self.forward)
        window.research.full_changed.connect(self._full_changed)
        self._do.scheduled.documents_wanted.connect(self._show_documents)
        self.library.document_opened.connect(self._read_document)
        self.library.listing_chosen.connect(self._show_library)
        self.versions.version_opened.connect(self._read_version)
        self.research.full_wanted.connect(self._read_full)
        self.research.shown.connect(self._note_shown)
        self._do.searching.started.connect(lambda _query: self._visit(Visit("research")))

    def show_view(self, view: int) -> None:
        """Go to the Library or the Research view, the keyboard with it."""
        self._window.show_view(view)
        self._visit(Visit(_NAMES[view], self._history.current.span if view == RESEARCH else None))
        self.focus_view()

    def _show_library(self) -> None:
        self._window.show_view(LIBRARY)
        self._visit(Visit("library"))

    def _show_documents(self, ids: tuple[UUID, ...]) -> None:
        self._show_library()
        self.library.choose(ids)

    def focus_view(self) -> None:
        """Put the keyboard where work in this view begins."""
        if self._window.view == LIBRARY:
            self._window.library.focus_first()
        elif self._window.research.is_full:
            self._window.research.reader.setFocus()
        else:
            self._window.research.results.focus_list()

    def _read_document(self, document_id: UUID) -> None:
        self._do.reading.open_document(document_id)
        self._read_full()

    def _read_version(self, beginning: SpanReference) -> None:
        self._do.reading.open_span(beginning)
        self._read_full()
        self._window.activateWindow()

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
            self._do.scheduled,
        ):
            operation.noticed.connect(self._notice)
            operation.failed.connect(self._window.errors.report)
        for failed in (self._do.failed, self._do.filtering.failed):
            failed.connect(self._window.errors.report)
        self._do.background.failed.connect(self._do.tell_failure)

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
        if window.overlay.is_open:
            window.overlay.close_pane()
        elif window.view == LIBRARY:
            window.library.focus_first()
        elif not window.research.reader.escape():
            self._do.searching.cancel()
            window.research.results.focus_list()

    def _notice(self, notice: Notice) -> None:
        offer = (notice, show_notice(self._window.toasts, notice))
        self._offers.append(offer)
        offer[1].gone.connect(lambda: self._offers.remove(offer))


def show_notice(toasts: ToastArea, notice: Notice) -> Toast:
    """Show a notice and tell it how its toast fares: what it offers to undo lasts as long as that is seen."""
    toast = toasts.show_notice(notice.text, notice.action, notice.on_action, notice.shortcut)
    toast.gone.connect(notice.on_gone)
    toast.expired.connect(notice.on_expired)
    notice.on_shown()
    return toast
