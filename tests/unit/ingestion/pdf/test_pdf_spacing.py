"""Words of PDFs that place them instead of writing blanks, and of those that groff wrote."""

import zlib

import pytest

from tests.support.captures import check_document
from tests.support.pdf_files import PdfPage, assembled, pdf_bytes, pdf_capture, stream
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.pdf import file as troff
from webrag_desktop.ingestion.pdf.file import with_blanks_kept

ORDINARY = "[(Blanks are drawn here) -3000 (and placed there,) -3000 (as some programs do.)] TJ"
GROFF = "gropdf version 1.22.4"
TOUCHING = b"BT /F 10 Tf 1 0 0 1 72 700 Tm [(If) -266.500 (the) -266.500 ()] TJ /B 10 Tf (option) Tj ET"


def placed(*shown: str, font: str = "F") -> str:
    """The text of a page whose lines are drawn by these operators, beneath a line of ordinary ones."""
    page = PdfPage()
    for index, operator in enumerate((ORDINARY, *shown)):
        page.content.append(f"BT /{font} 10 Tf 1 0 0 1 72 {700 - 30 * index} Tm {operator} ET")
    document = extract(pdf_capture(pdf_bytes([page])))
    check_document(document)
    return document.markdown


def groff_file(content: bytes, *, packed: bool = True, producer: str = GROFF, level: int = 9) -> bytes:
    """A file as groff writes it."""
    font = b"<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding>>"
    data = stream(zlib.compress(content, level), "/Filter/FlateDecode") if packed else stream(content)
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 5 0 R/B 6 0 R>>>>/Contents 4 0 R>>"
    fonts = (font % b"Helvetica", font % b"Helvetica-Bold")
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[3 0 R]>>", page, data, *fonts]
    return assembled([*objects, f"<</Producer({producer})>>".encode()], "/Info 7 0 R")


def groff_text(content: bytes) -> str:
    return extract(pdf_capture(groff_file(content))).markdown


@pytest.mark.parametrize(
    ("operators", "expected"),
    [
        ("(an) Tj 3.34 Tc (yo) Tj 0 Tc [334 (ther)] TJ", "any other"),
        ("(A note of a fe) Tj 2.5 Tc (ww) Tj 0 Tc [250 (ords)] TJ", "few words"),
        ("(the paper) Tj 2.7 Tc (,j) Tj 0 Tc [270 (ustified)] TJ", "the paper, justified"),
    ],
)
def test_words_that_the_spacing_of_characters_parts_are_distinguished(operators: str, expected: str) -> None:
    assert expected in placed(operators)


def test_kerning_parts_no_word() -> None:
    text = placed("[(T) 80 (o) -40 (w) -60 (ards)] TJ", "[(A) -120 (V) 70 (alue)] TJ")
    assert "Towards" in text
    assert "AValue" in text


def test_letterspaced_words_stay_whole() -> None:
    assert "LETTERS" in placed("3 Tc (LETTERS) Tj 0 Tc")


def test_gaps_of_scripts_without_blanks_part_no_word() -> None:
    first, middle, last = (text.encode("utf-16-be").hex() for text in ("これ", "は表", "題です"))
    text = placed(f"/U 10 Tf <{first}> Tj 2.5 Tc <{middle}> Tj 0 Tc [250 <{last}>] TJ")
    assert "これは表題です" in text


def test_the_blank_before_a_change_of_type_is_kept_in_files_of_groff() -> None:
    assert "If the option" in groff_text(TOUCHING)


def test_what_follows_a_change_of_type_stands_where_it_is_drawn() -> None:
    drawn = b"BT /F 10 Tf 1 0 0 1 72 700 Tm [(sets the ) -325.300 (v) -325.300 ()] TJ /B 10 Tf (x) Tj ET"
    assert "sets the v x" in groff_text(drawn)


def test_mending_moves_no_other_byte() -> None:
    body = groff_file(TOUCHING)
    mended = with_blanks_kept(body)
    start = body.index(b"stream\n") + len(b"stream\n")
    end = body.index(b"\nendstream")
    assert mended != body
    assert (mended[:start], mended[end:]) == (body[:start], body[end:])


@pytest.mark.parametrize(
    "body",
    [
        groff_file(TOUCHING, producer="another"),
        groff_file(b"BT /F 10 Tf (version 1.000 \\() Tj [(a\\()] TJ ET"),
        groff_file(TOUCHING, packed=False)[:-1],
        b"%PDF-1.7 gropdf stream\n" * 50,
    ],
)
def test_other_files_stay_as_they_are(body: bytes) -> None:
    assert with_blanks_kept(body) == body


def test_words_in_brackets_lose_nothing() -> None:
    drawn = b"BT /F 10 Tf 1 0 0 1 72 700 Tm [(f\\(\\) ) -250.000 (costs 5.000 euros ) -250.000 ()] TJ ET"
    assert "f() costs 5.000 euros" in groff_text(drawn)


def test_only_distances_lose_their_zeros() -> None:
    mended = with_blanks_kept(groff_file(b"BT [(1.000 \\) 2.000 ) -250.000 (the) -250.000 ()] TJ ET"))
    start = mended.index(b"stream\n") + len(b"stream\n")
    unpacked = zlib.decompressobj().decompress(mended[start:])
    assert unpacked == b"BT [(1.000 \\) 2.000 ) -250 (the) -250.000] TJ ET"


def test_a_stream_that_would_get_longer_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(troff, "_packed", lambda content: bytes(5000))
    body = groff_file(TOUCHING)
    assert with_blanks_kept(body) == body


def test_a_stream_that_seems_to_end_within_stays() -> None:
    body = groff_file(TOUCHING + b" % endstream " + b"more of it" * 50, level=0)
    assert with_blanks_kept(body) == body


def test_files_that_unpack_to_more_than_is_read_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(troff, "_LARGEST", len(TOUCHING) - 20)
    body = groff_file(TOUCHING)
    assert with_blanks_kept(body) == body
