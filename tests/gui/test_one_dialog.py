"""A dialog of which one is open at a time is there until it is finished."""

from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.shell.one_dialog import OneDialog


def test_a_finished_dialog_is_deleted_and_makes_room_for_the_next(qtbot: QtBot) -> None:
    ended: list[str] = []
    one: OneDialog[QDialog] = OneDialog(lambda: ended.append("ended"))
    one.bring_forward()  # there is none
    dialog = one.hold(QDialog())
    one.bring_forward()
    assert (one.shown, dialog.isVisible()) == (dialog, True)
    dialog.destroyed.connect(lambda: ended.append("deleted"))
    dialog.reject()
    qtbot.waitUntil(lambda: len(ended) == 2)
    assert (one.shown, ended) == (None, ["ended", "deleted"])
    following = one.hold(QDialog())
    qtbot.addWidget(following)
    assert one.shown is following
