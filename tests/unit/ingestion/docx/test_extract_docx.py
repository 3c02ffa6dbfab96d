"""Word files: one checked expectation per feature."""

import io
import zipfile

import pytest

from tests.support.captures import check_document
from tests.support.office_files import NAMESPACES, docx, file_capture, item, paragraph, table, zipped
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.docx import document as docx_package
from webrag_desktop.ingestion.extract import addresses_of, extract
from webrag_desktop.models.documents import NormalizedDocument

NOTES = f"""<w:footnotes {NAMESPACES}><w:footnote w:type="separator" w:id="-1"><w:p/></w:footnote>
<w:footnote w:id="2"><w:p><w:r><w:t>What the note says.</w:t></w:r></w:p></w:footnote></w:footnotes>"""
COMMENTS = f"""<w:comments {NAMESPACES}><w:comment w:id="0"><w:p><w:r><w:t>private remark</w:t></w:r></w:p></w:comment>
</w:comments>"""
CORE = """<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Tide tables</dc:title>
<dc:creator>A. Author</dc:creator><dc:description>About tides.</dc:description><dc:language>de-AT</dc:language>
<dcterms:created>2021-05-03T10:00:00Z</dcterms:created><dcterms:modified>2022-01-02T00:00:00Z</dcterms:modified>
</cp:coreProperties>"""


def read(
    body: str, parts: dict[str, str] | None = None, links: dict[str, str] | None = None
) -> NormalizedDocument:
    document = extract(file_capture(docx(body, parts=parts, links=links), "report.docx"))
    check_document(document)
    return document


def math(content: str) -> str:
    return f"<m:oMath>{content}</m:oMath>"


def part(name: str, text: str) -> str:
    return f"<m:{name}><m:r><m:t>{text}</m:t></m:r></m:{name}>"


def test_headings_come_from_styles_whatever_they_are_called() -> None:
    document = read(
        paragraph("Whole", "Titel")
        + paragraph("One", "berschrift1")
        + paragraph("Two", "Chapter")
        + paragraph("Three", "Outlined")
        + paragraph("Direct", properties='<w:outlineLvl w:val="0"/>')
        + paragraph("Text below.")
    )
    assert document.markdown == "# Whole\n\n# One\n\n## Two\n\n### Three\n\n# Direct\n\nText below."
    assert document.blocks[3].heading_path == ("One", "Two", "Three")
    assert document.blocks[-1].heading_path == ("Direct",)
    assert document.title == "Whole"
    assert document.doc_type == "docx"


def test_styles_based_on_each_other_end() -> None:
    styles = f"""<w:styles {NAMESPACES}>
    <w:style w:type="paragraph" w:styleId="A"><w:name w:val="A"/><w:basedOn w:val="B"/></w:style>
    <w:style w:type="paragraph" w:styleId="B"><w:name w:val="B"/><w:basedOn w:val="A"/></w:style></w:styles>"""
    assert read(paragraph("Words", "A"), {"word/styles.xml": styles}).markdown == "Words"


def test_footnotes_stand_at_the_end_and_comments_nowhere() -> None:
    runs = '<w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:commentReference w:id="0"/></w:r>'
    parts = {"word/footnotes.xml": NOTES, "word/comments.xml": COMMENTS}
    document = read(paragraph("Said here", runs=runs) + paragraph("Last words."), parts)
    assert document.markdown == "Said here\\[1\\]\n\nLast words.\n\n1. What the note says."
    assert "private" not in (document.html or "")


def nested(*rows: tuple[str, ...]) -> str:
    """A table whose cells are ready-made."""
    made = (f"<w:tr>{''.join(f'<w:tc>{cell}</w:tc>' for cell in row)}</w:tr>" for row in rows)
    return f"<w:tbl>{''.join(made)}</w:tbl>"


def test_a_table_within_a_cell_is_the_value_of_that_cell() -> None:
    inner = table(("a", "b"), ("1", "2")) + paragraph()
    rows = [
        (paragraph("Name"), paragraph("Values")),
        (paragraph("x"), inner),
        (paragraph("y"), paragraph("none")),
    ]
    document = read(paragraph("Before") + nested(*rows) + paragraph("After"))
    assert document.markdown == (
        "Before\n\n| Name | Values |\n| --- | --- |\n| x | a, b; 1, 2 |\n| y | none |\n\nAfter"
    )


def test_a_table_that_arranges_tables_goes_and_they_stay() -> None:
    inner = table(("a", "b"), ("1", "2")) + paragraph()
    rows = [(inner, paragraph("beside")), (paragraph("under"), inner)]
    markdown = read(paragraph("Before") + nested(*rows)).markdown
    assert markdown.count("| a | b |\n| --- | --- |\n| 1 | 2 |") == 2
    assert "beside" in markdown


