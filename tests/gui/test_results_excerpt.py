"""The sentence that answers is whole in every row, whatever width, font and script; context goes first."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from tests.support.shown import ARABIC, CJK, EMOJI, FAILURE, HEBREW, LONG, VOLTAGE, YARD, marks_of, passage
from webrag_desktop.gui.data.view_data import Passage, TextMark
from webrag_desktop.gui.kit.rows.laid_text import LaidText
from webrag_desktop.gui.kit.theme.fonts import font
from webrag_desktop.gui.research.passage_excerpt import (
    LINES_AT_REST,
    LINES_OPEN,
    best_sentence,
    laid_excerpt,
    surely_fills_rest,
)

pytestmark = pytest.mark.usefixtures("application")
WORDS = ["a", "in", "cable", "insulation", "wwwwwwwwwwwwwww", "海底", "كابل", "🌊"]
ALL = (VOLTAGE, YARD, FAILURE, LONG, ARABIC, HEBREW, CJK, EMOJI)


def shown(laid: LaidText) -> str:
    return laid.text[: laid.visible]


def excerpt(of: Passage, width: float = 500, *, is_open: bool = False) -> LaidText:
    return laid_excerpt(of, font("body"), width, is_open=is_open)


@pytest.mark.parametrize("width", [160, 300, 508, 900])
@pytest.mark.parametrize("is_open", [False, True])
def test_the_sentence_is_never_cut(width: float, is_open: bool) -> None:
    for one in ALL:
        assert one.quote in shown(excerpt(one, width, is_open=is_open))


def test_row_at_rest_has_three_lines_unless_the_sentence_needs_more() -> None:
    for one in (VOLTAGE, YARD, FAILURE, CJK):
        assert excerpt(one).lines <= LINES_AT_REST
    assert excerpt(LONG).lines > LINES_AT_REST
    assert excerpt(LONG).text == f"… {LONG.quote}\u00a0…"
    assert excerpt(replace(LONG, text=LONG.text.replace(" The list", ";The list"))).text.endswith("aside.…")


def test_context_before_goes_before_context_after() -> None:
    long = replace(VOLTAGE, text=VOLTAGE.text + " More follows here." * 8)
    assert shown(excerpt(long, 620)).startswith("By the middle")  # all before has room
    cut = shown(excerpt(long, 508))
    assert cut.startswith("… Whitehouse answered")
    assert "Within days" in cut


def test_short_passage_is_shown_as_it_is() -> None:
    assert excerpt(HEBREW).text == HEBREW.text
    assert not excerpt(HEBREW).cut


def test_open_row_shows_everything_up_to_eight_lines() -> None:
    assert excerpt(FAILURE, is_open=True).text == FAILURE.text
    words = "There was nothing to be seen in the water. " * 40
    far = passage("far", 1, before=words, quote="Then it broke.", after=" " + words)
    laid = excerpt(far, is_open=True)
    assert laid.lines == LINES_OPEN
    assert laid.text.startswith("… ")
    before = laid.text[2 : laid.text.index("Then it broke.")]
    assert far.text[: -len(words) - 1].endswith(f"{before}Then it broke.")
    assert len(before) > 100


def test_open_row_marks_the_best_sentence_as_active_and_others_as_evidence() -> None:
    text = "First it broke. Then it was mended. It broke again."
    marks = marks_of(text, ["First it broke.", "It broke again."])
    twice = replace(VOLTAGE, text=text, marks=marks, quote="It broke again.")
    assert best_sentence(twice) == marks[1]
    assert [mark.kind for mark in excerpt(twice, is_open=True).marks] == ["evidence", "active"]
    assert [mark.kind for mark in excerpt(twice).marks] == ["evidence", "evidence"]


def test_passage_without_marks_begins_at_its_beginning() -> None:
    plain = replace(FAILURE, marks=())
    assert best_sentence(plain) is None
    assert shown(excerpt(plain)).startswith("The failure")


def test_quote_that_is_spaced_otherwise_still_finds_its_mark() -> None:
    spaced = replace(VOLTAGE, quote=VOLTAGE.quote.replace(" ", "\n"))
    assert best_sentence(spaced) == best_sentence(VOLTAGE)


words = st.lists(st.sampled_from(["cable", "of", "W" * 30, "電信", "كابل", "😱", "i"]), max_size=120).map(
    " ".join
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(before=words, quote=words.filter(bool), after=words, width=st.integers(90, 700), is_open=st.booleans())
def test_the_sentence_is_never_cut_in_any_text(
    application: QApplication, before: str, quote: str, after: str, width: int, is_open: bool
) -> None:
    made = passage("any", 1, before=f"{before} ", quote=quote, after=f" {after}")
    start = len(before) + 1
    made = replace(made, marks=(TextMark(start, start + len(quote), "evidence"),))
    assert quote in shown(excerpt(made, width, is_open=is_open))


@example(words=["w" * 15, "a", "w" * 15, "cable"], begin=0, length=1, width=160)
@given(
    words=st.lists(st.sampled_from(WORDS), max_size=300),
    begin=st.integers(0, 200),
    length=st.integers(1, 400),
    width=st.sampled_from([160, 320, 508, 900]),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_height_reported_without_laying_out_is_the_height_laid_out(
    words: list[str], begin: int, length: int, width: int
) -> None:
    text = " ".join(words)
    begin = min(begin, len(text))
    end = min(begin + length, len(text))
    one = replace(VOLTAGE, text=text, marks=(TextMark(begin, end, "evidence"),), quote=text[begin:end])
    if surely_fills_rest(one, QFontMetricsF(font("body")), width):
        assert excerpt(one, width).lines == LINES_AT_REST


def test_long_passages_are_not_laid_out_to_be_measured() -> None:
    text = "The core parted twice in August. " + "More follows here, and more again. " * 30
    mark = TextMark(0, text.index(".") + 1, "evidence")
    long = replace(VOLTAGE, text=text, marks=(mark,), quote=text[: mark.end])
    assert surely_fills_rest(long, QFontMetricsF(font("body")), 508)
    assert not surely_fills_rest(LONG, QFontMetricsF(font("body")), 508)
