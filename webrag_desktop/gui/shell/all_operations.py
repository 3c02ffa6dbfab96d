"""Makes everything the user can do, on one session of one library."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from webrag_desktop.gui.citations.operations.citing import CitationOperations
from webrag_desktop.gui.citations.operations.verifying import QuoteOperations
from webrag_desktop.gui.library.operations.adding import FolderOperations
from webrag_desktop.gui.library.operations.bibliography import BibliographyOperations
from webrag_desktop.gui.library.operations.collections import CollectionOperations
from webrag_desktop.gui.library.operations.documents import DocumentOperations
from webrag_desktop.gui.library.operations.finding import FindOperations
from webrag_desktop.gui.library.operations.labelling import LabelOperations
from webrag_desktop.gui.library.operations.page_links import PageLinkOperations
from webrag_desktop.gui.library.operations.refreshing import RefreshOperations, ScheduledChanges
from webrag_desktop.gui.library.operations.versions import VersionOperations
from webrag_desktop.gui.maintenance.operations.moving import MoveOperations
from webrag_desktop.gui.maintenance.operations.safekeeping import SafekeepingOperations
from webrag_desktop.gui.maintenance.operations.stack_operations import StackOperations
from webrag_desktop.gui.map.operations.expanding import ExpansionOperations
from webrag_desktop.gui.map.operations.link_map import LinkMapOperations
from webrag_desktop.gui.map.operations.runs import KeptRules
from webrag_desktop.gui.reader.operations.page_looks import PageLookOperations
from webrag_desktop.gui.reader.operations.reading import LinkOperations, ReadingOperations
from webrag_desktop.gui.research.operations.answering import AnswerOperations
from webrag_desktop.gui.research.operations.kept_searches import KeptSearchOperations
from webrag_desktop.gui.research.operations.related import RelatedOperations
from webrag_desktop.gui.research.operations.searching import FilterOperations, SearchOperations
from webrag_desktop.gui.session.background import Background
from webrag_desktop.gui.session.browsing import Browsing
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import UndoStack
from webrag_desktop.gui.settings.operations.changing import SettingsOperations
from webrag_desktop.gui.shell.window_state import FILE

if TYPE_CHECKING:
    from webrag_desktop import Settings
    from webrag_desktop.gui.data.view_data import LibraryFigures


class Operations(QObject):
    """Everything the user can do; one undo for all of it."""

    failed = Signal(object)  # Failure: an error that nothing else shows

    def __init__(
        self,
        settings: "Settings",
        background: Background,
        open_url: Callable[[QUrl], bool] = QDesktopServices.openUrl,
        parent: QObject | None = None,
        session: LibrarySession | None = None,
    ) -> None:
        """Nothing is opened before ``session.open()``; ``open_url`` opens addresses with the system.

        A ``session`` that is there already, of the same settings, is taken over.
        """
        super().__init__(parent)
        self.background = background
        self.undo = UndoStack(self)
        self.session = session or LibrarySession(settings, background, self)
        self.session.setParent(self)
        self.documents = DocumentOperations(self.session, background, self.undo, self)
        self.bin = self.documents.bin
        self.folders = FolderOperations(self.session, background, self)
        self.refreshing = RefreshOperations(self.session, self)
        self.scheduled = ScheduledChanges(self.session, self)
        self.versions = VersionOperations(self.session, self.undo, self)
        self.moving = MoveOperations(self.session, self.undo, self)
        self.safekeeping = SafekeepingOperations(self.session, background, self.undo, self)
        self.browsing = Browsing(open_url, self.documents.owns_file, self)
        self.searching = SearchOperations(self.session, self.documents.is_hidden, self)
        self.kept = KeptSearchOperations(self.session, self.undo, self)
        self.answering = AnswerOperations(self.session, background, self.undo, self)
        rules = KeptRules(settings.webrag_home / FILE)
        self.expanding = ExpansionOperations(self.session, background, rules, self)
        self.link_map = LinkMapOperations(self.session, self)
        self.finding = FindOperations(self.session, self)
        self.filtering = FilterOperations(self.session, self)
        self.labelling = LabelOperations(self.session, self.undo, self)
        self.bibliography = BibliographyOperations(self.session, self.undo, self)
        self.collections = CollectionOperations(self.session, self.undo, self)
        self.reading = ReadingOperations(self.session, self.browsing, self)
        self.page_looks = PageLookOperations(self.session, self)
        self.related = RelatedOperations(self.session, self.documents.is_hidden, self)
        self.links = LinkOperations(self.session, self)
        self.page_links = PageLinkOperations(self.session, self)
        self.citing = CitationOperations(self.session, self.undo, self)
        self.quotes = QuoteOperations(self.session, self)
        self.stack = StackOperations(self.session, background, self)
        self.settings = SettingsOperations(self.session, background, self)
        self.searching.found.connect(self.answering.go_on)
        self.searching.found.connect(self.expanding.note_found)
        for unanswered in (self.searching.failed, self.searching.cancelled):
            unanswered.connect(lambda *_why: self.answering.go_on())  # it says itself why it cannot
        self.documents.hidden.connect(self.searching.filter_again)
        self.documents.unhidden.connect(self.searching.filter_again)
        self.documents.removed.connect(self.searching.leave_out)
        self.session.news.connect(self.searching.heed)
        self.documents.figures.connect(self._prepare_search)
        self.documents.figures.connect(self.kept.note_figures)
        self._just_opened = False
        self._figures: LibraryFigures | None = None  # those that came before the documents were listed
        self.session.opened.connect(self._note_opened)
        self.documents.listed.connect(self._note_listed)
        self.browsing.failed.connect(self.failed)

    def _note_opened(self) -> None:
        self._just_opened = True

    def _prepare_search(self, figures: "LibraryFigures") -> None:
        """Loading the model imports much, which waits until the documents are listed."""
        if self._just_opened:
            self._figures = figures
        else:
            self.searching.prepare(figures)

    def _note_listed(self, _listed: object) -> None:
        if self._just_opened:
            self._just_opened = False
            # In a turn of its own: those who show the list are notified after this.
            QTimer.singleShot(0, self, self._look_around)

    def _look_around(self) -> None:
        """Look once the documents are listed, not when the library opens: nothing delays what is seen first."""
        self.stack.refresh()
        self.moving.compare()
        self.scheduled.check()
        figures, self._figures = self._figures, None
        if figures is not None:
            self.searching.prepare(figures)

    def tell_failure(self, error: Exception) -> None:
        """Tell of an error that nobody else took."""
        self.failed.emit(failure_of(error))
