"""Chunkers by their ids: the rules to cut a text by, with the sizes of one library's embedding space.

Indexing cuts by ``headings``, which alone have parents (``Rules.families``); late chunking by any of them. To add one,
write a function that cuts a :class:`~webrag_desktop.indexing.source_text.SourceText` and enter it in ``RULES``.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Final

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.errors import InputError
from webrag_desktop.indexing.chunking import ALGORITHM, ChunkingOptions, chunk_document
from webrag_desktop.indexing.source_text import Sizes, SourceText, cut_before
from webrag_desktop.indexing.splitting import Piece, TokenRuler, pack, split_span
from webrag_desktop.models.documents import HEADINGS, Block, Chunk, ChunkSpan
from webrag_desktop.progress import CancelToken
from webrag_desktop.text.graphemes import RULES as CHARACTERS
from webrag_desktop.text.markdown_grammar import BLANK_LINES, atx_heading
from webrag_desktop.text.sentence_ends import sentence_ends
from webrag_desktop.text.sentences import RULES as SENTENCES
from webrag_desktop.text.sentences import Sentence, split_sentences
from webrag_desktop.text.spans import Span

SEPARATOR = " › "
# Characters; more than any token has, so that what follows cannot change the header.
LONGEST_TOKEN = 40


def context_header(
    title: str | None, heading_path: Sequence[str], tokenizer: Tokenizer, max_tokens: int
) -> str:
    """``title › heading › heading`` in at most ``max_tokens``, the line break after it included.

    A heading that repeats the one before it is left out. Where it is too long, the headings next to the
    title are removed first, since the deepest describes the chunk best; a header still too long is cut at the end. Of
    every part only the first ``40 * max_tokens`` characters are read.
    """
    parts: list[str] = []
    for part in (title or "", *heading_path):
        words = " ".join(part.lstrip()[: LONGEST_TOKEN * max_tokens].split())
        if words and words not in parts[-1:]:
            parts.append(words)
    del parts[1 : max(1, len(parts) - max_tokens)]  # a heading is at least one token
    header = SEPARATOR.join(parts)
    while _too_long(header, tokenizer, max_tokens):
        if len(parts) <= 2:
            return _cut(header, tokenizer, max_tokens)
        del parts[1]
        header = SEPARATOR.join(parts)
    return header


def embed_text(header: str, chunk_text: str) -> str:
    """What the embedding model is given for a chunk."""
    return f"{header}\n{chunk_text}" if header else chunk_text


def _too_long(header: str, tokenizer: Tokenizer, max_tokens: int) -> bool:
    return tokenizer.count(header + "\n") > max_tokens


def _cut(header: str, tokenizer: Tokenizer, max_tokens: int) -> str:
    allowed = max_tokens
    while header and _too_long(header, tokenizer, max_tokens):
        starts = tokenizer.token_starts(header)
        allowed = min(allowed, len(starts) - 1)
        header = header[: starts[allowed]].rstrip(" ›") if allowed > 0 else ""
        allowed -= 1
    return header


NEIGHBOURS: Final = 1  # sentences on each side of a sentence window


def families_by_headings(source: SourceText, sizes: Sizes) -> Sequence[Chunk]:
    """The library's own rules: each parent is followed by its children."""
    return chunk_document(
        source.markdown, source.blocks, source.tokenizer, _options(sizes), cancel=source.cancel
    )


def cut_by_headings(source: SourceText, sizes: Sizes) -> Sequence[ChunkSpan]:
    """The children of the library's own rules; a requested size limits fences and table rows, too."""
    chunks = families_by_headings(source, sizes)
    most = sizes.most if sizes.requested else sizes.library.window_tokens
    spans, before = list[ChunkSpan](), 0
    for chunk in chunks:
        if chunk.level == "child" and chunk.chunk_text.strip():
            whole = chunk.char_start, chunk.char_end
            # Counted alone, a chunk may have more tokens than within its text; stored chunks are not cut again.
            for start, end in source.fitting(*whole, most) if sizes.requested else [whole]:
                begin, tokens = source.overlapping(start, end, most, sizes.overlap, before)
                spans.append(ChunkSpan(begin, end, tokens, chunk.heading_path, chunk.anchor, chunk.page))
                before = start
    return spans


def _options(sizes: Sizes) -> ChunkingOptions:
    library = sizes.library
    window = sizes.most if sizes.requested else library.window_tokens
    child = sizes.own if sizes.requested else library.child_tokens
    return replace(
        library,
        window_tokens=max(1, window - sizes.overlap),
        child_tokens=child,
        parent_tokens=max(child, library.parent_tokens),
    )


