"""Documents: found by their best child, and listed as sources with an excerpt."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple
from uuid import UUID

from webrag_desktop.models.metadata import metadata_values
from webrag_desktop.retrieval.contracts.bundles import CandidateItem, RetrievalStats, SnippetOrigin
from webrag_desktop.retrieval.contracts.options import MOST_CANDIDATES, RetrievalOptions
from webrag_desktop.retrieval.contracts.passages import Passage, passage_of
from webrag_desktop.retrieval.contracts.preferences import SnippetPrefs
from webrag_desktop.retrieval.contracts.results import (
    Arm,
    ArmScores,
    Correction,
    MatchedSpan,
    RetrievalResult,
    RetrievedChunk,
    arms_of,
)
from webrag_desktop.retrieval.fusion import ranks
from webrag_desktop.retrieval.pipeline import Candidates, Question
from webrag_desktop.storage.searching.candidates import searching
from webrag_desktop.storage.searching.items import ItemRow, PassageRow, load_items, load_parent_spans
from webrag_desktop.storage.searching.search import ChildParts
from webrag_desktop.storage.searching.words import UNSPACED
from webrag_desktop.text.graphemes import between_characters, first_between
from webrag_desktop.text.links import site_of
from webrag_desktop.text.spans import Span, stripped

# How many children of each arm are requested per document; the second where the first gave too few documents, since
# the children of a long one took all the places.
WIDTHS = (5, 50)


class FoundDocument(NamedTuple):
    """A document with the ``passages`` that found it, best first; the ranks of its ``scores`` are among documents."""

    item: ItemRow
    passages: tuple[Passage, ...]
    scores: ArmScores

    @property
    def score(self) -> float:
        """That of its best passage."""
        return self.passages[0].rank_score

    @property
    def found_by(self) -> tuple[Arm, ...]:
        """The arms that found any of its passages."""
        return arms_of(one.found_by for one in self.passages)


class Found(NamedTuple):
    """The best ``documents``; ``parts`` are those of all children that count.

    ``allowed`` are the parts of their texts that meet the filters, by document; None where all of them do.
    """

    candidates: Candidates
    documents: list[FoundDocument]
    parts: Mapping[UUID, ChildParts]
    allowed: dict[UUID, list[Span]] | None = None


def find_documents(question: Question, options: RetrievalOptions, most: int, *, to_cut: bool) -> Found:
    """At most ``most`` documents, best first; ``to_cut`` says that their allowed parts are needed, for late chunking.

    Raises:
        InputError: the words break the strict syntax, there is no such configuration, or the connection is not idle.
        Cancelled: the question's token was set.
        DatabaseError: the database refused, failed or cannot be reached.
    """
    conn, cancel = question.conn, question.cancel
    with searching(conn, question.text.words, cancel):
        candidates = _candidates(question, options, most)
        cancel.raise_if_cancelled()
        if not candidates.children:
            return Found(candidates, [], {})
        items = load_items(conn, [child.id for child in candidates.children])
        placed = [_placed(child, items.passages[child.id]) for child in candidates.children]
        documents = leading(rank_documents(placed, items.documents), most)
        parts = {id_: row.parts for id_, row in items.passages.items()}
        cancel.raise_if_cancelled()
        parents = candidates.scope.parent_ids if to_cut and candidates.question.values else None
        if parents is None:
            return Found(candidates, documents, parts)
        allowed = load_parent_spans(conn, [one.item.id for one in documents], parents)
        return Found(candidates, documents, parts, allowed)


def _placed(child: Passage, row: PassageRow) -> Passage:
    """The child with its place in its document."""
    return child._replace(
        document_id=row.document_id,
        tokens=row.tokens,
        heading_path=row.heading_path,
        anchor=row.anchor,
        page=row.page,
    )


def _candidates(question: Question, options: RetrievalOptions, documents: int) -> Candidates:
    for width in WIDTHS:
        candidates = question.candidates(widened(options, width * documents))
        if _enough(candidates, documents):
            break
    return candidates


def widened(options: RetrievalOptions, children: int) -> RetrievalOptions:
    """The same with at least that many children from each arm."""
    return replace(
        options,
        top_k_children_limit=min(MOST_CANDIDATES, max(options.top_k_children_limit, children)),
        lexical_children_limit=min(MOST_CANDIDATES, max(options.lexical_children_limit, children)),
    )


def _enough(candidates: Candidates, documents: int) -> bool:
    """Whether the rows belong to that many documents, or neither arm has more rows."""
    rows, limits = candidates.rows, candidates.limits
    if len({row.source_url for row in rows}) >= min(documents, candidates.scope.documents):
        return True
    by_vector, by_words = sum(row.by_vector for row in rows), sum(row.by_words for row in rows)
    return by_vector < limits.vector and by_words < limits.lexical


def rank_documents(passages: Iterable[Passage], items: Mapping[UUID, ItemRow]) -> list[FoundDocument]:
    """The documents of these passages, best first; those of equal score by address."""
    families: dict[UUID, list[Passage]] = defaultdict(list)
    for passage in passages:
        families[passage.document].append(passage)
    best = [ArmScores.best([one.scores for one in family]) for family in families.values()]
    by_words = ranks([one.score_text for one in best])
    by_meaning = ranks([one.score_vec for one in best])
    found = [
        FoundDocument(
            items[id_],
            tuple(sorted(family, key=attrgetter("sort_key"))),
            scores._replace(rank_text=rank_text, rank_vec=rank_vec),
        )
        for (id_, family), scores, rank_text, rank_vec in zip(
            families.items(), best, by_words, by_meaning, strict=True
        )
    ]
    return sorted(found, key=lambda one: (-one.score, one.item.source_url, one.item.id))


def leading(documents: Sequence[FoundDocument], most: int) -> list[FoundDocument]:
    """The first ``most`` in order; where there are more, those whose best passage repeats a better one come last."""
    if len(documents) <= most:
        return list(documents)
    seen: set[str] = set()
    new: list[int] = []
    repeated: list[int] = []
    for place, one in enumerate(documents):
        text = one.passages[0].text
        (repeated if text in seen else new).append(place)
        seen.add(text)
    return [documents[place] for place in sorted([*new, *repeated][:most])]


_UNSPACED_PAIR = re.compile(f"[{UNSPACED}]{{2}}")


def excerpt(text: str, start: int, end: int, max_chars: int) -> tuple[int, int]:
    """At most ``max_chars`` of the text, without white space at its ends, centred on the sentence ``[start, end)``.

    A line above the sentence is there whole or not at all, and a longer sentence is cut at its end. No word is cut
    unless it alone is too long, and no character ever, so that the excerpt is empty where one character (as readers
    see them) has more code points than there is room.
    """
    room = max_chars - (end - start)
    if room < 0:
        return stripped(text, start, _cut_before(text, start, start + max_chars))
    left = max(0, min(start - room // 2, len(text) - max_chars))
    left = _line_start(text, left, start)
    right = min(len(text), left + max_chars)
    while right > end and not _between_words(text, right):
        right -= 1
    return stripped(text, left, right)


def _line_start(text: str, at: int, sentence: int) -> int:
    """The first beginning of a line from there to the sentence; of a word, where the sentence's own line is cut."""
    if at and text[at - 1] != "\n":
        line = text.find("\n", at, sentence) + 1
        if line:
            return line
    while at < sentence and not _between_words(text, at):
        at += 1
    return at


