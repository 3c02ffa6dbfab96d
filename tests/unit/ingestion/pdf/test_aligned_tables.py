"""Tables that only alignment shows, and what is set in columns without being one."""

import pytest

from tests.support.captures import check_document
from tests.support.pdf_files import PdfPage, pdf_bytes, pdf_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import NormalizedDocument

PROSE = [
    "The harbour was built in three stages, and every stage left its marks on",
    "the walls that can be seen at low tide, where the older stones are dark",
    "and the younger ones are pale, as the masons noted in their books.",
]
EM = 10.0
LEADING = 14.0


def read(page: PdfPage) -> NormalizedDocument:
    document = extract(pdf_capture(pdf_bytes([page])))
    check_document(document)
    return document


def width(words: str, size: float = EM) -> float:
    """Of figures and signs in Helvetica, whose figures are all of one width."""
    narrow = sum(sign in ".,:- " for sign in words)
    return size * (0.556 * (len(words) - narrow) + 0.278 * narrow)


Rows = list[tuple[str, ...]]


def set_rows(
    page: PdfPage, rows: Rows, places: tuple[float, ...], top: float = 640, font: str = "F"
) -> PdfPage:
    """Rows of cells, each beginning at its place; below zero is where the figures of a column end, and its head."""
    for number, row in enumerate(rows):
        for place, words in zip(places, row, strict=True):
            x = place if place >= 0 else -place - (width(words) if words[:1].isdigit() else 24)
            page.text(words, x, top - LEADING * number, font=font)
    return page


def around(rows: Rows, places: tuple[float, ...]) -> PdfPage:
    """The rows with prose above and below, blank lines between."""
    page = set_rows(PdfPage().lines(PROSE), rows, places)
    return page.lines(PROSE[::-1], y=640 - LEADING * len(rows) - 20)


PRICES: Rows = [
    ("Service", "Unit", "Price"),
    ("Berth, small boat", "night", "18.50"),
    ("Berth, large boat", "night", "124.00"),
    ("Crane", "lift", "75.00"),
    ("Fresh water", "cubic metre", "2.10"),
]
PLACES = (72.0, 220.0, -360.0)


def test_a_price_list_without_lines() -> None:
    document = read(around(PRICES, PLACES))
    assert (
        "| Service | Unit | Price |\n| --- | --- | --- |\n| Berth, small boat | night | 18.50 |\n"
        "| Berth, large boat | night | 124.00 |\n| Crane | lift | 75.00 |\n| Fresh water | cubic metre | 2.10 |"
        in document.markdown
    )
    assert [block.flags.has_table for block in document.blocks] == [False, True, False]
    assert "<td>Fresh water</td><td>cubic metre</td><td>2.10</td>" in (document.html or "")


def test_two_columns_are_enough() -> None:
    rows: Rows = [("Gauge", "Level"), ("North pier", "1912"), ("Lock", "874"), ("Island", "1931")]
    assert "| Lock | 874 |\n| Island | 1931 |" in read(around(rows, (72.0, -240.0))).markdown


def test_cells_of_the_middle_and_blank_ones() -> None:
    rows: Rows = [
        ("Station", "Code", "Mean", "Storm"),
        ("North pier", "NP", "1.25", "4.10"),
        ("Lock", "LO", "0.98", ""),
        ("Island", "IS", "1.31", "5.02"),
        ("Mole", "MO", "1.10", "4.75"),
    ]
    markdown = read(around(rows, (72.0, 180.0, 250.0, 320.0))).markdown
    assert "| Lock | LO | 0.98 |  |\n| Island | IS | 1.31 | 5.02 |" in markdown


RESULTS: Rows = [
    ("Gauges", "MNIST", "News"),
    ("Baseline", "91.2", "80.4"),
    ("With tides", "93.8", "81.0"),
    ("With tides and wind", "94.1", "83.7"),
]


def results(page: PdfPage, rows: Rows, *, left: float = 72, right: float = 330, head: int = 1) -> PdfPage:
    """A table as papers set it: lines at the top, below the head, and at the bottom."""
    set_rows(page, rows, (left + 4, left + 128, left + (right - left) * 0.78))
    bottom = 640 - LEADING * (len(rows) - 1) - 4
    for y in (640 + 11, 640 - LEADING * (head - 1) - 4, bottom):
        page.rule(left, y, right, y)
    return page


