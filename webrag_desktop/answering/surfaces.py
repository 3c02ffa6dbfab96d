"""How a passage is given to a model to read: as HTML where its markdown is lossy, with formulas as LaTeX.

Ids belong before sentences of the markdown, and come before the same words of the HTML. Where these are not found
there, one behind another, the model reads the markdown of that passage: what can be pointed at goes first.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from turbohtml import Element, Node, parse_fragment

from webrag_desktop.retrieval.contracts.results import RetrievedChunk
from webrag_desktop.text.markdown_links import data_uris
from webrag_desktop.text.mathml import bare_latex, latex_of, stated_latex
from webrag_desktop.text.printable import single_spaced

# Of a passage, times the characters of its markdown: what is longer would cost more than it is worth.
MOST_OF_MARKDOWN = 2.5
_ALLOWANCE = 2_000  # characters
# Elements whose tags say what markdown cannot; all others give their text alone.
_KEPT = frozenset(
    """
    blockquote caption code dd dl dt h1 h2 h3 h4 h5 h6 li ol pre sub sup table td th tr ul
    """.split()
)
_OWN_LINE = frozenset(
    """
    article aside blockquote caption dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 li ol p pre section
    summary table tr ul
    """.split()
)
_LONGEST_TYPE = 40  # characters of what a picture's address says of its kind
_SPANS = ("colspan", "rowspan")
_FORMULA = re.compile(r"\$\$[^$]+\$\$|\$[^$\n]+\$")
_WRITTEN_FORMULA = re.compile(r"\\\((?:[^\\]|\\(?!\))){1,2000}\\\)|\\\[(?:[^\\]|\\(?!\])){1,2000}\\\]")
_SPACE = re.compile(r"\s+")
_PLACEHOLDER = "\ufffc"  # in the place of a formula, whatever is written for it
_KEY = 40  # letters and digits that find a sentence; all of a shorter one
_FAR = 600  # how many may be between two sentences of a passage, as where the HTML shows notes
_OPENING = re.compile(r"(?:[\"'“‘„«(¿¡]|<code>)\Z")
_LONGEST_OPENING = len("<code>")


class _Part(NamedTuple):
    """A piece of what is written: text of the page, a formula, or our own markup around both."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class HtmlSurface:
    """The HTML of a passage as a model reads it, and its letters: what can be found again in it, with their places."""

    text: str
    letters: str
    places: tuple[int, ...]

    def places_of(self, sentences: Sequence[Sequence[str]]) -> list[int | None]:
        """Where each sentence of the passage begins, given in order, each by what it may read; None where none does."""
        places: list[int | None] = []
        at = 0
        for readings in sentences:
            found, length = self._found([_letters_of(reads) for reads in readings], at)
            places.append(self._beginning(found) if found >= 0 else None)
            at = found + length if found >= 0 else at
        return places

    def _found(self, keys: Iterable[str], at: int) -> tuple[int, int]:
        """The place of the first of the keys that is found from there on, and how much of it was searched for."""
        for key in filter(None, keys):
            found = self.letters.find(key[:_KEY], at, at + len(key) + _FAR)
            if found >= 0:
                return found, min(len(key), _KEY)
        return -1, 0

    def _beginning(self, letter: int) -> int:
        """The place of a letter, before what opens a quotation, or code in a line."""
        place = self.places[letter]
        while opening := _OPENING.search(self.text, max(0, place - _LONGEST_OPENING), place):
            place = opening.start()
        return place


def html_surface(chunk: RetrievedChunk) -> HtmlSurface | None:
    """The HTML of a passage, bared to what a model needs; None where its markdown is to be read."""
    if chunk.surface != "html":
        return None
    parts = list(_without_gaps(_bared(parse_fragment(chunk.selected_text), within_pre=False)))
    text = "".join(part.text for part in parts)
    if len(text) > MOST_OF_MARKDOWN * len(chunk.chunk_text) + _ALLOWANCE:
        return None
    letters: list[str] = []
    places: list[int] = []
    at = 0
    for part in parts:
        if part.kind == "formula":
            letters.append(_PLACEHOLDER)
            places.append(at)
        elif part.kind == "text":
            here = [place for place, char in enumerate(part.text) if char.isalnum()]
            letters.append("".join(part.text[place] for place in here))
            places += [at + place for place in here]
        at += len(part.text)
    return HtmlSurface(text, "".join(letters), tuple(places))


def _letters_of(reads: str) -> str:
    """The letters and digits of a sentence, a sign for each formula."""
    text = _FORMULA.sub(_PLACEHOLDER, reads)
    return "".join(char for char in text if char.isalnum() or char == _PLACEHOLDER)