def test_tracked_changes_are_accepted() -> None:
    runs = (
        '<w:ins w:id="1"><w:r><w:t>new </w:t></w:r></w:ins>'
        '<w:del w:id="2"><w:r><w:delText>old </w:delText></w:r></w:del>'
        '<w:moveFrom w:id="3"><w:r><w:t>away </w:t></w:r></w:moveFrom>'
        '<w:moveTo w:id="4"><w:r><w:t>here</w:t></w:r></w:moveTo>'
    )
    deleted = paragraph("cut ", properties="<w:rPr><w:del/></w:rPr>")
    assert (
        read(paragraph("the ", runs=runs) + deleted + paragraph("off")).markdown == "the new here\n\ncut off"
    )


def test_lists_nest() -> None:
    document = read(
        item("one") + item("inside", level=1) + item("two") + item("first", 2) + item("second", 2)
    )
    assert document.markdown == "- one\n  1. inside\n- two\n\n1. first\n2. second"


def test_tables_are_pipe_tables_with_their_html() -> None:
    document = read(table(("Place", "Height"), ("Quay | east", "3 m")))
    assert document.markdown == "| Place | Height |\n| --- | --- |\n| Quay \\| east | 3 m |"
    block = document.blocks[0]
    assert block.flags.has_table
    assert "<th>" in (block.html or "")


def test_code_and_quotes_come_from_styles() -> None:
    document = read(
        paragraph("def f():", "Pre") + paragraph("    return 1", "Pre") + paragraph("Said.", "Zitat")
    )
    assert document.markdown == "```\ndef f():\n    return 1\n```\n\n> Said."
    assert document.blocks[0].flags.has_code


def test_empty_paragraphs_between_code_are_its_blank_lines() -> None:
    document = read(
        paragraph("a", "Pre") + paragraph() + paragraph("b", "Pre") + paragraph() + paragraph("End.")
    )
    assert document.markdown == "```\na\n\nb\n```\n\nEnd."


def test_paragraphs_in_a_monospaced_font_are_code() -> None:
    font = '<w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr>'
    lines = [f'<w:r>{font}<w:t xml:space="preserve">{line}</w:t></w:r>' for line in ("if a:", "    b")]
    text = paragraph("What the code does is told here, in words.") + "".join(
        paragraph(runs=run) for run in lines
    )
    assert read(text).markdown.endswith("\n\n```\nif a:\n    b\n```")
    part_of_line = paragraph("The word ", runs=lines[0])
    assert read(paragraph("What the code does is told here.") + part_of_line).markdown.endswith(
        "The word if a:"
    )


def test_a_typewritten_document_is_prose() -> None:
    font = '<w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr>'
    assert read(paragraph(runs=f"<w:r>{font}<w:t>Dear Sir,</w:t></w:r>")).markdown == "Dear Sir,"


def test_simple_fields_are_the_words_they_show_and_hidden_text_goes() -> None:
    field = '<w:fldSimple w:instr=" SEQ Figure "><w:r><w:t>7</w:t></w:r></w:fldSimple>'
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"
    shown = '<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t> of nine</w:t></w:r>'
    assert read(paragraph("Figure ", runs=field + hidden + shown)).markdown == "Figure 7 of nine"


