"""A dialog of which one is open at a time."""

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtWidgets import QDialog

D = TypeVar("D", bound=QDialog)


class OneDialog(Generic[D]):
    """Has the dialog that is open, None while there is none; once finished it is deleted, and ``after`` called."""

    def __init__(self, after: Callable[[], object] | None = None) -> None:
        self.shown: D | None = None
        self._after = after

    def hold(self, dialog: D) -> D:
        """Have this dialog until it is finished."""
        self.shown = dialog
        dialog.finished.connect(self._forget)
        return dialog

    def bring_forward(self) -> None:
        """Show it in front of the other windows, with the keyboard."""
        if self.shown is not None:
            self.shown.show()
            self.shown.raise_()
            self.shown.activateWindow()

    def _forget(self) -> None:
        dialog, self.shown = self.shown, None
        if dialog is not None:
            dialog.deleteLater()
            if self._after is not None:
                self._after()
