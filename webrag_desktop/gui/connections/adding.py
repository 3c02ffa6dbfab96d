"""Everything by which links and files come in: drops, paste, the add dialog, a file dialog."""

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QFileDialog

from webrag_desktop.gui.dropped import Dropped, at_first_sight
from webrag_desktop.gui.main_window import LIBRARY, MainWindow
from webrag_desktop.gui.operations.all_operations import Operations
from webrag_desktop.gui.views.add_dialog import AddDialog

READABLE = "*.html *.htm *.xhtml *.md *.markdown *.txt"


class AddingConnections(QObject):
    """Hands what comes in to the one operation that adds."""

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        self._dialog: AddDialog | None = None
        window.drops.dropped.connect(self.look_into)
        window.add_button.clicked.connect(self.ask)
        window.library.paste_requested.connect(self.paste)
        window.library.files_requested.connect(self.choose_files)

    def look_into(self, seen: Dropped) -> None:
        """Add what was dropped or pasted once its files were looked at."""
        if seen.unread:
            self._do.documents.look_into(seen, self.take)
        else:
            self.take(seen)

    def take(self, dropped: Dropped) -> None:
        """Add what was dropped or pasted; tell what cannot be."""
        for sentence in dropped.refused:
            self._window.toasts.show_notice(sentence)
        if dropped.given:
            self.add(dropped.given)
        elif not dropped.refused:
            self._window.toasts.show_notice(self.tr("There is no link or file in this."))

    def add(self, given: Sequence[str]) -> None:
        """Add addresses and paths; while nothing is read or searched, their arrival is worth watching."""
        if not self._window.query.text().strip():
            self._window.show_view(LIBRARY)
        self._do.documents.add(tuple(given))

    def paste(self) -> None:
        """Add the links and files on the clipboard; where there are none, ask for them."""
        seen = at_first_sight(QApplication.clipboard().mimeData())
        if seen.given or seen.refused:
            self.look_into(seen)
        else:
            self.ask()

    def ask(self) -> None:
        """Open the add dialog."""
        if self._dialog is None:
            self._dialog = AddDialog(self._window)
            self._dialog.add_requested.connect(self.add)
            self._dialog.finished.connect(self._forget_dialog)
            self._dialog.open()
        self._dialog.raise_()

    def _forget_dialog(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None

    def choose_files(self) -> None:
        """Let the user choose files, without keeping the window from working."""
        chooser = QFileDialog(self._window, self.tr("Add files"))
        chooser.setFileMode(QFileDialog.FileMode.ExistingFiles)
        chooser.setNameFilters(
            [self.tr("Web pages, Markdown and text ({0})").format(READABLE), self.tr("All files (*)")]
        )
        chooser.filesSelected.connect(self.add)
        chooser.finished.connect(chooser.deleteLater)
        chooser.open()
