"""Markdown read by an independent CommonMark parser: the words a reader sees, and the structure."""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from benchmarks.extraction_parts.structure import Structure

_PARSER = MarkdownIt("commonmark", {"maxNesting": 200}).enable("table")
_TAG = re.compile(r"<[^<>]*>")
_CODE = frozenset({"fence", "code_block"})


def markdown_text(markdown: str) -> str:
    """The visible words, one block a line; addresses and alternative texts of images are not part of it."""
    return "\n".join(_texts(_PARSER.parse(markdown)))


def markdown_structure(markdown: str) -> Structure:
    """Headings, fenced or indented code, and pipe tables."""
    tokens = _PARSER.parse(markdown)
    headings = [_inline(tokens[at + 1]) for at, token in enumerate(tokens) if token.type == "heading_open"]
    code = [token.content for token in tokens if token.type in _CODE]
    return Structure(tuple(headings), tuple(code), tuple(_tables(tokens)))


def _texts(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in _CODE:
            yield token.content
        elif token.type == "html_block":
            yield _TAG.sub(" ", token.content)
        elif token.type == "inline":
            yield _inline(token)


def _inline(token: Token) -> str:
    return "".join(_piece(child) for child in token.children or ())


def _piece(token: Token) -> str:
    if token.type in {"text", "code_inline"}:
        return token.content
    return " " if token.type in {"softbreak", "hardbreak"} else ""


def _tables(tokens: Sequence[Token]) -> Iterator[str]:
    cells: list[str] | None = None
    for token in tokens:
        if token.type == "table_open":
            cells = []
        elif token.type == "table_close" and cells is not None:
            yield "\n".join(cells)
            cells = None
        elif cells is not None and token.type == "inline":
            cells.append(_inline(token))
