"""Keeps what was cut late to what was asked for: the filters, and the words that must not occur."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from uuid import UUID

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.bundles import EvidenceChunk
from webrag_desktop.retrieval.hybrid.documents import FoundDocument
from webrag_desktop.retrieval.hybrid.pooling import SHARED, span_of
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.candidates import WordQuery
from webrag_desktop.storage.searching.items import Passage, Span, hold_excluded
from webrag_desktop.storage.snapshot import snapshot

BATCH = 64  # chunks that the server looks through at once


def within(
    chunks: Iterable[EvidenceChunk], allowed: Mapping[UUID, Sequence[Span]] | None
) -> list[EvidenceChunk]:
    """Those that lie mostly in what is allowed of their document; all of them where everything is."""
    if allowed is None:
        return list(chunks)
    return [chunk for chunk in chunks if _lies_in(span_of(chunk), allowed.get(UUID(chunk.item_id), ()))]


def without_excluded(
    conn: Connection,
    chunks: Iterable[EvidenceChunk],
    documents: Sequence[FoundDocument],
    words: WordQuery,
    cancel: CancelToken,
) -> Iterator[EvidenceChunk]:
    """Those that hold none of the excluded words, as the full text reads them; ``conn`` must be idle.

    The server looks through a few at a time, and no more when enough are taken: whole documents would take it long.
    """
    found = {str(one.item.id): one for one in documents}
    rest = iter(chunks)
    while batch := list(islice(rest, BATCH)):
        with snapshot(conn, cancel):
            held = hold_excluded(conn, words, [_passage(chunk, found[chunk.item_id]) for chunk in batch])
        yield from (chunk for chunk, holds in zip(batch, held, strict=True) if not holds)


def _lies_in(span: Span, allowed: Sequence[Span]) -> bool:
    """Whether most of it is allowed by spans that stand one behind another; only those that it meets are looked at."""
    place, shared = bisect_right(allowed, span[0], key=itemgetter(1)), 0
    while place < len(allowed) and allowed[place][0] < span[1]:
        start, end = allowed[place]
        shared += min(span[1], end) - max(span[0], start)
        place += 1
    return shared > SHARED * (span[1] - span[0])


def _passage(chunk: EvidenceChunk, document: FoundDocument) -> Passage:
    context = " ".join(filter(None, (document.item.title, *(chunk.heading_path or ()))))
    return Passage(document.children[0].row.search_language, context, chunk.text)
