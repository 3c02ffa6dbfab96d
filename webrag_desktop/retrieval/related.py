"""What other documents say about the same as a part of one: a search by the vectors that are stored already."""

import math
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.filters import SearchFilters
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult, RetrievedChunk
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.items import part_of_text

MOST_WORDS = 600  # characters by whose words sentences are chosen
MOST_VECTORS = 48
NEARER = (
    0.1  # two texts are more alike than a question and a text: this much above the floor is about the same
)


def related(
    conn: Connection,
    document_id: UUID,
    char_start: int,
    char_end: int,
    *,
    options: RetrievalOptions,
    limit: int,
    cancel: CancelToken | None = None,
) -> RetrievalResult | None:
    """The best passage of each of the documents nearest in meaning to ``[char_start, char_end)`` of a document.

    Nothing is embedded. Words choose sentences, meaning alone chooses passages: they are no reason to show one.
    Passages that say nearly the same are folded, the document itself is left out. None where the document has no text,
    or no vectors there. ``conn`` must be idle.

    Raises:
        Cancelled: ``cancel`` was set.
        DatabaseError: the database refused, failed or cannot be reached.
    """
    with conn.transaction():
        part = part_of_text(
            conn, document_id, char_start, char_end, most_words=MOST_WORDS, most_vectors=MOST_VECTORS
        )
    if part is None or not part.words.strip():
        return None
    result = retrieve(
        conn,
        part.words,
        embedder=None,
        options=replace(options, corrections=False, tsquery_mode="plain"),
        mode="chunk",
        filters=SearchFilters(except_documents=[document_id]),
        query_embedding=_mean(part.vectors),
        cancel=cancel,
    )
    floor = options.floor_for(_floor_of(conn)) + NEARER
    return result.model_copy(update={"chunks": _nearest(result.chunks, floor)[:limit], "left_out": []})


def _floor_of(conn: Connection) -> float | None:
    from webrag_desktop.storage.spaces.space_tables import active_space

    with conn.transaction():
        space = active_space(conn)
    return space.space.model.similarity_floor if space is not None else None


def _mean(vectors: Sequence[Sequence[float]]) -> list[float]:
    """The direction in the middle of all, each counting the same."""
    lengths = [math.sqrt(math.fsum(value * value for value in one)) or 1.0 for one in vectors]
    summed = [math.fsum(v / n for v, n in zip(at, lengths, strict=True)) for at in zip(*vectors, strict=True)]
    return summed if any(summed) else list(vectors[0])


def _nearest(chunks: Sequence[RetrievedChunk], floor: float) -> list[RetrievedChunk]:
    """The nearest passage of each document that is near enough, nearest first."""
    best: dict[UUID, RetrievedChunk] = {}
    near = [one for one in chunks if (one.raw_similarity or 0.0) >= floor]
    for one in sorted(near, key=lambda one: (-(one.raw_similarity or 0.0), one.chunk_id)):
        best.setdefault(one.document_id, one)
    return list(best.values())
