"""Links into the library: copied wherever the window copies, by key and menu, and followed where they stand."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent, QTextCursor
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QMenu, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.library_views import ServedLibrary
from tests.gui.result_lists import menu_of, texts, trigger
from tests.support import quotes
from tests.support.documents import ready
from tests.support.quotes import found
from tests.support.reader import COILS, TEXT, select, show, span, titled
from tests.support.shown import VOLTAGE, citations, results
from tests.support.shown_answers import CITED, COMPLETE, claim
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.gui.citations.citation_list import CitationsView
from webrag_desktop.gui.citations.quote_dialog import QuoteDialog
from webrag_desktop.gui.data.view_data import CitationRow, ReaderDocument, SpanReference
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.gui.research.answer.view import AnswerView
from webrag_desktop.gui.research.result_list import ResultList
from webrag_desktop.gui.shell.research_view import ResearchView
from webrag_desktop.models.citations import CiteId, DocumentLink

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
COPY = "Copy WebRAG link"
LINK = "webrag://cite/0f3a91b20d4c4e18.12-30"
OTHER = "webrag://document/0f3a91b2-0d4c-4e18-9a77-5d6c1b2a3f40"


def link_of(at: SpanReference) -> str:
    return CiteId.of(at.version_id, at.char_start, at.char_end).link


def press(widget: QWidget) -> str:
    """Press the key; what is on the clipboard then."""
    QGuiApplication.clipboard().clear()
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(widget, Qt.Key.Key_L, keys)
    return QGuiApplication.clipboard().text()


def choose(menu: QMenu | None, text: str = COPY) -> str:
    """Choose the entry of a menu; what is on the clipboard then."""
    assert menu is not None
    QGuiApplication.clipboard().clear()
    trigger(menu, text)
    return QGuiApplication.clipboard().text()


@pytest.fixture
def document() -> ReaderDocument:
    return titled(shown(version(TEXT)))


@pytest.fixture
def put(application: QApplication, qtbot: QtBot) -> Callable[[QWidget], None]:
    def shown_with_keyboard(widget: QWidget) -> None:
        qtbot.addWidget(widget)
        widget.resize(644, 800)
        with qtbot.waitExposed(widget):
            widget.show()
        widget.activateWindow()
        widget.setFocus()

    return shown_with_keyboard


# -- Copying ------------------------------------------------------------------------------------------------------


def test_the_link_of_a_passage_and_of_its_document(put: Callable[[QWidget], None]) -> None:
    rows = ResultList()
    put(rows)
    rows.show_results(results())
    said = QSignalSpy(rows.copied)
    assert press(rows) == choose(menu_of(rows)) == link_of(VOLTAGE.span)
    assert [said.at(at)[0] for at in range(said.count())] == ["WebRAG link copied."] * 2
    group = results().groups[0]
    rows.setCurrentIndex(rows.currentIndex().parent())
    assert press(rows) == choose(menu_of(rows)) == DocumentLink(group.document_id).link


def test_the_links_of_citations(put: Callable[[QWidget], None]) -> None:
    pane = CitationsView()
    put(pane)
    rows = citations()
    pane.show_citations(rows)
    pane.focus_list()
    pane.select_number(2)
    wanted = [
        CiteId.of(row.version_id, row.char_start, row.char_end).link
        for row in rows
        if row.version_id is not None
    ]
    assert press(pane.list) == choose(pane.list.menu()) == wanted[1]
    assert choose(pane.copy_all_menu(), "As WebRAG links").splitlines() == wanted


def test_a_citation_of_a_removed_document_has_no_link(put: Callable[[QWidget], None]) -> None:
    pane = CitationsView()
    put(pane)
    gone: CitationRow = replace(citations()[0], document_id=None, version_id=None)
    pane.show_citations([gone])
    pane.focus_list()
    pane.select_number(1)
    menu = pane.list.menu()
    assert menu is not None
    assert COPY not in texts(menu)
    assert "As WebRAG links" not in texts(pane.copy_all_menu())
    assert press(pane.list) == ""


@pytest.mark.parametrize("report", [quotes.exact, quotes.near])
def test_the_link_of_a_place_where_a_quotation_stands(
    put: Callable[[QWidget], None], report: Callable[[], object]
) -> None:
    dialog = QuoteDialog()
    put(dialog)
    dialog.show_found(found(report()))  # type: ignore[arg-type]
    place = dialog.list.place()
    assert place is not None
    assert press(dialog.list) == choose(dialog.list.menu()) == link_of(place.span)


def test_the_link_of_a_sentence_of_an_answer(put: Callable[[QWidget], None]) -> None:
    research = ResearchView()
    put(research)
    research.show_answer(COMPLETE)
    view, cited = research.answer, CITED[1].span
    assert cited is not None
    view.text.setFocus(Qt.FocusReason.OtherFocusReason)
    QTest.keyClick(view.text, Qt.Key.Key_2)
    mark = view.text.current_mark
    assert mark is not None
    assert press(view.text) == choose(view.menu(mark)) == link_of(cited)
    assert COPY not in texts(view.menu(None))
    without = tuple(replace(one, span=None) for one in CITED)  # a text that is in no library
    research.show_answer(replace(COMPLETE, citations=without))
    assert COPY not in texts(view.menu(mark))


def test_the_link_of_what_is_read(
    put: Callable[[QWidget], None], qtbot: QtBot, document: ReaderDocument
) -> None:
    view = ReaderView()
    put(view)
    assert press(view._text) == ""  # nothing to read yet
    show(view, qtbot, document)
    said = QSignalSpy(view.links.copied)
    assert press(view._text) == choose(view.context_menu(None)) == CiteId.of(document.version_id).link
    view.show_span(span(document, COILS))
    assert press(view._text) == choose(view.context_menu(None)) == link_of(span(document, COILS))
    select(view, "Thomson’s own instrument")
    wanted = link_of(span(document, "Thomson’s own instrument"))
    assert press(view._text) == choose(view.context_menu(None)) == wanted
    assert said.count() == 6


def test_the_links_of_documents(application: QApplication, qtbot: QtBot) -> None:
    library = ServedLibrary(qtbot)
    rows = ready(3)
    library.give(rows)
    library.view.focus_first()
    table = library.table
    wanted = [DocumentLink(row.id).link for row in rows]
    with qtbot.waitSignal(library.view.copied) as said:
        assert press(table) == wanted[0]
    assert said.args == ["WebRAG link copied."]
    table.selectAll()
    actions = library.view.list.actions_
    assert choose(actions.menu(table), "Copy WebRAG links").splitlines() == wanted


# -- Following ----------------------------------------------------------------------------------------------------

NOTE = f"""# A note