def test_a_table_of_a_paper_with_three_lines() -> None:
    page = (
        results(PdfPage().lines(PROSE), RESULTS)
        .text("Table 1: Results of both.", 72, 580)
        .lines(PROSE, y=550)
    )
    markdown = read(page).markdown
    assert (
        "| Gauges | MNIST | News |\n| --- | --- | --- |\n| Baseline | 91.2 | 80.4 |\n| With tides | 93.8 | 81.0 |\n"
        "| With tides and wind | 94.1 | 83.7 |\n\nTable 1: Results of both." in markdown
    )


def test_a_head_reaches_over_its_columns() -> None:
    rows = [("", "", ""), *RESULTS]
    page = results(PdfPage().lines(PROSE), rows, head=2).text("Accuracy on both", 202, 640)
    page.rule(200, 637, 320, 637)  # a short line below it
    document = read(page)
    assert "|  | Accuracy on both | Accuracy on both |\n| --- | --- | --- |\n| Gauges |" in document.markdown
    assert '<td colspan="2">Accuracy on both</td>' in (document.html or "")


def test_a_title_in_the_head_is_that_of_all_columns() -> None:
    rows = [("", "", ""), *RESULTS]
    page = results(PdfPage().lines(PROSE), rows, head=2).text("Results", 184, 640)
    assert '<td colspan="3">Results</td>' in (read(page).html or "")


def test_so_is_the_only_row_of_a_head() -> None:
    page = results(PdfPage().lines(PROSE), [("", "", ""), *RESULTS]).text("Results", 184, 640)
    assert '<td colspan="3">Results</td></tr><tr><td>Gauges</td>' in (read(page).html or "")


def test_texts_between_three_lines_are_a_table_without_any_number() -> None:
    rows: Rows = [
        ("Format", "Meaning", "Used"),
        ("%a", "day of the week", "often"),
        ("%b", "month in letters", "rarely"),
        ("", "and its short form", ""),
        ("%p", "before or after noon", "never"),
    ]
    markdown = read(results(PdfPage().lines(PROSE), rows, right=400)).markdown
    assert "| %b | month in letters and its short form | rarely |\n| %p |" in markdown


def test_such_a_table_beside_a_column_of_prose() -> None:
    page = results(PdfPage(), RESULTS, left=60, right=300)
    page.lines(
        [
            "The sea was measured at all three",
            "gauges for a year, and what they",
            "say is set out on the left; none",
        ]
        * 6,
        330,
        700,
    )
    assert "| With tides | 93.8 | 81.0 |" in read(page).markdown


def columns_of_prose() -> PdfPage:
    left = [
        "The keeper wrote the level down",
        "at noon, whatever the weather;",
        "in the year of 1953 the float",
        "stuck for six hours, and a line",
        "of 12 cm was drawn by the pen.",
    ]
    right = [
        "It cost 120 crowns to mend it,",
        "and 14 more for the new paper.",
        "The office paid in March 1954,",
        "which was late, and only after",
        "three letters had been written.",
    ]
    page = PdfPage()
    for number, (one, other) in enumerate(zip(left * 3, right * 3, strict=True)):
        page.text(one, 72, 700 - 12 * number).text(other, 260, 700 - 12 * number)
    return page


