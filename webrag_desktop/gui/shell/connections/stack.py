"""The status strip and the stack dialog, connected with what the program runs on."""

from PySide6.QtCore import QObject

from webrag_desktop.gui.data.stack import StackReport
from webrag_desktop.gui.data.view_data import BatchProgress
from webrag_desktop.gui.maintenance.stack_dialog import StackDialog
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import MainWindow
from webrag_desktop.progress import Step


class StackConnections(QObject):
    """What runs, how it does, what to do about it."""

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        self._dialog: StackDialog | None = None
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
        """Look anew when work begins, stops or ends: the model is busy meanwhile."""
        working = batch is not None and batch.working > 0 and not batch.paused
        if working != self._working:
            self._working = working
            self._do.stack.refresh()

    def _show(self, report: StackReport) -> None:
        self._report = report
        self._window.status.show_note("")
        self._window.status.show_report(report)
        if self._dialog is not None:
            self._dialog.show_report(report)

    def _act(self, name: str) -> None:
        parts = self._report.parts if self._report is not None else ()
        if any(part.explained for part in parts if part.name == name):
            self.open()
        else:
            self._do.stack.act(name)

    def open(self) -> None:
        """Open the stack dialog, with a fresh look at everything."""
        if self._dialog is None:
            self._dialog = StackDialog(self._window)
            self._dialog.action_requested.connect(self._do.stack.act)
            self._dialog.refresh_requested.connect(self._do.stack.look_again)
            self._dialog.open_path.connect(self._do.browsing.open_folder)
            self._dialog.log_requested.connect(self._do.stack.read_log)
            self._do.stack.log_text.connect(self._dialog.show_log)
            self._dialog.finished.connect(self._forget)
            if self._report is not None:
                self._dialog.show_report(self._report)
        self._do.stack.look_again()
        self._dialog.show()
        self._dialog.raise_()

    def _forget(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None
