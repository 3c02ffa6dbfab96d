"""The whole window on a real library, for reading in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from pytestqt.qtbot import QtBot

from tests.support.gui_library import heard, open_operations
from webrag_desktop.config import Settings
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.window import Connections
from webrag_desktop.gui.shell.main_window import MainWindow
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library.sources import get_source


class ReadingWindow:
    """The window with its connections, as a user reads in it."""

    def __init__(self, do: Operations, qtbot: QtBot) -> None:
        self.do, self.qtbot = do, qtbot
        self.window = MainWindow()
        qtbot.addWidget(self.window)
        self.window.resize(1440, 900)
        self.connections = Connections(self.window, do)
        with qtbot.waitExposed(self.window):
            self.window.show()
        self.connections.start()

    @property
    def reader(self) -> ReaderView:
        return self.window.research.reader

    def open(self, document_id: UUID) -> None:
        """Open a document from the library, and wait until all of it is laid out."""
        self.connections.library.document_opened.emit(document_id)
        self.wait_for(document_id)

    def wait_for(self, document_id: UUID) -> None:
        """Wait until the reader shows all of a document."""
        heard(self.qtbot, lambda: self.shows(document_id))

    def shows(self, document_id: UUID) -> bool:
        shown = self.reader.document
        return shown is not None and shown.document_id == document_id and self.reader._text.is_complete

    def place(self) -> int:
        """Where the first whole line in sight begins, in the markdown."""
        document, at = self.reader.document, self.reader._text.line_at_top()
        assert document is not None
        return document.trace.to_markdown(at, at + 1)[0] if at else 0


@contextmanager
def reading_window(settings: Settings, qtbot: QtBot) -> Iterator[ReadingWindow]:
    """A window on the library of ``settings``; it is hidden, then its library closed, as at the end of the program."""
    with open_operations(settings, qtbot) as do:
        made = ReadingWindow(do, qtbot)
        yield made
        do.undo.finish_all()
        made.window.hide()


def stored(database: Database, document_id: UUID) -> SourceRow:
    """A document as it is stored."""
    with database.connection() as conn:
        found = get_source(conn, document_id)
    assert found is not None
    return found