def test_tables_with_paragraphs_and_points_in_their_cells_stay_tables() -> None:
    cells = [
        paragraph("a"),
        paragraph("first") + paragraph("second") + item("point"),
        paragraph("b"),
        paragraph("c"),
    ]
    rows = ["".join(f"<w:tc>{cell}</w:tc>" for cell in row) for row in (cells[:2], cells[2:])]
    document = read(f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>")
    assert document.markdown == "| a | first second - point |\n| --- | --- |\n| b | c |"
    assert document.blocks[0].flags.has_table


def test_links_lead_out_and_dangling_ones_stay_words() -> None:
    runs = (
        '<w:hyperlink r:id="l1"><w:r><w:t>out</w:t></w:r></w:hyperlink><w:r><w:t xml:space="preserve"> </w:t></w:r>'
        '<w:hyperlink w:anchor="mark"><w:r><w:t>inside</w:t></w:r></w:hyperlink>'
        '<w:hyperlink r:id="gone"><w:r><w:t>, nowhere</w:t></w:r></w:hyperlink>'
        '<w:hyperlink r:id="l2"><w:r><w:t>, script</w:t></w:r></w:hyperlink>'
        '<w:r><w:footnoteReference w:id="99"/></w:r>'
    )
    links = {"l1": "https://example.org/x", "l2": "javascript:alert(1)"}
    document = read(paragraph("See ", runs=runs), links=links)
    assert document.markdown == "See [out](https://example.org/x) inside, nowhere, script"
    assert [link.url for link in document.links] == ["https://example.org/x"]


def test_formulas_are_latex() -> None:
    inline = math(
        f"<m:f>{part('num', 'a+b')}{part('den', '2')}</m:f><m:sSup>{part('e', 'x')}{part('sup', 'n')}</m:sSup>"
        f"<m:rad>{part('deg', '3')}{part('e', 'α')}</m:rad><m:d>{part('e', 'y')}</m:d>"
    )
    limits = part("sub", "i=0") + part("sup", "∞") + part("e", "i")
    nary = f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>{limits}</m:nary>'
    document = read(
        paragraph("Take ", runs=inline) + f"<w:p><m:oMathPara>{math(nary)}</m:oMathPara></w:p>",
    )
    assert document.markdown == (
        "Take $\\frac{a+b}{2}x^{n}\\sqrt[3]{\\alpha}\\left( y \\right)$\n\n$$\\sum_{i=0}^{\\infty} i$$"
    )
    assert all(block.flags.has_math for block in document.blocks)


def test_pictures_are_their_descriptions() -> None:
    about = '<wp:docPr id="1" name="i" descr="A tide gauge"/>'
    drawing = f"<w:r><w:drawing><wp:inline>{about}<a:graphic/></wp:inline></w:drawing></w:r>"
    drawn = '<w:r><w:pict><v:shape alt="Old map"><v:imagedata r:id="missing"/></v:shape></w:pict></w:r>'
    assert read(paragraph("See: ", runs=drawing)).markdown == "See: A tide gauge"
    assert "Old map" in read(paragraph("See: ", runs=drawn)).markdown


def test_text_boxes_are_read_once() -> None:
    box = f"<w:txbxContent>{paragraph('Boxed words.')}</w:txbxContent>"
    both = (
        f"<w:r><mc:AlternateContent><mc:Choice><w:drawing>{box}</w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>"
        f"{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert read(paragraph("Before.", runs=both)).markdown.count("Boxed words.") == 1
    assert (
        "Boxed words." in read(paragraph("Before.", runs=f"<w:r><w:drawing>{box}</w:drawing></w:r>")).markdown
    )


def test_the_table_of_contents_is_left_out() -> None:
    gallery = (
        '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
        f"<w:sdtContent>{paragraph('Contents 9')}</w:sdtContent></w:sdt>"
    )
    assert read(gallery + paragraph("One 3", "Verzeichnis1") + paragraph("Kept.")).markdown == "Kept."


def test_metadata() -> None:
    document = read(paragraph("Words."), {"docProps/core.xml": CORE})
    assert (document.title, document.description, document.language) == (
        "Tide tables",
        "About tides.",
        "de-AT",
    )
    assert (document.published_time or "").startswith("2021-05-03")
    assert (document.modified_time or "").startswith("2022-01-02")
    assert (document.authors, document.fact_sources["authors"]) == (("A. Author",), "docx")
    several = CORE.replace("A. Author", "Jane Doe; Roe, John")
    assert read(paragraph("Words."), {"docProps/core.xml": several}).authors == ("Jane Doe", "John Roe")
    assert read(paragraph("Words.")).language == "en-GB"
    assert read(paragraph("Words.")).title == "report"
    assert read(paragraph("Only", "berschrift1")).title == "Only"


def test_strict_files_are_read() -> None:
    strict = docx(paragraph("One", "berschrift1"))
    purl = {
        b"http://schemas.openxmlformats.org/wordprocessingml/2006/main": b"http://purl.oclc.org/ooxml/wordprocessingml/main",
        b"http://schemas.openxmlformats.org/officeDocument/2006/": b"http://purl.oclc.org/ooxml/officeDocument/",
    }
    entries = {}
    with zipfile.ZipFile(io.BytesIO(strict)) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            for usual, other in purl.items():
                content = content.replace(usual, other)
            entries[name] = content
    assert extract(file_capture(zipped(entries), "s.docx")).markdown == "# One"


def test_the_same_bytes_give_the_same_document() -> None:
    capture = file_capture(docx(paragraph("One", "berschrift1") + item("a")), "a.docx")
    document = extract(capture)
    assert document == extract(capture)
    assert addresses_of(capture, document) == [(capture.url, "given")]
    assert document.html == "\n".join(block.html or "" for block in document.blocks)


NESTED = "<w:tbl><w:tr><w:tc>" * 60 + paragraph("deep") + "</w:tc></w:tr></w:tbl>" * 60


@pytest.mark.parametrize(
    ("body", "parts", "reason"),
    [
        ("", {}, "No text was found"),
        (NESTED, {}, "not safe to read|nested more deeply"),
        ("<w:p>", {}, "damaged"),
        (paragraph("x"), {"word/styles.xml": "<broken"}, "damaged"),
        (paragraph("x"), {"word/styles.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a/>'}, "not safe to read"),
        (paragraph("x"), {"word/document.xml": "<other/>"}, "damaged"),
        (
            '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="many"/></w:tcPr></w:tc></w:tr></w:tbl>',
            {},
            "damaged",
        ),
    ],
)
def test_what_cannot_be_read_is_reported(body: str, parts: dict[str, str], reason: str) -> None:
    with pytest.raises(ExtractionError, match=reason) as caught:
        read(body, parts)
    assert caught.value.hint


def test_relations_do_not_lead_out_of_the_file() -> None:
    relations = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
    <Relationship Id="r1" Type="http://x/officeDocument" Target="../../etc/passwd"/></Relationships>"""
    assert read(paragraph("Still read."), {"_rels/.rels": relations}).markdown == "Still read."


def test_more_elements_than_memory_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docx_package, "_MOST_TAGS", 40)
    with pytest.raises(ExtractionError, match="larger than can be read"):
        read(paragraph("Words.") * 10, {"word/styles.xml": f"<w:styles {NAMESPACES}/>"})
