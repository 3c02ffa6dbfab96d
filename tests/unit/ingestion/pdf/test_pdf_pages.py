"""What stands where on a page: columns, running heads, tables, turned and hidden text, scripts."""

import pytest

from tests.support.captures import check_document, text_of
from tests.support.pdf_files import UNICODE_FONT, PdfPage, pdf_bytes, pdf_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import NormalizedDocument

LEFT = [f"left {i} and what stands beside it on this" for i in range(12)]
RIGHT = [f"right {i} and what the other side says" for i in range(12)]


def read(*pages: PdfPage) -> NormalizedDocument:
    document = extract(pdf_capture(pdf_bytes(pages)))
    check_document(document)
    return document


def in_order(text: str, *parts: str) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


def test_columns_are_read_one_after_the_other() -> None:
    text = read(PdfPage().lines(LEFT, 72, 600).lines(RIGHT, 320, 600)).markdown
    assert in_order(text, "left 0", "left 11", "right 0", "right 11")


def test_columns_are_found_though_the_file_draws_line_by_line() -> None:
    page = PdfPage()
    for index, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        page.text(left, 72, 600 - 12 * index).text(right, 320, 600 - 12 * index)
    page.text("A line that reaches from the left column to the right one, over the gutter", 72, 640)
    assert in_order(read(page).markdown, "A line", "left 0", "left 11", "right 0", "right 11")


def test_rows_of_short_cells_are_read_row_by_row() -> None:
    page = PdfPage()
    for index in range(10):
        page.text(f"key{index}", 72, 600 - 12 * index).text(f"value{index}", 320, 600 - 12 * index)
    document = read(page)
    assert in_order(document.markdown, "key0", "value0", "key1", "value1")
    assert "key0 value0\nkey1 value1" in document.markdown


def page_with_head(number: int, words: str) -> PdfPage:
    page = PdfPage().text(f"Chapter 3: Walls {number}", 72, 750).text(f"- {number} -", 300, 40)
    return page.lines([f"{words} is what page {number} tells us about the walls."], y=700)


def test_running_heads_and_page_numbers_go() -> None:
    document = read(*(page_with_head(number, f"Stone{number * 'a'}") for number in range(1, 6)))
    assert "Chapter" not in document.markdown
    assert "- 2 -" not in document.markdown
    assert len(document.blocks) == 5


def test_text_that_comes_back_in_the_middle_stays() -> None:
    pages = [page_with_head(number, "Stone").text("Always here", 72, 400) for number in range(1, 6)]
    assert read(*pages).markdown.count("Always here") == 5


def test_large_type_at_the_edge_stays() -> None:
    pages = [PdfPage().text("Chapter", 72, 750, 24).lines(LEFT[: index + 2], y=700) for index in range(4)]
    assert read(*pages).markdown.count("# Chapter") == 4


def test_pages_of_nothing_but_numbers_keep_them() -> None:
    document = read(*(PdfPage().text(f"Page {number} of 4", 72, 750) for number in range(1, 5)))
    assert "Page 4 of 4" in document.markdown


def ruled(page: PdfPage, xs: list[float], ys: list[float]) -> PdfPage:
    for y in ys:
        page.rule(xs[0], y, xs[-1], y)
    for x in xs:
        page.rule(x, ys[0], x, ys[-1])
    return page


def test_ruled_cells_make_a_table() -> None:
    page = ruled(PdfPage().text("Before.", 72, 740), [72, 192, 312], [714, 694, 674, 654])
    for row, cells in enumerate([("Name", "Size"), ("alpha", "1"), ("beta | b", "<2>")]):
        for column, cell in enumerate(cells):
            page.text(cell, 80 + 120 * column, 700 - 20 * row, font="F" if row else "B")
    page.text("After the table.", 72, 600)
    document = read(page)
    table = document.blocks[1]
    assert text_of(document, table) == "| Name | Size |\n| --- | --- |\n| alpha | 1 |\n| beta \\| b | <2> |"
    assert table.html is not None
    assert "<th>Name</th>" in table.html
    assert "&lt;2&gt;" in table.html
    assert table.flags.has_table
    assert [text_of(document, block) for block in document.blocks][2] == "After the table."


def test_cells_without_a_line_between_them_are_merged() -> None:
    page = PdfPage()
    for y in (714, 694, 674):
        page.rule(72, y, 312, y)
    for x in (72, 312):
        page.rule(x, 714, x, 674)
    page.rule(192, 694, 192, 674).text("Both", 80, 700).text("one", 80, 680).text("two", 200, 680)
    document = read(page)
    assert text_of(document, document.blocks[0]) == "| Both | Both |\n| --- | --- |\n| one | two |"
    assert 'colspan="2"' in (document.blocks[0].html or "")


def test_the_empty_grid_of_a_chart_is_no_table() -> None:
    page = ruled(
        PdfPage().text("12", 75, 705), [72 + 20 * i for i in range(8)], [714 - 20 * i for i in range(8)]
    )
    assert not read(page).blocks[0].flags.has_table


def test_stamps_watermarks_and_hidden_words_go() -> None:
    page = PdfPage().lines(LEFT).turned("stamp in the margin", "0 1 -1 0 30 300")
    page.turned("DRAFT", ".7 .7 -.7 .7 200 300", 60).text("outside", 72, 900).text("hidden", 72, 300, mode=3)
    text = read(page).markdown
    assert not any(word in text for word in ("stamp", "DRAFT", "outside", "hidden"))
    assert "left 11" in text


def test_invisible_words_over_a_scan_are_its_text() -> None:
    assert read(PdfPage().picture().text("recognised", mode=3)).markdown == "recognised"


@pytest.mark.parametrize(
    ("attributes", "matrix"),
    [("/Rotate 90", "0 1 -1 0 {} 100"), ("/Rotate 270", "0 -1 1 0 {} 700"), ("", "-1 0 0 -1 500 {}")],
)
def test_turned_pages_are_read_upright(attributes: str, matrix: str) -> None:
    page = PdfPage(attributes=attributes)
    for index in range(5):
        place = 400 - 12 * index if "270" in attributes else 100 + 12 * index
        page.turned(LEFT[index], matrix.format(place))
    assert in_order(read(page).markdown, "left 0", "left 1", "left 4")


def test_lines_of_chinese_and_japanese_join_without_blanks() -> None:
    page = PdfPage().text("日本語の文章はここから", size=12, font=UNICODE_FONT)
    assert (
        read(page.text("始まり続きます。", y=705, size=12, font=UNICODE_FONT)).markdown
        == "日本語の文章はここから始まり続きます。"
    )


def test_hebrew_comes_in_reading_order() -> None:
    shown = "שלום עולם"[::-1]  # as it stands on the page, from the left
    assert read(PdfPage().text(shown, size=12, font=UNICODE_FONT)).markdown == "שלום עולם"


def test_ligatures_are_spelled_out_and_private_codes_dropped() -> None:
    page = PdfPage().text("\ufb01ne of\ufb01ce a\ue123b", size=12, font=UNICODE_FONT)
    assert read(page.text("\uf0b7 bullet", y=650, font=UNICODE_FONT)).markdown == "fine office ab\n\n- bullet"
