"""Writes citations out below an answer."""

from collections.abc import Iterable

from webrag_desktop.citations.spans import CitationSpan


def format_citation(span: CitationSpan) -> str:
    """``[source_url#section_heading]``; without a heading ``[source_url]``.

    The heading stands as it is read, not as a slug: this is a label. A fragment that the address already has
    gives way to it.
    """
    if not span.section_heading:
        return f"[{span.source_url}]"
    return f"[{span.source_url.partition('#')[0]}#{span.section_heading}]"


def format_citation_block(spans: Iterable[CitationSpan], answer: str = "") -> str:
    """One line per citation, in order, each once.

    A quote that stands in ``answer`` word for word (line breaks and spacing aside) is attributed without
    being repeated.
    """
    told = _one_line(answer)
    lines: dict[str, None] = {}
    for span in spans:
        quoted = _one_line(span.verbatim_text)
        attribution = format_citation(span)
        lines[attribution if quoted in told else f"“{quoted}” {attribution}"] = None
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())
