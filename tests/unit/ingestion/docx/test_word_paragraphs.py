"""What a Word manuscript quotes: by its marks, its styles and its indents."""

import pytest

from tests.support.office_files import NAMESPACES, docx, item, paragraph, table
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.docx.document import word_paragraphs
from webrag_desktop.text.quotations import Paragraph, Quotation, quotations_in_paragraphs

STYLES = f"""<w:styles {NAMESPACES}>
<w:style w:type="paragraph" w:styleId="Q"><w:name w:val="Quote"/></w:style>
<w:style w:type="paragraph" w:styleId="I"><w:name w:val="Intense Quote"/></w:style>
<w:style w:type="paragraph" w:styleId="B"><w:name w:val="My block quotation"/></w:style>
<w:style w:type="paragraph" w:styleId="L"><w:name w:val="List Paragraph"/></w:style>
<w:style w:type="paragraph" w:styleId="P"><w:name w:val="HTML Preformatted"/></w:style>
</w:styles>"""
NOTES = f"""<w:footnotes {NAMESPACES}>
<w:footnote w:id="2"><w:p><w:r><w:t>Says “in the note”.</w:t></w:r></w:p></w:footnote></w:footnotes>"""
INDENTED = '<w:ind w:left="720"/>'


def read(*parts: str, **more: str) -> list[Paragraph]:
    return word_paragraphs(docx("".join(parts), parts={"word/styles.xml": STYLES, **more}))


def test_paragraphs_are_quotations_by_style_and_indent() -> None:
    found = read(
        paragraph("Plain."),
        paragraph("By style.", "Q"),
        paragraph("By another.", "I"),
        paragraph("By a name of one's own.", "B"),
        paragraph("Set in.", properties=INDENTED),
        paragraph("A little.", properties='<w:ind w:left="200"/>'),
        paragraph("Ada, 1843. Hanging.", properties='<w:ind w:left="720" w:hanging="720"/>'),
        paragraph("In a list.", "L", properties=INDENTED),
        item("An item"),
    )
    assert [one.text for one in found if one.is_quote] == [
        "By style.",
        "By another.",
        "By a name of one's own.",
        "Set in.",
    ]


def test_empty_paragraphs_do_not_count_and_code_is_left_out() -> None:
    found = read(paragraph("One."), paragraph(), paragraph('x = "a b c"', "P"), paragraph("Three."))
    assert [(one.number, one.text) for one in found] == [(1, "One."), (3, "Three.")]


def test_tables_and_notes_are_read_where_they_stand() -> None:
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    found = read(
        table(("Who", "What"), ("Ada", "“in a cell”")),
        paragraph("A note.", runs=note),
        paragraph("After."),
        **{"word/footnotes.xml": NOTES},
    )
    assert [(one.number, one.text) for one in found[-3:]] == [
        (5, "A note."),
        (5, "Says “in the note”."),
        (6, "After."),
    ]
    assert quotations_in_paragraphs(found).found == (Quotation("in a cell", 4), Quotation("in the note", 5))


def test_runs_tabs_and_breaks_are_one_text_and_deleted_words_are_gone() -> None:
    runs = (
        "<w:r><w:t>“in </w:t></w:r><w:del><w:r><w:delText>no </w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>two</w:t></w:r></w:ins><w:r><w:br/><w:t>runs”</w:t></w:r>"
    )
    (one,) = read(paragraph(runs=runs))
    assert one.text == "“in two\nruns”"


def test_what_is_no_word_file_is_refused() -> None:
    with pytest.raises(ExtractionError):
        word_paragraphs(b"PK\x03\x04 nothing of it")


def test_raised_figures_read_as_in_stored_pages_and_ordinals_as_they_are() -> None:
    def raised(text: str) -> str:
        return f'<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{text}</w:t></w:r>'

    found = read(paragraph("About 10", runs=raised("5")), paragraph("On the 21", runs=raised("st")))
    assert [one.text for one in found] == ["About 10^5", "On the 21st"]
