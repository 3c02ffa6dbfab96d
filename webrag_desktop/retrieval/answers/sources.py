"""What an answer may rest on, told as documents: the candidates of a result, and how its search went."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit
from uuid import UUID

from webrag_desktop.retrieval.contracts.bundles import CandidateItem, RetrievalStats, SnippetOrigin
from webrag_desktop.retrieval.contracts.preferences import SnippetPrefs
from webrag_desktop.retrieval.contracts.results import Arm, ArmScores, RetrievalResult, RetrievedChunk
from webrag_desktop.retrieval.fusion import ranks
from webrag_desktop.retrieval.hybrid.sources import candidate_item, description_of, excerpt
from webrag_desktop.storage.searching.items import ItemRow

_ARMS: tuple[Arm, ...] = ("vector", "words", "identifier")
_UNKNOWN = "unknown"  # the type of a document that is gone, or was not looked up
_NOTHING_KNOWN: Mapping[UUID, ItemRow] = {}
_SNIPPETS = SnippetPrefs()


def sources_of(
    result: RetrievalResult, documents: Mapping[UUID, ItemRow] = _NOTHING_KNOWN
) -> list[CandidateItem]:
    """The documents that gave a result, best first; equal ones by address.

    ``documents`` are what is stored of them
    (:func:`~webrag_desktop.storage.searching.items.load_documents`); without it, type and description are not known.
    Ranks are among these documents.
    """
    families: dict[UUID, list[RetrievedChunk]] = defaultdict(list)
    for chunk in result.chunks:
        families[chunk.document_id].append(chunk)
    items = [documents.get(id_) or _as_found(family[0]) for id_, family in families.items()]
    best = [ArmScores.best(list(map(_scores, family))) for family in families.values()]
    by_words, by_meaning = ranks([one.score_text for one in best]), ranks([one.score_vec for one in best])
    found = [
        candidate_item(
            item,
            max(chunk.rank_score for chunk in family),
            scores._replace(rank_text=word_rank, rank_vec=meaning_rank),
            _found_by(family),
            _snippet(item, family),
        )
        for item, family, scores, word_rank, meaning_rank in zip(
            items, families.values(), best, by_words, by_meaning, strict=True
        )
    ]
    return sorted(found, key=lambda one: (-one.score, one.source_ref or "", one.item_id))


def stats_of(result: RetrievalResult) -> RetrievalStats:
    """How the search of a result went: milliseconds, how many of what, and what was found out on the way."""
    figures, timing = result.corpus_stats, result.timing
    degraded = {"degraded": result.degraded} if result.degraded else {}
    return RetrievalStats(
        timing_ms={"embed": timing.embed_ms, "search": timing.search_ms, "total": timing.total_ms},
        counts={
            "documents": figures.total_documents,
            "parent_chunks": figures.total_parent_chunks,
            "tokens": figures.total_tokens,
            "items": len(figures.documents_matched),
            "evidence": len(result.chunks),
            "left_out": len(result.left_out),
        },
        params={
            "mode": result.mode,
            # The likeliest comes first and is to be the one that stays.
            "corrections": {one.word: one.read_as for one in reversed(result.corrections)},
            "rerank": result.rerank.model_dump(mode="json") if result.rerank else None,
            **degraded,
        },
    )


def _scores(chunk: RetrievedChunk) -> ArmScores:
    return ArmScores(chunk.score_text, chunk.score_vec, chunk.rank_text, chunk.rank_vec)


def _found_by(family: Sequence[RetrievedChunk]) -> list[Arm]:
    arms = {arm for chunk in family for arm in chunk.found_by}
    return [arm for arm in _ARMS if arm in arms]


def _snippet(item: ItemRow, family: Sequence[RetrievedChunk]) -> tuple[str | None, SnippetOrigin]:
    matched = [(chunk, span) for chunk in family for span in chunk.matched_spans]
    if matched:
        chunk, span = min(matched, key=lambda one: (-one[1].score, one[1].char_start))
        sentence = span.char_start - chunk.char_start, span.char_end - chunk.char_start
        start, end = excerpt(chunk.chunk_text, *sentence, _SNIPPETS.max_chars)
        return chunk.chunk_text[start:end], "chunk"
    described = description_of(item, _SNIPPETS.max_chars)
    return (described, "doc") if described else (None, "unknown")


def _as_found(chunk: RetrievedChunk) -> ItemRow:
    """What a passage tells of its document."""
    site = urlsplit(chunk.source_url).hostname
    return ItemRow(
        id=chunk.document_id,
        version_id=chunk.version_id,
        source_url=chunk.source_url,
        site=site.removeprefix("www.") if site else None,
        doc_type=_UNKNOWN,
        title=chunk.title,
        description=None,
        language=None,
        published_time=None,
        modified_time=None,
        fetched_at=chunk.fetched_at,
        depth=chunk.depth,
        page_count=None,
        content_hash="",
    )
