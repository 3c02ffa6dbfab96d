"""Writes citations out below an answer."""

from webrag_desktop.citations.spans import CitationSpan


def format_citation(span: CitationSpan) -> str:
    """``[source_url#section_heading]``; without a heading ``[source_url]``.

    The heading stands as it is read, not as a slug: this is a label. A fragment that the address already has
    gives way to it.
    """
    if not span.section_heading:
        return f"[{span.source_url}]"
    return f"[{span.source_url.partition('#')[0]}#{span.section_heading}]"
