"""Links of the reader are live: clicked, walked through and followed by keys, and asked about from the menu."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.support.reader import show, span
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.gui.data.library import FollowedLink, LinkTarget
from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.reader.commands import offered_menu
from webrag_desktop.gui.reader.page import ReadingSpan
from webrag_desktop.gui.reader.reader_pane import ReaderView

CABLE, COIL = "https://x.example/cable", "https://x.example/coil#five"
MARKDOWN = (
    f"# Log\n\nThey laid [the *first* cable]({CABLE}) and wound [a coil]({COIL}) for it.\n\n"
    f"Both are [here](notes.md), and [the first cable]({CABLE}) broke. ![no link]({CABLE})\n"
)
LINKS = [("the first cable", CABLE), ("a coil", COIL), ("here", "notes.md"), ("the first cable", CABLE)]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def linked(view: ReaderView, qtbot: QtBot) -> ReaderDocument:
    document = shown(version(MARKDOWN))
    show(view, qtbot, document)
    return document


def point_of(view: ReaderView, words: str, nth: int = 0) -> QPoint:
    """The middle of these words in the viewport."""
    assert view._text._shown is not None
    start = -1
    for _ in range(nth + 1):
        start = view._text._shown.trace.reading.index(words, start + 1)
    ((first, last),) = view._text._places(ReadingSpan(start, start + len(words)))
    (rect,) = view._text._geometry().rects(first, last)
    return rect.center().toPoint()


def click(
    view: ReaderView, point: QPoint, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    QTest.mouseClick(view._text.viewport(), LEFT, modifier, point)


def asked_for(view: ReaderView) -> list[FollowedLink]:
    asked: list[FollowedLink] = []
    view.links.requested.connect(lambda link, _at: asked.append(link))
    return asked


def words(document: ReaderDocument, link: FollowedLink) -> str:
    assert link.span is not None
    assert (link.span.document_id, link.span.version_id) == (document.document_id, document.version_id)
    return document.markdown[link.span.char_start : link.span.char_end]


def test_a_click_asks_for_the_link_under_it(view: ReaderView, linked: ReaderDocument) -> None:
    asked = asked_for(view)
    click(view, point_of(view, "a coil"))
    click(view, point_of(view, "the first cable", 1))
    click(view, point_of(view, "They laid"))
    click(view, point_of(view, "no link"))
    assert [(link.address, words(linked, link)) for link in asked] == [
        (COIL, "a coil"),
        (CABLE, "the first cable"),
    ]
    assert asked[1].span is not None
    assert asked[1].span.char_start > linked.markdown.index("Both")


def test_what_is_no_plain_click_follows_nothing(view: ReaderView, linked: ReaderDocument) -> None:
    asked = asked_for(view)
    viewport, coil = view._text.viewport(), point_of(view, "a coil")
    click(view, coil, Qt.KeyboardModifier.ShiftModifier)
    QTest.mouseClick(viewport, Qt.MouseButton.MiddleButton, pos=coil)
    QTest.mousePress(viewport, LEFT, pos=coil)
    QTest.mouseMove(viewport, point_of(view, "the first cable"))
    QTest.mouseRelease(viewport, LEFT, pos=point_of(view, "the first cable"))
    QTest.mousePress(viewport, LEFT, pos=point_of(view, "They laid"))
    QTest.mouseRelease(viewport, LEFT, pos=coil)
    assert asked == []


def test_the_pointer_tells_where_a_click_follows_a_link(view: ReaderView, linked: ReaderDocument) -> None:
    viewport = view._text.viewport()
    QTest.mouseMove(viewport, point_of(view, "a coil"))
    assert viewport.cursor().shape() == Qt.CursorShape.PointingHandCursor
    QTest.mouseMove(viewport, point_of(view, "They laid"))
    assert viewport.cursor().shape() == Qt.CursorShape.IBeamCursor


def test_keys_walk_through_the_links_and_follow_the_selected_one(
    view: ReaderView, linked: ReaderDocument
) -> None:
    asked = asked_for(view)
    view._text.setFocus()
    walked = []
    for _ in range(5):
        QTest.keyClick(view._text, Qt.Key.Key_L)
        walked.append(view._text.selected_text())
    assert walked == [*(name for name, _address in LINKS), LINKS[0][0]]
    QTest.keyClick(view._text, Qt.Key.Key_L, Qt.KeyboardModifier.ShiftModifier)
    assert (view._text.selected_text(), asked) == ("the first cable", [])
    QTest.keyClick(view._text, Qt.Key.Key_Return)
    assert [(link.address, words(linked, link)) for link in asked] == [(CABLE, "the first cable")]


def test_enter_opens_the_reader_in_full_where_no_link_is_selected(
    view: ReaderView, linked: ReaderDocument, qtbot: QtBot
) -> None:
    asked = asked_for(view)
    view._text.setFocus()
    coil = linked.trace.reading.index("a coil")
    ((first, _last),) = view._text._places(ReadingSpan(coil, coil + 6))
    view._text.setTextCursor(view._text._cursor(first, first))
    with qtbot.waitSignal(view.full_toggled):
        QTest.keyClick(view._text, Qt.Key.Key_Return)
    assert asked == []


def test_a_text_without_links_has_nothing_to_walk_through(view: ReaderView, qtbot: QtBot) -> None:
    show(view, qtbot, shown(version("No link here.")))
    QTest.keyClick(view._text, Qt.Key.Key_L)
    assert view._text.selected_text() == ""


def test_the_menu_follows_links_too(view: ReaderView, linked: ReaderDocument) -> None:
    asked = asked_for(view)
    menu = view.context_menu(COIL)
    next(action for action in menu.actions() if action.text() == "Open link").trigger()
    assert [(link.address, words(linked, link)) for link in asked] == [(COIL, "a coil")]
    assert "Open link" not in [action.text() for action in view.context_menu(None).actions()]


def offers(view: ReaderView, target: LinkTarget, done: list[str]) -> dict[str, object]:
    menu = offered_menu(view, target, lambda: done.append("add"), lambda: done.append("browse"))
    return {action.text(): action for action in menu.actions() if action.text()}


def test_what_leads_out_of_the_library_can_be_added_opened_or_copied(
    view: ReaderView, linked: ReaderDocument
) -> None:
    done: list[str] = []
    link = FollowedLink(CABLE, span(linked, "a coil"))
    menu = offered_menu(
        view, LinkTarget(link, CABLE), lambda: done.append("add"), lambda: done.append("browse")
    )
    assert [action.text() for action in menu.actions() if action.text()] == [
        CABLE, "Add to library", "Open in browser", "Copy link address",
    ]  # fmt: skip
    assert menu.activeAction().text() == "Add to library"
    assert done == []
    for action in menu.actions()[2:4]:
        action.trigger()
    assert done == ["add", "browse"]


@pytest.mark.parametrize("address", ["javascript:alert(1)", "mailto:ada@x.example", "file:///etc/passwd", ""])
def test_what_is_no_page_is_only_copied(view: ReaderView, linked: ReaderDocument, address: str) -> None:
    target = LinkTarget(FollowedLink(address, span(linked, "a coil")), address)
    assert [one for one in offers(view, target, []) if one != address] == ["Copy link address"]


def test_what_is_queued_is_reported_and_not_added_again(view: ReaderView, linked: ReaderDocument) -> None:
    coil = span(linked, "a coil")
    target = LinkTarget(FollowedLink(CABLE, coil), CABLE, coil.document_id, "The & cable")
    reported = list(offers(view, target, []))
    assert reported == [
        "“The && cable” is in your library, but not read yet",
        "Open in browser",
        "Copy link address",
    ]
