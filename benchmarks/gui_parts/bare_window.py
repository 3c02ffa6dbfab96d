"""A window with a label, and nothing else: prints the seconds from the start of the process to its first picture,
and the processor's."""

import sys

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow

from benchmarks.gui_parts.process_age import spent


class Painted(QLabel):
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        QTimer.singleShot(0, QApplication.quit)


if __name__ == "__main__":
    application = QApplication(sys.argv)
    window = QMainWindow()
    window.setCentralWidget(Painted("WebRAG"))
    window.resize(1440, 900)
    window.show()
    application.exec()
    print(spent())
