"""PDFs made to break the reader: each has an outcome."""

import re

import pytest

from tests.support.captures import check_document
from tests.support.pdf_files import PdfPage, assembled, pdf_bytes, pdf_capture, stream
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.pdf import drawings as pdf_drawings
from webrag_desktop.ingestion.pdf import file as pdf_file
from webrag_desktop.ingestion.pdf import marks as pdf_marks
from webrag_desktop.ingestion.pdf import words as pdf_words
from webrag_desktop.models.documents import NormalizedDocument


def read(body: bytes) -> NormalizedDocument:
    document = extract(pdf_capture(body))
    check_document(document)
    return document


def refused(body: bytes) -> str:
    with pytest.raises(ExtractionError) as failure:
        extract(pdf_capture(body))
    assert failure.value.hint
    return failure.value.message


CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
BLANK = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"


def test_a_page_tree_that_holds_itself() -> None:
    body = assembled([CATALOG, b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 10>>"])
    assert "damaged" in refused(body)


def test_a_page_tree_of_endless_depth() -> None:
    levels = [b"<</Type/Pages/Kids[%d 0 R]/Count 1>>" % (number + 3) for number in range(50_000)]
    assert refused(assembled([CATALOG, *levels, BLANK]))


def test_a_count_of_pages_that_lies() -> None:
    assert refused(assembled([CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 1000000000>>", BLANK]))


def test_more_pages_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_file, "MOST_PAGES", 2)
    assert "3 pages" in refused(pdf_bytes([PdfPage().text("words")] * 3))


def test_a_page_of_too_many_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_drawings, "MOST_TEXTS", 10)
    assert "pieces" in refused(pdf_bytes([PdfPage().lines(["word"] * 11)]))


def test_a_page_of_too_many_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_words, "MOST_CHARACTERS", 10)
    assert "more text" in refused(pdf_bytes([PdfPage().text("eleven letters")]))


def test_many_drawings_leave_the_text_readable() -> None:
    page = PdfPage().text("words")
    page.content.extend(f"{i % 600} {i % 790} m {i * 7 % 600} {i % 790} l S" for i in range(30_000))
    assert read(pdf_bytes([page])).markdown == "words"


@pytest.mark.parametrize(
    "box", ["[-1e30 -1e30 1e30 1e30]", "[0 0 0 0]", "[99 99 1 1]", "[]", "[/a /b /c /d]"]
)
def test_odd_page_sizes_leave_the_text_readable(box: str) -> None:
    assert read(pdf_bytes([PdfPage(box=box).text("words", 5, 5)])).markdown == "words"


@pytest.mark.parametrize("size", [1e30, -12, 0, 0.001])
def test_odd_font_sizes_do_no_harm(size: float) -> None:
    assert "words" in read(pdf_bytes([PdfPage().text("odd", 72, 600, size).text("words")])).markdown


def test_a_form_that_draws_itself() -> None:
    form = "/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</X 4 0 R>>/Font<</F 5 0 R>>>>"
    words = b"BT /F 12 Tf 72 700 Td (words) Tj ET /X Do"
    resources = b"<</XObject<</X 4 0 R>>/Font<</F 5 0 R>>>>"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources%s/Contents 6 0 R>>" % resources
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    body = assembled(
        [CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page, stream(words, form), font, stream(words)]
    )
    assert "words" in read(body).markdown


def test_an_outline_that_runs_in_circles() -> None:
    body = pdf_bytes([PdfPage().text("words")], outline=[("words", 0), ("other", 0)])
    first, second = re.search(rb"/First (\d+) 0 R/Last (\d+)", body).groups()  # type: ignore[union-attr]
    circle = body.replace(b"/Next %s 0 R" % second, b"/Next %s 0 R" % first)
    assert circle != body
    assert read(circle).markdown == "# words"


def test_thousands_of_bookmarks_to_lines_that_are_all_alike() -> None:
    document = read(pdf_bytes([PdfPage().lines(["same"] * 50)], outline=[("same", 0)] * 2000))
    assert document.markdown.count("same") == 50


def test_thousands_of_links_over_the_whole_page() -> None:
    page = PdfPage().lines(["words"] * 50)
    page.links = [((0, 0, 612, 792), "https://example.org/")] * 3000
    assert len(read(pdf_bytes([page])).links) == 1


def test_hundreds_of_numbers_of_one_size_are_compared_with_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    monkeypatch.setattr(pdf_marks, "_is_host", lambda word, mark: compared.append(mark.text))
    page = PdfPage().text("Sizes", y=780, size=20)
    for y in range(20, 700, 12):
        page.text("1 22 333 4 55 666 7 88 999 1 22 333", y=y)
    assert read(pdf_bytes([page])).markdown.count("333") == 114
    assert not compared


def test_noise_after_the_header() -> None:
    assert "damaged" in refused(b"%PDF-1.7\n" + bytes(range(256)) * 100)


def test_a_page_that_is_none_leaves_the_others() -> None:
    body = pdf_bytes([PdfPage().text("one"), PdfPage().text("two")])
    broken = re.sub(rb"/Kids\[\d+ 0 R", b"/Kids[99 0 R", body)
    assert broken != body
    document = read(broken)
    assert (document.markdown, document.page_count) == ("two", 2)
    assert document.blocks[0].page == 2
