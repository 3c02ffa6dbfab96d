"""A passage cut to its best sentences, in reading order, for display; the rest is shown on request."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webrag_desktop.text.markdown_grammar import atx_heading
from webrag_desktop.text.sentences import Sentence, split_sentences
from webrag_desktop.text.spans import Span

if TYPE_CHECKING:
    from webrag_desktop.retrieval.contracts.results import MatchedSpan, RetrievedChunk

SENTENCES_SHOWN = 8
_UNDERLINED = 2  # the level that a heading without marks counts as


@dataclass(frozen=True, slots=True)
class Piece:
    """``text == markdown[char_start:char_end]``: sentences that follow one another, or a heading above them.

    ``gap_before`` says that something was left out right before it. What is ``code`` begins with the indentation of its
    first line.
    """

    char_start: int
    char_end: int
    text: str
    heading: bool
    gap_before: bool
    code: bool = False


@dataclass(frozen=True, slots=True)
class CutParent:
    """The pieces of a passage in reading order; ``gap_after`` says that something was left out behind the last."""

    pieces: tuple[Piece, ...]
    gap_after: bool


def cut_parent(chunk: "RetrievedChunk", limit: int = SENTENCES_SHOWN) -> CutParent:
    """The ``limit`` best sentences of a passage, with the headings above them and the head of their table.

    Where nothing in the passage was found, its first sentences. No piece is put together from others: a reader
    sees a gap where text between two pieces is left out.
    """
    sentences = split_sentences(chunk.chunk_text)
    wanted = _wanted(chunk, sentences, limit)
    shown = wanted | {leader for index in wanted for leader in _leaders(sentences, chunk.chunk_text, index)}
    runs = list(_runs(sentences, sorted(shown)))
    speaking = [
        n for n, one in enumerate(sentences) if one.kind != "mark" or _has_letter(one, chunk.chunk_text)
    ]
    pieces, before = [], -1
    for first, last in runs:
        pieces.append(_piece(chunk, sentences, first, last, gap=_between(speaking, before, first)))
        before = last
    return CutParent(tuple(pieces), _between(speaking, before, len(sentences)))


def _wanted(chunk: "RetrievedChunk", sentences: Sequence[Sentence], limit: int) -> set[int]:
    """Which sentences hold the best spans."""
    best = sorted(chunk.matched_spans, key=lambda span: (-span.score, span.char_start))[:limit]
    if not best:
        return set([n for n, one in enumerate(sentences) if one.kind not in ("mark", "heading")][:limit])
    ends = [sentence.end for sentence in sentences]
    wanted: set[int] = set()
    for span in best:
        start, end = span.char_start - chunk.char_start, span.char_end - chunk.char_start
        first = min(bisect_right(ends, start), len(sentences) - 1)
        wanted.add(first)
        wanted.update(n for n in range(first + 1, len(sentences)) if sentences[n].start < end)
    return wanted


def _leaders(sentences: Sequence[Sentence], text: str, index: int) -> Iterator[int]:
    """The headings above the sentence, and the first row of its table."""
    if sentences[index].kind == "table":
        yield _first_row(sentences, text, index)
    level = 7
    for above in range(index - 1, -1, -1):
        if sentences[above].kind == "heading" and (own := _level(sentences[above], text)) < level:
            yield above
            level = own


def _first_row(sentences: Sequence[Sentence], text: str, index: int) -> int:
    while index and sentences[index - 1].kind in ("table", "mark"):
        if "\n\n" in text[sentences[index - 1].end : sentences[index].start]:
            break
        index -= 1
    return index


def _level(heading: Sentence, text: str) -> int:
    marked = atx_heading(text[heading.start : heading.end])
    return marked.level if marked else _UNDERLINED


def _runs(sentences: Sequence[Sentence], shown: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of the sentences with nothing but marks between them; headings and code are runs of their own."""
    start = previous = None
    for index in shown:
        if start is not None and previous is not None:
            between = sentences[previous + 1 : index]
            kinds = {sentences[previous].kind, sentences[index].kind}
            apart = "heading" in kinds or ("code" in kinds and len(kinds) > 1)
            if not apart and all(sentence.kind == "mark" for sentence in between):
                previous = index
                continue
            yield start, previous
        start = previous = index
    if start is not None and previous is not None:
        yield start, previous


def _has_letter(sentence: Sentence, text: str) -> bool:
    return any(map(str.isalpha, text[sentence.start : sentence.end]))


def _between(speaking: Sequence[int], before: int, after: int) -> bool:
    """Whether there is text with letters between two sentences."""
    return bisect_right(speaking, after - 1) > bisect_right(speaking, before)


def _piece(
    chunk: "RetrievedChunk", sentences: Sequence[Sentence], first: int, last: int, *, gap: bool
) -> Piece:
    text = chunk.chunk_text
    start, end = sentences[first].start, sentences[last].end
    if first and sentences[first - 1].kind == "mark" and "\n" not in text[sentences[first - 1].end : start]:
        start = sentences[first - 1].start  # its list marker
    kind = sentences[first].kind
    if kind == "code":
        start = line_start(text, start)
    return Piece(
        chunk.char_start + start,
        chunk.char_start + end,
        text[start:end],
        kind == "heading",
        gap,
        kind == "code",
    )


def line_start(text: str, position: int) -> int:
    """Where the line begins that has only blanks before a position; the position itself where it has more."""
    start = text.rfind("\n", 0, position) + 1
    return position if text[start:position].strip() else start


def head_row(chunk: "RetrievedChunk", row: "MatchedSpan") -> Span | None:
    """Where in the chunk's text the first row of the table is that holds a matched row below; None where it is not."""
    sentences, at = split_sentences(chunk.chunk_text), row.char_start - chunk.char_start
    index = bisect_right(sentences, at, key=lambda one: one.start) - 1
    if index < 0 or sentences[index].kind != "table":
        return None
    head = sentences[_first_row(sentences, chunk.chunk_text, index)]
    if head.start == sentences[index].start or head.kind != "table":
        return None
    return head.start, head.end
