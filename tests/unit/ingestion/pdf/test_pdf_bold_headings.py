"""Headings of PDFs that only bold type tells from the text."""

import re
from collections.abc import Callable

import pytest

from tests.support.captures import check_document
from tests.support.pdf_files import PdfPage, pdf_bytes, pdf_capture
from webrag_desktop.ingestion.extract import extract

TITLES = ("Opening hours", "What is lent?", "Fees and fines")
TEXT = ["A line of text which reaches over the whole width of the page and says what there is,"] * 5
STEP = 160.0  # points from one section to the next


def headings(
    *titles: str,
    title: str = "",
    size: float = 10,
    below: float = 12,
    indent: float = 0,
    draw: Callable[[PdfPage, str, float], object] | None = None,
    outline: tuple[tuple[str, int], ...] = (),
) -> list[str]:
    """The headings of a page with sections under bold lines; ``draw`` draws what stands there in their place."""
    page = PdfPage()
    if title:
        page.text(title, y=750, size=20)
    for index, words in enumerate(titles):
        top = 710 - STEP * index
        if draw is None:
            page.text(words, y=top, size=size, font="B")
        else:
            draw(page, words, top)
        page.lines(TEXT, 72 + indent, top - below)
    document = extract(pdf_capture(pdf_bytes([page], outline=outline)))
    check_document(document)
    return re.findall(r"^#+ .*$", document.markdown, re.MULTILINE)


def test_bold_lines_that_stand_alone_are_headings() -> None:
    assert headings(*TITLES) == [f"# {words}" for words in TITLES]


def test_the_keyword_of_a_callout_is_none() -> None:
    assert headings("Note", "Warning", "Note") == []
    assert headings("NAME", "NOTE", "FILES") == ["# NAME", "# NOTE", "# FILES"]


def test_they_stand_below_those_that_are_larger() -> None:
    assert headings(*TITLES, title="The handbook") == ["# The handbook", *(f"## {words}" for words in TITLES)]


def test_a_little_larger_they_may_stand_left_of_their_text() -> None:
    assert headings("NAME", "DESCRIPTION", "FILES", size=10.9, indent=36) == [
        "# NAME",
        "# DESCRIPTION",
        "# FILES",
    ]


def test_numbered_ones_of_the_size_of_the_text_stand_below_them() -> None:
    page = PdfPage()
    for index, words in enumerate(TITLES):
        page.text(words, y=710 - STEP * index, size=10.9, font="B").lines(TEXT, y=698 - STEP * index)
    page.text("1. First steps", y=230, font="B").lines(TEXT, y=218)
    text = extract(pdf_capture(pdf_bytes([page]))).markdown
    assert "\n# Fees and fines\n" in text
    assert "\n## 1. First steps\n" in text


def test_capitals_rank_above_small_letters() -> None:
    def draw(page: PdfPage, words: str, top: float) -> None:
        page.text(words, y=top + 40, font="B").lines(TEXT[:1], y=top + 28)
        page.text(words.upper(), y=top, font="B")

    expected = [mark for words in TITLES for mark in (f"## {words}", f"# {words.upper()}")]
    assert headings(*TITLES, draw=draw) == expected


def test_the_outline_counts_alone() -> None:
    assert headings(*TITLES, outline=(("Fees and fines", 0),)) == ["# Fees and fines"]


@pytest.mark.parametrize(
    "titles",
    [
        ("Opening hours", "Fees and fines"),  # two may be chance
        ("You have to pay.", "You have to come.", "You have to go."),
        ("Note:", "Remark:", "Hint:"),
        ("Table 1 Hours", "Table 2 Fees", "Table 3 Rooms"),
        ("Figure 1: A house", "Figure 2: A hall", "Fig. 3: A room"),
        ("--all", "-h", "--version"),
        ("all of it", "none of it", "some of it"),
        ("• Apples", "• Pears", "• Plums"),
        ("HOME_DIR", "HOME_NAME", "HOME_PATH"),
        ("(1) Apples", "(2) Pears", "(3) Plums"),
        tuple(f"Of all I do or am it is so {name} to me as to us" for name in "abc"),
        tuple(
            f"Extraordinarily comprehensive institutional responsibilities everywhere {name}"
            for name in "abc"
        ),
    ],
)
def test_other_bold_lines_stay_text(titles: tuple[str, ...]) -> None:
    assert headings(*titles) == []


