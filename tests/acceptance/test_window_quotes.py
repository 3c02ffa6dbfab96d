"""Where a pasted quotation is from: the real window, from the clipboard to the marked words in the reader."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program
from tests.support.window_under_test import LONG, Opener, Seen, settings_of, wait_ready
from webrag_desktop.gui.citations.quote_dialog import QuoteDialog
from webrag_desktop.gui.shell.main_window import RESEARCH

NOTES = """# Tide pools

Where the **sea** meets rock, life holds on.

## Low tide

Limpets clamp their [shells](https://example.org/shells) to the rock, and wait until the sea returns.
"""
QUOTE = "“Limpets clamp their shells to the rock”"
READ = "Limpets clamp their shells to the rock"


def pasted(qtbot: QtBot, seen: Seen, text: str) -> QuoteDialog:
    """Press the keys with a quotation on the clipboard, and wait until it is graded."""
    QApplication.clipboard().setText(text)
    focused = QApplication.focusWidget() or seen.window.view
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(focused, Qt.Key.Key_V, keys)
    (dialog,) = seen.window.view.findChildren(QuoteDialog)
    qtbot.waitUntil(dialog.isActiveWindow, timeout=LONG)
    qtbot.waitUntil(lambda: dialog.pill.grade is not None, timeout=LONG)
    return dialog


def test_from_the_clipboard_to_the_marked_words(
    opened: Opener, home: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "pools.md").write_text(NOTES, encoding="utf-8")
    seen = opened(settings_of(home.home))
    view = seen.window.view
    seen.window.operations.documents.add((str(tmp_path / "pools.md"),))
    wait_ready(qtbot, seen, 1)
    dialog = pasted(qtbot, seen, QUOTE)
    assert dialog.pill.grade == "exact_as_rendered"
    assert dialog.list.hasFocus()
    QTest.keyClick(dialog.list, Qt.Key.Key_C)
    qtbot.waitUntil(lambda: bool(seen.citations) and len(seen.citations[-1]) == 1, timeout=LONG)
    assert seen.citations[-1][0].quote == READ
    QTest.keyClick(dialog.list, Qt.Key.Key_Return)
    reader = view.research.reader
    qtbot.waitUntil(lambda: reader.highlighted_text() == READ, timeout=LONG)
    assert view.view == RESEARCH
    dialog = pasted(qtbot, seen, "Limpets clamp their shells to the sand, and wait until the sea returns.")
    assert dialog.pill.grade == "near"
    place = dialog.list.place()
    assert place is not None
    assert [piece.text.strip(" ,") for piece in place.pieces if piece.kind != "same"] == ["sand", "rock"]
    QTest.keyClick(dialog.list, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not dialog.isVisible(), timeout=LONG)