def _cut_before(text: str, start: int, limit: int) -> int:
    """The last place to cut at, between words where there is one."""
    places = range(limit, start, -1)
    between_words = next((at for at in places if _between_words(text, at)), None)
    return between_words or first_between(text, places) or start


def _between_words(text: str, at: int) -> bool:
    """Whether white space, an end of the text, or a script without spaces is beside the position."""
    if at <= 0 or at >= len(text) or text[at - 1].isspace() or text[at].isspace():
        return True
    return _UNSPACED_PAIR.match(text, at - 1) is not None and between_characters(text, at)


FILE = "file"  # the site of a document that was not fetched from one
_UNKNOWN = "unknown"  # the type of a document that was removed, or was not loaded
_OWN_FIELDS = frozenset({"title", "description", "doc_type"})  # title, summary and kind of a candidate
_NOTHING_KNOWN: Mapping[UUID, ItemRow] = {}
_SNIPPETS = SnippetPrefs()


def candidate_items(found: Found, prefs: SnippetPrefs) -> list[CandidateItem]:
    """The documents that a search by preferences found, in its order."""
    if not found.documents:
        return []
    evidence = found.candidates.evidence(found.parts)
    return [_candidate_item(one, evidence.spans(one.passages, 1)[0], prefs) for one in found.documents]


