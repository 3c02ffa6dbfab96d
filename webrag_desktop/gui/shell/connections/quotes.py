"""Where a quotation is from, connected: the dialog asks the library, and leads to the places in the reader."""

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.citations.quote_dialog import QuoteDialog
from webrag_desktop.gui.data.quotes import FoundPlace
from webrag_desktop.gui.data.view_data import CitationRow, SpanReference
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.library import COPIED_TIME
from webrag_desktop.gui.shell.main_window import MainWindow


class QuoteConnections(QObject):
    """One dialog, made when it is first asked for."""

    place_wanted = Signal(object)  # SpanReference: the reader is to show it

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        self._dialog: QuoteDialog | None = None
        self._cited: dict[SpanReference, CitationRow] = {}
        operations.citing.citations.connect(self._note_citations)

    def ask(self) -> None:
        """Open the dialog with what is on the clipboard, and look for that."""
        if self._dialog is None:
            self._dialog = self._made()
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()
        self._dialog.paste()

    def _made(self) -> QuoteDialog:
        dialog, quotes = QuoteDialog(self._window), self._do.quotes
        dialog.search_requested.connect(lambda quote, older: quotes.find(quote, older=older))
        dialog.stop_requested.connect(quotes.stop)
        dialog.place_shown.connect(lambda place: self.place_wanted.emit(place.span))
        dialog.place_opened.connect(self._open)
        dialog.cite_toggled.connect(self._toggle)
        dialog.copied.connect(
            lambda sentence: self._window.toasts.show_notice(sentence, milliseconds=COPIED_TIME)
        )
        quotes.found.connect(dialog.show_found)
        quotes.step.connect(dialog.show_step)
        quotes.failed.connect(dialog.show_failure)
        quotes.stopped.connect(dialog.show_stopped)
        dialog.finished.connect(self._forget)
        self._tell_cited(dialog)
        return dialog

    def _open(self, place: FoundPlace) -> None:
        self.place_wanted.emit(place.span)
        self._window.activateWindow()

    def _toggle(self, place: FoundPlace) -> None:
        cited = self._cited.get(place.span)
        if cited is None:
            self._do.citing.cite(place.span)
        else:
            self._do.citing.uncite(cited.id)

    def _note_citations(self, rows: tuple[CitationRow, ...]) -> None:
        self._cited = {
            SpanReference(row.document_id, row.version_id, row.char_start, row.char_end): row
            for row in rows
            if row.document_id is not None and row.version_id is not None
        }
        if self._dialog is not None:
            self._tell_cited(self._dialog)

    def _tell_cited(self, dialog: QuoteDialog) -> None:
        dialog.set_cited({span: row.number for span, row in self._cited.items()})

    def _forget(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None
