"""PDFs from bytes to blocks: headings, paragraphs, lists, code, pages, metadata, links."""

from pathlib import Path

import pytest

from tests.support.captures import check_document, text_of
from tests.support.pdf_files import PdfPage, pdf_bytes, pdf_capture
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import NormalizedDocument

DATA = Path(__file__).parents[3] / "data" / "pdf"
PROSE = [
    "The harbour was built in three stages, and every stage left its marks on",
    "the walls that can be seen at low tide, where the older stones are dark",
    "and the younger ones are pale, as the masons noted in their books.",
]


def read(*pages: PdfPage, **parts: object) -> NormalizedDocument:
    document = extract(pdf_capture(pdf_bytes(pages, **parts)))  # type: ignore[arg-type]
    check_document(document)
    return document


def texts(document: NormalizedDocument) -> list[str]:
    return [text_of(document, block) for block in document.blocks]


def test_a_paragraph_is_joined_over_its_line_ends() -> None:
    document = read(PdfPage().lines(PROSE))
    assert texts(document) == [" ".join(PROSE)]
    assert (document.doc_type, document.page_count) == ("pdf", 1)


def test_paragraphs_part_at_gaps_and_at_indented_lines() -> None:
    page = PdfPage().lines(PROSE).lines(PROSE, y=660)
    page.text("  Then", 84, 624).text("an indented line begins another paragraph.", 110, 624)
    assert len(texts(read(page))) == 3


def test_outline_gives_levels_and_paths_though_the_type_is_no_larger() -> None:
    page = (
        PdfPage().text("1 Harbours", y=720).lines(PROSE, y=690).text("1.1 Walls", y=640).lines(PROSE, y=610)
    )
    second = PdfPage().lines(["2 Ships and"]).lines(PROSE, y=690)
    document = read(page, second, outline=[("Harbours", 0), ("Walls", 0), ("Ships and", 1)])
    paths = [block.heading_path for block in document.blocks]
    assert paths[1] == ("1 Harbours",)
    assert texts(document)[-2] == "# 2 Ships and"
    assert document.blocks[-1].heading_path == ("2 Ships and",)
    assert [block.page for block in document.blocks][-1] == 2
    assert document.blocks[-1].anchor == "page=2"


def test_larger_type_makes_headings_by_rank() -> None:
    page = PdfPage().text("Harbours of the north", size=20).lines(PROSE, y=680)
    page.text("Walls", y=620, size=14).lines(PROSE, y=590).text("Gates", y=530, size=14).lines(PROSE, y=500)
    document = read(page)
    headings = [text for text in texts(document) if text.startswith("#")]
    assert headings == ["# Harbours of the north", "## Walls", "## Gates"]
    assert document.blocks[-1].heading_path == ("Harbours of the north", "Gates")
    assert document.title == "Harbours of the north"


def test_a_large_heading_over_two_lines_is_one() -> None:
    page = PdfPage().lines(["Harbours of the north", "and of the south"], size=18).lines(PROSE, y=640)
    assert texts(read(page))[0] == "# Harbours of the north and of the south"


def test_numbered_bold_lines_are_headings() -> None:
    page = PdfPage().text("2.1 Methods", font="B").lines(PROSE, y=700).text("not 2.2 a heading", y=640)
    assert texts(read(page))[0].endswith("# 2.1 Methods")
    assert sum(text.startswith("#") for text in texts(read(page))) == 1


def test_lists_keep_marks_and_depth() -> None:
    page = PdfPage().lines(PROSE)
    page.text("\u2022 stone", y=660).text("\u2022 wood", y=648).text("\u2013 oak", 90, 636).text(
        "1. first", y=600
    )
    page.text("2. second, and a line that goes on below it for the length of the column of", y=588)
    page.text("this page", 84, 576)
    document = read(page)
    assert texts(document)[1] == (
        "- stone\n- wood\n  - oak\n1. first\n"
        "2. second, and a line that goes on below it for the length of the column of this page"
    )
    assert document.blocks[1].flags.has_steps


def test_a_number_that_only_begins_a_line_is_no_list() -> None:
    document = read(
        PdfPage().lines(["The keel was laid in the spring of the year", "1984. It was launched later."])
    )
    assert "\n" not in document.markdown
    assert not document.blocks[0].flags.has_steps


def test_monospaced_lines_become_a_fence_with_their_columns() -> None:
    page = (
        PdfPage().lines(PROSE).lines(["def build():", "    return 1", "", "x   = build()"], y=660, font="C")
    )
    document = read(page)
    assert texts(document)[1] == "```\ndef build():\n    return 1\n\nx   = build()\n```"
    assert document.blocks[1].flags.has_code


@pytest.mark.parametrize(
    ("elsewhere", "joined"),
    [("harbour", "harbour"), ("har-bour", "har-bour"), ("nothing", "harbour"), ("har bour", "har-bour")],
)
def test_hyphens_at_line_ends_go_by_the_words_of_the_document(elsewhere: str, joined: str) -> None:
    lines = [
        f"It said {elsewhere} on a wall, and the old books that we read say har-",
        "bour too, on all pages of them.",
    ]
    assert f"say {joined} too" in read(PdfPage().lines(lines)).markdown


def test_a_sentence_over_a_page_break_stays_whole_and_the_rest_has_its_own_page() -> None:
    first = PdfPage().lines(["The masons noted in their books that the stones of the outer"])
    second = PdfPage().lines(["wall were younger. The inner wall was never measured by anybody at", "all."])
    document = read(first, second)
    assert texts(document) == [
        "The masons noted in their books that the stones of the outer wall were younger.",
        "The inner wall was never measured by anybody at all.",
    ]
    assert [block.page for block in document.blocks] == [1, 2]


