"""The real window, started as ever: prints the seconds from the start of the process until it can be used,
and the processor's."""

from collections.abc import Sequence

from benchmarks.gui_parts.process_age import spent
from webrag_desktop import __main__ as program


def measure() -> None:
    """Have the window end itself once its documents are listed, and print when that was."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from webrag_desktop.gui.shell import application

    class Measured(application.Window):
        def open(self, given: Sequence[str] = ()) -> None:
            self.view.resize(1440, 900)
            self.operations.documents.listed.connect(self._tell)
            super().open(given)

        def _tell(self, _listed: object) -> None:
            self.operations.documents.listed.disconnect(self._tell)
            print(spent(), flush=True)
            QTimer.singleShot(0, lambda: QApplication.exit(0))

    application.Window = Measured  # type: ignore[misc]


if __name__ == "__main__":
    program.load_core()
    program.load_qt()
    measure()
    program.window()
