"""The sidebar connected with what can be done to collections, and with the list that it chooses."""

from functools import partial
from uuid import UUID

from PySide6.QtCore import QObject

from webrag_desktop.gui.data.view_data import LibraryFigures, Listing
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import MainWindow


class SidebarConnections(QObject):
    """Collections are made, renamed, nested, coloured, deleted and filled; lists and counts follow."""

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        sidebar, collections = window.sidebar, operations.collections
        sidebar.collection_wanted.connect(collections.create)
        sidebar.collection_renamed.connect(collections.rename)
        sidebar.collection_nested.connect(collections.nest)
        sidebar.collection_coloured.connect(collections.colour)
        sidebar.collection_deleted.connect(collections.delete)
        sidebar.documents_dropped.connect(collections.put)
        collections.made.connect(self._name)
        for changes in (collections, operations.labelling):
            changes.changed.connect(partial(operations.documents.refresh_figures, lists=True))
        operations.documents.figures.connect(self._leave_deleted)
        window.drops.set_aim(sidebar.aim)

    def _name(self, collection: UUID) -> None:
        """Let the user type the name of a collection that was just made; a narrow window shows the sidebar for that."""
        if not self._window.sidebar.isVisible():
            self._window.toggle_sidebar()
        self._window.sidebar.name_next(collection)

    def _leave_deleted(self, figures: LibraryFigures) -> None:
        """What is listed was a collection that is gone: list all documents."""
        listing = self._window.library.list.listing
        gone = listing.collection is not None and all(
            one.id != listing.collection for one in figures.collections
        )
        if gone:
            self._do.documents.list_documents(Listing(sort=listing.sort, descending=listing.descending))
