"""What was opened to be read, and how far: kept while one reads, and found again, also after a restart."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSlider, QApplication
from pytestqt.qtbot import QtBot

from tests.support.corpus import ENCYCLOPAEDIA, GLOSSARY
from tests.support.gui_library import Address, heard, settings_for
from tests.support.reading_window import ReadingWindow, reading_window, stored
from webrag_desktop.config import Settings
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.shell.main_window import LIBRARY
from webrag_desktop.storage.database import Database

Clone = Callable[[str], Address]


@pytest.fixture
def address(clone: Clone, corpus_template: str) -> Address:
    return clone(corpus_template)


@pytest.fixture
def database(address: Address) -> Iterator[Database]:
    opened = Database(address)
    yield opened
    opened.close()


@pytest.fixture
def settings(address: Address, tmp_path: Path) -> Settings:
    return settings_for(address, tmp_path)


@pytest.fixture
def seen(application: QApplication, settings: Settings, qtbot: QtBot) -> Iterator[ReadingWindow]:
    with reading_window(settings, qtbot) as made:
        yield made


def id_of(database: Database, page: str) -> UUID:
    with database.connection() as conn:
        row = conn.execute("SELECT id FROM documents WHERE source_url = %s", [page]).fetchone()
    assert row is not None
    found: UUID = row[0]
    return found


def scroll_pages(seen: ReadingWindow, pages: int) -> int:
    """Scroll on as the wheel and the bar do; returns the place that is then at the top."""
    bar = seen.reader._text.verticalScrollBar()
    for _ in range(pages):
        bar.triggerAction(QAbstractSlider.SliderAction.SliderPageStepAdd)
    return seen.place()


def test_a_document_that_is_opened_again_after_a_restart_goes_on_where_it_was_left(
    application: QApplication, settings: Settings, database: Database, qtbot: QtBot
) -> None:
    glossary = id_of(database, GLOSSARY)
    with reading_window(settings, qtbot) as seen:
        seen.open(glossary)
        heard(qtbot, lambda: stored(database, glossary).opened_at is not None)
        assert stored(database, glossary).read_to is None  # nothing was read yet
        place = scroll_pages(seen, 7)
        assert place > 1000
        heard(qtbot, lambda: stored(database, glossary).read_to == place)  # once scrolling rested
        left = scroll_pages(seen, 2)  # and the window is closed at once
        assert left > place
    assert stored(database, glossary).read_to == left
    with reading_window(settings, qtbot) as seen:
        seen.open(glossary)
        heard(qtbot, lambda: seen.place() == left)
        assert seen.reader.highlighted_span() is None  # a place is not marked
        seen.window.resize(1200, 760)
        assert seen.place() == left


def test_going_to_another_document_or_view_keeps_the_place_at_once(
    seen: ReadingWindow, database: Database, qtbot: QtBot
) -> None:
    glossary, encyclopaedia = id_of(database, GLOSSARY), id_of(database, ENCYCLOPAEDIA)
    seen.open(glossary)
    first = scroll_pages(seen, 3)
    seen.open(encyclopaedia)
    heard(qtbot, lambda: stored(database, glossary).read_to == first)
    second = scroll_pages(seen, 2)
    seen.connections.show_view(LIBRARY)
    heard(qtbot, lambda: stored(database, encyclopaedia).read_to == second)
    seen.open(glossary)
    heard(qtbot, lambda: seen.place() == first)
    seen.connections.back()  # to the library
    seen.connections.back()  # to the other document, where it was read
    seen.wait_for(encyclopaedia)
    heard(qtbot, lambda: seen.place() == second)


def test_what_is_looked_at_in_the_pane_is_not_opened(
    seen: ReadingWindow, database: Database, qtbot: QtBot
) -> None:
    glossary = id_of(database, GLOSSARY)
    opened: list[UUID] = []
    seen.do.reading.opened.connect(opened.append)
    seen.connections.show_view(1)
    seen.do.reading.open_document(glossary)  # as the selection does it
    seen.wait_for(glossary)
    scroll_pages(seen, 3)
    with qtbot.waitSignal(seen.reader.resting.rested):
        pass
    assert (stored(database, glossary).opened_at, stored(database, glossary).read_to) == (None, None)
    seen.window.research.set_full(True)
    heard(qtbot, lambda: opened == [glossary])
    assert stored(database, glossary).opened_at is not None


def test_a_passage_goes_to_its_own_place_and_leaves_the_kept_one_until_one_reads_on(
    seen: ReadingWindow, database: Database, qtbot: QtBot
) -> None:
    glossary = id_of(database, GLOSSARY)
    seen.open(glossary)
    kept = scroll_pages(seen, 6)
    heard(qtbot, lambda: stored(database, glossary).read_to == kept)
    document = seen.reader.document
    assert document is not None
    start = document.markdown.index("abstract base class")
    passage = SpanReference(glossary, document.version_id, start, start + 19)
    seen.connections.research.show_span(passage)
    assert seen.reader.highlighted_text() == "abstract base class"
    with qtbot.waitSignal(seen.reader.resting.rested):
        pass
    assert stored(database, glossary).read_to == kept
    QTest.keyClick(seen.reader._text, Qt.Key.Key_PageDown)
    QTest.keyClick(seen.reader._text, Qt.Key.Key_PageDown)
    heard(qtbot, lambda: stored(database, glossary).read_to == seen.place())
    assert seen.place() < kept


def test_a_place_is_of_the_text_that_a_document_shows(seen: ReadingWindow, database: Database) -> None:
    glossary, encyclopaedia = id_of(database, GLOSSARY), id_of(database, ENCYCLOPAEDIA)
    (library,) = seen.do.session._libraries._open
    other = library.documents.text(encyclopaedia)
    assert other is not None
    assert not library.documents.keep_place(glossary, other.id, 40)
    assert stored(database, glossary).read_to is None
    assert library.documents.note_opened(glossary)
    assert not library.documents.note_opened(uuid4())