def test_lines_that_are_not_bold_stay_text() -> None:
    assert headings(*TITLES, draw=lambda page, words, top: page.text(words, y=top)) == []


def test_names_in_typewriter_type_stay_text() -> None:
    names = ("AddressFamily", "BatchMode", "CheckHost")
    assert headings(*names, draw=lambda page, words, top: page.text(words, y=top, font="CB")) == []


def test_small_print_stays_text() -> None:
    assert headings(*TITLES, size=9) == []


def test_a_list_may_follow() -> None:
    def draw(page: PdfPage, words: str, top: float) -> None:
        page.text(words, y=top, font="B").lines(["• Apples", "• Pears"], y=top - 12)

    assert headings(*TITLES, draw=draw, below=60) == [f"# {words}" for words in TITLES]


def test_bold_lines_far_above_the_text_stay_text() -> None:
    assert headings(*TITLES, below=40) == []


def test_bold_lines_away_from_the_edge_stay_text() -> None:
    def draw(page: PdfPage, words: str, top: float) -> None:
        page.lines(TEXT[:1], y=top + 40).text(words, x=132, y=top, font="B")

    assert headings(*TITLES, draw=draw, indent=60) == []


def test_terms_above_what_they_mean_stay_text() -> None:
    assert headings(*TITLES, indent=36) == []


def test_lines_without_space_above_stay_text() -> None:
    def draw(page: PdfPage, words: str, top: float) -> None:
        page.lines(TEXT[:2], y=top + 24).text(words, y=top, font="B")

    assert headings(*TITLES, draw=draw) == []


def test_bold_words_that_run_into_text_stay_text() -> None:
    def draw(page: PdfPage, words: str, top: float) -> None:
        page.text(words, y=top, font="B").text(
            "and what else there is to say of them in this line", x=160, y=top
        )

    assert headings(*TITLES, draw=draw) == []


def test_bold_text_over_two_lines_stays_text() -> None:
    def draw(page: PdfPage, words: str, top: float) -> None:
        page.text(words, y=top + 12, font="B").text("Bring Your Card", y=top, font="B")

    assert headings(*TITLES, draw=draw) == []


def test_heads_of_tables_stay_text() -> None:
    def draw(page: PdfPage, words: str, top: float) -> None:
        page.text(words, y=top, font="B").text("Fee", x=300, y=top, font="B")
        for index in range(3):
            page.text(f"row {index}", y=top - 12 - 12 * index).text("10", x=300, y=top - 12 - 12 * index)

    assert headings(*TITLES, draw=draw, below=60) == []


def test_bold_words_far_apart_stay_text() -> None:
    def draw(page: PdfPage, words: str, top: float) -> None:
        page.text(words, y=top, font="B").text("Fee", x=300, y=top, font="B")

    assert headings(*TITLES, draw=draw) == []


def test_bold_lines_above_rows_stay_text() -> None:
    def draw(page: PdfPage, words: str, top: float) -> None:
        page.text(words, y=top, font="B")
        for index in range(3):
            page.text(f"row {index}", y=top - 12 - 12 * index).text("10", x=300, y=top - 12 - 12 * index)

    assert headings(*TITLES, draw=draw, below=60) == []


def test_labels_of_a_form_stay_text() -> None:
    page = PdfPage()
    for index, words in enumerate(("Name", "Street", "Town", "Country", "Telephone")):
        page.text(words, y=700 - 40 * index, font="B").text("to be filled in", y=688 - 40 * index)
    assert "#" not in extract(pdf_capture(pdf_bytes([page]))).markdown
