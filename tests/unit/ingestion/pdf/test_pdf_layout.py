"""Pages as print programs make them: columns on a part of a page, blocks drawn late, drawn bullets, raised numbers."""

from pathlib import Path

import pytest

from tests.support.captures import check_document
from tests.support.pdf_files import UNICODE_FONT, PdfPage, pdf_bytes, pdf_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.pdf.characters import BaselineRun, in_logical_order, with_marks
from webrag_desktop.ingestion.pdf.metadata import iso_time

DATA = Path(__file__).parents[3] / "data" / "pdf"
PRINTED = """# Printed by a browser

- Apples
- Pears
  - Conference

```
if ready:
    start()
```

After the code comes an area of 10^6 acres. Q = v

هذا نص باللغة العربية مع رقم 123 وكلمة English في الوسط."""
FULL = "A line of text which reaches over the whole width of the page and over every gutter {}"
LEFT = [f"left {i} and what stands beside it on this" for i in range(30)]
RIGHT = [f"right {i} and what the other side says" for i in range(30)]


def markdown(*pages: PdfPage) -> str:
    document = extract(pdf_capture(pdf_bytes(pages)))
    check_document(document)
    return document.markdown


def in_order(text: str, *parts: str) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


def single_column(lines: int, y: float) -> PdfPage:
    page = PdfPage()
    for index in range(lines):
        page.text(FULL.format(index), 72, y - 12 * index)
    return page


def test_columns_on_a_part_of_the_page_are_read_one_after_the_other() -> None:
    page = single_column(20, 700)
    page.lines(LEFT[:6], 72, 440).lines(RIGHT[:6], 320, 440).text(FULL.format("last"), 72, 340)
    assert in_order(markdown(page), "gutter 19", "left 0", "left 5", "right 0", "right 5", "gutter last")


def test_a_short_last_column_does_not_mix_with_the_one_before() -> None:
    page = single_column(2, 740).lines(LEFT, 72, 700).lines(RIGHT[:5], 320, 700)
    text = markdown(page)
    assert in_order(text, "gutter 1", "left 0", "left 29", "right 0", "right 4")
    assert "left 1 and what stands beside it on this left 2" in text.replace("\n", " ")


def test_rows_of_a_table_without_rules_stay_rows_on_a_page_of_prose() -> None:
    page = single_column(20, 700)
    for index in range(6):
        page.text(f"option{index}", 72, 440 - 12 * index).text(
            f"what option {index} is good for", 320, 440 - 12 * index
        )
    assert "option0 what option 0 is good for\noption1 what option 1 is good for" in markdown(page)


def test_a_block_that_is_drawn_last_is_read_where_it_stands() -> None:
    page = single_column(3, 700).text("After the code comes this.", 72, 600)
    page.lines(["if ready:", "    start()"], 80, 650, font="C")
    assert in_order(markdown(page), "gutter 2", "```\nif ready:\n    start()\n```", "After the code")


def test_what_stands_beside_something_keeps_the_order_of_the_file() -> None:
    page = PdfPage().lines(["A narrow column", "of three lines", "in the file first"], 72, 700)
    page.text("Below both.", 72, 600).text("Beside the column, drawn last", 320, 694)
    assert in_order(markdown(page), "A narrow", "Below both", "Beside the column")


def test_drawn_bullets_begin_items_of_a_list() -> None:
    page = PdfPage().text("The fruits are these.", 72, 700)
    for index, (x, fruit) in enumerate([(90, "Apples"), (90, "Pears"), (110, "Conference"), (90, "Plums")]):
        page.dot(x - 10, 673 - 12 * index).text(fruit, x, 671 - 12 * index)
    assert markdown(page).endswith("- Apples\n- Pears\n  - Conference\n- Plums")


def test_dots_within_a_line_are_no_bullets() -> None:
    page = PdfPage().text("Before", 72, 700).dot(108, 702).text("after the dot", 118, 700)
    assert "•" not in markdown(page)
    assert "- " not in markdown(page)


