"""Everything by which links and files come in: drops, paste, the add dialog, a file dialog."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from webrag_desktop.gui.adding.add_dialog import AddDialog, choose_files, choose_folder
from webrag_desktop.gui.adding.dropped import Dropped, at_first_sight
from webrag_desktop.gui.adding.folder_dialog import FolderDialog
from webrag_desktop.gui.adding.operations.folders import Sorted
from webrag_desktop.gui.data.library import FolderContents
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import LIBRARY, MainWindow
from webrag_desktop.models.citations import is_link
from webrag_desktop.progress import CancelToken, Step


class FolderPreviewing(QObject):
    """Lives as long as its dialog is open."""

    chosen = Signal(object)  # tuple[str, ...]: paths of files

    def __init__(self, window: MainWindow, operations: Operations, folders: tuple[str, ...]) -> None:
        super().__init__(window)
        self._window, self._do, self._folders = window, operations, folders
        self._looking: CancelToken | None = None
        self._waits = True  # for what is in them
        self._dialog = FolderDialog(folders, window)
        self._dialog.add_requested.connect(self.chosen)
        self._dialog.finished.connect(self._end)

    def start(self) -> None:
        """Open the dialog, and look through the folders meanwhile."""
        self._dialog.open()
        self._looking = self._do.folders.look_through(
            self._folders, on_found=self._show, on_error=self._fail, on_step=self._show_step
        )

    def _show_step(self, step: Step) -> None:
        if self._waits:
            self._dialog.show_step(step.done, step.detail)

    def _show(self, contents: FolderContents) -> None:
        if self._waits:
            self._waits = False
            self._dialog.show_contents(contents)

    def _fail(self, error: Exception) -> None:
        if self._waits:
            self._waits = False
            self._dialog.reject()
            self._window.errors.report(failure_of(error))

    def _end(self) -> None:
        if self._waits and self._looking is not None:
            self._do.folders.stop(self._looking)
        self._waits = False
        self._dialog.deleteLater()
        self.deleteLater()


class AddingConnections(QObject):
    """Hands what comes in to the one operation that adds."""

    def __init__(
        self,
        window: MainWindow,
        operations: Operations,
        open_among: Callable[[Sequence[str]], tuple[str, ...]],
    ) -> None:
        """``open_among`` opens links into the library and gives back all else."""
        super().__init__(window)
        self._window, self._do, self._open_among = window, operations, open_among
        self._dialog: AddDialog | None = None
        window.drops.dropped.connect(self.look_into)
        window.add_button.clicked.connect(self.ask)
        window.library.paste_requested.connect(self.paste)
        window.library.files_requested.connect(self.choose_files)

    def look_into(self, seen: Dropped) -> None:
        """Add what was dropped or pasted once its files were inspected."""
        if seen.unread:
            self._do.documents.inspect_dropped(seen, self.take)
        else:
            self.take(seen)

    def take(self, dropped: Dropped) -> None:
        """Add what was dropped or pasted; say what cannot be added."""
        for sentence in dropped.refused:
            self._window.toasts.show_notice(sentence)
        if dropped.given:
            self.add(dropped.given)
        if dropped.folders:
            self.look_through(dropped.folders)
        if not dropped.is_wanted and not dropped.refused:
            self._window.toasts.show_notice(self.tr("There is no link or file in this."))

    def add(self, given: Sequence[str]) -> None:
        """Add addresses and paths; while nothing is read or searched, their arrival is worth watching."""
        if not self._window.query.text().strip():
            self._window.show_view(LIBRARY)
        self._do.documents.add(tuple(given))

    def take_given(self, given: Sequence[str]) -> None:
        """Add what the program was started with, folders once they were looked through; open links into the library."""
        given = self._open_among(given)
        addresses = tuple(text for text in given if "://" in text)
        paths = tuple(text for text in given if "://" not in text)
        if addresses:
            self._do.documents.add(addresses)
        if paths:
            self._do.folders.sort(paths, self._take_sorted)

    def _take_sorted(self, given: Sorted) -> None:
        if given.rest:
            self._do.documents.add(given.rest)
        if given.folders:
            self.look_through(given.folders)

    def look_through(self, folders: Sequence[str]) -> None:
        """Show what is in folders, and add what the user chooses of it."""
        preview = FolderPreviewing(self._window, self._do, tuple(folders))
        preview.chosen.connect(self.add)
        preview.start()

    def choose_folder(self) -> None:
        """Let the user choose a folder, without keeping the window from working."""
        choose_folder(self._window, self.tr("Add a folder"), self.look_through)

    def paste(self) -> None:
        """Add the links and files on the clipboard, open a link into the library; where there is none, ask."""
        if is_link(text := QApplication.clipboard().text()):
            self._open_among([text])
            return
        seen = at_first_sight(QApplication.clipboard().mimeData())
        if seen.is_wanted or seen.refused:
            self.look_into(seen)
        else:
            self.ask()

    def ask(self) -> None:
        """Open the add dialog."""
        if self._dialog is None:
            self._dialog = AddDialog(self._window)
            self._dialog.add_requested.connect(self.add)
            self._dialog.folders_requested.connect(self.look_through)
            self._dialog.finished.connect(self._forget_dialog)
            self._dialog.open()
        self._dialog.raise_()

    def _forget_dialog(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None

    def choose_files(self) -> None:
        """Let the user choose files, without keeping the window from working."""
        choose_files(self._window, self.tr("Add files"), self.add)
