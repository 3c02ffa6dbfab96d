"""Laid-out text: marks lie under the characters they belong to, in every script, and nothing is drawn over."""

from collections.abc import Iterator
from itertools import pairwise
from unicodedata import combining

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QPainter,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
)
from PySide6.QtWidgets import QApplication

from webrag_desktop.gui.kit.rows.laid_text import LaidText, Mark, line_extents
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import direction_of, runs_right_to_left
from webrag_desktop.gui.kit.theme.fonts import font
from webrag_desktop.gui.kit.theme.tokens import Role
from webrag_desktop.gui.text_positions import TextPositions

ENGLISH = "Whitehouse answered by applying his five-foot induction coils to the office cable."
ARABIC = "انقطع الكابل بعد ثلاثة أسابيع فقط. والسبب هو الجهد العالي."
HEBREW = "הכבל נקרע אחרי שלושה שבועות בלבד."
MIXED = "The word כבל means cable, and كابل 1858 too, 12.5 percent."
TURNED = "הכבל cable 1858 נקרע and failed שוב."
EMOJI = "One 🧵 thread, 😀😀 two faces, 👩‍👩‍👧 a family, e\u0301 accent."
CJK = "電纜在三個星期後失效。原因是電壓過高，絕緣層已經損壞。"
TEXTS = {
    "english": ENGLISH,
    "arabic": ARABIC,
    "hebrew": HEBREW,
    "mixed": MIXED,
    "turned": TURNED,
    "emoji": EMOJI,
    "cjk": CJK,
}
SPACE = 5.0  # at least as wide as a space
PURE, PLAIN = QColor(255, 0, 0), QColor(0, 0, 255)


@pytest.fixture(params=list(TEXTS), ids=list(TEXTS))
def text(request: pytest.FixtureRequest, application: QApplication) -> str:
    return TEXTS[request.param]


@pytest.fixture
def used(application: QApplication) -> QFont:
    return font()


# -- Where characters stand -------------------------------------------------------------------------------------


def coloured(text: str, used: QFont, width: float, start: int, end: int, ink: QColor = PURE) -> QTextLayout:
    """A layout in which ``[start, end)`` (UTF-16) alone is drawn in a colour."""
    layout = QTextLayout(text, used)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    option.setTextDirection(direction_of(text))
    layout.setTextOption(option)
    wanted = QTextLayout.FormatRange()
    wanted.start, wanted.length = start, end - start
    look = QTextCharFormat()
    look.setForeground(ink)
    wanted.format = look
    layout.setFormats([wanted])
    layout.beginLayout()
    count = 0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, count * 30))
        count += 1
    layout.endLayout()
    return layout