def test_items_with_letters_go_below_their_number() -> None:
    page = PdfPage().text("1. Measure the depth.", 72, 700).text("a. at the left bank", 92, 688)
    page.text("b. at the right bank", 92, 676).text("2. Multiply.", 72, 664)
    expected = "1. Measure the depth.\n   - a. at the left bank\n   - b. at the right bank\n2. Multiply."
    assert markdown(page) == expected


def test_abbreviations_begin_no_item() -> None:
    page = PdfPage().text("1. Measure with a device that is known to all of us in the valley,", 72, 700)
    assert "- " not in markdown(page.text("i. e. the old one.", 84, 688))


def test_lines_that_begin_with_a_letter_of_running_text_begin_no_item() -> None:
    lines = [
        "1. Darwin wrote of pigeons, see",
        "p. 23 of the edition of 1859.",
        "2. The case that settled it is Roe",
    ]
    lines += ["v. Wade, which the court decided."]
    expected = "1. Darwin wrote of pigeons, see p. 23 of the edition of 1859.\n"
    expected += "2. The case that settled it is Roe v. Wade, which the court decided."
    assert markdown(PdfPage().lines(lines)) == expected
    lines = ["Darwin wrote of pigeons and of their breeding, London 1859.", "p. 23 deals with the tumbler."]
    assert markdown(PdfPage().lines(lines)) == " ".join(lines)


@pytest.mark.parametrize("letters", ["a b c d", "i ii iii iv v vi", "a b c d e f g h i j"])
def test_letters_with_a_dot_are_items_in_their_order(letters: str) -> None:
    lines = [f"{letter}. at this bank." for letter in letters.split()]
    expected = "\n".join(f"- {line}" for line in lines)
    assert markdown(PdfPage().lines(lines)) == expected


def test_letters_begin_again_below_the_next_number() -> None:
    page = PdfPage().text("1. Left.", 72, 700).text("a. up.", 92, 688).text("b. down.", 92, 676)
    page.text("2. Right.", 72, 664).text("c. 1850 it was built.", 92, 652)
    assert markdown(page) == "1. Left.\n   - a. up.\n   - b. down.\n2. Right. c. 1850 it was built."


def test_a_letter_that_is_not_the_next_one_begins_no_item() -> None:
    lines = ["a. Left bank.", "b. The pigeons of Darwin, see above.", "p. 23 of the edition of 1859."]
    assert markdown(PdfPage().lines(lines)) == f"- {lines[0]}\n- {lines[1]} {lines[2]}"


def test_letters_begin_again_below_a_heading() -> None:
    page = PdfPage().lines([*LEFT[:4], "These are the banks:", "a. Left bank.", "b. Right bank."], y=760)
    page.text("The railway", y=640, size=18).lines(["Trains came late.", "c. 1850 it was built."], y=610)
    assert markdown(page).endswith(
        "- b. Right bank.\n\n# The railway\n\nTrains came late.\n\nc. 1850 it was built."
    )


def test_a_raised_number_does_not_change_the_number_before_it() -> None:
    page = PdfPage().text("There are 10", 72, 700).text("6", 128.9, 704, 7).text("drops in it.", 136, 700)
    assert markdown(page) == "There are 10^6 drops in it."


def test_raised_numbers_that_are_drawn_after_their_line_join_their_words() -> None:
    page = PdfPage().text("The area of a x", 72, 700).text("is what we ask for.", 147, 700)
    assert markdown(page.text("2", 139.5, 704, 7)) == "The area of a x^2 is what we ask for."


