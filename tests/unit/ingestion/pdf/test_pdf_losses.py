"""What PDFs must not lose: rows of tables without lines between them, code, and pages that are pictures."""

from tests.support.captures import check_document, text_of
from tests.support.pdf_files import PdfPage, pdf_bytes, pdf_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.pdf.table_rows import row_borders
from webrag_desktop.models.documents import NormalizedDocument

PROSE = [
    "The harbour was built in three stages, and every stage left its marks on",
    "the walls that can be seen at low tide, where the older stones are dark",
    "and the younger ones are pale, as the masons noted in their books.",
]


def read(*pages: PdfPage) -> NormalizedDocument:
    document = extract(pdf_capture(pdf_bytes(pages)))
    check_document(document)
    return document


def columns(page: PdfPage, top: float, bottom: float, *xs: float) -> PdfPage:
    page.rule(xs[0], top, xs[-1], top).rule(xs[0], bottom, xs[-1], bottom)
    for x in xs:
        page.rule(x, top, x, bottom)
    return page


ROWS = [
    ("Gauge", "Level", "Time"),
    ("North pier", "1,912", "01:40"),
    ("Lock", "1,874", "02:05"),
    ("Island", "1,931", "01:25"),
]


def test_a_table_with_lines_between_its_columns_alone_keeps_its_rows() -> None:
    page = columns(PdfPage().lines(PROSE), 660, 592, 72, 172, 252, 332).rule(72, 644, 332, 644)
    for number, row in enumerate(ROWS):
        for x, words in zip((76, 176, 256), row, strict=True):
            page.text(words, x, 648 - 15 * number)
    markdown = read(page).markdown
    assert (
        "| Gauge | Level | Time |\n| --- | --- | --- |\n| North pier | 1,912 | 01:40 |\n| Lock | 1,874 | 02:05 |\n"
        in markdown
    )
    assert markdown.count("Island") == 1


def test_so_does_one_without_a_line_below_its_head() -> None:
    page = columns(PdfPage().lines(PROSE), 660, 592, 72, 172, 252, 332)
    for number, row in enumerate(ROWS):
        for x, words in zip((76, 176, 256), row, strict=True):
            page.text(words, x, 648 - 15 * number)
    assert "| Lock | 1,874 | 02:05 |\n| Island | 1,931 | 01:25 |" in read(page).markdown


def test_a_second_line_of_a_cell_stays_with_its_row() -> None:
    page = columns(PdfPage().lines(PROSE), 660, 580, 72, 172, 332).rule(72, 644, 332, 644)
    page.text("Gauge", 76, 648).text("Remarks", 176, 648)
    page.text("North pier", 76, 630).text("rebuilt after the storm", 176, 630).text("of 1953", 176, 618)
    page.text("Lock", 76, 600).text("as it was", 176, 600)
    markdown = read(page).markdown
    assert "| North pier | rebuilt after the storm of 1953 |\n| Lock | as it was |" in markdown


def test_cells_of_running_text_are_not_cut_at_their_lines() -> None:
    page = columns(PdfPage().lines(PROSE), 660, 600, 72, 236, 400).rule(72, 644, 400, 644)
    page.text("Before", 76, 648).text("After", 240, 648)
    page.lines(["The walls were dark and old stones", "that nobody had painted for years"], 76, 630)
    page.lines(["The walls are pale and new stones", "that everybody paints in a summer"], 240, 630)
    markdown = read(page).markdown
    assert (
        "| The walls were dark and old stones that nobody had painted for years | The walls are pale"
        in markdown
    )


def test_one_column_has_no_rows() -> None:
    assert row_borders([[], []], [100.0, 200.0]) == []


def test_a_page_that_is_a_picture_is_named() -> None:
    document = read(PdfPage().lines(PROSE), PdfPage().picture(), PdfPage().lines(PROSE[::-1]))
    assert document.incomplete == "Page 2 of 3 is a picture without text, or damaged; nothing of it was read"


def test_many_such_pages_are_counted() -> None:
    scans = [PdfPage().picture() for _ in range(7)]
    document = read(PdfPage().lines(PROSE), *scans)
    assert document.incomplete is not None
    assert document.incomplete.startswith("Pages 2, 3, 4, 5, 6 … of 8 are pictures")
    assert "these 7" in document.incomplete


def test_pictures_beside_text_and_blank_pages_lack_nothing() -> None:
    assert read(PdfPage().picture().lines(PROSE), PdfPage()).incomplete is None


def test_code_in_typewriter_type_is_fenced_whatever_its_font_is_called() -> None:
    code = ["def level(gauge):", "    if gauge.stuck:", "        return None", "    return gauge.read()"]
    page = PdfPage().lines(PROSE).lines(code, y=660, font="C").lines(PROSE, y=590)
    body = (
        pdf_bytes([page])
        .replace(b"/BaseFont/Courier/", b"/BaseFont/Nothing/")
        .replace(
            b"/BaseFont/Nothing/Encoding/WinAnsiEncoding>>",
            b"/BaseFont/Nothing/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 126/Widths["
            + b" ".join([b"600"] * 95)
            + b"]/FontDescriptor<</Type/FontDescriptor/FontName/Nothing/Flags 4>>>>",
        )
    )
    document = extract(pdf_capture(body))
    check_document(document)
    fenced = [text_of(document, block) for block in document.blocks if block.flags.has_code]
    assert fenced == ["```\n" + "\n".join(code) + "\n```"]
