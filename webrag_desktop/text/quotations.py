"""Finds what a manuscript quotes: pairs of quotation marks, and block quotations.

A pair never crosses a paragraph, or a cell of a table. Of pairs within each other only the outer one counts, for the
inner ones are part of what it quotes. Code is no quotation, nor is the front matter of a Markdown file.
"""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, zip_longest
from typing import NamedTuple

from webrag_desktop.text.markdown_grammar import QUOTE_MARKS, front_matter_end
from webrag_desktop.text.plain_text import PlainBlock, PlainText, project_blocks
from webrag_desktop.text.quotation_marks import JOINER, paired, unquoted, with_plain_marks
from webrag_desktop.text.spans import stripped

_QUOTED_INLINE = re.compile(r"<q>([^<>]*(?:<(?!/?q>)[^<>]*)*)</q>")
_BLOCKQUOTE = re.compile(r"<(/?)blockquote(?:\s[^<>]*)?>", re.IGNORECASE)
_SOURCE_BELOW = re.compile(r"<(?:cite|footer)\b", re.IGNORECASE)
_NOTE_MARK = re.compile(r"\[\^[^\]\s]+\]:?")
_PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_QUOTE_SIGNS = re.compile(f"^{QUOTE_MARKS}", re.MULTILINE)
_ATTRIBUTION = re.compile(r"\n\s*(?:--+|[—–―])[ \t]*\S[^\n]*\s*$")  # below a block quotation: who said it
_PANDOC_REFERENCE = re.compile(r"\s*\[[^\[\]]*@[^\[\]]*\]\s*$")  # Pandoc's, at the end of a block quotation
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\W{_UNSPACED}]+(?:['’\u2010\u2011-][^\W{_UNSPACED}]+)*")


class Quotation(NamedTuple):
    """Words that a manuscript quotes, without their marks, and on which line, or in which paragraph, they begin.

    ``is_block`` tells a block quotation from one between marks.
    """

    text: str
    place: int
    is_block: bool = False


class Quotations(NamedTuple):
    """What a manuscript quotes, in order, and where marks are that belong to no pair."""

    found: tuple[Quotation, ...]
    unpaired: tuple[int, ...]


class Paragraph(NamedTuple):
    """A paragraph of a manuscript as it is read, with its number from 1; ``is_quote``: it is set as a quotation."""

    number: int
    text: str
    is_quote: bool = False


class _Piece(NamedTuple):
    """A span in which marks may pair, or which is a quotation as a whole.

    ``starts`` are ``(position in the text, place)``: from there on the text is at that place. ``code`` are the
    ranges in which marks do not count. Pieces of one ``group`` follow each other as paragraphs do.
    """

    text: str
    starts: tuple[tuple[int, int], ...]
    is_quote: bool = False
    code: tuple[tuple[int, int], ...] = ()

    def place(self, position: int) -> int:
        return self.starts[max(bisect_right(self.starts, (position, 1 << 60)) - 1, 0)][1]


def count_words(text: str) -> int:
    """How many words a text has; where words are written without spaces, two characters count as one."""
    return sum(1 for _ in _WORD.finditer(text))


def quotations_in_markdown(markdown: str) -> Quotations:
    """What a Markdown text quotes, as it is read, by the lines on which it begins.

    Notes, such as ``[^1]``, are no part of what is quoted; their texts are looked through as any other.

    Raises:
        IndexingError: it holds more markup than can be read.
    """
    end = front_matter_end(markdown)
    text = re.sub(r"[^\n]", " ", markdown[:end]) + markdown[end:]
    text = _NOTE_MARK.sub(lambda found: JOINER * len(found[0]), with_plain_marks(text))
    text = _QUOTED_INLINE.sub(lambda found: f"{JOINER * 2}“{found[1]}”{JOINER * 3}", text)
    plain, blocks = project_blocks(text)
    return _quotations(_pieces_of_markdown(text, plain, blocks))


def quotations_in_text(text: str) -> Quotations:
    """What a plain text quotes, by lines: paragraphs end at blank lines; lines that begin with ``>`` are quoted."""
    return _quotations(_pieces_of_text(with_plain_marks(text)))


def quotations_in_paragraphs(paragraphs: Iterable[Paragraph]) -> Quotations:
    """What paragraphs quote, by their numbers; those that follow each other as quotations are one quotation."""
    pieces: list[_Piece] = []
    for is_quote, group in groupby(paragraphs, key=lambda one: one.is_quote):
        if is_quote:
            pieces.append(_joined([(one.number, one.text) for one in group]))
        else:
            pieces += [_Piece(with_plain_marks(one.text), ((0, one.number),)) for one in group]
    return _quotations(pieces)


# -- Pieces of a manuscript ------------------------------------------------------------------------------------------


def _pieces_of_markdown(markdown: str, plain: PlainText, blocks: Sequence[PlainBlock]) -> Iterator[_Piece]:
    lines = _Lines(markdown)

    def piece(start: int, end: int, block: PlainBlock) -> _Piece:
        code = tuple((one.start - start, one.end - start) for one in block.styles if one.style == "code")
        return _Piece(plain.text[start:end], _starts(plain, start, end, lines), code=code)

    quoted: list[PlainBlock] = []
    for block in _without_elements(blocks, _blockquote_elements(markdown, plain)):
        if isinstance(block, tuple):
            yield _joined(_paragraphs(plain, *block, lines))
            continue
        if quoted and not (block.shape.quoted and _go_on(plain, quoted[-1], block, lines)):
            yield _block_quotation(plain, quoted, lines)
            quoted = []
        if block.shape.quoted:
            quoted.append(block)
        elif block.cells:
            yield from (piece(start, end, block) for _, _, start, end in block.cells)
        elif block.shape.kind not in {"code", "rule"}:
            yield piece(block.start, block.end, block)
    if quoted:
        yield _block_quotation(plain, quoted, lines)


def _blockquote_elements(markdown: str, plain: PlainText) -> list[tuple[int, int]]:
    """What the outer ``<blockquote>`` elements hold in the plain text, without the source named at their end."""
    found: list[tuple[int, int]] = []
    depth = begin = 0
    for tag in _BLOCKQUOTE.finditer(markdown):
        start, end = plain.to_plain_span(*tag.span())
        if start < end:  # code, where it is shown
            continue
        depth = max(depth - 1, 0) if tag[1] else depth + 1
        if depth == 1 and not tag[1]:
            begin = tag.end()
        elif depth == 0 and begin:
            source = _SOURCE_BELOW.search(markdown, begin, tag.start())
            first, last = plain.to_plain_span(begin, source.start() if source else tag.start())
            found += [(first, last)] if first < last else []
            begin = 0
    return found


def _without_elements(
    blocks: Sequence[PlainBlock], elements: Sequence[tuple[int, int]]
) -> Iterator[PlainBlock | tuple[int, int]]:
    """The blocks, or what of them is in no element, and the elements, in order of the text; tables stay whole."""
    waiting = deque(elements)
    reported: tuple[int, int] | None = None
    for block in blocks:
        at = block.start
        if block.cells:
            yield block
            continue
        while (element := waiting[0] if waiting else None) is not None and element[0] < block.end:
            if at < element[0]:
                yield replace(block, start=at, end=element[0])
            if reported != element:
                yield element
                reported = element
            at = max(at, element[1])
            if element[1] > block.end:
                break
            waiting.popleft()
        if at < block.end:
            yield replace(block, start=at)


def _paragraphs(plain: PlainText, start: int, end: int, lines: "_Lines") -> list[tuple[int, str]]:
    found = _PARAGRAPH.finditer(plain.text, start, end)
    return [(lines.number(plain.to_markdown_span(one.start(), one.end())[0]), one[0]) for one in found]


def _go_on(plain: PlainText, before: PlainBlock, block: PlainBlock, lines: "_Lines") -> bool:
    """Whether two quoted blocks are one quotation: every line between them has a quote's sign."""
    first, last = _first_line(plain, before, lines), _first_line(plain, block, lines)
    return all(line.lstrip(" \t").startswith(">") for line in lines.texts[first : last - 1])


def _first_line(plain: PlainText, block: PlainBlock, lines: "_Lines") -> int:
    start, _ = stripped(plain.text, block.start, block.end)
    return lines.number(plain.to_markdown_span(start, start + 1)[0]) if start < block.end else 1


def _block_quotation(plain: PlainText, blocks: Sequence[PlainBlock], lines: "_Lines") -> _Piece:
    """A block quotation; code in it is left out."""
    read = [one for one in blocks if one.shape.kind not in {"code", "rule"}]
    return _joined(
        [
            (_first_line(plain, one, lines), plain.text[one.start : one.end])
            for one in read
            if plain.text[one.start : one.end].strip()
        ]
    )


def _starts(plain: PlainText, start: int, end: int, lines: "_Lines") -> tuple[tuple[int, int], ...]:
    """On which lines the plain ``[start, end)`` is, counted from its beginning."""
    begins = [start, *(one.end() + start for one in re.finditer("\n", plain.text[start:end]))]
    found = [(at - start, lines.number(plain.to_markdown_span(at, at + 1)[0])) for at in begins if at < end]
    return tuple(found) or ((0, 1),)


def _pieces_of_text(text: str) -> Iterator[_Piece]:
    lines = _Lines(text)
    for paragraph in _PARAGRAPH.finditer(text):
        signs = 0
        rows = paragraph[0].split("\n")
        for is_quote, group in groupby(rows, key=lambda row: row.lstrip(" \t").startswith(">")):
            part = list(group)
            first = lines.number(paragraph.start()) + signs
            signs += len(part)
            if is_quote:
                yield _joined([(first, _QUOTE_SIGNS.sub("", "\n".join(part)))])
            else:
                yield _of_lines(part, first)


def _of_lines(rows: Sequence[str], first: int) -> _Piece:
    starts, at = [], 0
    for number, row in enumerate(rows, first):
        starts.append((at, number))
        at += len(row) + 1
    return _Piece("\n".join(rows), tuple(starts))


def _joined(parts: Sequence[tuple[int, str]]) -> _Piece:
    """One block quotation of the paragraphs that it consists of, each with its place."""
    starts, texts, at = [], [], 0
    for place, text in parts:
        starts.append((at, place))
        texts.append(text.strip())
        at += len(texts[-1]) + 2
    return _Piece("\n\n".join(texts), tuple(starts) or ((0, 1),), is_quote=True)


class _Lines:
    """Line numbers, from 1, of positions in a text."""

    def __init__(self, text: str) -> None:
        self.texts = text.split("\n")
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def number(self, position: int) -> int:
        return bisect_right(self._starts, position)


# -- Quotations of a piece -------------------------------------------------------------------------------------------


def _quotations(pieces: Iterable[_Piece]) -> Quotations:
    found: list[Quotation] = []
    unpaired: list[int] = []
    all_pieces = [one for one in pieces if one.text.strip()]
    for piece, following in zip_longest(all_pieces, all_pieces[1:]):
        if piece.is_quote:
            found += _whole(piece)
            continue
        goes_on = following.text.lstrip()[:1] if following is not None else ""
        pairs, left = paired(piece.text, piece.code, goes_on)
        found += [
            Quotation(text, piece.place(start))
            for start, end in pairs
            if (text := _bare(piece.text[start:end]))
        ]
        unpaired += map(piece.place, left)
    return Quotations(tuple(found), tuple(unpaired))


def _whole(piece: _Piece) -> Iterator[Quotation]:
    """A block quotation without marks around all of it, the name below it, and a reference behind it."""
    text = _ATTRIBUTION.sub("", piece.text).strip() or piece.text.strip()
    if bare := _bare(unquoted(_PANDOC_REFERENCE.sub("", text))):
        yield Quotation(bare, piece.place(0), is_block=True)


def _bare(text: str) -> str:
    """What is quoted, without notes; nothing where it holds no word."""
    bare = text.replace(JOINER, "").strip()
    return bare if count_words(bare) else ""
