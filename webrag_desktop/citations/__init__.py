"""Citations: exact spans of stored text, where they came from, and the address that leads there."""

from webrag_desktop.citations.addresses import build_url, slugify
from webrag_desktop.citations.extraction import extract_citation, resolve_span
from webrag_desktop.citations.formatting import format_citation, format_citation_block
from webrag_desktop.citations.spans import CitableChunk, CitationSpan

__all__ = [
    "CitableChunk",
    "CitationSpan",
    "build_url",
    "extract_citation",
    "format_citation",
    "format_citation_block",
    "resolve_span",
    "slugify",
]
