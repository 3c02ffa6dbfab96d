"""The links of a document in the inspector: listed, followed with the mouse and with keys, and read from a library."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.library_views import ServedLibrary
from tests.support.corpus import add_page
from tests.support.document_texts import DOCUMENT, texts
from tests.support.documents import REPORT, details, document_id, filling
from tests.support.gui_library import Address, Heard, heard, open_operations, settings_for
from tests.support.shown import named_id
from tests.support.whole_window import Shown
from webrag_desktop import Library
from webrag_desktop.gui.data.library import DocumentLinks, FollowedLink, LinkList, LinkTarget, ListedLink
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.library.inspector_links import LinksSection
from webrag_desktop.gui.library.operations.page_links import MOST_LISTED
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import RESEARCH
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.storage.database import Database

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
LEFT = Qt.MouseButton.LeftButton
APPENDIX = "https://archive.org/details/jointcommittee/app9"


def listed(label: str, address: str, detail: str = "archive.org", sentence: str = "") -> ListedLink:
    return ListedLink(FollowedLink(address), label, detail, sentence)


TEXT = (
    listed(
        "the defective core, see Appendix 9", APPENDIX, sentence="It was the defective core, see Appendix 9."
    ),
    listed("Whitehouse’s reply", "https://archive.org/reply", "in your library"),
    listed("Thomson & the board", "https://fieldphysics.org/letters/1858", "fieldphysics.org"),
    listed(
        "HMS Agamemnon, deck log of the summer in which the cable was laid", "https://cablehistory.org/log"
    ),
)
MENU = tuple(listed(f"Chapter {at}", f"https://archive.org/chapter/{at}") for at in range(1, 61))
BACK = (
    ListedLink(FollowedLink("https://cablehistory.org/short", None, 40), "A short life", "cablehistory.org"),
)
LINKS = DocumentLinks(DOCUMENT, LinkList(TEXT, 4), LinkList(MENU, 140), LinkList(BACK, 1))


@pytest.fixture
def library(application: QApplication, qtbot: QtBot) -> ServedLibrary:
    """With the document selected whose links are known."""
    made = ServedLibrary(qtbot, (1200, 1000))
    rows = filling()
    made.give(rows)
    at = next(n for n, row in enumerate(rows) if row.id == DOCUMENT)
    made.table.choose(at)
    made.view.show_details(details(rows[at]))
    return made


@pytest.fixture
def section(library: ServedLibrary) -> LinksSection:
    return library.view.inspector.links


def buttons(widget: QWidget) -> list[QPushButton]:
    return [one for one in widget.findChildren(QPushButton) if one.isVisible()]


def named(widget: QWidget, name: str) -> QPushButton:
    (found,) = [one for one in buttons(widget) if one.accessibleName() == name]
    return found


def said(widget: QWidget) -> list[str]:
    return [one.text() for one in widget.findChildren(Label) if one.isVisible()]


# -- Listed -------------------------------------------------------------------------------------------------------


def test_links_are_listed_by_place_with_their_numbers(library: ServedLibrary, section: LinksSection) -> None:
    assert not section.isVisible()
    library.view.inspector.show_links(LINKS)
    assert section.isVisible()
    text, menu, back = section.groups
    assert said(text)[:2] == ["In its text", "4"]
    assert said(menu)[:2] == ["Menus and footers", "140"]
    assert said(back)[:2] == ["Linked from", "1"]
    names = [one.accessibleName() for one in buttons(text)]
    assert names[:2] == [
        "the defective core, see Appendix 9, archive.org",
        "Whitehouse’s reply, in your library",
    ]
    assert [one.text() for one in buttons(text)][2] == "Thomson && the board"
    assert buttons(text)[3].text().endswith("…"), "a long label is cut, not the pane widened"
    assert buttons(text)[3].width() < text.width()
    assert "It was the defective core" in buttons(text)[0].toolTip()
    assert APPENDIX in buttons(text)[0].toolTip()


def test_more_of_them_are_shown_on_demand_up_to_a_bound(
    library: ServedLibrary, section: LinksSection
) -> None:
    library.view.inspector.show_links(LINKS)
    menu = section.groups[1]
    more = named(menu, "Menus and footers: 136 more")
    assert len(buttons(menu)) == 5
    more.setFocus()
    QTest.keyClick(more, Qt.Key.Key_Space)
    assert len(buttons(menu)) == 60
    assert "and 80 more on the page" in said(menu)
    assert named(menu, "Chapter 5, archive.org").hasFocus(), "the keyboard goes on where the new ones begin"


def test_another_document_has_other_links_and_one_without_any_has_no_section(
    library: ServedLibrary, section: LinksSection
) -> None:
    inspector = library.view.inspector
    inspector.show_links(DocumentLinks(document_id("somebody else"), LinkList(TEXT, 4)))
    assert not section.isVisible()  # late
    inspector.show_links(LINKS)
    inspector.show_links(DocumentLinks(DOCUMENT, back=LinkList(BACK, 1)))
    assert [group.isVisible() for group in section.groups] == [False, False, True]
    inspector.show_links(DocumentLinks(DOCUMENT))
    assert not section.isVisible()
    inspector.show_links(LINKS)
    library.table.choose(0)
    assert not section.isVisible()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pictures(
    library: ServedLibrary,
    themed: Callable[[bool], None],
    picture: Callable[[QWidget, str], Path],
    application: QApplication,
    dark: bool,
) -> None:
    themed(dark)
    inspector = library.view.inspector
    inspector.show_texts(texts(1))
    inspector.show_links(LINKS)
    named(inspector.links.groups[0], "Whitehouse’s reply, in your library").setFocus(
        Qt.FocusReason.TabFocusReason
    )
    application.processEvents()
    inspector.verticalScrollBar().setValue(inspector.verticalScrollBar().maximum())
    picture(library.view, f"inspector-links{'-dark' if dark else ''}")


# -- Followed -----------------------------------------------------------------------------------------------------


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    made.window.show_view(0)
    made.fill()
    made.window.library.list.choose(0)
    made.qtbot.waitUntil(lambda: made.do.calls_of("page_links.fetch")[-1:] == [(REPORT.id,)])
    links = DocumentLinks(REPORT.id, LinkList(TEXT, 4), LinkList(MENU, 140), LinkList(BACK, 1))
    made.do.part("page_links").links.emit(links)
    yield made
    popup = QApplication.activePopupWidget()
    if popup is not None:
        popup.close()
    made.end()


def follow(shown: Shown, name: str) -> FollowedLink:
    """Click a link of the section; returns what is looked up."""
    QTest.mouseClick(named(shown.window.library.inspector.links, name), LEFT)
    ((link,),) = shown.do.calls_of("links.resolve")[-1:]
    assert isinstance(link, FollowedLink)
    return link


def test_a_link_to_the_library_is_read_and_back_is_the_list(shown: Shown) -> None:
    link = follow(shown, "Whitehouse’s reply, in your library")
    target = SpanReference(named_id("reply"), named_id("its text"), 0, 0)
    shown.do.part("links").found.emit(LinkTarget(link, link.address, target.document_id, "Reply", target))
    assert shown.do.calls_of("reading.open_span") == [(target,)]
    assert shown.window.view == RESEARCH
    assert shown.window.research.is_full
    assert shown.do.calls_of("documents.add") == shown.do.calls_of("browsing.open") == []
    shown.window.back_button.click()
    assert shown.window.view == 0


def test_a_page_that_links_here_is_read_where_it_does(shown: Shown) -> None:
    assert follow(shown, "A short life, cablehistory.org") == FollowedLink(
        "https://cablehistory.org/short", char_start=40
    )


def test_what_is_not_in_the_library_is_only_offered(shown: Shown) -> None:
    link = follow(shown, "the defective core, see Appendix 9, archive.org")
    assert link.address == APPENDIX
    shown.do.part("links").found.emit(LinkTarget(link, APPENDIX))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts == [APPENDIX, "Add to library", "Open in browser", "Copy link address"]
    assert shown.do.calls_of("documents.add") == shown.do.calls_of("browsing.open") == []
    next(action for action in menu.actions() if action.text() == "Add to library").trigger()
    assert shown.do.calls_of("documents.add") == [((APPENDIX,),)]


def test_what_is_found_once_the_user_went_on_opens_nothing(shown: Shown) -> None:
    link = follow(shown, "Whitehouse’s reply, in your library")
    shown.window.show_view(RESEARCH)
    target = SpanReference(named_id("reply"), named_id("its text"), 0, 0)
    shown.do.part("links").found.emit(LinkTarget(link, link.address, target.document_id, "Reply", target))
    assert shown.do.calls_of("reading.open_span") == []


# -- Read from a library ------------------------------------------------------------------------------------------


def page_of(title: str, body: str) -> bytes:
    filler = "".join(
        f"<p>The cable was laid in the summer of the year {year} by two ships.</p>" for year in range(8)
    )
    nav = '<nav><a href="/">Start</a> <a href="/about">About</a></nav>'
    main = f"<main><h1>{title}</h1>{filler}<p>{body}</p></main>"
    return f"<html><head><title>{title}</title></head><body>{nav}{main}</body></html>".encode()


COILS, CORE = "https://cables.example/coils", "https://cables.example/core"


def test_the_links_of_a_document_and_to_it_are_read(
    clone: Callable[[str], Address],
    migrated_template: str,
    make_indexer: Callable[[Database], Indexer],
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    address = clone(migrated_template)
    database = Database(address)
    indexer = make_indexer(database)
    body = (
        'They burned <a href="/core">the core</a>, which was <a href="/core">bad</a> (see <a href="#top">above</a>),'
        ' as <a href="https://elsewhere.example/log">the log</a> says.'
    )
    coils = add_page(database, indexer, COILS, page_of("Coils", body))
    back = 'It was burned by <a href="/coils">the coils</a>, nobody doubts it.'
    core = add_page(database, indexer, CORE, page_of("Core", back))
    database.close()
    with open_operations(settings_for(address, tmp_path), qtbot) as do:
        reported = Heard(do.page_links.links)
        do.page_links.fetch(coils)
        heard(qtbot, lambda: bool(reported.all))
        links: DocumentLinks = reported.last
        assert [(one.label, one.detail) for one in links.content.links] == [
            ("the core", "in your library"),
            ("the log", "elsewhere.example"),
        ]
        assert links.content.count == 2
        assert links.content.links[0].sentence.startswith("They burned the core")
        assert [one.label for one in links.navigation.links] == ["Start", "About"]
        (here,) = links.back.links
        assert (here.label, here.detail) == ("Core", "cables.example")
        targets = Heard(do.links.found)
        do.links.resolve(here.followed)
        heard(qtbot, lambda: bool(targets.all))
        span = targets.last.span
        assert span.document_id == core
        reported_text = page_text(do, qtbot, span)
        assert reported_text.startswith("It was burned by"), "read where it links here"


def page_text(do: Operations, qtbot: QtBot, span: SpanReference) -> str:
    """What the library's document says at a place."""
    texts: list[str] = []

    def read(library: Library, _task: object) -> str:
        version = library.documents.text(span.document_id)
        assert version is not None
        return version.markdown[span.char_start : span.char_end]

    do.session.call(read, on_success=texts.append, on_error=lambda error: pytest.fail(str(error)))
    heard(qtbot, lambda: bool(texts))
    return texts[0]


def test_no_more_are_listed_than_one_looks_through(
    clone: Callable[[str], Address],
    migrated_template: str,
    make_indexer: Callable[[Database], Indexer],
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    address = clone(migrated_template)
    database = Database(address)
    body = " ".join(f'<a href="/note/{at}">note {at}</a>' for at in range(200))
    noted = add_page(database, make_indexer(database), COILS, page_of("Coils", body))
    database.close()
    with open_operations(settings_for(address, tmp_path), qtbot) as do:
        reported = Heard(do.page_links.links)
        do.page_links.fetch(noted)
        heard(qtbot, lambda: bool(reported.all))
        assert (len(reported.last.content.links), reported.last.content.count) == (MOST_LISTED, 200)
        do.page_links.fetch(None)
