"""Pictures of the answer in every state, light and dark; the colours in them are checked."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support.reader import COILS, TEXT, show, span, titled
from tests.support.shown import QUESTION, VOLTAGE, citations, results
from tests.support.shown_answers import (
    COMPLETE,
    EXTRACT,
    FAILED,
    KEPT,
    LONG,
    PASSED_OVER,
    REFUSED,
    SCRIPTS,
    SEARCHING,
    SELECTED,
    STOPPED,
    WRITING,
    asked_questions,
)
from tests.support.whole_window import Shown
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.gui.data.answers import SelectedText, ShownAnswer
from webrag_desktop.gui.data.upkeep import StackPart, StackReport
from webrag_desktop.gui.kit.theme.tokens import DARK, LIGHT, Role
from webrag_desktop.gui.research.answer.history_card import HistoryCard
from webrag_desktop.gui.shell.research_view import ResearchView

Take = Callable[[QWidget, str], Path]
Themed = Callable[[bool], None]
STACK = StackReport(
    (
        StackPart("Database", "ready", "ok"),
        StackPart("Embedding", "nomic-embed-text", "ok"),
        StackPart("Chat", "llama3.1 8B, writing", "busy"),
    ),
    "/home/ada/webrag",
)


@pytest.fixture
def view(qtbot: QtBot, application: QApplication) -> ResearchView:
    made = ResearchView()
    qtbot.addWidget(made)
    made.resize(1212, 792)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    document = titled(shown(version(TEXT)))
    made.results.show_results(results())
    made.results.set_citations(citations())
    made.citations.show_citations(citations())
    made.citations.select_number(1)
    made.fit_citations()
    show(made.reader, qtbot, document)
    made.reader.show_span(span(document, COILS))
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


def share(taken: Path, colour: str) -> float:
    from tests.gui.test_results_pictures import share as counted

    return counted(taken, colour)


STATES: dict[str, tuple[ShownAnswer, tuple[Role, ...]]] = {
    "writing": (WRITING, ("accent_soft", "warn_soft", "accent", "evidence")),
    "complete": (COMPLETE, ("accent_soft", "warn_soft", "evidence")),
    "extract": (EXTRACT, ("accent_soft", "evidence")),
    "passed-over": (PASSED_OVER, ("accent_soft", "evidence")),
    "failed": (FAILED, ("accent_soft", "warn_soft", "evidence")),
    "refused": (REFUSED, ("evidence",)),
}


def take(view: ResearchView, picture: Take, qtbot: QtBot, name: str, dark: bool) -> Path:
    """The picture of a theme, once the text that is read stands in it; nothing of the other theme is left."""
    qtbot.waitUntil(lambda: view.reader._text.is_complete)
    taken = picture(view, f"{name}{'-dark' if dark else ''}")
    assert share(taken, (LIGHT if dark else DARK)["evidence"]) < 0.0003
    return taken


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("state", list(STATES))
def test_a_state_in_both_themes(
    view: ResearchView, themed: Themed, picture: Take, qtbot: QtBot, state: str, dark: bool
) -> None:
    answer, roles = STATES[state]
    view.show_answer(answer)
    themed(dark)  # after it was laid out: it must follow
    qtbot.waitUntil(lambda: view.reader._text.is_complete)
    taken = picture(view, f"answer-{state}{'-dark' if dark else ''}")
    colours, others = (DARK, LIGHT) if dark else (LIGHT, DARK)
    for role in roles:
        assert share(taken, colours[role]) > 0.0003, role
        assert share(taken, others[role]) < 0.0003, role


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("searching", SEARCHING),
        ("stopped", STOPPED),
        ("selected-text", SELECTED),
        ("kept", KEPT),
        ("long", LONG),
    ],
)
def test_other_states(
    view: ResearchView,
    themed: Themed,
    picture: Take,
    qtbot: QtBot,
    name: str,
    answer: ShownAnswer,
    dark: bool,
) -> None:
    view.show_answer(answer)
    themed(dark)
    if name == "searching":
        qtbot.waitUntil(view.answer._shapes.isVisible)
    taken = take(view, picture, qtbot, f"answer-{name}", dark)
    assert share(taken, (DARK if dark else LIGHT)["evidence"]) > 0.0003
    assert view.answer.height() <= view.height() / 2 + 2


def show_complete(view: ResearchView, qtbot: QtBot) -> None:
    """Show it, its lines broken for good."""
    view.show_answer(COMPLETE)
    qtbot.waitUntil(lambda: view.answer.text.width() > 580 and not view.answer.text._fitting.isActive())


@pytest.mark.parametrize("dark", [False, True])
def test_the_card_of_a_citation(
    view: ResearchView, themed: Themed, picture: Take, qtbot: QtBot, dark: bool
) -> None:
    show_complete(view, qtbot)
    themed(dark)
    view.answer.text.setFocus(Qt.FocusReason.TabFocusReason)
    card = view.answer._card
    assert card is not None
    qtbot.waitUntil(card.isVisible)
    picture(view, f"answer-card{'-dark' if dark else ''}")


@pytest.mark.parametrize("dark", [False, True])
def test_the_card_of_a_doubtful_claim(
    view: ResearchView, themed: Themed, picture: Take, qtbot: QtBot, dark: bool
) -> None:
    show_complete(view, qtbot)
    themed(dark)
    view.answer.text.setFocus(Qt.FocusReason.BacktabFocusReason)
    view.answer.text.focusNextPrevChild(False)
    card = view.answer._card
    assert card is not None
    qtbot.waitUntil(card.isVisible)
    take(view, picture, qtbot, "answer-card-doubtful", dark)


@pytest.mark.parametrize("dark", [False, True])
def test_references(view: ResearchView, themed: Themed, picture: Take, qtbot: QtBot, dark: bool) -> None:
    view.show_answer(COMPLETE)
    view.answer.references.click()
    themed(dark)
    take(view, picture, qtbot, "answer-references", dark)


@pytest.mark.parametrize("dark", [False, True])
def test_a_narrow_window(view: ResearchView, themed: Themed, picture: Take, qtbot: QtBot, dark: bool) -> None:
    view.resize(1120, 612)
    view.show_answer(COMPLETE)
    themed(dark)
    take(view, picture, qtbot, "answer-narrow", dark)


@pytest.mark.parametrize("dark", [False, True])
def test_other_scripts(view: ResearchView, themed: Themed, picture: Take, qtbot: QtBot, dark: bool) -> None:
    view.show_answer(SCRIPTS)
    themed(dark)
    take(view, picture, qtbot, "answer-scripts", dark)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.usefixtures("large_font")
def test_another_font(view: ResearchView, themed: Themed, picture: Take, qtbot: QtBot, dark: bool) -> None:
    view.show_answer(WRITING)
    themed(dark)
    take(view, picture, qtbot, "answer-font", dark)
    copy = view.answer.header.copy
    assert copy.width() > copy.iconSize().width() > 20  # what stands beside it is cut, and not the icon


@pytest.mark.parametrize("dark", [False, True])
def test_from_right_to_left(
    application: QApplication, qtbot: QtBot, themed: Themed, picture: Take, dark: bool
) -> None:
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        view = ResearchView()
        qtbot.addWidget(view)
        view.resize(1212, 792)
        view.show()
        view.results.show_results(results())
        view.show_answer(SCRIPTS)
        themed(dark)
        picture(view, f"answer-right-to-left{'-dark' if dark else ''}")
    finally:
        application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


@pytest.mark.parametrize("dark", [False, True])
def test_earlier_questions(view: ResearchView, themed: Themed, picture: Take, dark: bool) -> None:
    card = HistoryCard(view)
    card.show_questions(asked_questions())
    card.open_below(view.results)
    themed(dark)
    picture(card, f"answer-questions{'-dark' if dark else ''}")
    card.close()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(
    ("name", "size"), [("window-answer", (1440, 900)), ("window-answer-narrow", (1120, 720))]
)
def test_the_whole_window(
    application: QApplication,
    qtbot: QtBot,
    themed: Themed,
    picture: Take,
    name: str,
    size: tuple[int, int],
    dark: bool,
) -> None:
    whole = Shown(qtbot)
    window, parts = whole.window, whole.do.part
    window.resize(*size)
    window.status.show_report(STACK)
    window.query.focus()
    window.query.set_text(QUESTION)
    whole.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    parts("searching").started.emit(QUESTION)
    parts("answering").answer.emit(WRITING)
    parts("citing").citations.emit(citations())
    whole.answer(results())
    document = titled(shown(version(TEXT)))
    show(window.research.reader, qtbot, document)
    window.research.reader.show_span(span(document, COILS))
    if name.endswith("narrow"):
        window.query.show_about(SelectedText(VOLTAGE.span, VOLTAGE.quote))
    window.query.focus()
    themed(dark)
    qtbot.waitUntil(lambda: window.research.reader._text.is_complete)
    taken = picture(window, f"{name}{'-dark' if dark else ''}")
    assert share(taken, (DARK if dark else LIGHT)["warn_soft"]) > 0.0003
    whole.end()
