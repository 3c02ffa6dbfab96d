"""How the library's own pages link: read and laid out in the background."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.map import LinkedPage, LinkMap
from webrag_desktop.gui.map.operations.told import host_of, label_of
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession

if TYPE_CHECKING:
    from webrag_desktop import Library

MOST_PAGES = 2000  # more are not told apart on a screen


class LinkMapOperations(QObject):
    """Reads the links of the session's library."""

    links = Signal(object)  # LinkMap
    failed = Signal(object)  # Failure

    def __init__(self, session: LibrarySession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session

    def fetch(self, navigation: bool = False) -> None:
        """Have the map of links told: those inside texts, and with ``navigation`` those of menus and footers, too."""
        self._session.call(
            partial(_laid_out, navigation),
            on_success=self.links.emit,
            on_error=lambda error: self.failed.emit(failure_of(error)),
            replaces="map of links",
            repeat=True,
        )


def _laid_out(navigation: bool, library: "Library", task: Task) -> LinkMap:
    from webrag_desktop.gui.map.link_layout import lay_out

    graph = library.links.graph(MOST_PAGES, navigation=navigation)
    task.cancel.raise_if_cancelled()
    pages = [
        LinkedPage(
            node.document_id, label_of(node.description, node.title, node.url), host_of(node.url), node.url
        )
        for node in graph.nodes
    ]
    numbers = {node.document_id: number for number, node in enumerate(graph.nodes)}
    edges = [(numbers[one], numbers[other]) for one, other in graph.edges]
    return lay_out(pages, edges, limited=len(pages) >= MOST_PAGES, navigation=navigation)
