"""Orders ranked chunks for reading: one document at a time."""

from collections import defaultdict
from collections.abc import Iterable

from webrag_desktop.retrieval.contracts.results import RetrievedChunk


def group_by_document(chunks: Iterable[RetrievedChunk]) -> list[RetrievedChunk]:
    """Documents by their best chunk, the chunks of each in reading order."""
    groups: dict[str, list[RetrievedChunk]] = defaultdict(list)
    for chunk in chunks:
        groups[chunk.source_url].append(chunk)
    best_first = sorted(groups.items(), key=lambda item: (-max(c.rank_score for c in item[1]), item[0]))
    return [
        chunk for _, group in best_first for chunk in sorted(group, key=lambda c: (c.chunk_index, c.chunk_id))
    ]