def test_metadata_come_from_the_file() -> None:
    info = "/Title(Harbours)/Subject(On walls)/CreationDate(D:20200102030405+01'00')/ModDate(D:20210203)"
    document = read(PdfPage().lines(PROSE), info=info, catalog="/Lang(en-GB)")
    assert (document.title, document.description, document.language) == ("Harbours", "On walls", "en-GB")
    assert document.published_time == "2020-01-02T03:04:05+01:00"
    assert document.modified_time == "2021-02-03"
    assert not document.published_guessed


def test_a_file_name_for_a_title_gives_way() -> None:
    page = PdfPage().text("Harbours of the north", size=20).lines(PROSE, y=680)
    assert read(page, info="/Title(Microsoft Word - draft7.doc)").title == "Harbours of the north"
    assert read(PdfPage().lines(PROSE), info="/Title(untitled)").title == "paper"


def test_the_xmp_title_counts_first() -> None:
    packet = (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><dc:title><rdf:Alt><rdf:li xml:lang="x-default">'
        "Walls &amp; gates</rdf:li></rdf:Alt></dc:title></rdf:RDF></x:xmpmeta>"
    )
    assert read(PdfPage().lines(PROSE), info="/Title(Old)", packet=packet).title == "Walls & gates"
    endless = packet.replace("&amp;", f"&#{'9' * 5000};")
    assert read(PdfPage().lines(PROSE), packet=endless).title == "Walls \N{REPLACEMENT CHARACTER} gates"


def test_who_wrote_it_comes_from_the_packet_and_the_dictionary() -> None:
    packet = (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description prism:volume="12"><dc:creator><rdf:Seq>'
        "<rdf:li>Doe, Jane</rdf:li><rdf:li>Ángela Ruiz</rdf:li></rdf:Seq></dc:creator>"
        "<prism:doi>10.1234/WALLS.7</prism:doi><prism:publicationName>Walls</prism:publicationName>"
        "<prism:startingPage>3</prism:startingPage><prism:endingPage>9</prism:endingPage>"
        "</rdf:Description></rdf:RDF></x:xmpmeta>"
    )
    document = read(PdfPage().lines(PROSE), info="/Author(Somebody Else)", packet=packet)
    assert document.authors == ("Jane Doe", "Ángela Ruiz")
    assert (document.doi, document.journal, document.volume, document.pages) == (
        "10.1234/walls.7", "Walls", "12", "3–9",
    )  # fmt: skip
    assert document.fact_sources["authors"] == "xmp"
    together = packet.replace("Doe, Jane</rdf:li><rdf:li>Ángela Ruiz", "Jane Doe, John Roe")
    assert read(PdfPage().lines(PROSE), packet=together).authors == ("Jane Doe", "John Roe")
    plain = read(PdfPage().lines(PROSE), info="/Author(Jane Doe and John Roe)")
    assert (plain.authors, plain.fact_sources["authors"]) == (("Jane Doe", "John Roe"), "pdf")
    assert read(PdfPage().lines(PROSE), info="/Author(Microsoft Office User)").authors == ()


def test_the_first_page_of_a_paper_names_its_ids() -> None:
    page = PdfPage().lines(
        ["arXiv:1706.03762v5 [cs.CL] 6 Dec 2017", "https://doi.org/10.1234/Walls.7.", *PROSE]
    )
    document = read(page)
    assert (document.doi, document.arxiv_id) == ("10.1234/walls.7", "1706.03762")
    assert document.fact_sources["doi"] == "text"


def test_links_name_their_address_and_words() -> None:
    page = PdfPage().text("See the harbour book for more.")
    page.links = [
        ((105, 715, 170, 730), "https://example.org/book"),
        ((0, 0, 9, 9), "javascript:alert\\(1\\)"),
    ]
    (link,) = read(page).links
    assert (link.url, link.char_start) == ("https://example.org/book", 0)
    assert "harbour" in link.text


def test_words_that_look_like_markup_stay_words() -> None:
    lines = ["# no heading", "> no quote", "- 5", "a <b> and *c* and `d`"]
    page = PdfPage()
    for index, line in enumerate(lines):
        page.text(line, y=700 - 40 * index)
    document = read(page)
    assert texts(document)[0] == "\\# no heading"
    assert "a \\<b> and \\*c\\* and \\`d\\`" in document.markdown
    assert all(not block.heading_path for block in document.blocks)


def test_the_same_bytes_give_the_same_document() -> None:
    capture = pdf_capture(pdf_bytes([PdfPage().lines(PROSE)]))
    assert extract(capture) == extract(capture)


def test_an_empty_user_password_opens_as_usual() -> None:
    document = extract(pdf_capture((DATA / "owner_password.pdf").read_bytes()))
    assert document.markdown == "These words were locked away."


def refused(body: bytes) -> ExtractionError:
    with pytest.raises(ExtractionError) as failure:
        extract(pdf_capture(body))
    assert failure.value.hint
    return failure.value


def test_a_password_is_named_as_the_reason() -> None:
    assert "password" in refused((DATA / "password.pdf").read_bytes()).message


def test_a_scan_without_text_needs_ocr() -> None:
    assert "OCR" in refused(pdf_bytes([PdfPage().picture()])).message


def test_pages_without_anything_say_so() -> None:
    assert refused(pdf_bytes([PdfPage()])).message == "There is no text in this PDF"


def test_no_pages_is_a_reason() -> None:
    assert "no pages" in refused(pdf_bytes([])).message


@pytest.mark.parametrize("kept", [9, 60, 400])
def test_cut_off_files_are_damaged(kept: int) -> None:
    assert "damaged" in refused(pdf_bytes([PdfPage().lines(PROSE)])[:kept]).message
