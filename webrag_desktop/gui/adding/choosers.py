"""The system's dialogs that choose files and folders. They do not block: the choice is passed to a callback."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from webrag_desktop.gui.adding.dropped import READABLE_NAMES

BACKUP_SUFFIX = "webrag"


def choose_files(parent: QWidget, title: str, then: Callable[[list[str]], None]) -> None:
    """Let the user choose files of kinds that can be read, or of any."""
    chooser = QFileDialog(parent, title)
    chooser.setFileMode(QFileDialog.FileMode.ExistingFiles)
    readable = _tr("Documents ({0})").format(READABLE_NAMES)
    chooser.setNameFilters([readable, _tr("All files (*)")])
    _open(chooser, then)


def choose_folder(parent: QWidget, title: str, then: Callable[[list[str]], None]) -> None:
    """Let the user choose a folder."""
    chooser = QFileDialog(parent, title)
    chooser.setFileMode(QFileDialog.FileMode.Directory)
    _open(chooser, then)


def choose_place(parent: QWidget, title: str, name: str, then: Callable[[str], None]) -> None:
    """Let the user choose where a backup goes; about a file that is there the system's dialog asks."""
    chooser = QFileDialog(parent, title)
    chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    chooser.setFileMode(QFileDialog.FileMode.AnyFile)
    chooser.setDefaultSuffix(BACKUP_SUFFIX)
    chooser.setNameFilters([_tr("Backups (*.{0})").format(BACKUP_SUFFIX), _tr("All files (*)")])
    chooser.selectFile(name)
    _open(chooser, lambda paths: then(paths[0]))


def choose_backup(parent: QWidget, title: str, then: Callable[[str], None]) -> None:
    """Let the user choose a backup."""
    chooser = QFileDialog(parent, title)
    chooser.setFileMode(QFileDialog.FileMode.ExistingFile)
    chooser.setNameFilters([_tr("Backups (*.{0})").format(BACKUP_SUFFIX), _tr("All files (*)")])
    _open(chooser, lambda paths: then(paths[0]))


def _open(chooser: QFileDialog, then: Callable[[list[str]], None]) -> None:
    chooser.filesSelected.connect(then)
    chooser.finished.connect(chooser.deleteLater)
    chooser.open()


def _tr(text: str) -> str:
    return QCoreApplication.translate("Choosers", text)
