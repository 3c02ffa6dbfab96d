"""What every adapter gives: the passages of a search as texts, with plain metadata about the place of each."""

import asyncio
import logging
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Any, Self, get_args

from webrag_desktop.errors import InputError
from webrag_desktop.models.citations import CiteId
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.filters import SearchFilters
from webrag_desktop.retrieval.contracts.results import RequestedMode, RetrievedChunk

if TYPE_CHECKING:
    from webrag_desktop import Library

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that was found: ``text`` is the Markdown of its place, letter for letter.

    ``metadata`` holds nothing but texts, numbers, None and lists of texts. ``rank_score``, in [0, 1], is what passages
    were chosen by.
    """

    chunk_id: str
    document_id: str
    text: str
    char_start: int
    char_end: int
    rank_score: float
    metadata: dict[str, Any]

    @classmethod
    def of(cls, chunk: RetrievedChunk) -> Self:
        """The passage that a search gave."""
        return cls(
            chunk_id=str(chunk.chunk_id),
            document_id=str(chunk.document_id),
            text=chunk.chunk_text,
            char_start=chunk.char_start,
            char_end=chunk.char_end,
            rank_score=chunk.rank_score,
            metadata=metadata_of(chunk),
        )


def metadata_of(chunk: RetrievedChunk) -> dict[str, Any]:
    """The place of a passage and how well it matches, under the names that searching has for it.

    ``char_start`` and ``char_end`` are code points of the version's Markdown, ``page`` is None where there are none.
    ``cite_id`` names the place for good, ``link`` opens it in the window.
    """
    cite_id = CiteId.of(chunk.version_id, chunk.char_start, chunk.char_end)
    return {
        "title": chunk.title,
        "source_url": chunk.source_url,
        "heading_path": list(chunk.heading_path),
        "page": chunk.page,
        "cite_id": str(cite_id),
        "link": cite_id.link,
        "document_id": str(chunk.document_id),
        "version_id": str(chunk.version_id),
        "char_start": chunk.char_start,
        "char_end": chunk.char_end,
        "score": chunk.score,
        "rank_score": chunk.rank_score,
    }


@dataclass(frozen=True, slots=True)
class PassageSearch:
    """Searches a library with fixed options. ``limit`` keeps the best, in the order of the search; None keeps all.

    Raises:
        InputError: the limit is no whole number from 1, or there is no such mode.
    """

    library: "Library"
    limit: int | None = None
    filters: SearchFilters | None = None
    mode: RequestedMode = "auto"

    def __post_init__(self) -> None:
        """Refuse what no search can be asked."""
        if self.limit is not None and (type(self.limit) is not int or self.limit < 1):
            raise InputError(f"The limit cannot be {self.limit!r}.", "Give a whole number from 1, or None.")
        if self.mode not in get_args(RequestedMode):
            modes = ", ".join(get_args(RequestedMode))
            raise InputError(f"There is no mode {self.mode!r}.", f"Use one of these: {modes}.")

    def passages(self, question: str, cancel: CancelToken | None = None) -> list[Passage]:
        """What the library's ``search`` finds, in its order; why that is less than it could be goes to the log.

        Raises:
            WebragError: whatever ``search`` raises.
        """
        result = self.library.search(
            question, mode=self.mode, filters=self.filters, limit=self.limit, cancel=cancel
        )
        for notice in filter(None, (result.degraded, result.correction_notice)):
            log.warning("%s", notice)
        return [Passage.of(chunk) for chunk in result.chunks]

    async def passages_async(self, question: str) -> list[Passage]:
        """The same from another thread, so that the event loop goes on; a cancelled task stops the search."""
        cancel = CancelToken()
        try:
            return await asyncio.to_thread(self.passages, question, cancel)
        except asyncio.CancelledError:
            Thread(target=cancel.cancel, daemon=True).start()  # it waits for the database's answer
            raise
