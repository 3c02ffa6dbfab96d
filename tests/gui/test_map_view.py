"""The Map with real widgets: ticks, the button, clicks in the drawing, zoom, what is read out, and links."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.gui_library import Heard
from tests.support.maps import (
    APPENDIX,
    ASKING,
    DECK,
    ENDED,
    LETTERS,
    PREVIEW,
    REPLY,
    REPORT,
    RUNNING,
    links,
    many,
    page,
)
from tests.support.shown import named_id
from webrag_desktop.gui.data.map import (
    NO_EXPANSION,
    EarlierExpansion,
    LinkedPage,
    LinkMap,
    MapPage,
    PageToFetch,
    ShownExpansion,
)
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.map.canvas import LEAST_ZOOM, READABLE
from webrag_desktop.gui.map.expansion_scene import ExpansionScene
from webrag_desktop.gui.map.map_view import MapView
from webrag_desktop.gui.map.operations.link_map import lay_out

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def view(application: QApplication, qtbot: QtBot) -> Iterator[MapView]:
    made = MapView()
    qtbot.addWidget(made)
    made.resize(1440, 820)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    yield made
    made.hide()


def https(address: str) -> str:
    return f"https://{address}"


def asking(view: MapView) -> MapView:
    view.show_expansion(ASKING, {"cablehistory.org": "fetch"})
    view.focus_first()
    return view


def click(view: MapView, key: str, *, twice: bool = False) -> None:
    view.canvas.reveal(key)
    at = view.canvas.place_of(key)
    assert at is not None
    viewport, left = view.canvas.viewport(), Qt.MouseButton.LeftButton
    QTest.mouseClick(viewport, left, pos=at)
    if twice:
        QTest.mouseDClick(viewport, left, pos=at)


def spoken(view: MapView, row: int) -> str:
    return str(view.fetching.list.pages.index(row).data(Qt.ItemDataRole.AccessibleTextRole))


# -- The pages to fetch -------------------------------------------------------------------------------------------


def test_space_ticks_and_the_button_says_how_many(view: MapView) -> None:
    pane = asking(view).fetching
    assert pane.fetch.text() == "Fetch 3 pages"
    assert pane.list.hasFocus()
    QTest.keyClick(pane.list, Qt.Key.Key_Space)
    assert pane.fetch.text() == "Fetch 2 pages"
    for _ in range(3):
        QTest.keyClick(pane.list, Qt.Key.Key_J)
    QTest.keyClick(pane.list, Qt.Key.Key_Space)
    assert pane.list.pages.ticked == (https(REPLY), https(LETTERS), https(DECK))
    asked = Heard(pane.fetch_requested)
    QTest.mouseClick(pane.fetch, Qt.MouseButton.LeftButton)
    assert asked.all == [(https(REPLY), https(LETTERS), https(DECK))]


def test_pages_left_out_for_their_addresses_are_reported(view: MapView) -> None:
    view.show_expansion(replace(ASKING, left_out=37), {})
    said = "Left out: 37 pages whose addresses seem to go on without end."
    assert view.fetching._sentence.text().endswith(said)
    view.show_expansion(replace(ASKING, stage="ended", to_fetch=(), left_out=37), {})
    assert view.fetching._sentence.text().endswith(said)
    view.show_expansion(ASKING, {})
    assert "Left out" not in view.fetching._sentence.text()


def test_a_click_on_the_box_ticks_and_one_beside_it_only_chooses(view: MapView) -> None:
    pages = asking(view).fetching.list
    index = pages.pages.index(3)
    box = pages.rows.box_rect(pages.visualRect(index)).center().toPoint()
    QTest.mouseClick(pages.viewport(), Qt.MouseButton.LeftButton, pos=box)
    assert https(DECK) in pages.pages.ticked
    QTest.mouseClick(pages.viewport(), Qt.MouseButton.LeftButton, pos=box + QPoint(120, 0))
    assert https(DECK) in pages.pages.ticked
    assert pages.current_key == https(DECK)


def test_nothing_ticked_cannot_be_fetched_and_all_can_be_ticked_at_once(view: MapView) -> None:
    pane = asking(view).fetching
    QTest.mouseClick(pane._tick_all, Qt.MouseButton.LeftButton)
    assert pane.fetch.text() == "Fetch 4 pages"
    QTest.mouseClick(pane._tick_all, Qt.MouseButton.LeftButton)
    assert (pane.fetch.text(), pane.fetch.isEnabled()) == ("Fetch", False)


def test_ticks_and_the_current_page_stay_while_more_is_reported(view: MapView) -> None:
    pages = asking(view).fetching.list
    QTest.keyClick(pages, Qt.Key.Key_Down)
    QTest.keyClick(pages, Qt.Key.Key_Space)
    more = PageToFetch("https://a.example/new", "New", "Linked as “new”", 0.99, "Web page", "a.example")
    view.show_expansion(replace(ASKING, to_fetch=(more, *ASKING.to_fetch)), {})
    assert pages.current_key == https(REPLY)
    assert https(REPLY) not in pages.pages.ticked
    assert https(APPENDIX) in pages.pages.ticked
    assert pages.hasFocus()


def test_every_row_is_a_sentence_that_tells_whether_it_is_ticked(view: MapView) -> None:
    asking(view)
    assert spoken(view, 0) == (
        "Appendix 9: core samples, Linked as “the defective core, see Appendix 9”, archive.org, PDF, "
        "score 0.83, ticked"
    )
    assert spoken(view, 3).endswith("score 0.34, not ticked")
    model = view.fetching.list.pages
    assert model.setData(model.index(3), 2, Qt.ItemDataRole.CheckStateRole)  # as a screen reader does
    assert spoken(view, 3).endswith(", ticked")
    assert "4 wait for your approval" in view.canvas.accessibleName()
    rows = view.fetching.opened.pages
    said = [rows.index(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(rows.rowCount())]
    assert said[0] == "Induction coils, re-examined, telegraphquarterly.net, gave 4 passages"
    assert "Minutes, Atlantic Telegraph Co., cablehistory.org, Asks for a sign-in" in said


def test_the_menu_of_a_row_does_what_its_box_does(view: MapView) -> None:
    pages = asking(view).fetching.list
    browsed = Heard(view.browser_requested)
    menu = pages.menu()
    assert menu is not None
    tick, browse = menu.actions()
    assert tick.isChecked()
    tick.trigger()
    browse.trigger()
    assert https(APPENDIX) not in pages.pages.ticked
    assert browsed.all == [https(APPENDIX)]


# -- What the pane offers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "buttons"),
    [
        (PREVIEW, {"fetch", "skip"}),
        (ASKING, {"fetch", "skip", "stop"}),
        (RUNNING, {"stop"}),
        (ENDED, {"resume"}),
        (NO_EXPANSION, set()),
    ],
)
def test_only_what_can_be_done_is_offered(view: MapView, shown: object, buttons: set[str]) -> None:
    view.show_expansion(shown, {})  # type: ignore[arg-type]
    pane = view.fetching
    named = {"fetch": pane.fetch, "skip": pane.skip, "stop": pane.stop, "resume": pane.resume}
    assert {name for name, button in named.items() if button.isVisible()} == buttons
    heard = {
        "skip": Heard(pane.skip_requested),
        "stop": Heard(pane.stop_requested),
        "resume": Heard(pane.resume_requested),
    }
    for name in buttons - {"fetch"}:
        QTest.mouseClick(named[name], Qt.MouseButton.LeftButton)
        assert len(heard[name].all) == 1


def test_nothing_is_said_to_leave_the_computer_before_the_button(view: MapView) -> None:
    view.show_expansion(PREVIEW, {})
    assert view.fetching._sentence.text().startswith("Nothing is sent from this computer until you fetch.")
    view.show_expansion(RUNNING, {})
    assert "Nothing leaves" not in view.fetching._sentence.text()
    view.show_expansion(ENDED, {})
    assert view.fetching._title.text() == "The limits were reached."
    view.show_expansion(replace(ENDED, limit_met="seconds"), {})
    assert view.fetching._title.text() == "The time limit was reached."


def test_the_rule_of_a_site_is_shown_and_chosen(view: MapView) -> None:
    sites = asking(view).fetching.sites
    assert [button.accessibleName() for button in sites.buttons()] == [
        "archive.org: Always ask",
        "cablehistory.org: Fetch without asking",
        "fieldphysics.org: Always ask",
    ]
    chosen: list[tuple[str, str]] = []
    view.fetching.rule_chosen.connect(lambda host, rule: chosen.append((host, rule)))
    menu = sites.menu("cablehistory.org")
    assert [action.isChecked() for action in menu.actions()] == [False, True, False]
    menu.actions()[2].trigger()
    assert chosen == [("cablehistory.org", "never")]
    view.show_expansion(ASKING, {"cablehistory.org": "never"})
    assert sites.buttons()[1].text() == "Never"


def test_a_site_that_is_never_fetched_can_be_allowed_again(view: MapView) -> None:
    only = tuple(one for one in ASKING.to_fetch if one.host != "cablehistory.org")
    view.show_expansion(
        replace(ASKING, to_fetch=only), {"cablehistory.org": "never", "other.example": "never"}
    )
    names = [button.accessibleName() for button in view.fetching.sites.buttons()]
    assert "cablehistory.org: Never" in names
    assert not any("other.example" in name for name in names)  # it is not in this map


def test_the_foot_counts_states_and_limits(view: MapView) -> None:
    asking(view)
    reported = [entry._words.text() for entry in view.legend._entries if not entry.isHidden()]
    assert reported == [
        "4 gave passages",
        "2 opened, nothing found",
        "4 wait for your approval",
        "1 could not be opened",
    ]
    assert view.legend._reach.text() == "7 of 40 pages opened, depth 2 of 3"


# -- The drawing --------------------------------------------------------------------------------------------------


def test_a_click_on_a_page_that_waits_chooses_its_row(view: MapView) -> None:
    asking(view)
    opened = Heard(view.document_requested)
    click(view, https(LETTERS))
    assert view.fetching.list.current_key == https(LETTERS)
    assert opened.all == []


def test_a_click_on_a_page_that_is_there_opens_it_in_the_reader(view: MapView) -> None:
    asking(view)
    opened = Heard(view.document_requested)
    click(view, https(REPORT))
    assert opened.all == [named_id(REPORT)]
    assert view.fetching.opened.current_key == https(REPORT)


def test_enter_in_the_list_opens_a_page_and_one_that_failed_opens_nothing(view: MapView) -> None:
    rows = asking(view).fetching.opened
    opened = Heard(view.document_requested)
    rows.setFocus()
    rows.choose(https(REPORT))
    QTest.keyClick(rows, Qt.Key.Key_Return)
    rows.choose("https://cablehistory.org/minutes")
    QTest.keyClick(rows, Qt.Key.Key_Return)
    assert opened.all == [named_id(REPORT)]


def test_the_row_that_is_chosen_is_marked_and_in_sight_in_the_drawing(view: MapView) -> None:
    big = many(300)
    view.show_expansion(big, {})
    view.fetching.list.choose(big.to_fetch[-1].address)
    at = view.canvas.place_of(big.to_fetch[-1].address)
    assert at is not None
    assert view.canvas.viewport().rect().contains(at)
    assert view.canvas._chosen == big.to_fetch[-1].address


def test_dragging_moves_the_map_and_opens_nothing(view: MapView) -> None:
    view.show_expansion(many(300), {})
    view.canvas.verticalScrollBar().setValue(400)
    opened, chosen = Heard(view.document_requested), Heard(view.canvas.chosen)
    viewport = view.canvas.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=QPoint(300, 300))
    QTest.mouseMove(viewport, QPoint(300, 200))
    QTest.mouseMove(viewport, QPoint(300, 180))
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=QPoint(300, 180))
    assert view.canvas.verticalScrollBar().value() == 520
    assert opened.all == chosen.all == []


def test_zooming_keeps_what_is_under_the_pointer_and_fitting_shows_all(view: MapView) -> None:
    view.show_expansion(many(300), {})
    canvas = view.canvas
    assert canvas.zoom >= READABLE
    canvas.verticalScrollBar().setValue(1000)
    point = QPointF(400, 300)
    there = canvas.to_scene(point)
    event = QWheelEvent(
        point,
        canvas.viewport().mapToGlobal(point),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        CONTROL,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    before = canvas.zoom
    QApplication.sendEvent(canvas.viewport(), event)
    assert canvas.zoom > before
    assert (canvas.to_scene(point) - there).manhattanLength() < 4
    QTest.mouseClick(view.whole, Qt.MouseButton.LeftButton)
    assert canvas.scene is not None
    assert canvas.zoom >= LEAST_ZOOM
    assert canvas.horizontalScrollBar().maximum() == canvas.verticalScrollBar().maximum() == 0


@pytest.mark.parametrize(("key", "larger"), [("+", True), ("-", False)])
def test_the_lists_keys_zoom(view: MapView, key: str, larger: bool) -> None:
    asking(view)
    QTest.keyClicks(view.fetching.list, "0")
    before = view.canvas.zoom
    QTest.keyClicks(view.fetching.list, key)
    assert (view.canvas.zoom > before) == larger


def test_a_running_expansion_leaves_scroll_and_zoom_alone(view: MapView, qtbot: QtBot) -> None:
    big = many(300)
    view.show_expansion(big, {})
    view.canvas.zoom_out()
    view.canvas.verticalScrollBar().setValue(700)
    before = view.canvas.zoom, view.canvas.verticalScrollBar().value()
    more = page("late.example/1", "Late", "gave", "site0.example/page/0", passages=2)
    view.show_expansion(replace(big, pages=(*big.pages, more)), {})
    assert (view.canvas.zoom, view.canvas.verticalScrollBar().value()) == before
    view.show_expansion(replace(ASKING, question="Another one"), {})
    qtbot.waitUntil(lambda: view.canvas.zoom == 1.0)  # once everything around it has its size


def gold(view: MapView, pages: tuple[MapPage, ...]) -> int:
    """How many pixels between the question and the first column have the ink of evidence."""
    view.show_expansion(replace(ASKING, pages=pages, to_fetch=()), {})
    image = view.canvas.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    ink = colour("evidence_edge").rgb()
    return sum(image.pixel(x, y) == ink for x in range(280, 350) for y in range(image.height()))


def test_the_way_that_evidence_came_is_gold(view: MapView) -> None:
    first, child = page("a.org/1", "One", "opened"), page("a.org/2", "Two", "opened", "a.org/1")
    assert gold(view, (first, child)) == 0
    assert gold(view, (first, replace(child, state="gave", passages=2))) > 60  # it came through the first
    assert gold(view, (replace(first, state="gave", passages=1), child)) > 60


def test_a_tooltip_tells_what_a_label_cuts(view: MapView) -> None:
    asking(view)
    scene = view.canvas.scene
    assert scene is not None
    assert scene.words_of(https(REPORT)).endswith(
        "Report of the Joint Committee on Submarine Telegraph Cables\N{POP DIRECTIONAL ISOLATE}\n"
        "https://archive.org/report\ngave 7 passages"
    )


def test_an_interface_from_right_to_left_turns_the_drawing_round(view: MapView) -> None:
    asking(view)
    usual = ExpansionScene(ASKING.question, ASKING.pages, mirrored=False)
    turned = ExpansionScene(ASKING.question, ASKING.pages, mirrored=True)
    one, other = usual.rect_of("question:"), turned.rect_of("question:")
    assert one is not None
    assert other is not None
    assert one.left() - usual.bounds.left() == pytest.approx(turned.bounds.right() - other.right())
    assert view.canvas.scene is not None
    view.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    rect = view.canvas.scene.rect_of("question:")
    assert rect is not None
    assert rect.center().x() > view.canvas.scene.bounds.center().x()


def test_a_larger_font_makes_larger_pages(view: MapView, application: QApplication) -> None:
    asking(view)
    before = view.canvas.scene.rect_of(https(REPORT)) if view.canvas.scene else None
    usual = application.font()
    large = QFont(usual)
    large.setPixelSize(20)
    application.setFont(large)
    try:
        application.sendEvent(view, QEvent(QEvent.Type.ApplicationFontChange))
        after = view.canvas.scene.rect_of(https(REPORT)) if view.canvas.scene else None
    finally:
        application.setFont(usual)
    assert before is not None
    assert after is not None
    assert after.height() > before.height() * 1.4


# -- Earlier expansions -------------------------------------------------------------------------------------------


def test_earlier_expansions_are_listed_and_chosen(view: MapView) -> None:
    asking(view)
    chosen = Heard(view.earlier_chosen)
    started = datetime(2024, 5, 3, tzinfo=UTC)
    earlier = (EarlierExpansion(named_id("run"), ASKING.question, started, "covered", 7),)
    menu = view.earlier_menu(earlier)
    assert [action.text() for action in menu.actions()] == [
        "3 May 2024, 7 pages. The question is covered now."
    ]
    menu.actions()[0].trigger()
    assert chosen.all == [named_id("run")]
    (none,) = view.earlier_menu(()).actions()
    assert not none.isEnabled()


# -- The library's links ------------------------------------------------------------------------------------------


def linked(view: MapView, count: int = 60) -> LinkMap:
    shown = links(count, 5)
    view.show_mode("links")
    view.show_links(shown)
    return shown


def test_choosing_in_the_list_and_in_the_drawing_is_one(view: MapView) -> None:
    shown = linked(view)
    key = str(shown.pages[7].document_id)
    opened = Heard(view.document_requested)
    click(view, key)
    assert view.linking.list.current_key == key
    assert opened.all == []
    other = str(shown.pages[20].document_id)
    view.linking.list.choose(other)
    assert view.canvas._chosen == other
    click(view, key, twice=True)
    assert opened.all == [UUID(key)]
    view.linking.list.setFocus()
    QTest.keyClick(view.linking.list, Qt.Key.Key_Return)
    assert opened.all == [UUID(key)] * 2


def test_the_list_of_linked_pages_is_read_out_and_found_in(view: MapView) -> None:
    shown = linked(view)
    rows = view.linking.list.pages
    assert rows.rowCount() == 60
    first = shown.pages[0]
    assert rows.index(0).data(Qt.ItemDataRole.AccessibleTextRole) == (
        f"{first.label}, {first.host}, {first.links_in} pages link to it, it links to {first.links_out} pages"
    )
    QTest.keyClicks(view.linking.field, "page 7 ")
    assert [rows.index(row).data() for row in range(rows.rowCount())] == ["Page 7 of the manual"]


def test_a_library_that_is_too_large_says_so_and_one_without_links_what_to_do(view: MapView) -> None:
    shown = linked(view)
    view.show_links(replace(shown, limited=True))
    assert (
        view.linking._sentence.text() == "The 60 pages with the most links are shown; your library has more."
    )
    view.show_links(LinkMap())
    assert view.linking._title.text() == "No links yet."
    assert view.canvas.scene is None
    view.show_links_failure(Failure("The database is away.", "It comes back by itself."))
    assert view.linking._title.text() == "The database is away."


def test_it_is_reported_which_links_count_and_the_others_can_be_counted_too(view: MapView) -> None:
    shown = linked(view)
    assert view.legend._reach.text() == f"60 pages, {len(shown.edges)} links in their texts"
    wanted = Heard(view.links_wanted)
    QTest.mouseClick(view.linking.navigation, LEFT)
    QTest.mouseClick(view.linking.navigation, LEFT)
    assert wanted.all == [True, False]
    view.canvas.zoom_in()
    view.show_links(replace(shown, navigation=True))
    assert view.legend._reach.text() == f"60 pages, {len(shown.edges)} links, including menus and footers"
    assert view.canvas.zoom < 1.25, "another map is fitted again"
    view.show_links(LinkMap())
    assert "whose texts link" in view.linking._sentence.text()
    assert view.linking.navigation.isVisible()


def test_the_drawing_is_made_once_however_often_it_is_looked_at(view: MapView) -> None:
    linked(view)
    scene = view.canvas.scene
    view.show_mode("question")
    view.show_mode("links")
    assert view.canvas.scene is scene


def test_no_line_runs_through_the_name_of_a_site(view: MapView) -> None:
    pages = [
        LinkedPage(UUID(int=at + 1), f"Page {at}", f"site{at // 9}.example", f"https://{at}.example/")
        for at in range(45)
    ]
    shown = lay_out(pages, [(0, at) for at in range(1, 45)])
    view.show_mode("links")
    view.show_links(shown)
    view.canvas.choose(str(pages[0].document_id))
    viewport = view.canvas.viewport()
    picture, scene = viewport.grab().toImage(), view.canvas.scene
    assert scene is not None
    below = [site for site in shown.sites if site.y > shown.sites[0].y]
    assert below
    for site in below:
        name = QPointF(site.x, site.y - site.radius - 14)  # the middle of the line that it stands in
        at = view.canvas._to_view(QRectF(name, name)).topLeft().toPoint()
        around = [picture.pixelColor(at.x() + x, at.y() + y) for x in range(-20, 21) for y in range(-6, 7)]
        assert colour("evidence_edge") not in around


def test_two_thousand_pages_are_fitted_into_the_window(view: MapView) -> None:
    shown = links(2000, 40)
    view.show_mode("links")
    view.show_links(shown)
    assert view.canvas.horizontalScrollBar().maximum() == view.canvas.verticalScrollBar().maximum() == 0
    for one in shown.pages[::100]:
        at = view.canvas.place_of(str(one.document_id))
        assert at is not None
        assert view.canvas.viewport().rect().contains(at)
        assert view.canvas.key_at(QPointF(at)) == str(one.document_id)


def test_the_question_s_map_comes_back_as_it_was(view: MapView) -> None:
    asking(view)
    linked(view)
    view.show_mode("question")
    assert view.canvas.scene is not None
    assert view.canvas.scene.rect_of(https(REPORT)) is not None
    assert view.fetching.isVisible()


# -- Room ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [RUNNING, ENDED], ids=["running", "ended"])
def test_spare_room_stays_below_the_lists(view: MapView, state: ShownExpansion) -> None:
    view.show_expansion(state, {"cablehistory.org": "fetch"})
    QApplication.processEvents()
    sites, pane = view.fetching.sites, view.fetching
    assert sites.height() == sites.sizeHint().height()
    assert pane.opened.geometry().bottom() < pane.height() - 50  # there is some


def test_a_map_that_fits_shows_no_bars_at_any_size(view: MapView) -> None:
    linked(view)
    view.canvas.fit()
    for step in range(120):
        view.resize(960 + 4 * step, 500 + step)
        assert view.canvas.horizontalScrollBar().maximum() == view.canvas.verticalScrollBar().maximum() == 0


def test_the_heads_of_the_columns_are_in_sight_where_the_question_is_with_them(view: MapView) -> None:
    view.resize(1440, 540)  # a little lower than the drawing
    asking(view)
    assert view.canvas.verticalScrollBar().maximum() > 0
    assert view.canvas.verticalScrollBar().value() == 0


def test_a_sentence_alone_takes_one_line_however_narrow_the_window_is(view: MapView) -> None:
    linked(view)
    view.resize(900, 620)
    QApplication.processEvents()
    alone = view.legend._reach.geometry()
    assert abs(alone.center().y() - view.legend.height() / 2) <= 2