def _without_gaps(parts: Iterable[_Part]) -> Iterator[_Part]:
    """Without lines and blanks beside line breaks that our markup makes."""
    ended = True
    for part in parts:
        text = part.text
        if ended:
            text = text.lstrip("\n") if part.kind == "markup" else text.lstrip(" ")
        if text:
            yield part._replace(text=text)
            ended = text.endswith("\n")


def _bared(node: Node, *, within_pre: bool) -> Iterator[_Part]:
    for child in node.children:
        if not isinstance(child, Element):
            yield from [_Part("text", child.text)] if within_pre else _words(child.text)
        elif child.tag == "math":
            yield from _as_formula(latex_of(child), display=child.attr("display") == "block")
        elif child.tag == "img":
            yield _Part("markup", "![")
            yield _Part("text", single_spaced(child.attr("alt") or ""))
            yield _Part("markup", f"]({single_spaced(child.attr('src') or '')})")
        elif child.tag == "br":
            yield _Part("markup", "\n")
        elif not (
            child.tag == "sup" and child.has_class("reference")
        ):  # the markdown has no such notes either
            yield from _element(child, within_pre=within_pre)


def _words(text: str) -> Iterator[_Part]:
    """Text, in which pages also write formulas for a script to draw."""
    done = 0
    for found in _WRITTEN_FORMULA.finditer(text):
        yield _Part("text", _SPACE.sub(" ", text[done : found.start()]))
        yield from _as_formula(bare_latex(found[0]), display=found[0].startswith("\\["))
        done = found.end()
    yield _Part("text", _SPACE.sub(" ", text[done:]))


def _element(element: Element, *, within_pre: bool) -> Iterator[_Part]:
    tag = element.tag
    line = "\n" if tag in _OWN_LINE and not within_pre else ""
    if tag in _KEPT and not (within_pre and tag == "code"):
        yield _Part("markup", f"{line}<{tag}{_attributes(element)}>")
        yield from _bared(element, within_pre=within_pre or tag == "pre")
        yield _Part("markup", f"</{tag}>{line}")
    else:
        yield _Part("markup", line)
        yield from _bared(element, within_pre=within_pre)
        yield _Part("markup", line)


def _attributes(element: Element) -> str:
    spans = {name: (element.attr(name) or "").strip() for name in _SPANS}
    return "".join(
        f' {name}="{value}"' for name, value in spans.items() if value.isdecimal() and value != "1"
    )


def _as_formula(latex: str, *, display: bool) -> Iterator[_Part]:
    if latex:
        sign = "$$" if display else "$"
        yield _Part("formula", f"{sign}{latex}{sign}")


def formulas_of(chunk: RetrievedChunk) -> dict[str, str]:
    """The LaTeX of formulas for which the markdown of a passage has bare characters, by these.

    Pages may have a formula as MathML alone; its markdown is ``$x2$`` then, and ``$x^{2}$`` is what is meant.
    """
    if not chunk.has_math or chunk.surface != "html":
        return {}
    formulas = parse_fragment(chunk.selected_text).select("math")
    found = {bare_latex(math.text): latex_of(math) for math in formulas if not stated_latex(math)}
    return {characters: latex for characters, latex in found.items() if characters and characters != latex}


def as_read(text: str, formulas: Mapping[str, str], places: Sequence[int]) -> tuple[str, list[int]]:
    """A markdown text as a model reads it, and where the ``places``, given in order, are in it then.

    These formulas are LaTeX, and of addresses that are pictures themselves only their beginning is left.
    """
    pieces: list[str] = []
    moved = list(places)
    done = grown = 0
    for start, end, written in sorted([*_as_latex(text, formulas), *_shortened(text)]):
        if start < done:
            continue
        pieces += [text[done:start], written]
        grown += len(written) - (end - start)
        done = end
        first = bisect_left(places, done)
        moved[first:] = [place + grown for place in places[first:]]
    return "".join((*pieces, text[done:])), moved


_Edit = tuple[int, int, str]


def _as_latex(text: str, formulas: Mapping[str, str]) -> Iterator[_Edit]:
    for found in _FORMULA.finditer(text) if formulas else ():
        sign = "$$" if found[0].startswith("$$") else "$"
        latex = formulas.get(found[0].strip("$").strip())
        if latex is not None:
            yield found.start(), found.end(), f"{sign}{latex}{sign}"


def _shortened(text: str) -> Iterator[_Edit]:
    for start, end in data_uris(text):
        yield start, end, f"{text[start:end].partition(',')[0][:_LONGEST_TYPE]},…"
