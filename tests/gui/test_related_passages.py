"""What else the library says about what is read: beside the full reader, from the real library."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSlider, QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support.corpus import add_page
from tests.support.gui_library import Address, Heard, heard, settings_for
from tests.support.reading_window import ReadingWindow, reading_window
from webrag_desktop.gui.data.view_data import SearchResults
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.storage.database import Database

Clone = Callable[[str], Address]

LIMPETS = """<h2>How limpets hold on</h2><p>Limpets clamp their shells to the rock at low tide and hold on with a
muscular foot, so that the waves cannot tear them off and they do not dry out in the sun.</p>"""
BREAD = """<h2>Sourdough bread</h2><p>Mix flour with water and a spoon of the sourdough starter, let the dough rise
overnight in a warm kitchen, and bake the loaf in a hot oven until its crust is brown.</p>"""
ROOFS = """<h2>Slates on a roof</h2><p>Every slate of the roof is nailed to a wooden batten, and each row overlaps the
one below it so that rain runs off into the gutter.</p>"""
PAGES = {
    "https://shore.example/notes": f"<h1>Notes of a year</h1>{LIMPETS}{BREAD}{ROOFS}",
    "https://zoo.example/foot": """<h1>The foot of the limpet</h1><p>At ebb the limpet presses its shell onto the stone
and its foot sticks to the rock, which keeps it from drying out and from being washed away by waves.</p>""",
    "https://kitchen.example/loaf": """<h1>A loaf every day</h1><p>For a good sourdough loaf the dough of flour and
water has to rise for a night before it is baked in a very hot oven.</p>""",
}


def page(body: str) -> bytes:
    return f"<!doctype html><html lang='en'><body><main>{body}</main></body></html>".encode()


@pytest.fixture
def address(clone: Clone, migrated_template: str) -> Address:
    return clone(migrated_template)


@pytest.fixture
def ids(address: Address, make_indexer: Callable[[Database], Indexer]) -> dict[str, UUID]:
    database = Database(address)
    indexer = make_indexer(database)
    made = {url: add_page(database, indexer, url, page(body)) for url, body in PAGES.items()}
    database.close()
    return made


@pytest.fixture
def notes(ids: dict[str, UUID]) -> UUID:
    return ids["https://shore.example/notes"]


@pytest.fixture
def seen(
    application: QApplication, address: Address, notes: UUID, tmp_path: Path, qtbot: QtBot
) -> Iterator[ReadingWindow]:
    with reading_window(settings_for(address, tmp_path), qtbot) as made:
        yield made


def titles(results: SearchResults) -> list[str]:
    return [group.title for group in results.groups]


def read_section(seen: ReadingWindow, name: str) -> None:
    outline = seen.reader._outline.list.outline
    names = [outline.section(row).text for row in range(outline.rowCount())]
    seen.reader._outline.list.section_chosen.emit(names.index(name))


def test_each_section_has_its_own(seen: ReadingWindow, notes: UUID, ids: dict[str, UUID]) -> None:
    (library,) = seen.do.session._libraries._open
    text = library.documents.text(notes)
    assert text is not None
    starts = [text.markdown.index(f"## {name}") for name in ("How limpets", "Sourdough", "Slates")]
    spans = list(zip(starts, [*starts[1:], len(text.markdown)], strict=True))
    found = [library.related(notes, *span) for span in spans]
    names = [[chunk.title for chunk in one.chunks] for one in found if one is not None]
    assert names == [["The foot of the limpet"], ["A loaf every day"], []]
    assert library.related(UUID(int=7), 0, 100) is None


def test_what_is_related_is_shown_beside_what_is_read_and_leads_there_and_back(
    seen: ReadingWindow,
    notes: UUID,
    ids: dict[str, UUID],
    qtbot: QtBot,
    picture: Callable[[QWidget, str], Path],
    themed: Callable[[bool], None],
) -> None:
    found = Heard(seen.do.related.found)
    seen.open(notes)
    pane = seen.window.research.related
    assert pane.isVisible()
    read_section(seen, "How limpets hold on")
    heard(qtbot, lambda: bool(found.all) and titles(found.last) == ["The foot of the limpet"])
    index = pane.list.related.index(0)
    assert "keeps it from drying out" in str(index.data())
    assert str(index.data(Qt.ItemDataRole.AccessibleTextRole)).startswith(
        "The foot of the limpet, zoo.example, strong: "
    )
    picture(seen.window, "related-passages")
    themed(True)
    picture(seen.window, "related-passages-dark")
    themed(False)
    seen.wait_for(notes)  # laid out again in its own place
    place = seen.place()
    QTest.mouseClick(
        pane.list.viewport(), Qt.MouseButton.LeftButton, pos=pane.list.visualRect(index).center()
    )
    seen.wait_for(ids["https://zoo.example/foot"])
    heard(qtbot, lambda: "keeps it from drying out" in seen.reader.highlighted_text())
    assert seen.window.research.is_full
    seen.connections.back()
    seen.wait_for(notes)
    heard(qtbot, lambda: seen.place() == place)


def test_nothing_related_is_said_in_a_line(seen: ReadingWindow, notes: UUID, qtbot: QtBot) -> None:
    seen.window.resize(1440, 420)
    found = Heard(seen.do.related.found)
    seen.open(notes)
    read_section(seen, "Slates on a roof")
    heard(qtbot, lambda: bool(found.all) and not found.last.groups)
    pane = seen.window.research.related
    assert pane.note.text() == "Nothing else in your library is about this."
    assert not pane.list.isVisible()


def test_it_is_closed_by_its_button_and_opened_by_key_and_that_is_remembered(
    seen: ReadingWindow, notes: UUID, qtbot: QtBot
) -> None:
    seen.open(notes)
    research = seen.window.research
    found = Heard(seen.do.related.found)
    QTest.mouseClick(research.related.close_button, Qt.MouseButton.LeftButton)
    assert not research.related.isVisible()
    seen.reader._text.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderPageStepAdd)
    with qtbot.waitSignal(seen.reader.resting.rested):
        seen.reader.resting.begin()
    asked = len(found)
    assert research.saved_layout()["research-related"] == b"no"
    QTest.keyClick(seen.reader._text, Qt.Key.Key_R)
    assert research.related.isVisible()
    heard(qtbot, lambda: len(found) > asked)  # nothing was looked for meanwhile
    research.restore_layout({"research-related": b"no"})
    research.set_full(False)
    research.set_full(True)
    assert not research.related.isVisible()
    seen.window.resize(1000, 700)
    QTest.keyClick(seen.reader._text, Qt.Key.Key_R)
    assert not research.related.isVisible()  # the text keeps its measure
    seen.window.resize(1440, 700)
    qtbot.waitUntil(research.related.isVisible)
