"""What fits the context: tokens of parents, counted as token spans of their markdown."""

from collections.abc import Iterable, Sequence

from webrag_desktop.retrieval.aggregate import Parent
from webrag_desktop.retrieval.contracts.results import ArmScores, LeftOut, RetrievalResult, RetrievedChunk
from webrag_desktop.storage.searching.search import DocumentSize, ParentRow

_NAMED = 3  # documents that a notice names


def best_within(parents: Sequence[Parent], budget: int) -> list[Parent]:
    """The leading parents that fit together; the first comes even where it alone exceeds the budget.

    It ends at the first that does not fit, so a weaker but smaller one never takes a stronger one's place.
    """
    return list(parents[: _leading((parent.tokens for parent in parents), budget)])


def _leading(tokens: Iterable[int], budget: int) -> int:
    """How many of the first fit together, one in any case."""
    count, left = 0, budget
    for one in tokens:
        left -= one
        if left < 0 and count:
            break
        count += 1
        if left < 0:
            break
    return count


def result_within(result: RetrievalResult, budget: int) -> RetrievalResult:
    """What a search in the mode ``chunk`` found, as a search with a smaller budget would give it."""
    ranked = sorted(result.chunks, key=lambda chunk: (-chunk.rank_score, chunk.source_url, chunk.chunk_index))
    fitting = _leading((chunk.token_end - chunk.token_start for chunk in ranked), budget)
    beyond = {chunk.chunk_id: chunk for chunk in ranked[fitting:]}
    if not beyond:
        return result
    chunks = [chunk for chunk in result.chunks if chunk.chunk_id not in beyond]
    left_out = sorted([*map(_cut_off, beyond.values()), *result.left_out], key=lambda one: -one.rank_score)
    matched = list(dict.fromkeys(chunk.source_url for chunk in chunks))
    figures = result.corpus_stats.model_copy(update={"documents_matched": matched})
    return result.model_copy(update={"chunks": chunks, "left_out": left_out, "corpus_stats": figures})


def _cut_off(chunk: RetrievedChunk) -> LeftOut:
    scores = ArmScores(chunk.score_text, chunk.score_vec, chunk.rank_text, chunk.rank_vec)
    return LeftOut(
        chunk.chunk_id,
        chunk.document_id,
        chunk.source_url,
        chunk.rank_score,
        chunk.score,
        chunk.raw_similarity,
        scores,
        tuple(chunk.found_by),
        "context_budget",
    )


def documents_within(sizes: Sequence[DocumentSize], budget: int) -> list[DocumentSize]:
    """The documents that fit together, given all of them in reading order; one that does not fit makes way for others.

    The first stays: where it alone exceeds the budget, it is to be cut (:func:`parents_within`), and others may stand
    beside its first parent.
    """
    kept, left = [], budget
    for place, size in enumerate(sizes):
        first_beyond = place == 0 and size.tokens > budget
        if first_beyond or size.tokens <= left:
            kept.append(size)
            left -= (size.first_parent or 0) if first_beyond else size.tokens
    return kept


def parents_within(parents: Sequence[ParentRow], budget: int) -> list[ParentRow]:
    """The parents of documents that fit; the first one is cut behind its last that does, and keeps at least one."""
    if not parents:
        return []
    first = parents[0].document_id
    others = [parent for parent in parents if parent.document_id != first]
    left = budget - sum(map(_tokens, others))
    kept: list[ParentRow] = []
    for parent in parents[: len(parents) - len(others)]:
        left -= _tokens(parent)
        if left < 0 and kept:
            break
        kept.append(parent)
    return kept + others


def beyond_budget(sizes: Sequence[DocumentSize], kept: Sequence[DocumentSize], budget: int) -> str | None:
    """Says in whole sentences which documents the budget leaves out, and which it cuts; None where it holds all."""
    held = {size.id for size in kept}
    missing = [size.source_url for size in sizes if size.id not in held]
    told = []
    if missing:
        others = f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
        told.append(
            f"The context budget of {budget:,} tokens holds {len(kept):,} of {len(sizes):,} documents; left out: "
            f"{', '.join(missing[:_NAMED])}{others}."
        )
    if kept and kept[0].tokens > budget:
        told.append(
            f"{kept[0].source_url} has {kept[0].tokens:,} tokens, more than the context budget of {budget:,}: only its "
            "beginning is given."
        )
    return " ".join(told) or None


def _tokens(parent: ParentRow) -> int:
    return parent.token_end - parent.token_start