def cut_recursively(source: SourceText, sizes: Sizes) -> Sequence[ChunkSpan]:
    """Chunks of up to ``sizes.own`` tokens that end where a paragraph does; else a line, a sentence, a word."""
    ruler = source.ruler
    pieces = _pieces(ruler, (0, len(source.markdown)), sizes.own)
    groups = pack(ruler, pieces, sizes.own)
    return list(
        source.chunks(((group[0].start, group[-1].end) for group in groups), sizes.most, sizes.overlap)
    )


def _pieces(ruler: TokenRuler, span: Span, limit: int, level: int = 0) -> Iterator[Piece]:
    if ruler.weight(*span) <= limit:
        yield Piece(*span)
    elif level == len(_LEVELS):
        for part in split_span(ruler, *span, limit):
            yield Piece(*part)
    else:
        text = ruler.text[slice(*span)]
        for start, end in pairwise([0, *_LEVELS[level](text), len(text)]):
            if start < end:
                yield from _pieces(ruler, (span[0] + start, span[0] + end), limit, level + 1)


def _ends(separators: re.Pattern[str], text: str) -> list[int]:
    """Where separators end, but for those below a heading, which stays with what follows."""
    ends = []
    for found in separators.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if line.strip() and atx_heading(line) is None:
            ends.append(found.end())
    return ends


_LEVELS: Final = (
    partial(_ends, BLANK_LINES),  # paragraphs
    partial(_ends, re.compile(r"\n")),
    sentence_ends,
)


def cut_around_sentences(source: SourceText, sizes: Sizes) -> Sequence[ChunkSpan]:
    """A chunk for every sentence, with its neighbours as far as ``sizes.most`` tokens hold them."""
    windows = (window for run in _runs(source.markdown) for window in _windows(source, run, sizes.most))
    return list(source.chunks(dict.fromkeys(windows), sizes.most))


def _runs(markdown: str) -> Iterator[list[Span]]:
    """Sentences under one heading, each with the headings and marks that lead into it."""
    run: list[Span] = []
    leads: list[Sentence] = []
    for sentence in split_sentences(markdown):
        if sentence.kind == "heading" and run and (not leads or leads[-1].kind != "heading"):
            yield _completed(run, leads)
            run, leads = [], []
        leads.append(sentence)
        if sentence.kind not in {"heading", "mark"}:
            run.append((leads[0].start, sentence.end))
            leads = []
    if run or leads:
        yield _completed(run, leads)


def _completed(run: list[Span], trailing: list[Sentence]) -> list[Span]:
    """With the marks that nothing follows."""
    if not trailing:
        return run
    if not run:
        return [(trailing[0].start, trailing[-1].end)]
    return [*run[:-1], (run[-1][0], trailing[-1].end)]


def _windows(source: SourceText, run: Sequence[Span], most: int) -> Iterator[Span]:
    fits = [source.count(*sentence) <= most for sentence in run]
    for index in range(len(run)):
        first = last = index
        for distance in range(1, NEIGHBOURS + 1) if fits[index] else ():
            before, after = index - distance, index + distance
            if after < len(run) and fits[after] and source.count(run[first][0], run[after][1]) <= most:
                last = after
            if before >= 0 and fits[before] and source.count(run[before][0], run[last][1]) <= most:
                first = before
        yield run[first][0], run[last][1]


def cut_by_tokens(source: SourceText, sizes: Sizes) -> Sequence[ChunkSpan]:
    """Chunks of ``sizes.most`` tokens, of which ``sizes.overlap`` are also in the chunk before."""
    return list(source.chunks(_steps(source, sizes), sizes.most, sizes.overlap))


def _steps(source: SourceText, sizes: Sizes) -> Iterator[Span]:
    """What each chunk adds to the one before it."""
    before, start, length = 0, 0, len(source.markdown)
    while start < length:
        begin = source.overlap_start(start, sizes.overlap, before)
        far = source.ruler.reach(begin, sizes.most)
        if far <= start:  # the overlap alone is as much as a chunk may have
            far = source.ruler.reach(start, sizes.most)
        end = far if far >= length else cut_before(source.markdown, far, start)
        yield start, end
        before, start = start, end


Cut = Callable[[SourceText, Sizes], Sequence[ChunkSpan]]
Families = Callable[[SourceText, Sizes], Sequence[Chunk]]


@dataclass(frozen=True, slots=True)
class Rules:
    """How one chunker cuts. ``algorithm`` names the rules; it changes whenever the same text would be cut differently.

    ``overlaps`` says whether a caller may choose how many tokens neighbours share, ``families`` cuts parents and their
    children for the index, if the rules have parents.
    """

    algorithm: str
    cut: Cut
    overlaps: bool = True
    families: Families | None = None