def test_small_numbers_beside_a_word_on_its_line_are_not_raised() -> None:
    page = PdfPage().text("The area of a x", 72, 700).text("2", 139.5, 700, 7)
    assert "^" not in markdown(page)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([BaselineRun("10", 10, 0), BaselineRun("−3", 7, -4)], "10^−3"),
        ([BaselineRun("2", 10, 0), BaselineRun("24", 7, -4), BaselineRun("x", 10, 0)], "2^(24)x"),
        ([BaselineRun("H", 10, 0), BaselineRun("2", 7, 2), BaselineRun("O", 10, 0)], "H2O"),
        ([BaselineRun("details.", 10, 0), BaselineRun("1", 7, -4)], "details.1"),
        ([BaselineRun("1", 10, 0), BaselineRun("st", 7, -4)], "1st"),
        ([BaselineRun("Drop", 10, 0), BaselineRun("10", 9.5, -4)], "Drop10"),
    ],
)
def test_raised_numbers_are_written_so_that_no_value_changes(runs: list[BaselineRun], expected: str) -> None:
    assert with_marks(runs) == expected


def test_blanks_of_justified_lines_make_no_columns() -> None:
    page = PdfPage()
    for index, words in enumerate(
        (("communicate", "extraordinarily", "often"), ("and", "complicated", "words"))
    ):
        x = 72.0
        for word in words:
            page.text(word, x, 700 - 12 * index, font="C")
            x += 6 * len(word) + 30
    assert "communicate extraordinarily often and complicated words" in markdown(page).replace("\n", " ")


def test_characters_beyond_the_basic_plane_stay() -> None:
    assert markdown(PdfPage().text("𠮷野 😀", size=12, font=UNICODE_FONT)) == "𠮷野 😀"


def test_letters_of_formulas_are_plain_letters() -> None:
    assert markdown(PdfPage().text("𝑄 = 𝐴𝐯", size=12, font=UNICODE_FONT)) == "Q = Av"


@pytest.mark.parametrize(
    ("text", "lefts", "expected"),
    [
        ("صن", [10, 20], "نص"),
        ("نص", [20, 10], "نص"),
        ("طسولا،", [10, 20, 30, 40, 50, 5], "الوسط،"),
        ("ו42", [30, 10, 20], "ו42"),
        ("٣٤", [10, 20], "٣٤"),
        ("ab", [10, 20], "ab"),
    ],
)
def test_right_to_left_words_in_the_order_of_the_page_are_turned(
    text: str, lefts: list[float], expected: str
) -> None:
    assert in_logical_order(text, lefts.__getitem__) == expected


def test_a_page_printed_by_a_browser_is_read_as_it_looks() -> None:
    document = extract(pdf_capture((DATA / "printed.pdf").read_bytes()))
    check_document(document)
    assert document.markdown == PRINTED


def test_a_bullet_begins_an_item_wherever_it_stands_and_a_dash_does_not() -> None:
    words = "The harbour holds, as the reader of these notes may know already,"
    bullet = PdfPage().text(words, 72, 700).text("• boats", 72, 688)
    assert markdown(bullet) == f"{words}\n\n- boats"
    dash = PdfPage().text(words, 72, 700).text("– boats aside – nothing that floats.", 72, 688)
    assert markdown(dash) == f"{words} – boats aside – nothing that floats."
    ended = PdfPage().text("The harbour holds:", 72, 700).text("– boats", 72, 688)
    assert markdown(ended) == "The harbour holds:\n\n- boats"


def test_a_heading_may_end_in_a_number() -> None:
    page = PdfPage().text("Boats of 1995", 72, 700, 18).lines(LEFT[:4], 72, 670)
    assert markdown(page).startswith("# Boats of 1995\n\n")


def test_ornaments_are_no_heading_however_large() -> None:
    page = PdfPage().text("^ ^ ^", 72, 700, 18).lines(LEFT[:4], 72, 670)
    assert "#" not in markdown(page)


def test_large_lines_of_another_weight_are_headings_of_their_own() -> None:
    page = (
        PdfPage()
        .text("Boats", 72, 700, 18, "B")
        .text("and their owners", 72, 678, 18)
        .lines(LEFT[:4], 72, 640)
    )
    assert markdown(page).startswith("# Boats\n\n# and their owners\n\n")


def test_hidden_words_under_a_small_picture_are_not_text() -> None:
    page = PdfPage().text("Shown words.", 72, 700).text("hidden words", 72, 600, mode=3)
    page.content.append("q 50 0 0 50 72 500 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q")
    assert markdown(page) == "Shown words."


