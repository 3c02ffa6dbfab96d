"""Lists of Word files: every item has the number and the depth that Word shows."""

from tests.support.captures import check_document
from tests.support.office_files import NAMESPACES, docx, file_capture, item, paragraph
from webrag_desktop.ingestion.extract import extract


def level(at: int, kind: str = "decimal", start: int = 1, more: str = "") -> str:
    return f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{kind}"/>{more}</w:lvl>'


def numbering(*lists: str, overrides: str = "") -> dict[str, str]:
    """Lists numbered from 1, each defined by its levels; ``overrides`` begin the last list again as list 9."""
    definitions = "".join(
        f'<w:abstractNum w:abstractNumId="{at}">{levels}</w:abstractNum>'
        for at, levels in enumerate(lists, 1)
    )
    numbers = "".join(
        f'<w:num w:numId="{at}"><w:abstractNumId w:val="{at}"/></w:num>' for at in range(1, len(lists) + 1)
    )
    again = f'<w:num w:numId="9"><w:abstractNumId w:val="{len(lists)}"/>{overrides}</w:num>'
    return {"word/numbering.xml": f"<w:numbering {NAMESPACES}>{definitions}{numbers}{again}</w:numbering>"}


def read(body: str, parts: dict[str, str] | None = None) -> str:
    document = extract(file_capture(docx(body, parts=parts), "steps.docx"))
    check_document(document)
    return document.markdown


def test_a_list_goes_on_counting_after_a_paragraph() -> None:
    body = item("one", 2) + item("two", 2) + paragraph("Between.") + item("three", 2) + item("four", 2)
    assert read(body) == "1. one\n2. two\n\nBetween.\n\n3. three\n4. four"


def test_a_list_begins_where_its_definition_says() -> None:
    assert read(item("five") + item("six"), numbering(level(0, start=5))) == "5. five\n6. six"


def test_a_list_that_begins_again_counts_again() -> None:
    override = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    body = item("one") + item("two") + paragraph("Again.") + item("first", 9) + item("second", 9)
    assert (
        read(body, numbering(level(0), overrides=override))
        == "1. one\n2. two\n\nAgain.\n\n1. first\n2. second"
    )


def test_inner_numbers_begin_again_below_each_item() -> None:
    body = item("a") + item("a one", level=1) + item("a two", level=1) + item("b") + item("b one", level=1)
    expected = "1. a\n   1. a one\n   2. a two\n2. b\n   1. b one"
    assert read(body, numbering(level(0) + level(1))) == expected


def test_outer_numbers_go_on_after_bullets_of_another_list() -> None:
    parts = numbering(level(0), level(0, "bullet") + level(1, "bullet"))
    body = item("one", 1) + item("point", 2, level=1) + item("two", 1)
    assert read(body, parts) == "1. one\n   - point\n2. two"


def test_levels_without_a_mark_are_no_items() -> None:
    assert read(item("words"), numbering(level(0, "none"))) == "words"


def test_items_of_what_is_not_defined_stay_words() -> None:
    assert read(item("words", 77) + item("more", 1, level=8)) == "words\n\nmore"


def test_styles_name_the_list_and_its_depth() -> None:
    styles = f"""<w:styles {NAMESPACES}>
    <w:style w:type="paragraph" w:styleId="L1"><w:name w:val="List Number"/>
    <w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
    <w:style w:type="paragraph" w:styleId="L2"><w:name w:val="List Number 2"/>
    <w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>
    <w:style w:type="paragraph" w:styleId="Own"><w:name w:val="My step"/><w:basedOn w:val="L1"/></w:style></w:styles>"""
    body = paragraph("one", "L1") + paragraph("one a", "L2") + paragraph("two", "Own")
    assert (
        read(body, {"word/styles.xml": styles, **numbering(level(0), level(0))})
        == "1. one\n   1. one a\n2. two"
    )


def test_a_style_can_take_the_number_away() -> None:
    off = '<w:numPr><w:numId w:val="0"/></w:numPr>'
    assert read(item("one", 2) + paragraph("aside", properties=off)) == "1. one\n\naside"


def test_a_linked_definition_is_that_of_its_style() -> None:
    styles = f"""<w:styles {NAMESPACES}><w:style w:type="numbering" w:styleId="Steps"><w:name w:val="Steps"/>
    <w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>"""
    parts = numbering(level(0), '<w:numStyleLink w:val="Steps"/>')
    assert read(item("one", 2) + item("two", 2), {"word/styles.xml": styles, **parts}) == "1. one\n2. two"
