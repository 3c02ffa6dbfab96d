"""Pictures of the whole window in both themes, taken once nothing moves any more."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

from PySide6.QtCore import QAbstractAnimation, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support.pictures import pictures_are_kept, take_picture
from tests.support.window_under_test import LONG, Seen
from webrag_desktop.gui.kit.theme.colours import apply_scheme
from webrag_desktop.gui.reader.text import ReaderText

BY_TURNS = 4  # states, of which one shows that the theme can be changed in it


class Photographer:
    """Takes each picture twice, light and dark, once nothing moves any more.

    It begins with the theme that is shown, since another one has every widget polished again. Where pictures are not
    kept, most states are looked at in one theme alone, by turns.
    """

    def __init__(self, seen: Seen, application: QApplication, otherwise: Path, qtbot: QtBot) -> None:
        self._seen, self._application, self._otherwise = seen, application, otherwise
        self._qtbot = qtbot
        self._schemes = [(Qt.ColorScheme.Light, ""), (Qt.ColorScheme.Dark, "-dark")]
        self._states = count()

    def take(self, name: str, widget: QWidget | None = None) -> None:
        taken = widget or self._seen.window.view
        in_both = pictures_are_kept() or next(self._states) % BY_TURNS == 0
        for scheme, suffix in self._schemes[: 1 + in_both]:
            apply_scheme(self._application, scheme)
            self._qtbot.waitUntil(lambda: self._stands_still(taken), timeout=LONG)
            take_picture(taken, f"{name}{suffix}", self._otherwise)
        if in_both:
            self._schemes.reverse()

    def _stands_still(self, taken: QWidget) -> bool:
        """Whether nothing moves, and all of the text that is read stands there: another theme builds it again."""
        texts = taken.findChildren(ReaderText)
        moving = any(map(_moves, taken.findChildren(QAbstractAnimation)))
        return not moving and all(text.is_complete for text in texts)


Photographing = Callable[[Seen], Photographer]


def _moves(animation: QAbstractAnimation) -> bool:
    return animation.state() == QAbstractAnimation.State.Running