def drawn_line(layout: QTextLayout, line: QTextLine, width: float) -> QImage:
    """A line on white; what was given no colour is blue."""
    image = QImage(int(width) + 40, 30, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setPen(PLAIN)
    layout.draw(painter, QPointF(0, -line.y()), [], QRectF())
    painter.end()
    return image


def different_columns(one: QImage, other: QImage) -> list[int]:
    """The columns in which two pictures of a line differ; characters that bring their colours never do."""
    rows = range(one.height())
    return [x for x in range(one.width()) if any(one.pixel(x, y) != other.pixel(x, y) for y in rows)]


def inked_columns(image: QImage) -> list[int]:
    """The columns in which anything is drawn."""
    white = QColor(Qt.GlobalColor.white).rgb()
    return [x for x in range(image.width()) if any(image.pixel(x, y) != white for y in range(image.height()))]


def lines_of(layout: QTextLayout) -> Iterator[QTextLine]:
    return (layout.lineAt(index) for index in range(layout.lineCount()))


@pytest.mark.parametrize("width", [10_000.0, 160.0])
def test_spans_lie_where_the_characters_are_drawn(text: str, used: QFont, width: float) -> None:
    positions = TextPositions(text)
    for first in range(0, len(text), 3):
        if combining(text[first]):
            continue  # drawn on the letter before it
        start, end = positions.to_qt(first), positions.to_qt(min(first + 7, len(text)))
        layout, plain = (coloured(text, used, width, start, end, ink) for ink in (PURE, PLAIN))
        for line, same in zip(lines_of(layout), lines_of(plain), strict=True):
            begin, stop = max(start, line.textStart()), min(end, line.textStart() + line.textLength())
            found = line_extents(line, begin, stop) if begin < stop else []
            shown = min(width, line.naturalTextWidth())
            picture = drawn_line(layout, line, shown)
            drawn = different_columns(picture, drawn_line(plain, same, shown))
            seen = inked_columns(picture) if text == EMOJI else drawn  # a font may have them in colours
            outside = [x for x in drawn if not any(left - 2 <= x <= right + 2 for left, right in found)]
            assert outside == [], (text[first : first + 7], found)
            for left, right in found:
                inked = [x for x in seen if left - 2 <= x <= right + 2]
                assert inked or right - left < SPACE, "a marker under nothing"


def test_one_direction_is_one_span_and_as_wide_as_its_text(used: QFont) -> None:
    layout = coloured(ENGLISH, used, 10_000, 0, 0)
    line = layout.lineAt(0)
    for start, end in ((0, 10), (11, 19), (5, 60)):
        left, right = line.cursorToX(start)[0], line.cursorToX(end)[0]  # type: ignore[index]
        assert line_extents(line, start, end) == [pytest.approx((left, right), abs=0.1)]


def test_mixed_directions_are_several_spans(used: QFont) -> None:
    layout = coloured(MIXED, used, 10_000, 0, 0)
    line = layout.lineAt(0)
    begin = MIXED.index("כ")
    # From the last Hebrew letter on, which stands at the left of its word, into the English behind it.
    found = line_extents(line, begin + 2, begin + 8)
    assert len(found) == 2
    assert found[0][1] < found[1][0] - 5


def test_every_character_alone_makes_up_the_whole_line(text: str, used: QFont) -> None:
    layout = coloured(text, used, 10_000, 0, 0)
    line = layout.lineAt(0)
    # A family of emoji is one character to the reader where the font draws it as one.
    ends = [at for at in range(TextPositions(text).to_qt(len(text)) + 1) if layout.isValidCursorPosition(at)]
    total = sum(
        right - left for start, end in pairwise(ends) for left, right in line_extents(line, start, end)
    )
    assert total == pytest.approx(line.naturalTextWidth(), abs=1.5)


def test_no_span_for_nothing_and_for_hanging_space(used: QFont) -> None:
    layout = coloured("one two three", used, 60, 0, 0)
    line = layout.lineAt(0)
    end = line.textStart() + line.textLength()
    assert line_extents(line, 2, 2) == []
    assert line_extents(line, end - 1, end) == []  # the space at the line's end
    assert line_extents(line, 0, end)[0][1] <= line.naturalTextWidth() + 0.01


# -- Lines ------------------------------------------------------------------------------------------------------


def image_of(laid: LaidText, width: float) -> QImage:
    image = QImage(int(width) + 20, int(laid.height) + 40, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    laid.paint(painter, 10, 20)
    painter.end()
    return image


def inked(image: QImage, top: int, bottom: int) -> list[int]:
    """Columns with something on them, in the rows ``[top, bottom)``."""
    white = QColor(Qt.GlobalColor.white)
    return [
        x
        for x in range(image.width())
        if any(image.pixelColor(x, y) != white for y in range(max(top, 0), min(bottom, image.height())))
    ]


def test_text_stays_inside_its_width_and_height(text: str, used: QFont) -> None:
    for width in (60.0, 137.0, 300.0):
        laid = LaidText(text * 2, used, width)
        image = image_of(laid, width)
        assert laid.height == laid.lines * laid.line_height
        assert laid.natural_width <= width
        columns = inked(image, 0, image.height())
        assert columns[0] >= 7
        assert columns[-1] <= width + 13
        assert inked(image, 0, 14) == []
        assert inked(image, int(laid.height) + 26, image.height()) == []


def test_line_height_comes_from_the_pixel_size(application: QApplication) -> None:
    for used in (font(pixels=16), font(family="serif", pixels=16)):
        assert LaidText("a\nb " * 40, used, 100, line_ratio=1.5).line_height == 24


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_text_that_is_too_long_ends_in_an_ellipsis(text: str, used: QFont, most: int) -> None:
    for width in (70.0, 140.0):
        laid = LaidText(text * 4, used, width, most_lines=most)
        assert laid.cut
        assert laid.lines <= most
        assert 0 < laid.visible < len(text) * 4
        shown = (text * 4)[: laid.visible]
        wholes = [LaidText(f"{shown}{joiner}…", used, width) for joiner in ("", "\u200d")]
        assert {whole.lines for whole in wholes} == {laid.lines}
        assert image_of(laid, width) in [image_of(whole, width) for whole in wholes]


def test_a_text_that_fits_is_whole(text: str, used: QFont) -> None:
    laid = LaidText(text, used, 2_000, most_lines=1)
    assert not laid.cut
    assert (laid.lines, laid.visible) == (1, len(text))


def test_hit_words_in_semibold_do_not_push_the_ellipsis_out(used: QFont) -> None:
    for width in range(90, 200, 7):
        marks = [Mark(0, 400, "term")]
        laid = LaidText("words " * 60, used, width, most_lines=2, marks=marks)
        assert laid.cut
        assert laid.lines == 2
        assert laid.natural_width <= width


@pytest.mark.parametrize("width", [-5.0, 0.0, 1.0, 3.0])
def test_hardly_any_room(used: QFont, width: float) -> None:
    laid = LaidText("a 😀 word", used, width, most_lines=3, marks=[Mark(0, 8, "evidence")])
    assert laid.cut
    assert laid.lines == 3
    image_of(laid, 40)


def test_no_text_is_one_empty_line(used: QFont) -> None:
    laid = LaidText("", used, 100, most_lines=2, marks=[Mark(0, 5, "evidence")])
    assert (laid.lines, laid.cut, laid.natural_width) == (1, False, 0)
    assert laid.mark_rects == []
    image_of(laid, 100)


@pytest.mark.parametrize("gap", ["\n", "\r", "\t", "\u2028", "\u2029", "\v", "\f", "\x85"])
def test_breaks_inside_a_passage_are_spaces(used: QFont, gap: str) -> None:
    broken = LaidText(f"one{gap}two", used, 300, marks=[Mark(4, 7, "evidence")])
    plain = LaidText("one two", used, 300, marks=[Mark(4, 7, "evidence")])
    assert broken.lines == 1
    assert image_of(broken, 300) == image_of(plain, 300)


def test_paragraphs_from_right_to_left_stand_at_the_right(used: QFont) -> None:
    for text, at_left in ((ENGLISH[:20], True), (HEBREW[:20], False), (ARABIC[:20], False)):
        columns = inked(image_of(LaidText(text, used, 400), 400), 0, 60)
        assert (columns[0] < 20) is at_left
        assert (columns[-1] > 395) is not at_left


@pytest.mark.parametrize(
    ("text", "backwards"),
    [
        (ENGLISH, False),
        (HEBREW, True),
        (ARABIC, True),
        (MIXED, False),
        (TURNED, True),
        ("12 שלום", True),
        ("\u2068שלום\u2069 said", False),
        ("\u2069\u2066a\u2069 שלום", True),
        ("1", False),
    ],
)
def test_the_first_letter_gives_the_direction(application: QApplication, text: str, backwards: bool) -> None:
    assert runs_right_to_left(text) is backwards


# -- Marks ------------------------------------------------------------------------------------------------------


def test_markers_lie_on_every_line_they_reach(text: str, used: QFont) -> None:
    laid = LaidText(text, used, 120, marks=[Mark(2, len(text), "evidence")])
    tops = {round(rect.top()) for _, rect in laid.mark_rects}
    assert tops == {index * laid.line_height + 1 for index in range(laid.lines)}
    for _, rect in laid.mark_rects:
        assert rect.left() >= -2.1
        assert rect.right() <= 122.1


def test_a_marker_reaches_the_cut_and_no_further(used: QFont) -> None:
    text = ENGLISH * 4
    laid = LaidText(text, used, 200, most_lines=2, marks=[Mark(0, len(text), "evidence")])
    assert len(laid.mark_rects) == 2
    behind = LaidText(text, used, 200, most_lines=2, marks=[Mark(laid.visible + 1, len(text), "evidence")])
    assert behind.mark_rects == []


def test_markers_are_painted_under_the_words(used: QFont) -> None:
    laid = LaidText(ENGLISH, used, 900, marks=[Mark(0, 10, "evidence"), Mark(11, 19, "active")])
    image = image_of(laid, 900)
    (kind, first), (other, second) = laid.mark_rects
    assert (kind, other) == ("evidence", "active")
    roles: tuple[tuple[QRectF, Role], ...] = ((first, "evidence"), (second, "evidence_on"))
    for rect, role in roles:
        corner = rect.translated(10, 20).topLeft().toPoint()
        assert image.pixelColor(corner.x() + 4, corner.y() + 1) == colour(role)
    middle = first.translated(10, 20).toRect()
    assert len({image.pixel(x, middle.center().y()) for x in range(middle.left(), middle.right())}) > 5


def test_a_hit_word_inside_the_marker_is_both(used: QFont) -> None:
    alone = LaidText(ENGLISH, used, 900, marks=[Mark(0, 40, "evidence")])
    both = LaidText(ENGLISH, used, 900, marks=[Mark(0, 40, "evidence"), Mark(11, 19, "term")])
    assert both.natural_width > alone.natural_width  # semibold is wider
    assert both.mark_rects[0][1].width() > alone.mark_rects[0][1].width()


def test_a_mark_beyond_the_text_is_cut(used: QFont) -> None:
    laid = LaidText("short", used, 200, marks=[Mark(2, 50, "evidence"), Mark(60, 70, "active")])
    assert [kind for kind, _ in laid.mark_rects] == ["evidence"]


def test_what_turns_the_reading_direction_is_drawn_in_its_place(used: QFont) -> None:
    laid = LaidText("Pay \u202eevif\u202c \u2067🧵\u2069.", used, 400)
    assert laid.text == "Pay \ufffdevif\ufffd \ufffd🧵\ufffd."
    isolated = "The town \u2067חיפה\u2069 lies\nat the sea."
    assert LaidText(isolated, used, 400).text == isolated.replace("\n", " ")