def test_zones_of_dates_may_have_minutes() -> None:
    assert iso_time("D:20240131120000+05'30'") == "2024-01-31T12:00:00+05:30"


def test_the_number_of_raised_marks_does_not_join_other_lines() -> None:
    page = PdfPage().text("Here stands x", 72, 700).text("2", 132.5, 704, 7).text("below", 138, 688)
    assert markdown(page) == "Here stands x^2 below"


def test_the_second_half_of_a_broken_word_is_no_word() -> None:
    page = PdfPage().lines(["It went with the wind and with-", "out the boat."], 72, 700)
    assert markdown(page) == "It went with the wind and without the boat."
    page = PdfPage().lines(["It went out with the wind and with-", "out the boat."], 72, 700)
    assert "with-out" in markdown(page)  # both are words here
    page = PdfPage().lines(
        ["A small-endian file and a machine for big-", "endian ones is a machine-", "dependent one, big."],
        72,
        700,
    )
    assert "big-endian ones is a machine-dependent one" in markdown(page)


@pytest.mark.parametrize(
    ("first", "second"), [("back", "ground"), ("under", "standing"), ("over", "whelming"), ("with", "drawal")]
)
def test_a_word_is_whole_though_its_first_half_is_a_word_too(first: str, second: str) -> None:
    page = PdfPage().lines([f"It went {first} of the boat as the {first}-", f"{second} of it."], 72, 700)
    assert markdown(page).endswith(f"as the {first}{second} of it.")


def test_a_centred_title_does_not_go_on_in_a_heading_at_the_left() -> None:
    page = PdfPage().text("Report", 260, 700, 18, "B").text("First heading", 72, 676, 18, "B")
    page.lines([FULL.format(index) for index in range(4)], 72, 640)
    assert markdown(page).startswith("# Report\n\n# First heading\n\n")


def test_a_heading_goes_on_where_its_line_is_full_or_centred() -> None:
    full = "A heading which is as long as a line of the text"
    page = PdfPage().text(full, 72, 700, 18).text("and goes on", 72, 676, 18)
    page.lines([FULL.format(index) for index in range(4)], 72, 640)
    assert markdown(page).startswith(f"# {full} and goes on\n\n")
    page = PdfPage().text("Title of", 266, 700, 18, "C").text("all of it", 260.6, 676, 18, "C")
    page.lines([FULL.format(index) for index in range(4)], 72, 640)
    assert markdown(page).startswith("# Title of all of it\n\n")


def test_cells_that_no_line_parts_stay_apart() -> None:
    page = PdfPage()
    for row in range(4):
        page.text(f"cell {row} a", 80, 690 - 20 * row).text(f"cell {row} b", 200, 690 - 20 * row)
        page.rule(72, 704 - 20 * row, 312, 704 - 20 * row)
        if row % 2:
            page.rule(192, 704 - 20 * row, 192, 684 - 20 * row)
    page.rule(72, 624, 312, 624).rule(72, 704, 72, 624).rule(312, 704, 312, 624)
    assert markdown(page).split("\n")[::2] == [
        "| cell 0 a | cell 0 b |",
        "| cell 1 a | cell 1 b |",
        "| cell 3 a | cell 3 b |",
    ]


def test_words_over_the_border_of_two_cells_fill_both() -> None:
    page = PdfPage().text("A cell which reaches over both columns", 80, 690)
    page.text("one", 80, 670).text("two", 200, 670).text("three", 80, 650).text("four", 200, 650)
    for row in range(4):
        page.rule(72, 704 - 20 * row, 312, 704 - 20 * row)
    page.rule(192, 684, 192, 644).rule(72, 704, 72, 644).rule(312, 704, 312, 644)
    over = "A cell which reaches over both columns"
    assert markdown(page).startswith(f"| {over} | {over} |")


def test_what_is_not_specified_is_no_description() -> None:
    body = pdf_bytes([PdfPage().text("Words.")], info="/Subject((unspecified))")
    assert extract(pdf_capture(body)).description is None
