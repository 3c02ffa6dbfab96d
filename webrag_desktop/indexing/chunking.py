"""Cuts a document into parent chunks (what is read) and child chunks (what is found).

Parents partition the document and children partition their parent, to the character. Parents are the ``##``
sections; where there is no ``##`` the ``#`` sections; where there is no heading at all, groups of children.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.indexing.leads import leads_of
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.indexing.splitting import Piece, TokenRuler, near_middle, pack, split_span
from webrag_desktop.indexing.structure import ChunkAssembler, Element, read_structure
from webrag_desktop.indexing.units import Unit, joined_entries, pieces_of, units_of
from webrag_desktop.models.documents import Block, Chunk
from webrag_desktop.progress import CancelToken
from webrag_desktop.text.graphemes import fairest_between
from webrag_desktop.text.spans import Span


@dataclass(frozen=True, slots=True)
class Section:
    """Consecutive elements under one heading; ``headed`` is False where the document has no headings."""

    heading: str | None
    elements: Sequence[Element]
    headed: bool = True

    @property
    def start(self) -> int:
        """Where the section begins in the markdown."""
        return self.elements[0].start

    @property
    def end(self) -> int:
        """Where the next section begins."""
        return self.elements[-1].end


def divide(elements: Sequence[Element]) -> Iterator[Section]:
    """The sections of a document, in order; they partition its elements.

    Every ``##`` begins one, and so does every ``#``. The text before the first ``##`` is one section up to
    its first ``#`` and onward, so that a line above the title does not become a section of its own. Without
    any ``##`` the ``#`` headings divide; with neither, everything is one section without heading.
    """
    if not any(element.level for element in elements):
        yield Section(None, elements, headed=False)
        return
    starts = [index for index, element in enumerate(elements) if element.level in {1, 2}]
    if starts and starts[0] > 0:
        joins_title = elements[starts[0]].level == 1 and any(element.level == 2 for element in elements)
        starts = [0, *starts[1:]] if joins_title else [0, *starts]
    starts = starts or [0]
    for start, end in zip(starts, [*starts[1:], len(elements)], strict=True):
        members = elements[start:end]
        titles = (element.section for element in members if element.level in {1, 2})
        yield Section(next(titles, None), members)


ALGORITHM = "headings-4"  # raise the number whenever the same text would be cut differently
# How libraries of before are cut until they are moved: code and lists as prose is.
EARLIER = "headings-3"


def knows_rules(rules: str) -> bool:
    """Whether texts can be cut by the rules of that name."""
    return rules in {ALGORITHM, EARLIER}


FALLBACK_CHILDREN = 4


@dataclass(frozen=True, slots=True)
class ChunkingOptions:
    """Sizes in tokens. ``window_tokens`` is the most one child may have: what the model takes, less the
    context header and special tokens. Children aim at ``child_tokens``, parents stay under ``parent_tokens``.
    ``rules`` are :data:`ALGORITHM`, or those of before.
    """

    window_tokens: int
    child_tokens: int = ChunkTargets.child_tokens
    parent_tokens: int = ChunkTargets.parent_tokens
    rules: str = field(default_factory=lambda: ALGORITHM)

    def __post_init__(self) -> None:
        if min(self.window_tokens, self.child_tokens, self.parent_tokens) < 1:
            message = "The chunk sizes and the model's window must be at least one token."
            raise ConfigurationError(message, "Set CHUNK_CHILD_TOKENS and CHUNK_PARENT_TOKENS above zero.")
        if self.child_tokens > self.parent_tokens:
            raise ConfigurationError(
                f"Child chunks of {self.child_tokens} tokens do not fit into parents of {self.parent_tokens}.",
                "Set CHUNK_CHILD_TOKENS to at most CHUNK_PARENT_TOKENS.",
            )

    @property
    def by_units(self) -> bool:
        """Whether code and lists are cut where their own units meet."""
        return self.rules != EARLIER

    @property
    def child_limit(self) -> int:
        """Weight up to which small pieces are packed into one child."""
        return min(self.child_tokens, self.window_tokens)

    @property
    def whole_limit(self) -> int:
        """Weight up to which a fence or a table row stays whole."""
        return min(self.window_tokens, self.parent_tokens)


def chunking_id(options: ChunkingOptions, tokenizer_name: str) -> str:
    """Short, stable identity of a chunking: equal ids cut equal text equally."""
    sizes = f"{options.child_tokens}-{options.parent_tokens}-{options.window_tokens}"
    return f"{options.rules}/{sizes}/{tokenizer_name}"


def chunk_document(
    markdown: str,
    blocks: Sequence[Block],
    tokenizer: Tokenizer,
    options: ChunkingOptions,
    *,
    cancel: CancelToken | None = None,
) -> tuple[Chunk, ...]:
    """Cut a document; each parent is followed by its children. Text that is all whitespace gives none.

    Raises:
        Cancelled: ``cancel`` was set.
    """
    if not markdown.strip():
        return ()
    cancel = cancel or CancelToken()
    ruler = TokenRuler(markdown, tokenizer)
    elements = read_structure(markdown, blocks, source_code=options.by_units)
    assembler = ChunkAssembler(markdown, blocks, elements, ruler)
    planner = _Planner(ruler, tokenizer, options)
    for section in divide(elements):
        cancel.raise_if_cancelled()
        for children in planner.families(section):
            assembler.add_family(section.heading, children)
    return _led(assembler.chunks, markdown, elements) if options.by_units else tuple(assembler.chunks)


def _led(chunks: Sequence[Chunk], markdown: str, elements: Sequence[Element]) -> tuple[Chunk, ...]:
    """The chunks, each child with what leads it."""
    children = [chunk.char_start for chunk in chunks if chunk.level == "child"]
    leads = dict(zip(children, leads_of(markdown, elements, children), strict=True))
    return tuple(
        replace(chunk, leads=leads[chunk.char_start])
        if chunk.level == "child" and leads[chunk.char_start]
        else chunk
        for chunk in chunks
    )


class _Planner:
    """Decides where parents and children begin and end."""

    def __init__(self, ruler: TokenRuler, tokenizer: Tokenizer, options: ChunkingOptions) -> None:
        self._ruler = ruler
        self._tokenizer = tokenizer
        self._options = options

    def families(self, section: Section) -> Iterator[list[Span]]:
        """The children of each parent of a section."""
        units = list(units_of(self._ruler.text, section.elements))
        if not section.headed:
            yield from self._groups_of_four(self._children(self._pieces(units)))
            return
        for parent in self._parents(section, units):
            yield self._children(parent)

    def _pieces(self, units: Sequence[Unit]) -> Iterator[Piece]:
        child, whole = self._options.child_limit, self._options.whole_limit
        by_units = self._options.by_units
        pieces = (
            piece for unit in units for piece in pieces_of(unit, self._ruler, child, whole, by_units=by_units)
        )
        return joined_entries(self._ruler, pieces, child) if by_units else pieces

    def _parents(self, section: Section, units: Sequence[Unit]) -> Iterator[list[Piece]]:
        limit = self._options.parent_tokens
        if self._ruler.weight(section.start, section.end) <= limit:
            yield list(self._pieces(units))
            return
        parts: list[Unit | Piece] = []
        for unit in units:
            small = self._ruler.weight(unit.start, unit.end) <= limit
            parts.extend([unit] if small else self._pieces([unit]))
        for group in pack(self._ruler, parts, limit):
            yield [piece for part in group for piece in self._opened(part)]

    def _opened(self, part: Unit | Piece) -> Iterable[Piece]:
        return [part] if isinstance(part, Piece) else self._pieces([part])

    def _children(self, pieces: Iterable[Piece]) -> list[Span]:
        spans: list[Span] = []
        for group in pack(self._ruler, pieces, self._options.child_limit):
            borders = [piece.start for piece in group[1:]]
            for span in self._fitting(group[0].start, group[-1].end, borders):
                if spans and self._blank_fits(spans[-1], span):
                    spans[-1] = (spans[-1][0], span[1])
                else:
                    spans.append(span)
        return spans

    def _blank_fits(self, before: Span, after: Span) -> bool:
        """Whether one of two neighbours is only whitespace, which no model embeds, and they fit together."""
        text = self._ruler.text
        if text[slice(*before)].strip() and text[slice(*after)].strip():
            return False
        if self._ruler.weight(before[0], after[1]) > self._options.parent_tokens:
            return False
        return self._tokenizer.count(text[before[0] : after[1]]) <= self._options.window_tokens

    def _fitting(self, start: int, end: int, borders: Sequence[int] = ()) -> Iterator[Span]:
        """Split what the tokenizer, given this text alone, finds longer than the window: at borders of pieces first."""
        window = self._options.window_tokens
        weight = self._ruler.weight(start, end)
        if end - start == 1 or (2 * weight <= window and self._cut_between_words(start, end)):
            yield start, end
            return
        count = self._tokenizer.count(self._ruler.text[start:end])
        if count <= window:
            yield start, end
            return
        if borders:
            middle = len(borders) // 2
            yield from self._fitting(start, borders[middle], borders[:middle])
            yield from self._fitting(borders[middle], end, borders[middle + 1 :])
            return
        limit = max(1, weight * window // (count + 1))
        if limit >= weight:  # the ruler sees too little here: halve by characters
            half = fairest_between(self._ruler.text, near_middle(start, end)) or (start + end) // 2
            yield from self._fitting(start, half)
            yield from self._fitting(half, end)
            return
        for part_start, part_end in split_span(self._ruler, start, end, limit):
            yield from self._fitting(part_start, part_end)

    def _cut_between_words(self, start: int, end: int) -> bool:
        text = self._ruler.text
        return all(
            position in {0, len(text)} or text[position - 1].isspace() or text[position].isspace()
            for position in (start, end)
        )

    def _groups_of_four(self, children: Sequence[Span]) -> Iterator[list[Span]]:
        group: list[Span] = []
        for child in children:
            over = group and self._ruler.weight(group[0][0], child[1]) > self._options.parent_tokens
            if over or len(group) == FALLBACK_CHILDREN:
                yield group
                group = []
            group.append(child)
        yield group