def sources_of(
    result: RetrievalResult, documents: Mapping[UUID, ItemRow] = _NOTHING_KNOWN
) -> list[CandidateItem]:
    """The documents of a result's chunks, best first; those of equal score by address.

    ``documents`` are their stored rows
    (:func:`~webrag_desktop.storage.searching.items.load_documents`); without them, type and description are unknown.
    Ranks are among these documents.
    """
    items = {one.document_id: documents.get(one.document_id) or _as_found(one) for one in result.chunks[::-1]}
    return [
        _candidate_item(one, _best_span(one.passages), _SNIPPETS)
        for one in rank_documents(map(passage_of, result.chunks), items)
    ]


def _best_span(passages: Sequence[Passage]) -> MatchedSpan | None:
    spans = (span for one in passages for span in one.matched_spans)
    return min(spans, key=lambda span: (-span.score, span.char_start), default=None)


def stats_of(result: RetrievalResult) -> RetrievalStats:
    """Statistics of the search of a result: milliseconds, counts and parameters."""
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
            "corrections": likeliest(result.corrections),
            "rerank": result.rerank.model_dump(mode="json") if result.rerank else None,
            **degraded,
        },
    )


def likeliest(corrections: Sequence[Correction]) -> dict[str, str]:
    """The likeliest reading of each word, which is the first one given."""
    return {one.word: one.read_as for one in reversed(corrections)}


def _candidate_item(found: FoundDocument, best: MatchedSpan | None, prefs: SnippetPrefs) -> CandidateItem:
    """``best`` is the document's best sentence, in one of its passages; None where none is known."""
    item, (snippet, origin) = found.item, _snippet(found, best, prefs)
    return CandidateItem(
        item_id=str(item.id),
        kind=item.doc_type or _UNKNOWN,
        source=item.site or FILE,
        source_ref=item.source_url,
        title=item.title,
        summary=item.description,
        metadata=metadata_of(item, found.found_by),
        score=found.score,
        **found.scores._asdict(),
        snippet=snippet,
        snippet_from=origin,
    )


def metadata_of(item: ItemRow, found_by: Sequence[Arm]) -> dict[str, Any]:
    """What else is known of a document, as plain data: all of its metadata that has no field of its own."""
    metadata = {name: value for name, value in metadata_values(item).items() if name not in _OWN_FIELDS}
    return metadata | {
        "version_id": str(item.version_id),
        "content_hash": item.content_hash,
        "fetched_at": item.fetched_at.isoformat(),
        "depth": item.depth,
        "found_by": list(found_by),
    }


def _snippet(
    found: FoundDocument, best: MatchedSpan | None, prefs: SnippetPrefs
) -> tuple[str | None, SnippetOrigin]:
    """An excerpt around the best sentence or of the description, whichever is preferred and there."""
    kinds: list[SnippetOrigin] = ["chunk", "doc"] if prefs.prefer_chunk_snippet else ["doc", "chunk"]
    for origin in kinds:
        text = _described(found.item, prefs) if origin == "doc" else _around(best, found.passages, prefs)
        if text:
            return text, origin
    return None, "unknown"


def _described(item: ItemRow, prefs: SnippetPrefs) -> str:
    """The document's own description, shortened; empty where it has none."""
    text = item.description or ""
    start, end = excerpt(text, 0, len(text), prefs.max_chars)
    return text[start:end]


def _around(best: MatchedSpan | None, passages: Sequence[Passage], prefs: SnippetPrefs) -> str:
    """An excerpt of the passage that holds the sentence, around it; passages of a document do not overlap."""
    if best is None:
        return ""
    holding = max(
        (one for one in passages if one.char_start <= best.char_start), key=lambda one: one.char_start
    )
    sentence = best.char_start - holding.char_start, best.char_end - holding.char_start
    start, end = excerpt(holding.text, *sentence, prefs.max_chars)
    return holding.text[start:end]


def _as_found(chunk: RetrievedChunk) -> ItemRow:
    """A chunk's document, as far as the chunk describes it."""
    return ItemRow(
        id=chunk.document_id,
        version_id=chunk.version_id,
        source_url=chunk.source_url,
        site=site_of(chunk.source_url),
        title=chunk.title,
        fetched_at=chunk.fetched_at,
        depth=chunk.depth,
        content_hash="",
    )
