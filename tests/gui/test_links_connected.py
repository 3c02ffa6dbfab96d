"""Links of the reader in the whole window: followed within the library, offered where they lead out of it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from tests.support.reader import TEXT, span, titled
from tests.support.whole_window import Shown
from tests.unit.gui.test_reader_document import shown as read
from tests.unit.gui.test_reader_document import version
from webrag_desktop.gui.data.library import FollowedLink, LinkTarget
from webrag_desktop.gui.data.view_data import Failure, ReaderDocument, SpanReference
from webrag_desktop.models.citations import CitedPlace, CiteId

STATION = "https://x.example/station"


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    made.window.show_view(1)
    yield made
    popup = QApplication.activePopupWidget()
    if popup is not None:
        popup.close()
    made.end()


@pytest.fixture
def document(shown: Shown) -> ReaderDocument:
    first = titled(read(version(TEXT)))
    come(shown, first)
    return first


def come(shown: Shown, document: ReaderDocument) -> None:
    """A text that was opened comes."""
    shown.do.part("reading").document.emit(document)
    shown.qtbot.waitUntil(lambda: shown.window.research.reader._text.is_complete)


def ask(shown: Shown) -> FollowedLink:
    """Follow the link of the text; returns what is looked up."""
    shown.window.research.reader.links.follow_address(STATION)
    ((link,),) = shown.do.calls_of("links.resolve")[-1:]
    assert isinstance(link, FollowedLink)
    return link


def menu_of(shown: Shown) -> list[str]:
    popup = QApplication.activePopupWidget()
    actions = popup.actions() if isinstance(popup, QMenu) else []
    return [action.text() for action in actions if not action.isSeparator()]


def trigger(text: str) -> None:
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, QMenu)
    next(action for action in popup.actions() if action.text() == text).trigger()


def test_a_document_of_the_library_is_read_and_going_back_leads_to_the_link(
    shown: Shown, document: ReaderDocument
) -> None:
    other = replace(titled(read(version("# Station\n\nThe log."))), document_id=uuid4(), version_id=uuid4())
    link = ask(shown)
    assert shown.do.calls_of("documents.add") == shown.do.calls_of("browsing.open") == []
    target = SpanReference(other.document_id, other.version_id, 0, 9)
    shown.do.part("links").found.emit(LinkTarget(link, STATION, other.document_id, "Station", target))
    assert shown.do.calls_of("reading.open_span") == [(target,)]
    come(shown, other)
    reader = shown.window.research.reader
    assert reader.highlighted_text() == "Station"
    shown.window.back_button.click()
    assert shown.do.calls_of("reading.open_span")[-1] == (link.span,)
    come(shown, document)
    assert reader.highlighted_text() == "station"
    shown.window.forward_button.click()
    assert shown.do.calls_of("reading.open_span")[-1] == (target,)


def test_a_part_of_the_same_text_is_gone_to(shown: Shown, document: ReaderDocument) -> None:
    link = ask(shown)
    target = LinkTarget(link, STATION, document.document_id, "Coils", span(document, "Alternate hours"))
    shown.do.part("links").found.emit(target)
    assert shown.do.calls_of("reading.open_span") == []
    assert shown.window.research.reader.highlighted_text() == "Alternate hours"
    shown.window.back_button.click()
    assert shown.window.research.reader.highlighted_text() == "station"


def test_what_is_not_in_the_library_is_only_offered(shown: Shown, document: ReaderDocument) -> None:
    shown.do.part("links").found.emit(LinkTarget(ask(shown), STATION))
    assert menu_of(shown) == [STATION, "Add to library", "Open in browser", "Copy link address"]
    assert shown.do.calls_of("documents.add") == shown.do.calls_of("browsing.open") == []
    trigger("Add to library")
    assert shown.do.calls_of("documents.add") == [((STATION,),)]
    trigger("Open in browser")
    assert shown.do.calls_of("browsing.open") == [(STATION,)]


def named(where: SpanReference) -> CitedPlace:
    """What the library tells of a link to this place."""
    span = where.char_start, where.char_end
    cite_id = CiteId.of(where.version_id, *span)
    return CitedPlace(
        cite_id, where.document_id, where.version_id, 1, True, "Station", STATION, *span, "The log."
    )


def test_a_link_into_the_library_goes_the_same_way(shown: Shown, qtbot: QtBot) -> None:
    link = CiteId.of(uuid4(), 0, 9).link
    note = read(version(f"# Note\n\nRead [it]({link}) again."))
    come(shown, note)
    shown.window.research.reader.links.follow_address(link)
    assert shown.do.calls_of("links.resolve_place") == [(link,)]
    assert shown.do.calls_of("links.resolve") == []
    target = SpanReference(uuid4(), uuid4(), 0, 9)
    shown.do.part("links").place.emit(named(target))
    assert shown.do.calls_of("reading.open_span") == [(target,)]
    shown.window.back_button.click()
    back = shown.window.research.reader.highlighted_span()
    assert back is not None
    assert note.markdown[back.char_start : back.char_end] == "it"


def test_a_link_that_an_answer_says_is_not_taken_for_one_of_the_reader(
    shown: Shown, document: ReaderDocument
) -> None:
    ask(shown)
    elsewhere, target = SpanReference(uuid4(), uuid4(), 0, 9), SpanReference(uuid4(), uuid4(), 3, 9)
    link = CiteId.of(elsewhere.version_id, 0, 9).link
    shown.window.research.answer.text.link_followed.emit(link)
    assert shown.do.calls_of("links.resolve_place") == [(link,)]
    come(shown, replace(document, version_id=uuid4()))
    shown.do.part("links").place.emit(named(target))
    assert shown.do.calls_of("reading.open_span")[-1] == (target,)
    assert shown.window.research.is_full


def test_what_comes_after_the_user_went_on_does_nothing(shown: Shown, document: ReaderDocument) -> None:
    link = ask(shown)
    come(shown, replace(document, version_id=uuid4()))
    shown.do.part("links").found.emit(LinkTarget(link, STATION))
    assert menu_of(shown) == []
    shown.do.part("links").found.emit(LinkTarget(link, STATION))  # nobody asked
    assert menu_of(shown) == []
    link = ask(shown)
    shown.window.show_view(0)
    shown.do.part("links").found.emit(LinkTarget(link, STATION))
    assert menu_of(shown) == []


def test_a_failed_look_up_is_reported(shown: Shown, document: ReaderDocument) -> None:
    ask(shown)
    shown.do.part("links").failed.emit(Failure("It is away.", ""))
    (dialog,) = (
        one for one in QApplication.topLevelWidgets() if one.isVisible() and isinstance(one, QDialog)
    )
    assert dialog.accessibleName() == "It is away"
    dialog.close()


@pytest.mark.parametrize("dark", [False, True])
def test_pictures_of_a_link_that_leads_out(
    shown: Shown, document: ReaderDocument, themed: Callable[[bool], None],
    picture: Callable[[QWidget, str], Path], dark: bool,
) -> None:  # fmt: skip
    themed(dark)
    reader = shown.window.research.reader
    reader.links.step(1)
    shown.do.part("links").found.emit(LinkTarget(ask(shown), STATION))
    popup = QApplication.activePopupWidget()
    assert popup is not None
    suffix = "-dark" if dark else ""
    picture(popup, f"link-menu{suffix}")
    picture(reader, f"link-selected{suffix}")
