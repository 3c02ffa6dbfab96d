"""One folder's way from being dropped to being added: looked through, shown, chosen from."""

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.adding.folder_dialog import FolderDialog
from webrag_desktop.gui.data.folders import FolderContents
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import MainWindow
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