INDEX: Rows = [
    ("anchor, 12", "gauge, 4", "lock, 77"),
    ("branch, 9", "grating, 41", "mole, 3"),
    ("crane, 30", "harbour, 1", "pier, 18"),
    ("float, 22", "island, 60", "storm, 53"),
]
INDEX_BY_PAGES: Rows = [("anchor", "12"), ("branch", "29"), ("crane", "30"), ("float", "52")]
INDEX_UNSORTED: Rows = [("anchor", "52"), ("branch", "9"), ("crane", "30"), ("float", "2")]
INDEX_OF_MANY: Rows = [("anchor", "988"), ("branch", "1029"), ("crane", "1030"), ("float", "1152")]
LONG: Rows = [
    ("Berths", "Price"),
    ("for small boats of those who only stay the night", "18.50"),
    ("for boats of any length that stay for a whole week", "124.00"),
    ("for ships, with water from the quay and the crane", "175.00"),
]
SPARSE: Rows = [("Berth", "18.50", ""), ("Crane", "75.00", ""), ("Lock", "", "3.20"), ("Water", "2.10", "")]
CONTENTS: Rows = [
    ("1", "The harbour", "1"),
    ("2", "The gauges", "12"),
    ("3", "The storm", "53"),
    ("4", "The branch", "77"),
]
TITLES: Rows = [
    ("The harbour", "Marsh", "1"),
    ("The gauges", "Wells", "12"),
    ("The storm", "Marsh", "53"),
    ("The branch", "Reed", "77"),
]
NAMES: Rows = [
    ("Ada Marsh", "Ivo Reed", "Zoe Wells"),
    ("Ben Ford", "Jan Brook", "Max Hill"),
    ("Cy Lake", "Kim Wood", "Noa Field"),
    ("Dan Moor", "Lea Stone", "Ola Heath"),
]
ADDRESSES: Rows = [
    ("Harbour office", "Ada Marsh"),
    ("Pier Street 12", "Lock House"),
    ("1234 Northport", "1240 Southport"),
    ("Tel. 12 34 56", "Tel. 65 43 21"),
]
SOURCES: Rows = [
    ("[1]", "A. Marsh: The gauge, 1911"),
    ("[2]", "I. Reed: Storms, 1953"),
    ("[3]", "Z. Wells: The branch, 1954"),
    ("[4]", "B. Ford: Floats, 1960"),
]
EQUATIONS: Rows = [("a = b + c", "(1)"), ("d = e - f", "(2)"), ("g = h", "(3)"), ("i = j + k", "(4)")]
MATRIX: Rows = [("1.5", "0.2", "0.0"), ("0.2", "1.7", "0.3"), ("0.0", "0.3", "1.9"), ("2.5", "0.0", "0.1")]
TIMES: Rows = [("09:00", "Doors open"), ("10:30", "The gauges"), ("11:15", "A walk"), ("13:00", "Lunch")]


@pytest.mark.parametrize(
    "rows",
    [
        INDEX,
        INDEX_BY_PAGES,
        INDEX_UNSORTED,
        INDEX_OF_MANY,
        CONTENTS,
        TITLES,
        NAMES,
        ADDRESSES,
        SOURCES,
        EQUATIONS,
        MATRIX,
        TIMES,
        LONG,
        SPARSE,
    ],
    ids=(
        "index pages unsorted many contents titles names addresses sources equations matrix times long sparse".split()
    ),
)
def test_what_stands_in_columns_is_mostly_no_table(rows: Rows) -> None:
    second = 340.0 if rows is LONG else 200.0
    document = read(around(rows, (72.0, second, 330.0)[: len(rows[0])]))
    assert not any(block.flags.has_table for block in document.blocks)
    assert all(cell in document.markdown.replace("\\", "") for row in rows for cell in row)


@pytest.mark.parametrize("place", [640 + LEADING, 640 - LEADING * len(PRICES)], ids=["above", "below"])
def test_rows_close_to_a_short_line_are_left_as_they_are(place: float) -> None:
    page = set_rows(PdfPage().lines(PROSE), PRICES, PLACES).text("of one week", 72, place)
    assert "---" not in read(page).markdown


def test_rows_close_to_prose_are_a_table() -> None:
    page = set_rows(PdfPage().lines([*PROSE, "of this week"], y=640 + 12 * 4), PRICES, PLACES)
    page.lines(PROSE, y=640 - LEADING * len(PRICES))
    assert "of this week\n\n| Service | Unit | Price |" in read(page).markdown


@pytest.mark.parametrize(("shift", "drop"), [(9.0, 0.0), (0.0, 5.0)], ids=["shifted", "uneven"])
def test_rows_that_are_not_set_alike_are_no_table(shift: float, drop: float) -> None:
    page = PdfPage().lines(PROSE)
    for number, row in enumerate(PRICES):
        y = 640 - LEADING * number - drop * (number > 2)
        page.text(row[0], 72 + shift * (number % 3), y).text(row[1], 220, y).text(row[2], 340, y)
    assert "---" not in read(page.lines(PROSE, y=540)).markdown


@pytest.mark.parametrize("empty", [3, 0], ids=["sparse", "heads"])
def test_three_lines_around_something_else_make_no_table(empty: int) -> None:
    head = 1 if empty else 5
    rows: Rows = [("Gauges", "MNIST", "News")] * head
    rows += (
        [("Baseline", "", ""), ("With tides", "", ""), ("With wind", "", "81.0"), ("With both", "83.7", "")]
        if empty
        else RESULTS[1:]
    )
    page = results(PdfPage().lines(PROSE), rows, head=head)
    assert not any(block.flags.has_table for block in read(page).blocks)


