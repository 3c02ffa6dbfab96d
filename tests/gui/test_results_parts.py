"""Code is shown as code and a row of a table below its header, from a real library to what is drawn."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.result_lists import Control, Key, button_center, texts
from tests.gui.test_operations_searching import found, marked
from tests.support.corpus import add_page
from tests.support.gui_library import Address, open_operations, settings_for
from tests.support.shown import VOLTAGE, marks_of, results
from tests.support.shown import group as group_of
from webrag_desktop.gui.data.view_data import Passage, SearchResults, TextMark, TextPart
from webrag_desktop.gui.kit.rows.laid_text import LaidText
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import font
from webrag_desktop.gui.research.passage_excerpt import LINES_AT_REST, LINES_OPEN, laid_passage
from webrag_desktop.gui.research.passage_parts import LaidParts
from webrag_desktop.gui.research.result_list import ResultList
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.storage.database import Database

Clone = Callable[[str], Address]
PAGE = "https://docs.backoff.example/retries.html"
CODE = """def call_with_backoff(request, attempts=3):
    for attempt in range(attempts):
        try:
            return request.send()
        except TransientError as error:

            wait = base_delay * 2 ** attempt
            time.sleep(random.uniform(0, wait))"""
HTML = f"""<html><head><title>Retries</title></head><body><main><h1>Retries</h1>
<p>The client tries a request again that failed for a reason which may pass, and waits longer before each attempt.</p>
<h2>A loop of your own</h2><p>Where the client cannot be configured, this loop does the same as its settings would.</p>
<pre><code class="language-python">{CODE}</code></pre>
<h2>Which statuses</h2><p>These are the statuses of a server, whether they are tried again, and the reason for it.</p>
<table><tr><th>Status</th><th>Tried again</th><th>Reason</th></tr>
<tr><td>401</td><td>no</td><td>the key stays the same</td></tr>
<tr><td>429</td><td>yes, after the pause it names</td><td>quotas of zebrafish are full</td></tr>
<tr><td>503</td><td>yes</td><td>the server restarts</td></tr></table>
</main></body></html>"""


@pytest.fixture
def address(clone: Clone, corpus_template: str) -> Address:
    return clone(corpus_template)


@pytest.fixture
def do(
    address: Address, tmp_path: Path, qtbot: QtBot, make_indexer: Callable[[Database], Indexer]
) -> Iterator[Operations]:
    database = Database(address)
    add_page(database, make_indexer(database), PAGE, HTML.encode())
    database.close()
    with open_operations(settings_for(address, tmp_path), qtbot) as made:
        yield made


def best_of_page(answer: SearchResults) -> Passage:
    (of_page,) = (group for group in answer.groups if group.address == PAGE)
    return max(of_page.passages, key=lambda passage: passage.score)


def laid(
    passage: Passage, *, is_open: bool = False, width: float = 480, lines: int | None = None
) -> LaidParts:
    made = laid_passage(passage, font("body"), width, is_open=is_open, lines=lines)
    assert isinstance(made, LaidParts)
    return made


def drawn(of: LaidParts, kind: str) -> list[str]:
    """The lines of code, or the cells."""
    return [placed.text.text for box in of.boxes if box.kind == kind for placed in box.texts]


def marked_as_drawn(of: LaidParts) -> str:
    """The words on a marker, as the texts that hold them draw them."""
    pieces = [
        placed.text.text[mark.start : mark.end]
        for box in of.boxes
        for placed in box.texts
        for mark in placed.text.marks
        if mark.kind in {"evidence", "active"}
    ]
    return " ".join(" ".join(pieces).split())


# -- From the library ---------------------------------------------------------------------------------------------


def test_code_has_its_lines_and_its_indents(do: Operations, qtbot: QtBot, application: QApplication) -> None:
    passage = best_of_page(found(do, qtbot, "random.uniform backoff wait attempt"))
    (part,) = (one for one in passage.parts if one.kind == "code")
    assert passage.text[part.start : part.end] == CODE
    shown = laid(passage, is_open=True)
    lines = drawn(shown, "code")
    assert set(lines) <= {line.strip(" ") for line in CODE.split("\n")}
    (box,) = (box for box in shown.boxes if box.kind == "code")
    depth = {line.strip(): len(line) - len(line.lstrip()) for line in CODE.split("\n")}
    step = QFontMetricsF(font("small", family="mono")).horizontalAdvance(" ")
    left = {round(placed.x - depth[placed.text.text.strip()] * step, 3) for placed in box.texts}
    assert len(left) == 1  # each is indented as it is written
    assert len({placed.x for placed in box.texts}) > 1
    assert marked_as_drawn(shown) == " ".join(" ".join(marked(passage, "evidence")).split())
    assert laid(passage).lines <= LINES_AT_REST
    assert shown.lines <= LINES_OPEN


SOURCE = """#include <stdio.h>

