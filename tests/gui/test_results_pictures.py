"""Pictures of the results and the citations in every state, light and dark; the colours in them are checked."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support.reader import COILS, TEXT, show, span, titled
from tests.support.shown import (
    LONG,
    SEARCH_FAILURE,
    cable_groups,
    citations,
    results,
    scripts_citations,
    scripts_groups,
)
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.gui.citations.citation_list import CitationsView
from webrag_desktop.gui.data.view_data import CitationRow, SpanReference
from webrag_desktop.gui.kit.theme.tokens import DARK, LIGHT, Role
from webrag_desktop.gui.research.results_pane import ResultsView
from webrag_desktop.gui.shell.research_view import ResearchView

Take = Callable[[QWidget, str], Path]
Themed = Callable[[bool], None]
DEGRADED = "The embedding model does not answer. These passages were found by their words only."


@pytest.fixture
def view(qtbot: QtBot, application: QApplication) -> ResultsView:
    made = ResultsView()
    qtbot.addWidget(made)
    made.resize(644, 790)
    made.show()
    made.activateWindow()
    made.set_citations(citations())
    return made


@pytest.fixture
def cited(qtbot: QtBot, application: QApplication) -> CitationsView:
    made = CitationsView()
    qtbot.addWidget(made)
    made.resize(568, 460)
    made.show()
    made.activateWindow()
    return made


@pytest.fixture
def large_font(application: QApplication) -> Iterator[None]:
    """A platform whose font is another one, and half again as large."""
    base = application.font()
    other = QFont("DejaVu Sans")
    other.setPixelSize(20)
    application.setFont(other)
    yield
    application.setFont(base)


def share(of: Path | QWidget, colour: str) -> float:
    """How much of a picture has exactly that colour, looked at in every third pixel."""
    QTest.qWait(10)
    image = QImage(str(of)) if isinstance(of, Path) else of.grab().toImage()
    wanted = QColor(colour).rgb()
    points = [(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)]
    return sum(image.pixel(x, y) == wanted for x, y in points) / len(points)


@pytest.mark.parametrize("dark", [False, True])
def test_results(view: ResultsView, themed: Themed, picture: Take, dark: bool, qtbot: QtBot) -> None:
    view.show_results(results())
    view.focus_list()
    qtbot.waitUntil(view.list.hasFocus)
    themed(dark)  # after the rows were laid out: they must follow
    taken = picture(view, "results-dark" if dark else "results")
    colours, others = (DARK, LIGHT) if dark else (LIGHT, DARK)
    roles: tuple[Role, ...] = ("evidence", "evidence_on", "accent_soft", "surface", "accent")
    for role in roles:
        assert share(taken, colours[role]) > 0.0005, role
        assert share(taken, others[role]) < 0.0005, role


@pytest.mark.parametrize("dark", [False, True])
def test_citations(cited: CitationsView, themed: Themed, picture: Take, dark: bool) -> None:
    cited.show_citations(citations())
    cited.select_number(1)
    themed(dark)
    taken = picture(cited, "citations-dark" if dark else "citations")
    colours = DARK if dark else LIGHT
    roles: tuple[Role, ...] = ("ok_soft", "warn_soft", "bad_soft", "accent_soft")
    for role in roles:
        assert share(taken, colours[role]) > 0.0005, role


def test_research_from_right_to_left(
    application: QApplication, qtbot: QtBot, themed: Themed, picture: Take
) -> None:
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        view, document = ResearchView(), titled(shown(version(TEXT)))
        qtbot.addWidget(view)
        view.resize(1240, 820)
        view.show()
        place = span(document, COILS)
        rows = [scripts_citations()[0], cited_as(2, place), *citations()[2:]]
        view.results.show_results(results([*scripts_groups()[:1], *cable_groups()[:2]]))
        view.citations.show_citations(rows)
        view.citations.select_number(1)
        view.fit_citations()
        show(view.reader, qtbot, document)
        view.reader.show_span(place)
        view.reader.set_citations(rows)
        picture(view, "research-right-to-left")
        themed(True)
        qtbot.waitUntil(lambda: view.reader._text.is_complete)  # it is built again
        picture(view, "research-right-to-left-dark")
    finally:
        application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def cited_as(number: int, place: SpanReference) -> CitationRow:
    at = (place.version_id, place.char_start, place.char_end)
    return replace(citations()[0], number=number, version_id=at[0], char_start=at[1], char_end=at[2])


def test_results_narrow(view: ResultsView, picture: Take) -> None:
    view.resize(420, 720)
    view.show_results(results())
    picture(view, "results-narrow")


def test_results_with_reasons(view: ResultsView, picture: Take) -> None:
    view.show_results(results())
    view.list.set_shows_reasons(True)
    picture(view, "results-reasons")


@pytest.mark.usefixtures("large_font")
def test_results_in_another_font(view: ResultsView, picture: Take) -> None:
    view.show_results(results())
    picture(view, "results-font")


def test_results_in_other_scripts(view: ResultsView, picture: Take) -> None:
    view.show_results(results(scripts_groups()))
    picture(view, "results-scripts")
    view.select_passage(LONG.chunk_id)
    taken = picture(view, "results-long-sentence")
    assert share(taken, LIGHT["evidence_on"]) > 0.03


def test_results_idle(view: ResultsView, picture: Take) -> None:
    picture(view, "results-idle")


def test_results_searching(view: ResultsView, picture: Take, qtbot: QtBot) -> None:
    view.show_results(results())
    bright = share(view, LIGHT["evidence_on"])
    view.show_searching("Who paid for the second cable?")
    view._waiting.setInterval(1000)  # leave time for a picture
    qtbot.waitUntil(lambda: view.list.delegate.is_dimmed)
    dimmed = picture(view, "results-dimmed")
    assert share(dimmed, LIGHT["evidence_on"]) < bright / 10
    qtbot.waitUntil(lambda: not view.list.isVisible())
    assert share(picture(view, "results-searching"), LIGHT["line"]) > 0.05


@pytest.mark.parametrize("dark", [False, True])
def test_results_nothing_found(view: ResultsView, themed: Themed, picture: Take, dark: bool) -> None:
    themed(dark)
    view.show_results(results([], "galvanic creep"))
    view.set_open_documents(3)
    picture(view, "results-nothing-dark" if dark else "results-nothing")


def test_results_degraded(view: ResultsView, picture: Take) -> None:
    view.show_results(results(degraded=DEGRADED))
    assert share(picture(view, "results-degraded"), LIGHT["warn_soft"]) > 0.02


@pytest.mark.parametrize("dark", [False, True])
def test_results_failed(view: ResultsView, themed: Themed, picture: Take, dark: bool) -> None:
    view.show_results(results())
    view.show_failure(SEARCH_FAILURE, "Try again")
    themed(dark)
    taken = picture(view, "results-failed-dark" if dark else "results-failed")
    assert share(taken, (DARK if dark else LIGHT)["bad_soft"]) > 0.03


def test_citations_lost(cited: CitationsView, picture: Take) -> None:
    cited.show_citations(citations())
    cited.select_number(4)
    picture(cited, "citations-lost")


def test_citations_narrow(cited: CitationsView, picture: Take) -> None:
    cited.resize(380, 560)
    cited.show_citations(citations())
    cited.select_number(4)
    picture(cited, "citations-narrow")


def test_citations_in_other_scripts(cited: CitationsView, picture: Take) -> None:
    cited.show_citations(scripts_citations())
    cited.select_number(2)
    picture(cited, "citations-scripts")


@pytest.mark.usefixtures("large_font")
def test_citations_in_another_font(cited: CitationsView, picture: Take) -> None:
    cited.show_citations(citations())
    cited.select_number(1)
    picture(cited, "citations-font")


def test_citations_empty(cited: CitationsView, picture: Take) -> None:
    picture(cited, "citations-empty")
