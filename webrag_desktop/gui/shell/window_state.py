"""What the window remembers from one start to the next: its place, its panes, the reader's zoom."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings

if TYPE_CHECKING:  # the window is imported while the library is being opened
    from webrag_desktop.gui.shell.main_window import MainWindow

FILE = "window.ini"


class WindowState:
    """Keeps the window's layout in the data folder."""

    def __init__(self, home: Path) -> None:
        """Use the file in ``home``; a damaged one is as good as none."""
        self._settings = QSettings(str(home / FILE), QSettings.Format.IniFormat)

    def restore(self, window: "MainWindow") -> None:
        """Put the window back as it was left."""
        geometry = self._bytes("geometry")
        if geometry:
            window.restoreGeometry(QByteArray(geometry))
        panes = {
            name: value for name in filter(None, self._settings.allKeys()) if (value := self._bytes(name))
        }
        if "body" in panes:
            window.body.restore(panes["body"])
        window.library.restore_layout(panes)
        window.research.reader.set_zoom(self._zoom())
        window.research.restore_layout(panes)
        window.map.restore_layout(panes)

    def save(self, window: "MainWindow") -> None:
        """Remember how the window is now."""
        self._settings.setValue("geometry", window.saveGeometry())
        self._settings.setValue("body", QByteArray(window.body.saved()))
        for view in (window.library, window.research, window.map):
            for name, value in view.saved_layout().items():
                self._settings.setValue(name, QByteArray(value))
        self._settings.setValue("zoom", window.research.reader.zoom)
        self._settings.sync()

    def _bytes(self, name: str) -> bytes | None:
        value = self._settings.value(name)
        return bytes(value.data()) if isinstance(value, QByteArray) else None

    def _zoom(self) -> int:
        try:
            return int(str(self._settings.value("zoom", 0)))
        except ValueError:  # written by somebody else
            return 0