The first is [by name]({LINK}) and the second <{OTHER}> in brackets.

Pasted as it is: {LINK}. And amid 🌊 words ({OTHER}), `{LINK}` in code.

Not ours: [the web](https://example.org/) and webrag://cite/nothing and xwebrag://cite/0f3a91b20d4c4e18.

    {LINK} in a block of code
"""


def point_at(text: QTextEdit, words: str, nth: int = 0) -> QPoint:
    """The middle of words in the viewport, the ``nth`` time that they stand there."""
    at = -1
    for _ in range(nth + 1):
        at = text.document().toPlainText().index(words, at + 1)
    cursor = QTextCursor(text.document())
    cursor.setPosition(at + len(words) // 2)
    left = text.cursorRect(cursor)
    cursor.movePosition(QTextCursor.MoveOperation.Right)
    return QPoint((left.center().x() + text.cursorRect(cursor).center().x()) // 2, left.center().y())


def click(text: QTextEdit, at: QPoint) -> None:
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)


def hover(text: QTextEdit, at: QPoint) -> Qt.CursorShape:
    """Move the pointer there; its shape then."""
    there = QPointF(at)
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        there,
        text.viewport().mapToGlobal(there),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(text.viewport(), event)
    return text.viewport().cursor().shape()


@pytest.fixture
def note(put: Callable[[QWidget], None], qtbot: QtBot) -> ReaderView:
    view = ReaderView()
    put(view)
    show(view, qtbot, titled(shown(version(NOTE))))
    return view


@pytest.mark.parametrize(
    ("words", "nth", "link"),
    [("by name", 0, LINK), (OTHER, 0, OTHER), (LINK, 0, LINK), (OTHER, 1, OTHER)],
)
def test_a_click_follows_a_link_into_the_library(note: ReaderView, words: str, nth: int, link: str) -> None:
    followed, browsed = QSignalSpy(note.links.requested), QSignalSpy(note.browser_requested)
    at = point_at(note._text, words, nth)
    assert hover(note._text, at) == Qt.CursorShape.PointingHandCursor
    click(note._text, at)
    ((clicked, _at),) = (followed.at(one) for one in range(followed.count()))
    assert clicked.address == link
    assert words in NOTE[clicked.span.char_start : clicked.span.char_end]
    menu = note.context_menu(note._text._link_under(at))
    assert "Open link in browser" not in texts(menu)
    choose(menu, "Open link")
    assert followed.at(1)[0].address == link
    assert browsed.count() == 0


@pytest.mark.parametrize(
    ("words", "nth"),
    [
        ("cite/nothing", 0),
        ("xwebrag", 0),
        (LINK, 1),
        (LINK, 2),
        ("Pasted", 0),
    ],
)
def test_a_click_follows_no_plain_words(note: ReaderView, words: str, nth: int) -> None:
    followed, browsed = QSignalSpy(note.links.requested), QSignalSpy(note.browser_requested)
    at = point_at(note._text, words, nth)
    assert hover(note._text, at) == Qt.CursorShape.IBeamCursor
    click(note._text, at)
    assert (followed.count(), browsed.count()) == (0, 0)


def test_selecting_over_a_link_follows_nothing(note: ReaderView) -> None:
    followed = QSignalSpy(note.links.requested)
    text = note._text
    first, last = point_at(text, "first is"), point_at(text, "by name")
    QTest.mousePress(text.viewport(), Qt.MouseButton.LeftButton, pos=last)
    QTest.mouseMove(text.viewport(), first)
    text.setTextCursor(text.cursorForPosition(first))
    text.moveCursor(QTextCursor.MoveOperation.EndOfLine, QTextCursor.MoveMode.KeepAnchor)
    QTest.mouseRelease(text.viewport(), Qt.MouseButton.LeftButton, pos=first)
    assert followed.count() == 0


def test_a_link_that_an_answer_says_is_followed(put: Callable[[QWidget], None]) -> None:
    research = ResearchView()
    put(research)
    said = claim(1, f"It stands 🌊 at {LINK} and nowhere else.", 1)
    research.show_answer(replace(COMPLETE, claims=(said,)))
    text = research.answer.text
    followed = QSignalSpy(text.link_followed)
    at = point_at(text, LINK)
    assert hover(text, at) == Qt.CursorShape.PointingHandCursor
    click(text, at)
    click(text, point_at(text, "nowhere"))
    assert [followed.at(one)[0] for one in range(followed.count())] == [LINK]
    assert isinstance(research.answer, AnswerView)


# -- Pictures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True])
def test_pictures_of_the_menus(
    put: Callable[[QWidget], None],
    themed: Callable[[bool], None],
    picture: Callable[[QWidget, str], Path],
    qtbot: QtBot,
    document: ReaderDocument,
    dark: bool,
) -> None:
    themed(dark)
    theme = "dark" if dark else "light"
    rows, pane, view = ResultList(), CitationsView(), ReaderView()
    for widget in (rows, pane, view):
        put(widget)
    rows.show_results(results())
    pane.show_citations(citations())
    pane.select_number(1)
    show(view, qtbot, document)
    menus = {"passage": rows.menu(), "citation": pane.list.menu(), "reader": view.context_menu(LINK)}
    for name, menu in menus.items():
        assert menu is not None
        menu.popup(QPoint(0, 0))
        qtbot.waitUntil(menu.isVisible)
        assert picture(menu, f"links-{name}-{theme}").stat().st_size > 1000
        menu.close()
