"""What late chunking needs of whoever cuts texts; the composition root passes them in."""

from collections.abc import Sequence
from typing import Protocol

from webrag_desktop.models import Block, ChunkSpan
from webrag_desktop.progress import CancelToken


class Chunker(Protocol):
    """Cuts texts by one set of rules and sizes."""

    @property
    def identity(self) -> str:
        """Its id with all that changes what it cuts or has embedded: equal identities give equal chunks."""

    def cut(
        self, markdown: str, blocks: Sequence[Block], *, cancel: CancelToken | None = None
    ) -> Sequence[ChunkSpan]:
        """The chunks of a text by where they begin; they leave out nothing but white space."""

    def texts_to_embed(self, title: str | None, markdown: str, spans: Sequence[ChunkSpan]) -> list[str]:
        """What the model is given for each chunk, in order."""


class Chunkers(Protocol):
    """Knows chunkers by their ids."""

    def open(
        self,
        chunker_id: str,
        *,
        include_headers: bool = True,
        max_chunk_tokens: int | None = None,
        overlap_tokens: int | None = None,
    ) -> Chunker:
        """The chunker of that id and these sizes; None leaves a size to it.

        Raises:
            InputError: there is none of that id, or it cannot cut so.
        """
