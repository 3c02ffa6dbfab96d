"""Citations written out below an answer."""

import pytest

from webrag_desktop.citations.spans import CitationSpan
from webrag_desktop.retrieval.contracts.answer_events import Answer, AnswerCitation
from webrag_desktop.text.citation_formats import (
    MARKDOWN,
    PLAIN_TEXT,
    Quotation,
    by_line,
    cited_address,
    reference,
)


def span(text: str, heading: str | None = "Random forests", url: str = "https://a.org/p") -> CitationSpan:
    return CitationSpan(
        verbatim_text=text,
        source_url=url,
        section_heading=heading,
        char_start=0,
        char_end=len(text),
        token_start=0,
        token_end=1,
        title=None,
    )


def test_a_citation_names_address_and_section() -> None:
    assert cited_address(span("x")) == "[https://a.org/p#Random forests]"
    assert cited_address(span("x", url="https://a.org/p#old")) == "[https://a.org/p#Random forests]"
    assert cited_address(span("x", heading=None)) == "[https://a.org/p]"


def test_the_block_below_an_answer_names_each_place_once_in_the_same_form() -> None:
    spans = (span("many trees", "One", "https://a.org/p#old"), span("few", "Two"), span("many leaves", "One"))
    citations = [
        AnswerCitation(number=number, document_id=None, span=one) for number, one in enumerate(spans, start=1)
    ]
    answer = Answer(
        question="?", kind="extract", basis="chunk", model=None, outcome="complete", citations=citations
    )
    assert answer.references == ["[https://a.org/p#One]", "[https://a.org/p#Two]"]


def test_a_place_is_named_from_the_title_down_without_repeating_a_name() -> None:
    assert reference("Tide pools", "Low tide", "Limpets", page=3) == "Tide pools — Low tide — Limpets, p. 3"
    assert reference("Tide pools", None, "", "tide Pools") == "Tide pools"
    assert reference("", "Low tide", page=3, page_words="S. {0}") == "Low tide, S. 3"
    assert reference(None, page=3) == "p. 3"
    assert reference(None) == ""


def test_the_innermost_heading_that_can_be_read_names_the_section() -> None:
    made = Quotation.at(
        "https://a.org/p", "Limpets clamp.", "*Tide* pools", ("Low", "`Rocks`", ""), page=3, anchor=None
    )
    assert made.reference == "Tide pools — Rocks, p. 3"
    assert made.target == "https://a.org/p#rocks:~:text=Limpets%20clamp."
    unnamed = Quotation.at("file:///notes/My%20tides.md", "Limpets clamp.", None, ("My tides.md",), page=None)
    assert (unnamed.reference, unnamed.target) == ("My tides.md", None)


@pytest.mark.parametrize(
    ("authors", "published", "said"),
    [
        (("Jane Doe",), "2021-05-03", "Jane Doe (2021)"),
        (("Jane Doe", "Ángela Ruiz"), None, "Jane Doe, Ángela Ruiz"),
        (("A B", "C D", "E F", "G H"), "1999", "A B et al. (1999)"),
        ((), "2021", ""),
        (("\n ",), "2021", ""),
    ],
)
def test_authors_and_year(authors: tuple[str, ...], published: str | None, said: str) -> None:
    assert by_line(authors, published) == said


def test_a_reference_begins_with_who_wrote_it() -> None:
    quotation = Quotation("It rises.", "Tides", page=3, address="https://a.example/t", by="Jane Doe (2021)")
    assert PLAIN_TEXT.reference(quotation) == "Jane Doe (2021). Tides, p. 3. https://a.example/t"
    assert MARKDOWN.reference(quotation).startswith("[Jane Doe (2021). Tides, p. 3](")
