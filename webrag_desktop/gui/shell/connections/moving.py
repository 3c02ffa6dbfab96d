"""The strip about the library's embedding space, connected with moving it to another one."""

from PySide6.QtCore import QObject

from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import LIBRARY, MainWindow


class MoveConnections(QObject):
    """Offers a move, shows how far it is, and steers it."""

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations.moving
        strip = window.library.move_strip
        strip.begin_requested.connect(self._do.begin)
        strip.pause_requested.connect(self._do.pause)
        strip.resume_requested.connect(self._do.resume)
        strip.cancel_requested.connect(self._do.cancel)
        self._do.progress.connect(strip.show_move)
        self._do.offered.connect(strip.show_offer)

    def ask(self) -> None:
        """Compare library and settings because the user wants to know, also where the move was put off."""
        self._window.show_view(LIBRARY)
        self._window.library.move_strip.show_again()
        self._do.look(asked_for=True)