RULES: Final[Mapping[str, Rules]] = {
    HEADINGS: Rules(ALGORITHM, cut_by_headings, families=families_by_headings),
    "recursive": Rules(f"recursive-1/sentences-{SENTENCES}", cut_recursively),
    "sentence_window": Rules(
        f"sentence-window-1/{NEIGHBOURS}/sentences-{SENTENCES}", cut_around_sentences, overlaps=False
    ),
    "fixed_tokens": Rules("fixed-tokens-1", cut_by_tokens),
}


@dataclass(frozen=True, slots=True)
class SizedChunker:
    """Rules with sizes and a tokenizer; ``header_tokens`` is 0 where texts are embedded without their headings."""

    rules: Rules
    sizes: Sizes
    tokenizer: Tokenizer
    header_tokens: int

    @property
    def identity(self) -> str:
        """What it is, for the embedding space that its tokenizer and the library's own sizes belong to."""
        size = "own" if self.sizes.requested is None else str(self.sizes.most)
        return f"{self.rules.algorithm}/characters-{CHARACTERS}/{size}-{self.sizes.overlap}/header-{self.header_tokens}"

    def cut(
        self, markdown: str, blocks: Sequence[Block], *, cancel: CancelToken | None = None
    ) -> Sequence[ChunkSpan]:
        """The chunks of a text by where they begin; they leave out nothing but white space.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        if not markdown.strip():
            return ()
        return self.rules.cut(self._source(markdown, blocks, cancel), self.sizes)

    def families(
        self, markdown: str, blocks: Sequence[Block], *, cancel: CancelToken | None = None
    ) -> Sequence[Chunk]:
        """What the index holds of a text: each parent, followed by its children.

        Raises:
            Cancelled: ``cancel`` was set.
            TypeError: the rules have no parents.
        """
        if self.rules.families is None:
            raise TypeError(f"{self.rules.algorithm} has no parents")
        return self.rules.families(self._source(markdown, blocks, cancel), self.sizes)

    def _source(self, markdown: str, blocks: Sequence[Block], cancel: CancelToken | None) -> SourceText:
        return SourceText(markdown, blocks, self.tokenizer, cancel or CancelToken())

    def texts_to_embed(self, title: str | None, markdown: str, spans: Sequence[ChunkSpan]) -> list[str]:
        """What the model is given for each chunk: its text, below title and headings if these are included."""
        headers = {path: self._header(title, path) for path in {span.heading_path for span in spans}}
        return [embed_text(headers[one.heading_path], markdown[one.start : one.end]) for one in spans]

    def text_to_embed(self, title: str | None, heading_path: Sequence[str], text: str) -> str:
        """What the model is given for one chunk."""
        return embed_text(self._header(title, heading_path), text)

    def _header(self, title: str | None, heading_path: Sequence[str]) -> str:
        if not self.header_tokens:
            return ""
        return context_header(title, heading_path, self.tokenizer, self.header_tokens)


@dataclass(frozen=True, slots=True)
class ChunkerRegistry:
    """Opens chunkers for one embedding space: its tokenizer, its sizes, and how many tokens a header may have."""

    tokenizer: Tokenizer
    library: ChunkingOptions
    header_tokens: int

    def open(
        self,
        chunker_id: str,
        *,
        include_headers: bool = True,
        max_chunk_tokens: int | None = None,
        overlap_tokens: int | None = None,
    ) -> SizedChunker:
        """The chunker of that id; a size that is not given is the library's own, an overlap none.

        A size beyond what the model reads is taken for that.

        Raises:
            InputError: there is none of that id, or it cannot cut so.
        """
        found = RULES.get(chunker_id)
        if found is None:
            known = ", ".join(RULES)
            raise InputError(f"There is no chunker {chunker_id!r}.", f"Use one of these: {known}.")
        sizes = Sizes(self.library, max_chunk_tokens, overlap_tokens or 0)
        if sizes.overlap and not found.overlaps:
            raise InputError(
                f"The chunker {chunker_id} takes no overlap: its chunks share their neighbouring sentences.",
                "Leave chunking.overlap_tokens out.",
            )
        if not 0 <= sizes.overlap < sizes.most:
            raise InputError(
                f"Chunks of {sizes.most} tokens cannot overlap by {sizes.overlap}.",
                f"Let chunking.overlap_tokens be from 0 to {sizes.most - 1}.",
            )
        return SizedChunker(found, sizes, self.tokenizer, self.header_tokens if include_headers else 0)
