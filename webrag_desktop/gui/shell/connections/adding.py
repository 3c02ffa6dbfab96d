"""Links and files added by drop, paste and dialogs, folders once they were looked through, and the report of it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from webrag_desktop.gui.data.import_report import ImportReport, Unlinked
from webrag_desktop.gui.data.library import FolderContents
from webrag_desktop.gui.library.operations.adding import Sorted
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import LIBRARY, MainWindow
from webrag_desktop.gui.shell.one_dialog import OneDialog
from webrag_desktop.models.citations import is_link
from webrag_desktop.progress import CancelToken, Step

if TYPE_CHECKING:
    from webrag_desktop.gui.adding.add_dialog import AddDialog
    from webrag_desktop.gui.adding.dropped import Dropped
    from webrag_desktop.gui.adding.report_dialog import ReportDialog


class FolderPreviewing(QObject):
    """Lives as long as its dialog is open."""

    chosen = Signal(object)  # tuple[str, ...]: paths of files

    def __init__(self, window: MainWindow, operations: Operations, folders: tuple[str, ...]) -> None:
        super().__init__(window)
        from webrag_desktop.gui.adding.folder_dialog import FolderDialog

        self._window, self._do, self._folders = window, operations, folders
        self._listing: CancelToken | None = None
        self._waits = True  # for what is in them
        self._dialog = FolderDialog(folders, window)
        self._dialog.add_requested.connect(self.chosen)
        self._dialog.finished.connect(self._end)

    def start(self) -> None:
        """Open the dialog, and look through the folders meanwhile."""
        self._dialog.open()
        self._listing = self._do.folders.look_through(
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
        if self._waits and self._listing is not None:
            self._do.folders.stop(self._listing)
        self._waits = False
        self._dialog.deleteLater()
        self.deleteLater()


class AddingConnections(QObject):
    """Hands what comes in to the one operation that adds, and shows the report of it."""

    documents_wanted = Signal(object)  # tuple[UUID, ...]

    def __init__(
        self,
        window: MainWindow,
        operations: Operations,
        open_among: Callable[[Sequence[str]], tuple[str, ...]],
    ) -> None:
        """``open_among`` opens links into the library and gives back all else."""
        super().__init__(window)
        self._window, self._do, self._open_among = window, operations, open_among
        self._dialog: OneDialog[AddDialog] = OneDialog()
        window.drops.dropped.connect(self.look_into)
        self._report = ImportReport()
        self._report_dialog: OneDialog[ReportDialog] = OneDialog()
        operations.documents.report.connect(self._take_report)
        operations.documents.report_wanted.connect(self.show_report)
        window.library.strip.report_requested.connect(self.show_report)
        window.add_button.clicked.connect(self.ask)
        window.library.paste_requested.connect(self.paste)
        window.library.files_requested.connect(self.choose_files)

    def look_into(self, seen: "Dropped") -> None:
        """Add what was dropped or pasted once its files were inspected."""
        if seen.unread:
            self._do.documents.inspect_dropped(seen, self.take)
        else:
            self.take(seen)

    def take(self, dropped: "Dropped") -> None:
        """Add what was dropped or pasted; one report says what cannot be added."""
        if dropped.given or dropped.unlinked:
            self.add(dropped.given, dropped.unlinked, dropped.into)
        if dropped.folders:
            self.look_through(dropped.folders, dropped.into)
        if not dropped.is_wanted and not dropped.unlinked:
            self._window.toasts.show_notice(self.tr("There is no link or file in this."))

    def add(
        self,
        given: Sequence[str],
        unlinked: Sequence[Unlinked] = (),
        collection: str = "",
        *,
        subresources: bool | None = None,
    ) -> None:
        """Add addresses and paths, into a collection where one is named, with the files of pages or as settings say.

        While nothing is read or searched, their arrival is worth watching.
        """
        if given and not self._window.query.text().strip():
            self._window.show_view(LIBRARY)
        if subresources is not None:
            self._do.documents.add(tuple(given), tuple(unlinked), collection, subresources=subresources)
        elif unlinked or collection:
            self._do.documents.add(tuple(given), tuple(unlinked), collection)
        else:
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

    def look_through(self, folders: Sequence[str], collection: str = "") -> None:
        """Show what is in folders, and add what the user chooses of it, into a collection where one is named."""
        preview = FolderPreviewing(self._window, self._do, tuple(folders))
        preview.chosen.connect(lambda chosen: self.add(chosen, (), collection))
        preview.start()

    def choose_folder(self) -> None:
        """Let the user choose a folder, without keeping the window from working."""
        from webrag_desktop.gui.adding.add_dialog import choose_folder

        choose_folder(self._window, self.tr("Add a folder"), self.look_through)

    def paste(self) -> None:
        """Add the links and files on the clipboard, open a link into the library; where there is none, ask."""
        from webrag_desktop.gui.adding.dropped import at_first_sight

        if is_link(text := QApplication.clipboard().text()):
            self._open_among([text])
            return
        seen = at_first_sight(QApplication.clipboard().mimeData())
        if seen.is_wanted or seen.unlinked:
            self.look_into(seen)
        else:
            self.ask()

    # -- The report of what was added -------------------------------------------------------------------------

    def _take_report(self, report: ImportReport) -> None:
        self._report = report
        self._window.library.strip.offer_report(report.attention)
        if self._report_dialog.shown is not None:
            self._report_dialog.shown.show_report(report)

    def show_report(self) -> None:
        """Open the report of what was added last, or bring it to the front."""
        if self._report_dialog.shown is None:
            from webrag_desktop.gui.adding.report_dialog import ReportDialog

            dialog = self._report_dialog.hold(ReportDialog(self._window))
            dialog.retry_requested.connect(self._do.documents.retry)
            dialog.browser_requested.connect(self._do.browsing.open)
            dialog.add_requested.connect(self._do.documents.add)
            dialog.show_requested.connect(self.documents_wanted)
            dialog.show_report(self._report)
        self._report_dialog.bring_forward()

    def ask(self) -> None:
        """Open the add dialog."""
        if self._dialog.shown is None:
            from webrag_desktop.gui.adding.add_dialog import AddDialog

            keeping = self._do.session.settings.subresource_options()
            dialog = self._dialog.hold(AddDialog(self._window, keeps_images=keeping.keep))
            dialog.add_requested.connect(lambda given: self.add(given, subresources=dialog.with_images))
            dialog.folders_requested.connect(self.look_through)
            dialog.open()
        else:
            self._dialog.shown.raise_()

    def choose_files(self) -> None:
        """Let the user choose files, without keeping the window from working."""
        from webrag_desktop.gui.adding.add_dialog import choose_files

        choose_files(self._window, self.tr("Add files"), self.add)
