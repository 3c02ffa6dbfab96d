"""Citations written out: every format in one table, for the menus of the window and for the command line."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, Self

from webrag_desktop.text.links import is_web
from webrag_desktop.text.printable import single_spaced, title_line

if TYPE_CHECKING:
    from webrag_desktop.models.citations import StoredCitation

_OPENING, _CLOSING = "“", "”"
# What Markdown (CommonMark, with GitHub's tables and strikethrough) could take for markup, wherever it is.
_MARKUP = re.compile(r"[\\`*_\[\]<>&|~]")
_BARE_ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|www)([:.])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_ENCODED = str.maketrans({char: f"%{ord(char):02X}" for char in ' <>()[]|\\"`^{}\n\r\t'})


@cache
def _line_markup() -> re.Pattern[str]:
    """What Markdown takes for the beginning of a heading, list or rule.

    :data:`_MARKUP` has fences, quotes and the other marks. The grammar is imported at the first citation: it is many
    patterns, and a window begins with none.
    """
    from webrag_desktop.text.markdown_grammar import HASHES, ITEM_NUMBER

    return re.compile(rf"^({HASHES}(?=\s|$)|[-+=](?=[\s\-+=]|$)|{ITEM_NUMBER}(?=[.)](?:\s|$))|:(?=[\s-]|$))")


def reference(*names: str | None, page: int | None = None, page_words: str = "p. {0}") -> str:
    """``Title — section, p. 3``: how a place is named, wherever one reads of it.

    ``names`` are as they are shown, from the title down; no name is repeated.
    """
    named: dict[str, str] = {}
    for name in filter(None, names):
        named.setdefault(name.casefold(), name)
    return ", ".join(filter(None, (" — ".join(named.values()), page_words.format(page) if page else "")))


_MOST_NAMED = 3  # authors; of more the first is named


def by_line(authors: Sequence[str], published: str | None) -> str:
    """``Jane Doe, John Roe (2021)``: who wrote something, and the year; empty where no author is known."""
    names = [one for name in authors if (one := title_line(name))]
    if not names:
        return ""
    said = f"{names[0]} et al." if len(names) > _MOST_NAMED else ", ".join(names)
    return f"{said} ({published[:4]})" if published else said


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quote with its source. ``link`` leads to the very words where that is possible; a file has none.

    ``by`` names authors and year, as :func:`by_line` does.
    """

    quote: str
    title: str
    section: str | None = None
    page: int | None = None
    address: str = ""
    link: str | None = None
    by: str = ""

    @classmethod
    def of(cls, stored: "StoredCitation") -> Self:
        """The quotation of a stored citation."""
        headings = (stored.section_heading, stored.heading)
        quotation = cls.at(
            stored.source_url, stored.quote, stored.title, headings, page=stored.page, anchor=stored.anchor
        )
        return replace(quotation, by=by_line(stored.authors, stored.published_time))

    @classmethod
    def at(
        cls,
        address: str,
        quote: str,
        title: str | None,
        headings: Iterable[str | None],
        *,
        page: int | None,
        anchor: str | None = None,
    ) -> Self:
        """A quotation from a place, its names on one line and without markup; ``headings`` are from the top down."""
        from webrag_desktop.text.links import build_url  # this and plain_text cost the window's start

        heading = next(filter(_one_line_of, reversed([one or "" for one in headings])), "")
        name = _one_line_of(title or "") or _name(address)
        section = _one_line_of(heading)
        return cls(
            quote=quote,
            title=name,
            section=section if section and section.casefold() != name.casefold() else None,
            page=page,
            address=address,
            link=build_url(address, heading, anchor=anchor, text=quote) if is_web(address) else None,
        )

    @property
    def reference(self) -> str:
        """Authors (year). Title — section, page."""
        named = reference(title_line(self.title), title_line(self.section or ""), page=self.page)
        return f"{self.by}. {named}" if self.by else named

    @property
    def target(self) -> str | None:
        """Where its reference leads: to the words, else to the page; None for a file."""
        return self.link or (self.address if is_web(self.address) else None)


class CitationFormat(ABC):
    """One way to write citations; a new one is a subclass and its line in :data:`IN_MENUS`, or
    in :data:`FORMATS` for the command line alone.

    ``name`` is its value on the command line, ``label`` its name in menus: “Copy as …”.
    """

    name: ClassVar[str]
    label: ClassVar[str]

    @abstractmethod
    def reference(self, quotation: Quotation) -> str:
        """Authors (year). Title — section, page, and the address or a link to it."""

    @abstractmethod
    def quotation(self, quotation: Quotation) -> str:
        """The quote with its reference."""

    @abstractmethod
    def numbered(self, number: int, quotation: Quotation, *, with_quote: bool = True) -> str:
        """``[1] “Quote” (reference)``, as below an answer; without the quote where the answer holds it already."""

    @abstractmethod
    def listed(self, quotations: Sequence[Quotation]) -> str:
        """All of a list of citations, in their order."""