def test_rows_of_code_are_code() -> None:
    rows: Rows = [("level", "= 12.50"), ("berth", "= 18.50"), ("crane", "= 75.00"), ("water", "2.10")]
    page = set_rows(
        PdfPage().lines(PROSE), [(a, b.removeprefix("= ")) for a, b in rows], (72.0, 200.0), font="C"
    )
    assert "---" not in read(page.lines(PROSE, y=560)).markdown


def test_prose_in_two_columns_is_prose() -> None:
    markdown = read(columns_of_prose()).markdown
    assert "---" not in markdown
    assert "The keeper wrote the level down at noon" in markdown


def test_justified_lines_with_wide_gaps_are_prose() -> None:
    page = PdfPage().lines(PROSE)
    for number, words in enumerate(["In 1953", "the level", "rose by 12", "and by 14"] * 2):
        for index, word in enumerate(words.split() + ["cm", "or", "more"][: 4 - len(words.split())]):
            page.text(word, 72 + 62 * index + 7 * (number % 3) * (index > 0), 640 - 12 * number)
    assert "---" not in read(page.lines(PROSE, y=500)).markdown


def test_lines_of_contents_with_leaders_are_no_table() -> None:
    page = PdfPage().lines(PROSE).rule(72, 655, 400, 655).rule(72, 636, 400, 636).rule(72, 585, 400, 585)
    for number, words in enumerate(
        ["Part", "Pier . . . . . . .", "Lock . . . . . . .", "Mole . . . . . . ."]
    ):
        page.text(words, 76, 640 - LEADING * number).text(
            ("Page", "3", "9", "7")[number], 380, 640 - LEADING * number
        )
    assert not any(block.flags.has_table for block in read(page).blocks)


def test_numbered_steps_between_three_lines_are_no_table() -> None:
    page = PdfPage().lines(PROSE).rule(72, 655, 400, 655).rule(72, 636, 400, 636).rule(72, 566, 400, 566)
    page.text("Algorithm 1", 76, 640)
    for number, words in enumerate(
        ["read the staff", "while it rains do", "wait for an hour", "write it down"]
    ):
        page.text(f"{number + 1}:", 76, 626 - LEADING * number).text(words, 110, 626 - LEADING * number)
    assert not any(block.flags.has_table for block in read(page).blocks)


def test_prose_between_three_lines_is_prose() -> None:
    page = PdfPage().rule(72, 735, 420, 735).rule(72, 700, 420, 700).rule(72, 600, 420, 600)
    page.lines(PROSE[:2]).lines(PROSE * 2, y=690)
    assert not any(block.flags.has_table for block in read(page).blocks)


LEFT = [
    "the keeper went down to the staff at noon and", "wrote the level into his book, which was kept",
    "in the lamp room until the light was given up.", "When the float stuck he took a line and a lead",
    "and read the depth of the water from the pier,", "as his father had done before the gauge came.",
]  # fmt: skip
RIGHT = [
    "Of these readings nobody took much notice then,", "and the book was left on its shelf for decades",
    "while the harbour silted up, and the boats went", "elsewhere. It was found when the lamp room was",
    "cleared, and it shows what no other record has:", "how high the water stood on the night in March.",
]  # fmt: skip


@pytest.mark.parametrize("heads", [["On the harbour and its gauges"], ["The gauge", "Of the harbour"]])
def test_prose_in_two_columns_between_lines_across_the_page_is_prose(heads: list[str]) -> None:
    page = PdfPage().rule(72, 720, 540, 720).rule(72, 695, 540, 695).rule(72, 470, 540, 470)
    for words, x in zip(heads, (230 if len(heads) == 1 else 72, 306), strict=False):
        page.text(words, x, 705)
    for number, (left, right) in enumerate(zip(LEFT * 3, RIGHT * 3, strict=True)):
        page.text(left, 72, 680 - 12 * number).text(right, 306, 680 - 12 * number)
    document = read(page)
    assert not any(block.flags.has_table for block in document.blocks)
    assert " ".join(LEFT * 3) in " ".join(document.markdown.split())
    assert " ".join(RIGHT * 3) in " ".join(document.markdown.split())


def test_lines_between_items_of_signs_and_counts_are_no_table() -> None:
    page = PdfPage().lines(PROSE)
    for number, words in enumerate(["(2)", "(1)", "(41)", "(1)", "(3)"]):
        y = 640 - LEADING * number
        page.text("@", 76, y).text(words, 180, y).rule(72, y - 4, 400, y - 4)
    assert not any(block.flags.has_table for block in read(page.rule(72, 650, 400, 650)).blocks)
