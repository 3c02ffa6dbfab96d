"""Citations written out below an answer."""

from webrag_desktop.citations.formatting import format_citation, format_citation_block
from webrag_desktop.citations.spans import CitationSpan


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


def test_quotes_already_in_the_answer_are_only_attributed() -> None:
    spans = [span("many\ntrees", "One"), span("fewer leaves", "Two"), span("many trees", "One")]
    block = format_citation_block(spans, answer="A forest has many  trees.")
    assert block == "[https://a.org/p#One]\n“fewer leaves” [https://a.org/p#Two]"


def test_without_citations_there_is_no_block() -> None:
    assert format_citation_block([]) == ""
