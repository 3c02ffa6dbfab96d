"""Backup, restore and check in one dialog, and what the program runs on, connected with the window."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.import_report import BatchProgress
from webrag_desktop.gui.data.upkeep import BackupContents, Outcome, StackReport
from webrag_desktop.gui.data.view_data import Failure, LibraryFigures
from webrag_desktop.gui.kit.quantities import counted, documents, documents_and_bin, long_time
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import MainWindow
from webrag_desktop.gui.shell.one_dialog import OneDialog
from webrag_desktop.progress import Step

if TYPE_CHECKING:
    from webrag_desktop.gui.maintenance.stack_dialog import StackDialog
    from webrag_desktop.gui.maintenance.upkeep_dialog import UpkeepDialog


class SafekeepingConnections(QObject):
    """What is being done has the dialog; a further wish brings that to the front."""

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._all, self._do = window, operations, operations.safekeeping
        self._dialog: OneDialog[UpkeepDialog] = OneDialog(self._end_acting)
        self._figures = LibraryFigures()
        self._act: Callable[[], None] | None = None
        operations.documents.figures.connect(self._note_figures)
        self._do.step.connect(self._show_step)
        self._do.ended.connect(self._show_outcome)
        self._do.backup_read.connect(self._ask)
        self._do.failed.connect(self._show_failure)
        self._do.stopped.connect(self._end)

    def _note_figures(self, figures: LibraryFigures) -> None:
        self._figures = figures

    # -- What the menu offers ---------------------------------------------------------------------------------

    def back_up(self) -> None:
        """Ask where to, and save the library there."""
        from webrag_desktop.gui.adding.add_dialog import choose_place

        if self._is_free():
            name = f"webrag-{datetime.now().astimezone():%Y-%m-%d}.webrag"
            choose_place(self._window, self.tr("Back up the library"), name, self._save)

    def _save(self, path: str) -> None:
        self._open(
            self.tr("Saving your library"), self.tr("You can go on working. It is saved as it is now.")
        )
        self._do.save(path)

    def restore(self) -> None:
        """Ask for a backup, show what is in it, and replace the library with it once that is confirmed."""
        from webrag_desktop.gui.adding.add_dialog import choose_backup

        if self._is_free():
            choose_backup(self._window, self.tr("Restore a backup"), self._read)

    def _read(self, path: str) -> None:
        self._open(self.tr("Reading the backup"), self.tr("Nothing is changed yet."), modal=True)
        self._do.read_backup(path)

    def check(self) -> None:
        """Run all checks of the library."""
        if self._is_free():
            self._open(
                self.tr("Checking your library"),
                self.tr(
                    "You can go on working. Nothing is changed; all texts are read, so it takes a while."
                ),
            )
            self._do.check()

    def _is_free(self) -> bool:
        self._dialog.bring_forward()
        return self._dialog.shown is None

    # -- The dialog -------------------------------------------------------------------------------------------

    def _open(self, title: str, promise: str, *, modal: bool = False) -> None:
        from webrag_desktop.gui.maintenance.upkeep_dialog import UpkeepDialog

        dialog = self._dialog.hold(UpkeepDialog(title, promise, modal=modal, parent=self._window))
        dialog.stop_requested.connect(self._do.stop)
        dialog.acted.connect(self._do_next)
        dialog.show()

    def _show_step(self, step: Step) -> None:
        if self._dialog.shown is not None:
            self._dialog.shown.show_step(step)

    def _ask(self, contents: BackupContents) -> None:
        if self._dialog.shown is None:
            return
        held = documents(contents.documents)
        if contents.citations:
            cited = counted(contents.citations, self.tr("citation"), self.tr("citations"))
            held = self.tr("{0} and {1}").format(held, cited)
        if contents.in_bin:
            held = self.tr("{0}, and {1} in the bin").format(held, documents(contents.in_bin))
        here = documents_and_bin(self._figures.documents, self._figures.removed)
        text = self.tr("It holds {0}.").format(held)
        if self._figures.documents or self._figures.removed:
            now = self.tr("What is here now, {0}, goes; it is saved into the data folder before.")
            text = f"{text} {now.format(here)}"
        headline = self.tr("Go back to your library of {0}?").format(long_time(contents.made_at))
        self._act = partial(self._restore, contents)
        self._dialog.shown.ask(headline, text, self.tr("Replace"))

    def _restore(self, contents: BackupContents) -> None:
        if self._dialog.shown is not None:
            self._dialog.shown.show_work(self.tr("Restoring your library"))
        self._do.restore(contents)

    def _show_outcome(self, outcome: Outcome) -> None:
        if self._dialog.shown is not None:
            self._act = partial(self._show_folder, outcome.path) if outcome.path else self._mend
            self._dialog.shown.show_outcome(outcome)

    def _show_folder(self, path: str) -> None:
        self._all.browsing.open_folder(path)

    def _mend(self) -> None:
        if self._dialog.shown is not None:
            self._dialog.shown.show_work(self.tr("Repairing your library"))
        self._do.mend()

    def _do_next(self) -> None:
        if self._act is not None:
            self._act()

    def _show_failure(self, failure: Failure) -> None:
        if self._dialog.shown is not None:
            self._dialog.shown.show_failure(failure)

    def _end(self) -> None:
        if self._dialog.shown is not None:
            self._dialog.shown.end()

    def _end_acting(self) -> None:
        self._act = None


class StackConnections(QObject):
    """What runs, how it does, what to do about it."""

    set_up_wanted = Signal()  # the chat model is to be set up

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        self._dialog: OneDialog[StackDialog] = OneDialog()
        self._report: StackReport | None = None
        self._working = False
        session, stack = operations.session, operations.stack
        session.opening.connect(self._show_step)
        session.opened.connect(lambda: window.status.show_note(""))
        stack.report.connect(self._show)
        operations.documents.batch.connect(self._follow_work)
        window.status.opened.connect(self.open)
        window.status.action_requested.connect(self._act)

    def _show_step(self, step: Step) -> None:
        self._window.status.show_note(step.name)

    def _follow_work(self, batch: BatchProgress | None) -> None:
        """Refresh the report when work begins, stops or ends: the model is busy meanwhile."""
        working = batch is not None and batch.working > 0 and not batch.paused
        if working != self._working:
            self._working = working
            self._do.stack.refresh()

    def _show(self, report: StackReport) -> None:
        self._report = report
        self._window.status.show_note("")
        self._window.status.show_report(report)
        if self._dialog.shown is not None:
            self._dialog.shown.show_report(report)

    def _act(self, name: str) -> None:
        parts = self._report.parts if self._report is not None else ()
        if any(part.set_up for part in parts if part.name == name):
            self.set_up_wanted.emit()
        else:
            self._do.stack.act(name)

    def open(self) -> None:
        """Open the stack dialog, with a fresh look at everything."""
        if self._dialog.shown is None:
            from webrag_desktop.gui.maintenance.stack_dialog import StackDialog

            dialog = self._dialog.hold(StackDialog(self._window))
            dialog.action_requested.connect(self._act)
            dialog.refresh_requested.connect(self._do.stack.look_again)
            dialog.open_path.connect(self._do.browsing.open_folder)
            dialog.log_requested.connect(self._do.stack.read_log)
            self._do.stack.log_text.connect(dialog.show_log)
            if self._report is not None:
                dialog.show_report(self._report)
        self._do.stack.look_again()
        self._dialog.bring_forward()
