"""Positions in the reading and in the markdown lead to each other; the display has the reading's length."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.markdown_documents import ANY_TEXT, DOCUMENTS
from tests.unit.gui.test_reader_document import PAGE_NAMES, page, shown, version
from webrag_desktop.gui.data.reader import ReaderTrace
from webrag_desktop.text.plain_text import PlainText, project

TEXTS = st.one_of(ANY_TEXT, DOCUMENTS.map(lambda document: document.markdown))


def traced(markdown: str) -> ReaderTrace:
    return shown(version(markdown)).trace


def check_span(plain: PlainText, trace: ReaderTrace, start: int, end: int) -> None:
    """The projection, which counts in another way, is the oracle."""
    first, last = trace.to_reading(start, end)
    assert trace.reading[first:last] == plain.reading(start, end)
    if first < last:
        assert trace.to_markdown(first, last) == plain.to_markdown_span(first, last)


@given(TEXTS, st.data())
@settings(max_examples=300, deadline=None)
def test_a_span_of_the_markdown_reads_as_the_projection_says(markdown: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(markdown)))
    end = data.draw(st.integers(start, len(markdown)))
    check_span(project(markdown), traced(markdown), start, end)


@given(TEXTS)
@settings(deadline=None)
def test_every_character_leads_to_its_source_and_back(markdown: str) -> None:
    plain, trace = project(markdown), traced(markdown)
    for position in range(len(trace.reading)):
        source = trace.to_markdown(position, position + 1)
        assert source == plain.to_markdown_span(position, position + 1)
        first, last = trace.to_reading(*source)
        assert first <= position < last


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_spans_of_pages_read_as_the_projection_says(name: str) -> None:
    document = shown(page(name))
    plain = project(document.markdown)
    for start in range(0, len(document.markdown), 97):
        check_span(plain, document.trace, start, min(start + 150, len(document.markdown)))


@given(TEXTS)
@settings(deadline=None)
def test_the_display_differs_from_the_reading_in_white_space_only(markdown: str) -> None:
    trace = traced(markdown)
    assert trace.reading == project(markdown).text
    assert len(trace.display) == len(trace.reading)
    for read, displayed in zip(trace.reading, trace.display, strict=True):
        assert read == displayed or read.isspace() or displayed == "\ufffd"


def test_the_display_has_what_only_the_eye_needs() -> None:
    markdown = "\n\na\nb\\\nc\n\n| d | e f |\n|---|---|\n|  | g |\n\n```\nh\n\n i\n```\n"
    trace = traced(markdown)
    assert trace.display == "\n\na b\u2028c\n\nd\te f\ng\n\nh\n\n i\n"


def test_blank_lines_before_a_text_are_no_breaks_in_it() -> None:
    made = shown(version("\n  \nab\nc", url="file:///a.txt"))
    assert made.trace.display == "\n\nab\u2028c"


def test_characters_that_are_commands_to_a_text_document_are_shown_as_harmless() -> None:
    assert traced("a\ufdd0b\ufdd1c\ufffcd\u2029e").display == "a\ufffdb\ufffdc\ufffdd\u2028e"


@pytest.mark.parametrize("char", "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
@pytest.mark.parametrize(
    "around", ["{0}", "`{0}`", "```\n{0}\n```", "| a | b |\n|---|---|\n| c | {0} |", "# {0}"]
)
def test_what_turns_the_reading_direction_is_shown_in_its_place(char: str, around: str) -> None:
    words = f"Pay {char}evif{char} 🧭 pounds"
    markdown = around.format(words)
    trace = traced(markdown)
    assert char not in trace.display
    at = markdown.index(words)
    start, end = trace.to_reading(at, at + len(words))
    assert trace.reading[start:end] == words
    assert trace.display[start:end] == "Pay \ufffdevif\ufffd 🧭 pounds"
    for into, read in enumerate(words):  # the very character, in the markdown and on the screen
        assert trace.to_markdown(start + into, start + into + 1) == (at + into, at + into + 1)
        units = trace.units.to_qt(start + into)
        assert trace.units.from_qt(units) == start + into
        assert markdown[at + into] == read


def test_isolates_stay_within_a_paragraph_or_a_cell() -> None:
    isolated = "\u2067שלום 1\u2069"
    for markdown in (f"One {isolated} two", f"| a | b |\n|---|---|\n| c | {isolated} |", f"# {isolated}"):
        assert isolated in traced(markdown).display
    assert traced("One \u2067שלום\nלך\u2069 two").display == "One \u2067שלום לך\u2069 two"
    for markdown in (
        "| \u2067ש | ב\u2069 |\n|---|---|\n| c | d |",
        "\u2067ש\n\nב\u2069",
        "\u2067ש\\\nב\u2069",
    ):
        assert not set("\u2067\u2069") & set(traced(markdown).display)


def test_nothing_is_read_outside() -> None:
    with pytest.raises(ValueError, match="nothing to read"):
        traced("abc").to_markdown(2, 4)
    assert traced("").to_reading(0, 0) == (0, 0)


def test_trimming_takes_white_space_off_both_ends() -> None:
    trace = traced("a\n\n b c \n\nd")
    assert trace.trimmed(1, trace.reading.index("d")) == (
        trace.reading.index("b"),
        trace.reading.index("c") + 1,
    )
    assert trace.trimmed(1, 2) == (2, 2)
