"""Real pages with what must be found in them, and an independent reading of the Markdown made of them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.support.captures import page_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import NormalizedDocument

FIDELITY_PAGES = Path(__file__).parent.parent / "data" / "fidelity"
_PARSER = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")
_INVISIBLE = frozenset("\u200b\u00ad\ufeff")


@dataclass(frozen=True)
class Read:
    """What an independent parser reads in a Markdown text."""

    headings: list[str] = field(default_factory=list)
    code: list[tuple[str, str]] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)


@cache
def expectations(name: str) -> dict[str, Any]:
    """What ``NAME.yaml`` expects of ``NAME.html``."""
    found: dict[str, Any] = yaml.safe_load((FIDELITY_PAGES / f"{name}.yaml").read_text("utf-8"))
    return found


@cache
def fidelity_document(name: str) -> NormalizedDocument:
    """The document extracted from ``NAME.html`` as if it had been fetched from the address it was published at."""
    expected = expectations(name)
    path = (FIDELITY_PAGES / expected.get("page", f"{name}.html")).resolve()
    return extract(page_capture(path.read_bytes(), expected["address"]))


@cache
def fidelity_reading(name: str) -> Read:
    """Structure of the document's Markdown."""
    return read_markdown_structure(fidelity_document(name).markdown)


def page_names() -> list[str]:
    """Every page with expectations."""
    return sorted(path.stem for path in FIDELITY_PAGES.glob("*.yaml"))


def with_feature(feature: str) -> list[str]:
    """The pages of which something is expected in this feature."""
    return [name for name in page_names() if feature in expectations(name)]


def each_of(feature: str) -> list[Any]:
    """Page and single expectation, for features that are lists."""
    return [(name, item) for name in with_feature(feature) for item in expectations(name)[feature]]


def read_markdown_structure(markdown: str) -> Read:
    """Headings with their marks, code with its language, tables as rows of cells, addresses of links and images.

    White space is collapsed, except in code.
    """
    read = Read()
    tokens = _PARSER.parse(markdown)
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            read.headings.append(f"{token.markup} {plain(tokens[position + 1])}")
        elif token.type == "fence":
            read.code.append((token.info, token.content.rstrip("\n")))
        read.addresses.extend(_addresses(token))
    read.tables.extend(_tables(tokens))
    return read


def plain(token: Token) -> str:
    """The words of an inline token, without marks, invisible characters and superfluous white space."""
    parts = [_words(child) for child in token.children or ()]
    return " ".join("".join(char for char in "".join(parts) if char not in _INVISIBLE).split())


def _addresses(token: Token) -> Iterator[str]:
    for child in token.children or ():
        address = child.attrGet("href") or child.attrGet("src")
        if address:
            yield str(address)


def _words(token: Token) -> str:
    if token.type in {"text", "code_inline"}:
        return token.content
    return " " if token.type in {"softbreak", "hardbreak"} else ""


def _tables(tokens: list[Token]) -> Iterator[list[list[str]]]:
    rows: list[list[str]] = []
    inside = False
    for token in tokens:
        if token.type == "table_open":
            inside, rows = True, []
        elif token.type == "table_close":
            inside = False
            yield [row for row in rows if any(row)]
        elif inside and token.type == "tr_open":
            rows.append([])
        elif inside and token.type == "inline":
            rows[-1].append(plain(token))