/* Keeps the newts. *All* of them. */
struct tank
{
    int newts;
};

static int
count_newts(struct tank **tanks, int n)
{
    int sum = 0;
    for (int i = 0; i < n && tanks[i]; i++) {
        sum += tanks[i]->newts * 2;
    }
    return sum;
}
"""


def test_a_source_file_is_shown_as_it_is_written(
    do: Operations,
    address: Address,
    qtbot: QtBot,
    application: QApplication,
    make_indexer: Callable[[Database], Indexer],
    picture: Callable[[QWidget, str], Path],
) -> None:
    """Nothing in it is markup: no heading, no emphasis, no tag."""
    database, url = Database(address), "https://docs.tanks.example/newts.c"
    add_page(database, make_indexer(database), url, SOURCE.encode(), media_type="text/plain")
    database.close()
    answer = found(do, qtbot, "count_newts tanks sum")
    (of_file,) = (group for group in answer.groups if group.address == url)
    (passage,) = of_file.passages
    assert passage.text == SOURCE.strip()
    (part,) = passage.parts
    assert (part.kind, part.start, part.end) == ("code", 0, len(passage.text))
    whole = laid(passage, is_open=True, lines=400)
    assert [box.kind for box in whole.boxes] == ["code"]
    assert [line for line in drawn(whole, "code") if line] == [
        line.strip() for line in SOURCE.split("\n") if line
    ]
    view = ResultList()
    qtbot.addWidget(view)
    view.resize(640, 500)
    view.show_results(answer, passage.chunk_id)
    view.show()
    picture(view, "source-code-found")


def test_a_row_stands_below_its_header(do: Operations, qtbot: QtBot, application: QApplication) -> None:
    passage = best_of_page(found(do, qtbot, "quotas of zebrafish"))
    (part,) = (one for one in passage.parts if one.kind == "table")
    assert part.header == ("Status", "Tried again", "Reason")
    assert [passage.text[start:end] for start, end in part.rows[1]] == [
        "429",
        "yes, after the pause it names",
        "quotas of zebrafish are full",
    ]
    cells = drawn(laid(passage), "table")
    assert cells[:3] == list(part.header)
    assert (
        cells[-3:] == ["429", "yes, after the pause it names", "quotas of zebrafish are full"]
        or "503" in cells
    )
    assert marked_as_drawn(laid(passage)) == " ".join(marked(passage, "evidence")[0].split())


def test_what_is_copied_is_the_text_and_not_the_drawing(
    do: Operations, qtbot: QtBot, application: QApplication
) -> None:
    answer = found(do, qtbot, "quotas of zebrafish")
    view = ResultList()
    qtbot.addWidget(view)
    view.show_results(answer, best_of_page(answer).chunk_id)
    QTest.keyClick(view, Key.Key_C, Control)
    copied = QGuiApplication.clipboard().text()
    assert copied == "429 yes, after the pause it names quotas of zebrafish are full"


# -- What is drawn ------------------------------------------------------------------------------------------------

WIDE = tuple((f"Column {at}", f"value {at}") for at in range(9))
WORDS = [value for _, value in WIDE]


def in_code(code: str, sentence: str, before: str = "", after: str = "") -> Passage:
    text = before + code + after
    parts = (TextPart("code", len(before), len(before) + len(code)),)
    return replace(VOLTAGE, text=text, parts=parts, quote=sentence, marks=marks_of(text, [sentence]))


def of_columns() -> Passage:
    spans, at = [], 0
    for word in WORDS:
        spans.append((at, at + len(word)))
        at += len(word) + 1
    text = " ".join(WORDS)
    part = TextPart("table", 0, len(text), header=tuple(name for name, _ in WIDE), rows=(tuple(spans),))
    return replace(VOLTAGE, text=text, parts=(part,), quote=text, marks=marks_of(text, [text]))


@pytest.mark.parametrize("width", [180, 330, 480, 640])
def test_many_columns_become_lines_of_names_and_values(application: QApplication, width: float) -> None:
    shown = laid(of_columns(), width=width)
    assert drawn(shown, "table") == [word for pair in WIDE for word in pair]
    (box,) = shown.boxes
    for placed in box.texts:
        assert placed.x + placed.text.natural_width <= width + 1


@pytest.mark.parametrize("asked", [(), ("years", "loss"), ("metal", "copper")])
def test_no_cell_is_broken_where_there_is_room(application: QApplication, asked: tuple[str, ...]) -> None:
    header, row = ("metal", "loss (µm)", "years"), ("copper", "15", "6")
    text = " ".join((*header, *row))
    spans: list[tuple[int, int]] = []
    for word in (*header, *row):
        start = spans[-1][1] + 1 if spans else 0
        spans.append((start, start + len(word)))
    table = TextPart("table", 0, len(text), header, tuple(spans[:3]), (tuple(spans[3:]),))
    hits = tuple(TextMark(text.index(word), text.index(word) + len(word), "term") for word in asked)
    shown = laid(replace(VOLTAGE, text=text, parts=(table,), quote=text, marks=hits))
    assert drawn(shown, "table") == [*header, *row]
    assert [placed.text.lines for box in shown.boxes for placed in box.texts] == [1] * 6


def test_a_long_line_of_code_is_broken_within_its_indent(application: QApplication) -> None:
    line = "    return " + " + ".join(f"term_{at}" for at in range(30))
    shown = laid(in_code(f"def sum():\n{line}\n", line.strip()), width=400, lines=40)
    (box,) = shown.boxes
    broken = box.texts[1]
    assert broken.text.lines > 1
    assert broken.x > box.texts[0].x
    assert marked_as_drawn(shown) == line.strip()


def test_of_a_long_unit_of_code_the_lines_with_the_words_of_the_question_are_shown(
    application: QApplication,
) -> None:
    code = "\n".join(["def many():", *(f"    step_{at}()" for at in range(20))])
    passage = in_code(code, code, before="Run these.\n")
    at = passage.text.index("step_13")
    asked = replace(passage, marks=(*passage.marks, TextMark(at, at + 7, "term")))
    assert drawn(laid(asked), "code") == ["step_11()", "step_12()", "step_13()"]
    assert drawn(laid(passage), "code") == ["def many():", "step_0()", "step_1()"]
    assert laid(passage).cut
    assert len(drawn(laid(asked, is_open=True), "code")) == LINES_OPEN
    assert len(drawn(laid(asked, is_open=True, lines=400), "code")) == 21


def test_lines_around_are_added_one_before_one_after(application: QApplication) -> None:
    code = "\n".join(f"step_{at}()" for at in range(20))
    passage = in_code(code, "step_9()", before="Run these.\n", after="\nThen stop.")
    assert drawn(laid(passage), "code") == ["step_8()", "step_9()", "step_10()"]
    assert laid(passage).cut
    assert len(drawn(laid(passage, is_open=True), "code")) == LINES_OPEN
    whole = laid(passage, is_open=True, lines=400)
    assert not whole.cut
    assert [box.kind for box in whole.boxes] == ["prose", "code", "prose"]


def test_a_sentence_in_prose_beside_code_is_whole(application: QApplication) -> None:
    code = "print(1)\nprint(2)"
    text = f"{VOLTAGE.text}\n\n{code}"
    part = TextPart("code", len(VOLTAGE.text) + 2, len(text))
    for is_open in (False, True):
        shown = laid(replace(VOLTAGE, text=text, parts=(part,)), is_open=is_open)
        assert VOLTAGE.quote in shown.text


def test_code_is_drawn_on_sunken_ground_from_left_to_right_in_any_window(
    qtbot: QtBot, application: QApplication
) -> None:
    passage = in_code("if ready:\n    go()", "if ready:")
    for direction in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
        application.setLayoutDirection(direction)
        try:
            view = ResultList()
            qtbot.addWidget(view)
            view.resize(640, 400)
            view.show_results(results([group_of("Code", [replace(passage, chunk_id=UUID(int=1)), passage])]))
            view.show()
            index = view.results.find(passage.chunk_id)
            view.setCurrentIndex(view.results.index(0, 0))
            QTest.qWait(30)
            layout, row = view.delegate.layout(index), view.visualRect(index)
            at = QRectF(layout.text_at, layout.text_at).translated(0, row.top())
            box = view.delegate.mirror.rect(
                QRectF(at.left(), at.top(), layout.text.width, layout.text.height)
            )
            image = view.viewport().grab().toImage()
            assert image.pixelColor(round(box.right()) - 6, round(box.top()) + 6) == colour("sunken")
            ink = [
                x
                for x in range(round(box.left()) + 3, round(box.right()) - 3)
                if image.pixelColor(x, round(box.bottom()) - 14) != colour("sunken")
            ]
            assert ink
            assert max(ink) < box.center().x()  # code begins at the left
        finally:
            application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def test_columns_and_numbers_read_as_their_text_does_in_any_window(application: QApplication) -> None:
    for header, words, mirrored in (
        (("setting", "codes"), ("retry_on", "429, 502"), False),
        (("الإعداد", "الرموز"), ("إعادة", "429, 502"), True),
    ):
        text = " ".join(words)
        at = len(words[0]) + 1
        part = TextPart("table", 0, len(text), header, rows=(((0, len(words[0])), (at, len(text))),))
        passage = replace(VOLTAGE, text=text, parts=(part,), quote=text, marks=())
        for around in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
            application.setLayoutDirection(around)
            try:
                (box,) = laid(passage).boxes
            finally:
                application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
            assert box.is_mirrored == mirrored
            first, last = (box.texts[-1].text._layout.lineAt(0).cursorToX(at) for at in (0, 8))
            assert (cursor_at(first) > cursor_at(last)) == mirrored


def cursor_at(found: object) -> float:
    return float(found[0] if isinstance(found, tuple) else found)  # type: ignore[arg-type]


# -- More, and nothing --------------------------------------------------------------------------------------------


def test_a_long_passage_shows_eight_lines_and_all_on_demand(qtbot: QtBot, application: QApplication) -> None:
    long = replace(VOLTAGE, text=VOLTAGE.text + " More follows here, and more after that." * 40)
    view = ResultList()
    qtbot.addWidget(view)
    view.resize(640, 700)
    view.show_results(results([group_of("Long", [long])]))
    view.show()
    view.setFocus()
    assert view.delegate.layout(view.currentIndex()).text.lines == LINES_OPEN
    menu = view.menu()
    assert menu is not None
    assert "Show all" in texts(menu)
    QTest.keyClick(view, Key.Key_M)
    whole = view.delegate.layout(view.currentIndex()).text
    assert isinstance(whole, LaidText)
    assert whole.text == long.text
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=button_center(view, "more"))
    assert view.delegate.layout(view.currentIndex()).text.lines == LINES_OPEN
    view.show_results(results([group_of("Short", [replace(VOLTAGE, text=VOLTAGE.quote, marks=())])]))
    assert not view.delegate.has_more(view.currentIndex())


def test_a_score_of_nothing_has_no_yellow(application: QApplication) -> None:
    for score, kinds in ((0.004, set()), (0.005, {"evidence"}), (0.5, {"evidence"})):
        made = laid_passage(replace(VOLTAGE, score=score), font("body"), 480, is_open=False)
        assert isinstance(made, LaidText)
        assert {mark.kind for mark in made.marks} - {"term"} == kinds
    nothing = laid(replace(in_code("if ready:\n    go()", "if ready:"), score=0.0))
    assert marked_as_drawn(nothing) == ""
