"""The reader's page: every character where the map says, markers exactly over theirs, nothing loaded."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QImage,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextTable,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.markdown_documents import ANY_TEXT, DOCUMENTS
from tests.unit.gui.test_reader_document import PAGE_NAMES, page, shown, version
from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.reader import building as reader_building
from webrag_desktop.gui.reader.building import LONGEST_PIECE
from webrag_desktop.gui.reader.formats import MOST_CELLS
from webrag_desktop.gui.reader.page import ReadingSpan
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.gui.reader.text import ReaderText

MIXED = """# Écritures 🧭 et *signes*

The compass 🧭 and the family 👨‍👩‍👧 are &gt; one **code** point, `a_b` and [a link](https://x.example/y) each.

يسجل المقياس مستوى الماء Tide 42 كل ست دقائق، ثم يعود. يسجل المقياس مستوى الماء كل ست دقائق.

潮位計は六分ごとに水位を記録します。校正は毎月行われます。

> - quoted 🎉
>   2. twice

| a 🧭 | b & c |
|---|---|
|  | **x** y |
| المقياس | z |

```
if 🧭:

    return 1
```

last
"""


@pytest.fixture
def text(application: QApplication, qtbot: QtBot) -> ReaderText:
    made = ReaderText()
    qtbot.addWidget(made)
    made.resize(568, 900)
    made.show()
    return made


def show(text: ReaderText, qtbot: QtBot, document: ReaderDocument) -> ReaderDocument:
    text.show_document(document)
    qtbot.waitUntil(lambda: text.is_complete, timeout=30_000)
    return document


def between(text: ReaderText, start: int, end: int) -> str:
    cursor = QTextCursor(text.document())
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText()


def span_of(document: ReaderDocument, words: str) -> ReadingSpan:
    start = document.trace.reading.index(words)
    return ReadingSpan(start, start + len(words))


def check_page(text: ReaderText, document: ReaderDocument) -> None:
    """Every character that can be shown stands there once, and what stands there is it."""
    display, placed = document.trace.display, 0
    for start in range(0, len(display), 61):
        end = min(start + 61, len(display))
        text.set_active(ReadingSpan(start, end))
        for first, last in text.active_places():
            placed += last - first
        words = "".join(between(text, first, last) for first, last in text.active_places())
        assert "".join(words.split()) == "".join(display[start:end].split())
        reading = text.active_reading()
        if reading is not None:
            assert display[start : reading[0]].strip() == "" == display[reading[1] : end].strip()
    shown_words = "".join(text.toPlainText().split())
    assert shown_words == "".join(display.split())


@given(DOCUMENTS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_generated_documents_stand_where_the_map_says(
    text: ReaderText, qtbot: QtBot, document: object
) -> None:
    check_page(text, show(text, qtbot, shown(version(document.markdown))))  # type: ignore[attr-defined]


@given(ANY_TEXT)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_stands_where_the_map_says(text: ReaderText, qtbot: QtBot, markdown: str) -> None:
    check_page(text, show(text, qtbot, shown(version(markdown))))


def test_a_computer_that_is_slow_leaves_nothing_out(
    text: ReaderText, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_building, "SLICE_SECONDS", 0.0)
    document = shown(version("# One\n\ntwo\n\n- three\n- four\n\nfive\n"))
    check_page(text, show(text, qtbot, document))


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_pages_stand_where_the_map_says(text: ReaderText, qtbot: QtBot, name: str) -> None:
    check_page(text, show(text, qtbot, shown(page(name))))


def test_every_character_of_a_mixed_text_is_marked_alone(text: ReaderText, qtbot: QtBot) -> None:
    document = show(text, qtbot, shown(version(MIXED)))
    reading = document.trace.reading
    for position, char in enumerate(reading):
        text.set_active(ReadingSpan(position, position + 1))
        if not char.isspace():
            assert text.active_reading() == (position, position + 1)
            (place,) = text.active_places()
            assert between(text, *place) == char


def image_of(text: ReaderText) -> QImage:
    return text.viewport().grab().toImage()


@pytest.mark.parametrize(
    "words",
    [
        "compass 🧭 and the family 👨‍👩‍👧 are > one",
        "code point, a_b and a link each",
        "المقياس مستوى الماء Tide 42 كل ست",
        "校正は毎月行われます",
        "signes\n\nThe compass",
        "b & c\nx y\nالمقياس",
        "quoted 🎉\ntwice",
        "if 🧭:\n\n    return 1",
    ],
)
def test_the_marker_lies_under_its_characters_and_no_others(
    text: ReaderText, qtbot: QtBot, words: str
) -> None:
    document = show(text, qtbot, shown(version(MIXED)))
    wanted = span_of(document, words)
    text.set_active(wanted)
    qtbot.waitUntil(lambda: text._settling.state() == text._settling.State.Stopped)
    text.clearFocus()
    image, marked = image_of(text), colour("evidence_on")
    geometry = text._geometry()
    for position, char in enumerate(document.trace.reading):
        beside = position in {wanted.start - 1, wanted.end}
        if beside or char.isspace() or char == "\u200d":
            continue
        for place, end in text._places(ReadingSpan(position, position + 1)):
            for rect in geometry.rects(place, end):
                if rect.width() < 2:
                    continue
                x = round(rect.center().x())
                column = range(round(rect.top()) + 1, round(rect.bottom()) - 1)
                grounds = {QColor(image.pixel(x, y)) == marked for y in column}
                assert (True in grounds) == (wanted.start <= position < wanted.end), (char, position)


def test_nothing_is_loaded(text: ReaderText, qtbot: QtBot, tmp_path: object) -> None:
    markdown = '![a picture](file:///etc/hostname) <img src="https://x.example/y.png"> [l](https://x.example)'
    show(text, qtbot, shown(version(markdown)))
    kind = QTextDocument.ResourceType.ImageResource
    for address in ("file:///etc/hostname", "https://x.example/y.png", "data:text/plain,abc"):
        assert text.loadResource(kind.value, QUrl(address)) is None
        assert text.document().loadResource(kind.value, QUrl(address)) is None
    assert "\ufffc" not in text.toPlainText()
    assert "a picture" in text.toPlainText()


def test_a_click_on_a_link_goes_nowhere(text: ReaderText, qtbot: QtBot) -> None:
    document = show(text, qtbot, shown(version("see [the place](https://x.example/y) now")))
    ((start, end),) = text._places(span_of(document, "the place"))
    before = text.document().toPlainText()
    (rect,) = text._geometry().rects(start, end)
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=rect.center().toPoint())
    assert text.document().toPlainText() == before
    assert text.anchorAt(rect.center().toPoint()) == ""
    assert text.link_at(start) == text.link_at(end - 1) == "https://x.example/y"
    assert text.link_at(start - 1) is None
    assert text.link_at(end) is None


def test_menu_is_asked_for_with_the_link_under_the_pointer(text: ReaderText, qtbot: QtBot) -> None:
    document = show(text, qtbot, shown(version("see [the place](https://x.example/y) now")))
    ((start, end),) = text._places(span_of(document, "the place"))
    (rect,) = text._geometry().rects(start, end)
    assert text._link_under(rect.center().toPoint()) == "https://x.example/y"
    assert text._link_under(QPoint(2, 2)) is None
    text.setTextCursor(text._cursor(start + 1, start + 1))
    with qtbot.waitSignal(text.menu_requested) as asked:
        keyboard = QContextMenuEvent.Reason.Keyboard
        text.contextMenuEvent(QContextMenuEvent(keyboard, QPoint(0, 0), QPoint(0, 0)))
    assert asked.args is not None
    assert asked.args[1] == "https://x.example/y"


def test_what_is_copied_is_what_is_displayed(
    text: ReaderText, qtbot: QtBot, application: QApplication
) -> None:
    document = show(text, qtbot, shown(version(MIXED + "\na\nb\\\nc\n")))
    text.selectAll()
    text.copy()
    copied = application.clipboard().text()
    assert copied == document.trace.display.replace("\u2028", "\n").strip("\n")
    assert "a 🧭\tb & c\nx y\nالمقياس\tz" in copied
    assert copied.endswith("last\n\na b\nc")
    assert not set(copied) & set("\ufffc\u2028\u2029\ufdd0\ufdd1")
    assert not application.clipboard().mimeData().hasHtml()


def test_selection_is_mapped_without_the_white_space_around_it(text: ReaderText, qtbot: QtBot) -> None:
    document = show(text, qtbot, shown(version("one 🧭 two\n\nthree")))
    cursor = text.textCursor()
    cursor.setPosition(3)
    cursor.setPosition(text.document().toPlainText().index("three"), QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
    selected = text.selected()
    assert selected is not None
    assert document.trace.reading[selected[0] : selected[1]] == "🧭 two"


def test_table_is_a_table_and_a_huge_one_is_rows(text: ReaderText, qtbot: QtBot) -> None:
    small = "| a | b |\n|---|---|\n| c | d |\n"
    show(text, qtbot, shown(version(small)))
    tables = [frame for frame in text.document().rootFrame().childFrames() if isinstance(frame, QTextTable)]
    assert [(table.rows(), table.columns()) for table in tables] == [(2, 2)]
    huge = small + "| c | d |\n" * (MOST_CELLS // 2)
    document = show(text, qtbot, shown(version(huge)))
    assert not text.document().rootFrame().childFrames()
    assert text.toPlainText().startswith("a\tb\nc\td\n")
    check_page(text, document)


def test_front_matter_is_small_and_dim_in_both_themes(
    text: ReaderText, qtbot: QtBot, themed: Callable[[bool], None]
) -> None:
    document = show(text, qtbot, shown(version("---\ntitle: x\ntags: [a]\n---\n\nThe text.\n")))
    for dark in (False, True):
        themed(dark)
        qtbot.waitUntil(lambda: text.is_complete)
        matter, body = text.document().begin(), text.document().begin().next()
        assert (matter.text(), body.text()) == ("title: x\u2028tags: [a]", "The text.")
        assert matter.charFormat().foreground().color().name() == colour("text3").name()
        assert matter.charFormat().font().pixelSize() < body.charFormat().font().pixelSize()
        assert not body.charFormat().hasProperty(QTextFormat.Property.ForegroundBrush)
    check_page(text, document)


def test_a_very_long_paragraph_is_set_in_pieces(text: ReaderText, qtbot: QtBot) -> None:
    for markdown in ("word 🧭 " * LONGEST_PIECE, "漢" * (2 * LONGEST_PIECE + 7)):
        document = show(text, qtbot, shown(version(markdown)))
        assert max(len(line) for line in text.toPlainText().split("\n")) <= 2 * LONGEST_PIECE
        check_page(text, document)


def test_a_large_document_is_built_over_many_turns_and_shows_what_was_asked_for(
    text: ReaderText, qtbot: QtBot
) -> None:
    paragraphs = [f"Paragraph {number} of a long text, with some **words** in it." for number in range(8000)]
    document = shown(version("\n\n".join(paragraphs)))
    text.show_document(document)
    assert not text.is_complete
    text.set_active(span_of(document, "Paragraph 3000 of"))
    assert text.active_places() == []
    qtbot.waitUntil(lambda: bool(text.active_places()), timeout=30_000)
    seen = text._visible()
    assert seen[0] <= text.active_places()[0][0] <= seen[1]
    qtbot.waitUntil(lambda: text.is_complete, timeout=30_000)
    assert len(text.slices) > 10


def test_another_document_cancels_the_rest(text: ReaderText, qtbot: QtBot) -> None:
    text.show_document(shown(version("long words\n\n" * 30_000)))
    assert not text.is_complete
    show(text, qtbot, shown(version("short")))
    qtbot.wait(30)
    assert text.toPlainText() == "short"


@pytest.mark.parametrize("slice_seconds", [reader_building.SLICE_SECONDS, 0.0])
def test_reading_place_survives_resizing_zoom_and_theme(
    text: ReaderText,
    qtbot: QtBot,
    themed: Callable[[bool], None],
    monkeypatch: pytest.MonkeyPatch,
    slice_seconds: float,
) -> None:
    monkeypatch.setattr(reader_building, "SLICE_SECONDS", slice_seconds)
    document = show(text, qtbot, shown(page("python_glossary.html")))
    wanted = span_of(document, "duck-typing\n")
    text.set_active(wanted)
    top = text._geometry().span(*text.active_places()[0])
    assert top is not None

    def stands_still() -> bool:
        span = text._geometry().span(*text.active_places()[0]) if text.active_places() else None
        return text.is_complete and span is not None and abs(span[0] - top[0]) < 12

    changes: list[Callable[[], object]] = [
        lambda: text.resize(420, 900),
        lambda: text.set_pixels(21),
        lambda: themed(True),
        lambda: text.resize(1100, 700),
    ]
    for change in changes:
        change()
        qtbot.waitUntil(stands_still, timeout=30_000)


def test_measure_is_kept_and_centred(text: ReaderText, qtbot: QtBot) -> None:
    show(text, qtbot, shown(version("word " * 400)))
    for width in (420, 568, 1180, 1900):
        text.resize(width, 700)
        qtbot.waitUntil(lambda: text._resized_from is None)
        block = text.document().firstBlock()
        line = block.layout().lineAt(0)
        assert line.textLength() <= 80
        left, right = text._column
        assert left >= 44
        assert width - right >= 24
        if width > 1000:
            assert 60 <= line.textLength() <= 78
            assert abs(left - (text.viewport().width() - right)) <= 2


def test_zoom_by_wheel_is_asked_for(text: ReaderText, qtbot: QtBot) -> None:
    show(text, qtbot, shown(version("a")))
    with qtbot.waitSignal(text.zoom_requested) as zoomed:
        _wheel(text, 120)
    assert zoomed.args == [1]


def _wheel(text: ReaderText, by: int) -> None:
    event = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(0, 0), QPoint(0, by), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(text.viewport(), event)


def test_nothing_can_be_typed_pasted_or_dropped(
    text: ReaderText, qtbot: QtBot, application: QApplication
) -> None:
    show(text, qtbot, shown(version("as it is")))
    application.clipboard().setText("other")
    text.setFocus()
    QTest.keyClicks(text, "xyz")
    QTest.keyClick(text, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert text.toPlainText() == "as it is"
    assert not text.canInsertFromMimeData(application.clipboard().mimeData())


def test_the_focus_ring_is_there_for_the_keyboard_only(text: ReaderText, qtbot: QtBot) -> None:
    show(text, qtbot, shown(version("a")))
    text.clearFocus()
    text.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(text.ring.isVisible)
    text.clearFocus()
    qtbot.waitUntil(text.ring.isHidden)
    text.setFocus(Qt.FocusReason.MouseFocusReason)
    qtbot.waitUntil(text.hasFocus)
    assert text.ring.isHidden()


@pytest.mark.parametrize(
    ("paragraph", "backwards"),
    [
        ("\u2068שלמה\u2069 said so, on page 3.", False),
        ("\u2066HTML\u2069 היא שפה", True),
        ("HTML היא", False),
        ("היא HTML", True),
        ("1–2", False),
    ],
)
def test_the_first_letter_outside_of_isolates_gives_a_paragraph_its_direction(
    text: ReaderText, qtbot: QtBot, paragraph: str, backwards: bool
) -> None:
    show(text, qtbot, shown(version(f"{paragraph}\n\n- {paragraph}")))
    block = text.document().firstBlock()
    while block.isValid():
        if block.text():
            assert (block.textDirection() == Qt.LayoutDirection.RightToLeft) is backwards
        block = block.next()


def test_in_the_full_reader_the_keyboard_is_reported_by_a_line_alone(
    application: QApplication, qtbot: QtBot
) -> None:
    view = ReaderView()
    qtbot.addWidget(view)
    view.resize(900, 500)
    view.show()
    view.show_document(shown(version("as it is")))
    view._text.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(view._text.ring.isVisible)

    def inked() -> list[bool]:
        picture = view._text.grab().toImage()
        focus, middle = colour("focus").name(), picture.width() // 2
        return [picture.pixelColor(middle, y).name() == focus for y in range(picture.height())]

    assert sum(inked()) == 4  # a ring: two pixels above, two below, and no hairline beside it
    assert not inked()[0]
    view.set_full(True)
    qtbot.waitUntil(lambda: view._text.is_complete)
    assert inked()[:3] == [True, True, False]
    assert sum(inked()) == 2
