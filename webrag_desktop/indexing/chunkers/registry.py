"""Chunkers by their ids, with the sizes of one library's embedding space."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.errors import InputError
from webrag_desktop.indexing.chunkers import fixed_tokens, headings, recursive, sentence_window
from webrag_desktop.indexing.chunkers.source_text import Sizes, SourceText
from webrag_desktop.indexing.chunking import ChunkingOptions
from webrag_desktop.indexing.headers import context_header, embed_text
from webrag_desktop.models.documents import Block, ChunkSpan
from webrag_desktop.progress import CancelToken
from webrag_desktop.text.graphemes import RULES as CHARACTERS

Cut = Callable[[SourceText, Sizes], Sequence[ChunkSpan]]


@dataclass(frozen=True, slots=True)
class Rules:
    """How one chunker cuts, under a name that changes whenever the same text would be cut differently.

    ``overlaps`` tells whether neighbours may be given tokens in common; where not, they have some by themselves.
    """

    algorithm: str
    cut: Cut
    overlaps: bool = True


RULES: Final[Mapping[str, Rules]] = {
    "headings": Rules(headings.ALGORITHM, headings.cut_by_headings),
    "recursive": Rules(recursive.ALGORITHM, recursive.cut_recursively),
    "sentence_window": Rules(sentence_window.ALGORITHM, sentence_window.cut_around_sentences, overlaps=False),
    "fixed_tokens": Rules(fixed_tokens.ALGORITHM, fixed_tokens.cut_by_tokens),
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
        size = "own" if self.sizes.asked is None else str(self.sizes.most)
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
        source = SourceText(markdown, blocks, self.tokenizer, cancel or CancelToken())
        return self.rules.cut(source, self.sizes)

    def texts_to_embed(self, title: str | None, markdown: str, spans: Sequence[ChunkSpan]) -> list[str]:
        """What the model is given for each chunk: its text, below title and headings if these are included."""
        headers: dict[tuple[str, ...], str] = {}
        for path in {span.heading_path for span in spans} if self.header_tokens else ():
            headers[path] = context_header(title, path, self.tokenizer, self.header_tokens)
        return [
            embed_text(headers.get(span.heading_path, ""), markdown[span.start : span.end]) for span in spans
        ]


@dataclass(frozen=True, slots=True)
class ChunkerRegistry:
    """Opens chunkers for one embedding space: its tokenizer, its sizes, and what it gives a header."""

    tokenizer: Tokenizer
    library: ChunkingOptions
    header_tokens: int
    rules: Mapping[str, Rules] = field(default_factory=lambda: RULES)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids that are known, the library's own way of cutting first."""
        return tuple(self.rules)

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
        found = self.rules.get(chunker_id)
        if found is None:
            known = ", ".join(self.ids)
            raise InputError(f"There is no chunker {chunker_id!r}.", f"Use one of these: {known}.")
        sizes = Sizes(self.library, max_chunk_tokens, overlap_tokens or 0)
        self._check(chunker_id, found, sizes)
        return SizedChunker(found, sizes, self.tokenizer, self.header_tokens if include_headers else 0)

    def _check(self, chunker_id: str, rules: Rules, sizes: Sizes) -> None:
        if sizes.overlap and not rules.overlaps:
            raise InputError(
                f"The chunker {chunker_id} takes no overlap: its chunks share their neighbouring sentences.",
                "Leave chunking.overlap_tokens out.",
            )
        if sizes.most < 1:
            raise InputError(
                f"Chunks of {sizes.most} tokens hold nothing.", "Let chunking.max_chunk_tokens be 1 or more."
            )
        if not 0 <= sizes.overlap < sizes.most:
            raise InputError(
                f"Chunks of {sizes.most} tokens cannot overlap by {sizes.overlap}.",
                f"Let chunking.overlap_tokens be from 0 to {sizes.most - 1}.",
            )
