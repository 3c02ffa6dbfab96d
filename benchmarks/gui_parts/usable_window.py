"""The real window: prints the seconds from the start of the process until it can be used."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from benchmarks.gui_parts.process_age import seconds
from webrag_desktop.config import load_settings
from webrag_desktop.gui.application import Window
from webrag_desktop.gui.garbage import GarbageOnGuiThread
from webrag_desktop.gui.theme.applying import prepare

if __name__ == "__main__":
    application = QApplication([])
    prepare(application)
    garbage = GarbageOnGuiThread(application)
    window = Window(load_settings())
    window.view.resize(1440, 900)
    usable: list[float] = []

    def listed(_listed: object) -> None:
        if not usable:
            usable.append(seconds())
            QTimer.singleShot(0, lambda: application.exit(0))

    window.operations.documents.listed.connect(listed)
    window.open()
    application.exec()
    window.close()
    garbage.release()
    print(usable[0])
