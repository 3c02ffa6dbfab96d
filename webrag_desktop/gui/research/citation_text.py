"""A quotation and where it comes from, as text that can be pasted elsewhere: plain, Markdown, or a link."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from webrag_desktop.gui.data.view_data import CitationRow, Passage, ResultGroup
from webrag_desktop.gui.library.document_words import is_web
from webrag_desktop.text.printable import title_line

Format = Literal["text", "markdown", "link"]

_OPENING, _CLOSING = "“", "”"
# What Markdown (CommonMark, with GitHub's tables and strikethrough) could take for markup, wherever it stands.
_MARKUP = re.compile(r"[\\`*_\[\]<>&|~]")
# What it takes for the beginning of a heading, list, rule, fence or quote at the start of a line.
_LINE_MARKUP = re.compile(r"^(#{1,6}(?=\s|$)|[-+=](?=[\s\-+=]|$)|\d{1,9}(?=[.)](?:\s|$))|:(?=[\s-]|$))")
_BARE_ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|www)([:.])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_ENCODED = str.maketrans({char: f"%{ord(char):02X}" for char in ' <>()[]|\\"`^{}\n\r\t'})


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quote with its source. ``link`` leads to the very words where that is possible; a file has none."""

    quote: str
    title: str
    section: str | None = None
    page: int | None = None
    address: str = ""
    link: str | None = None

    @property
    def reference(self) -> str:
        """Title — section, page."""
        section = f" — {title_line(self.section)}" if self.section else ""
        page = f", p. {self.page}" if self.page else ""
        return f"{title_line(self.title)}{section}{page}"


def quotation_of(citation: CitationRow) -> Quotation:
    """The quotation that a citation stands for."""
    return Quotation(
        citation.quote, citation.title, citation.section, citation.page, citation.address, citation.link
    )


def passage_quotation(group: ResultGroup, passage: Passage) -> Quotation:
    """The quotation that citing this passage would make."""
    return Quotation(passage.quote, group.title, passage.heading, passage.page, group.address)


def in_quotes(quote: str) -> str:
    """The quote in curly quotation marks; one that brings its own pair keeps it."""
    inner = quote.strip()
    if inner.startswith(_OPENING) and inner.endswith(_CLOSING) and inner.count(_OPENING) == 1:
        return inner
    return f"{_OPENING}{inner}{_CLOSING}"


def reference_text(quotation: Quotation) -> str:
    """Title — section, page. Address."""
    return ". ".join(part for part in (quotation.reference, title_line(quotation.address)) if part)


def reference_markdown(quotation: Quotation) -> str:
    """The reference as a Markdown link, or as plain Markdown where there is nothing to link to."""
    words = escaped(quotation.reference)
    target = quotation.link or (quotation.address if is_web(quotation.address) else None)
    return f"[{words}]({_destination(target)})" if target else words


def reference(quotation: Quotation, form: Format) -> str:
    """The reference in a form; a link where there is none is the empty string."""
    if form == "link":
        return quotation.link or ""
    return reference_markdown(quotation) if form == "markdown" else reference_text(quotation)


def quotation_text(quotation: Quotation) -> str:
    """“Quote” (title — section, page. Address)."""
    return f"{in_quotes(_one_line(quotation.quote))} ({reference_text(quotation)})"


def quotation_markdown(quotation: Quotation) -> str:
    """The quote as a block quotation, the reference below it."""
    lines = quotation.quote.strip().splitlines() or [""]
    block = "\n".join(f"> {_escaped_line(line)}".rstrip() for line in lines)
    return f"{block}\n\n{reference_markdown(quotation)}"


def all_as_text(citations: Iterable[CitationRow]) -> str:
    """Every citation with its number: quotes first, then the list of references."""
    rows = list(citations)
    quotes = [f"[{row.number}] {in_quotes(_one_line(row.quote))}" for row in rows]
    references = [f"[{row.number}] {reference_text(quotation_of(row))}" for row in rows]
    return "\n".join([*quotes, "", *references]) + "\n" if rows else ""


def all_as_markdown(citations: Iterable[CitationRow]) -> str:
    """Every citation as a block quotation with its reference below."""
    return "\n\n".join(quotation_markdown(quotation_of(row)) for row in citations)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def escaped(text: str) -> str:
    """Literal text for the inside of a line. A bare address would become a link of its own, so it is broken up."""
    literal = _MARKUP.sub(lambda found: "\\" + found.group(), _one_line(text))
    return _BARE_ADDRESS.sub(r"\1\\\2", literal)


def _destination(address: str) -> str:
    """An address that ends where it ends, whatever it holds."""
    return _ENTITY.sub(r"\\&", address.strip().translate(_ENCODED))


def _escaped_line(line: str) -> str:
    shown = escaped(line)
    start = _LINE_MARKUP.match(shown)
    if start is None:
        return shown
    at = start.end() if start.group().isdigit() else 0
    return f"{shown[:at]}\\{shown[at:]}"
