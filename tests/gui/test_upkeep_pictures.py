"""A document over time, a move to another model, and looking after the library, as pictures, light and dark."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.library_views import ServedLibrary
from tests.support.document_texts import DOCUMENT, difference, history, texts
from tests.support.documents import batch, details, filling
from webrag_desktop.gui.data.upkeep import MoveOffer, MoveProgress, Outcome, OutcomeLine
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.library.dialogs.difference_dialog import DifferenceDialog
from webrag_desktop.gui.library.inspector_versions import HistoryDialog, schedule_menu
from webrag_desktop.gui.maintenance.upkeep_dialog import UpkeepDialog
from webrag_desktop.progress import Step

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
Picture = Callable[[QWidget, str], Path]
Themed = Callable[[bool], None]


@pytest.fixture(params=[False, True], ids=["light", "dark"])
def suffix(request: pytest.FixtureRequest, themed: Themed) -> str:
    """The theme that the pictures are in, as their names tell it."""
    themed(request.param)
    return "-dark" if request.param else ""


def show(dialog: QDialog, qtbot: QtBot) -> QDialog:
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def selected(qtbot: QtBot) -> ServedLibrary:
    """The library with the document selected that has a past."""
    library = ServedLibrary(qtbot, (1200, 1000))
    rows = filling()
    library.give(rows)
    at = next(n for n, row in enumerate(rows) if row.id == DOCUMENT)
    library.table.choose(at)
    library.view.show_details(details(rows[at]))
    return library


def test_versions(application: QApplication, qtbot: QtBot, picture: Picture, suffix: str) -> None:
    library = selected(qtbot)
    library.view.inspector.show_texts(texts())
    application.processEvents()
    picture(library.view, f"versions{suffix}")


def test_difference(application: QApplication, qtbot: QtBot, picture: Picture, suffix: str) -> None:
    picture(show(DifferenceDialog(difference()), qtbot), f"difference{suffix}")


def test_history(application: QApplication, qtbot: QtBot, picture: Picture, suffix: str) -> None:
    picture(show(HistoryDialog(history()), qtbot), f"history{suffix}")


def test_schedule_menu(application: QApplication, qtbot: QtBot, picture: Picture, suffix: str) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    menu = schedule_menu(parent, texts(), lambda _every: None, lambda _every: None)
    with qtbot.waitExposed(menu):
        menu.popup(parent.pos())
    picture(menu, f"schedule-menu{suffix}")
    menu.close()


MOVES = {
    "offer": None,
    "moving": MoveProgress(1, "bge-m3", "moving", 312, 1284),
    "resting": MoveProgress(1, "bge-m3", "paused", 312, 1284),
    "waiting": MoveProgress(
        1, "bge-m3", "waiting", 312, 1284, "Ollama does not answer.", "Start it, then try again."
    ),
}


@pytest.mark.parametrize("state", MOVES)
def test_move(application: QApplication, qtbot: QtBot, picture: Picture, suffix: str, state: str) -> None:
    library = selected(qtbot)
    library.view.resize(1200, 400)
    library.view.move_strip.show_offer(MoveOffer("nomic-embed-text", "bge-m3"))
    library.view.move_strip.show_move(MOVES[state])
    library.view.show_batch(batch() if state == "moving" else None)
    application.processEvents()
    picture(library.view, f"move-{state}{suffix}")


FINDINGS = tuple(
    OutcomeLine(True, promise)
    for promise in (
        "Every stored text has the hash it was stored with.",
        "Blocks lie inside their text, in order.",
        "Whatever is not ready, failed or cancelled has exactly one open job, and nothing else has.",
        "The corpus figures are what counting gives.",
        "Every citation quotes its text character for character, and belongs to the document of that text.",
        "Stored HTML holds nothing that runs or is loaded.",
    )
)
BROKEN = OutcomeLine(
    False, "Every chunk stands, character for character, in its document at its offsets.",
    "Broken 2 times, such as 3f0e4a53-9c55-4f0f, 0b0f4b1e-3f0e-4a53",
)  # fmt: skip


def working(dialog: UpkeepDialog) -> None:
    dialog.show_step(Step("Saving", 312, 1284, "document_versions, 24%"))


def asking(dialog: UpkeepDialog) -> None:
    dialog.ask(
        "Go back to your library of 3 October at 14:02?",
        "It holds 412 documents and 31 citations. What is here now, 1,284 documents, goes; it is saved into the "
        "data folder before.",
        "Replace",
    )


def sound(dialog: UpkeepDialog) -> None:
    dialog.show_outcome(Outcome("Your library is sound", "All 17 checks passed.", lines=FINDINGS))


def damaged(dialog: UpkeepDialog) -> None:
    text = "1 of 17 checks failed. Nothing was changed. Repairing rebuilds what was derived."
    dialog.show_outcome(Outcome("Your library is damaged", text, False, (BROKEN, *FINDINGS), "Repair"))


def saved(dialog: UpkeepDialog) -> None:
    text = "webrag-2026-11-22.webrag (312 MB) holds 1,284 documents, with everything kept about them."
    dialog.show_outcome(Outcome("Your library is saved", text, action="Show in folder", path="/x"))


def failed(dialog: UpkeepDialog) -> None:
    dialog.show_failure(
        Failure(
            "The disk of /media/stick has 12 MB free, and saving the library may take 312 MB.",
            "Free some space, or save it to another disk.",
        )
    )


UPKEEP: dict[str, Callable[[UpkeepDialog], None]] = {
    "working": working,
    "asking": asking,
    "sound": sound,
    "damaged": damaged,
    "saved": saved,
    "failed": failed,
}


@pytest.mark.parametrize("state", UPKEEP)
def test_upkeep(application: QApplication, qtbot: QtBot, picture: Picture, suffix: str, state: str) -> None:
    dialog = UpkeepDialog(
        "Saving your library", "You can go on working. It is saved as it is now.", modal=False
    )
    show(dialog, qtbot)
    UPKEEP[state](dialog)
    application.processEvents()
    picture(dialog, f"upkeep-{state}{suffix}")
    dialog.end()
