"""Citations written out below an answer."""

from webrag_desktop.citations.spans import CitationSpan
from webrag_desktop.retrieval.contracts.answer_events import Answer, AnswerCitation
from webrag_desktop.text.citation_formats import format_citation


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
    assert format_citation(span("x")) == "[https://a.org/p#Random forests]"
    assert format_citation(span("x", url="https://a.org/p#old")) == "[https://a.org/p#Random forests]"
    assert format_citation(span("x", heading=None)) == "[https://a.org/p]"


def test_the_block_below_an_answer_names_each_place_once_in_the_same_form() -> None:
    spans = (span("many trees", "One", "https://a.org/p#old"), span("few", "Two"), span("many leaves", "One"))
    citations = [
        AnswerCitation(number=number, document_id=None, span=one) for number, one in enumerate(spans, start=1)
    ]
    answer = Answer(
        question="?", kind="extract", basis="chunk", model=None, outcome="complete", citations=citations
    )
    assert answer.references == ["[https://a.org/p#One]", "[https://a.org/p#Two]"]
