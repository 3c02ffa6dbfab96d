"""The system's dialogs that choose files and folders. They keep nobody waiting: what is chosen is told later."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from webrag_desktop.gui.dropped import READABLE_NAMES


def choose_files(parent: QWidget, title: str, then: Callable[[list[str]], None]) -> None:
    """Let the user choose files of kinds that can be read, or of any."""
    chooser = QFileDialog(parent, title)
    chooser.setFileMode(QFileDialog.FileMode.ExistingFiles)
    readable = _tr("Pages, documents and text ({0})").format(READABLE_NAMES)
    chooser.setNameFilters([readable, _tr("All files (*)")])
    _open(chooser, then)


def choose_folder(parent: QWidget, title: str, then: Callable[[list[str]], None]) -> None:
    """Let the user choose a folder."""
    chooser = QFileDialog(parent, title)
    chooser.setFileMode(QFileDialog.FileMode.Directory)
    _open(chooser, then)


def _open(chooser: QFileDialog, then: Callable[[list[str]], None]) -> None:
    chooser.filesSelected.connect(then)
    chooser.finished.connect(chooser.deleteLater)
    chooser.open()


def _tr(text: str) -> str:
    return QCoreApplication.translate("Choosers", text)
