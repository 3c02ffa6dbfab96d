"""Starting Qt; where no window can be opened, that is said in a sentence, and Qt aborts nothing."""

import os
import sys
from collections.abc import Sequence

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from webrag_desktop.errors import StackError

NO_DISPLAY_CODE = 3  # as for any part of the stack that cannot be used


class NoDisplayError(StackError):
    """No window can be opened here. Everything else works without: see `webrag --help`."""

    default_hint = "Start it from a desktop session; `webrag --help` tells what can be done without a window."

    @classmethod
    def of(cls, told: Sequence[str]) -> "NoDisplayError":
        """The error for what Qt told before it gave up."""
        reasons = "; ".join(line.strip().rstrip(".") for line in told if line.strip())
        return cls(f"No window can be opened here{f' ({reasons})' if reasons else ''}.")


def start_qt(name: str) -> QApplication:
    """Start Qt; where it finds no display, say so and end the process, which Qt would abort otherwise."""
    told: list[str] = []

    def hear(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        if kind == QtMsgType.QtFatalMsg:
            _end(NoDisplayError.of(told[:1]))
        told.append(message)

    before = qInstallMessageHandler(hear)
    application = QApplication([name])
    qInstallMessageHandler(before)
    for message in told:
        _say(message)
    return application


def _end(error: NoDisplayError) -> None:
    # Nothing can be raised through Qt, which aborts as soon as its message is heard.
    _say(error.message)
    _say(error.hint)
    os._exit(NO_DISPLAY_CODE)


def _say(line: str) -> None:
    if sys.stderr is not None:  # a program without a console has none
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