class PlainText(CitationFormat):
    """Text that can be pasted anywhere."""

    name = "text"
    label = "text"

    def reference(self, quotation: Quotation) -> str:
        """Title — section, page. Address."""
        return ". ".join(part for part in (quotation.reference, title_line(quotation.address)) if part)

    def quotation(self, quotation: Quotation) -> str:
        """“Quote” (title — section, page. Address)."""
        return f"{in_quotes(single_spaced(quotation.quote))} ({self.reference(quotation)})"

    def numbered(self, number: int, quotation: Quotation, *, with_quote: bool = True) -> str:
        """``[1] “Quote” (reference)``, or ``[1] Reference``."""
        return f"[{number}] {self.quotation(quotation) if with_quote else self.reference(quotation)}"

    def listed(self, quotations: Sequence[Quotation]) -> str:
        """The quotes with their numbers, then the references with theirs."""
        quotes = [
            f"[{number}] {in_quotes(single_spaced(one.quote))}" for number, one in enumerate(quotations, 1)
        ]
        references = [f"[{number}] {self.reference(one)}" for number, one in enumerate(quotations, 1)]
        return "\n".join([*quotes, "", *references]) + "\n" if quotations else ""


class Markdown(CitationFormat):
    """Markdown in which nothing of a quote, title or address is taken for markup."""

    name = "markdown"
    label = "Markdown"

    def reference(self, quotation: Quotation) -> str:
        """A link, or plain Markdown where there is nothing to link to."""
        words = escaped(quotation.reference)
        return f"[{words}]({_destination(quotation.target)})" if quotation.target else words

    def quotation(self, quotation: Quotation) -> str:
        """The quote as a block quotation, the reference below it."""
        lines = quotation.quote.strip().splitlines() or [""]
        block = "\n".join(f"> {_escaped_line(line)}".rstrip() for line in lines)
        return f"{block}\n\n{self.reference(quotation)}"

    def numbered(self, number: int, quotation: Quotation, *, with_quote: bool = True) -> str:
        r"""``\[1\] “Quote” (reference)``."""
        quote = f"{escaped(in_quotes(quotation.quote))} " if with_quote else ""
        return rf"\[{number}\] {quote}({self.reference(quotation)})"

    def listed(self, quotations: Sequence[Quotation]) -> str:
        """Each as a block quotation with its reference below."""
        return "\n\n".join(map(self.quotation, quotations))


class Html(CitationFormat):
    """HTML, for word processors."""

    name = "html"
    label = "HTML"

    def reference(self, quotation: Quotation) -> str:
        """A link, or the plain reference where there is nothing to link to."""
        if quotation.target is None:
            return escape(PLAIN_TEXT.reference(quotation))
        return f'<a href="{escape(quotation.target)}">{escape(quotation.reference)}</a>'

    def quotation(self, quotation: Quotation) -> str:
        """``“Quote” (reference)``."""
        return f"{escape(in_quotes(single_spaced(quotation.quote)))} ({self.reference(quotation)})"

    def numbered(self, number: int, quotation: Quotation, *, with_quote: bool = True) -> str:
        """``[1] “Quote” (reference)``, or ``[1] (reference)``."""
        return f"[{number}] {self.quotation(quotation) if with_quote else f'({self.reference(quotation)})'}"

    def listed(self, quotations: Sequence[Quotation]) -> str:
        """A paragraph each."""
        return "".join(f"<p>{self.numbered(number, one)}</p>" for number, one in enumerate(quotations, 1))


PLAIN_TEXT: Final = PlainText()
MARKDOWN: Final = Markdown()
HTML: Final = Html()
# What the menus of the window offer; its first is what the keyboard copies. The command line offers HTML, too.
IN_MENUS: Final[tuple[CitationFormat, ...]] = (PLAIN_TEXT, MARKDOWN)
FORMATS: Final[dict[str, CitationFormat]] = {one.name: one for one in (*IN_MENUS, HTML)}


class Located(Protocol):
    """What names its page and the section it is in."""

    @property
    def source_url(self) -> str:
        """The address of the page."""

    @property
    def section_heading(self) -> str | None:
        """The heading above it."""


def cited_address(span: Located) -> str:
    """``[source_url#section_heading]``; without a heading ``[source_url]``: a line below an answer.

    The heading is written as it is read, not as a slug, since this is a label. It replaces a fragment of the address.
    """
    if not span.section_heading:
        return f"[{span.source_url}]"
    return f"[{span.source_url.partition('#')[0]}#{span.section_heading}]"


def in_quotes(quote: str) -> str:
    """The quote in curly quotation marks; one that brings its own pair keeps it."""
    inner = quote.strip()
    if inner.startswith(_OPENING) and inner.endswith(_CLOSING) and inner.count(_OPENING) == 1:
        return inner
    return f"{_OPENING}{inner}{_CLOSING}"


def escaped(text: str) -> str:
    """Literal text for the inside of a line of Markdown; a bare address is broken up, so that it is no link."""
    literal = _MARKUP.sub(lambda found: "\\" + found.group(), single_spaced(text))
    return _BARE_ADDRESS.sub(r"\1\\\2", literal)


def _one_line_of(markdown: str) -> str:
    from webrag_desktop.text.plain_text import project_line

    return project_line(markdown)


def _name(address: str) -> str:
    from webrag_desktop.text.links import file_path

    is_file = address.startswith("file:")
    name = file_path(address).name if is_file else address.partition("://")[2]
    return title_line(name) or address


def _destination(address: str) -> str:
    """An address that ends where it ends, whatever it holds."""
    return _ENTITY.sub(r"\\&", address.strip().translate(_ENCODED))


def _escaped_line(line: str) -> str:
    shown = escaped(line)
    start = _line_markup().match(shown)
    if start is None:
        return shown
    at = start.end() if start.group().isdigit() else 0
    return f"{shown[:at]}\\{shown[at:]}"
