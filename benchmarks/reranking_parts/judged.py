"""The passages that are judged of each question, as ``retrieve()`` hands them to a reranker, kept in a file."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from benchmarks.embedding_parts.scifact import ndcg
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece, Question
from benchmarks.retrieval_quality_parts.metrics import recall
from benchmarks.retrieval_quality_parts.products import Cut, IndexedSet, indexed
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankResult
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.search import retrieve

HALF = 0.5  # of the answer: a passage that holds as much is a hit


@dataclass(frozen=True, slots=True)
class Judged:
    """A question and its candidates, best first by the search, with where each stands."""

    question: Question
    candidates: tuple[RerankCandidate, ...]
    pieces: tuple[Piece, ...]

    def score(self, order: Sequence[UUID], task: str) -> float:
        """Of this order, in percent: nDCG@10 of the documents, else the reciprocal rank of the first hit."""
        places = {one.chunk_id: piece for one, piece in zip(self.candidates, self.pieces, strict=True)}
        pieces = [places[one] for one in order]
        if task == "documents":
            documents = list(dict.fromkeys(piece.document for piece in pieces))
            return 100 * ndcg(documents, self.question.relevant)
        hits = (recall([piece], self.question.answers) >= HALF for piece in pieces)
        return next((100 / rank for rank, hit in enumerate(hits, start=1) if hit), 0.0)


class _Noting:
    """A reranker that notes what it is given, and leaves the order as it is."""

    model = None

    def __init__(self) -> None:
        self.noted: Sequence[RerankCandidate] = ()

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        self.noted = candidates
        return [
            RerankResult(
                chunk_id=one.chunk_id, relevance_score=0, answerability=False, key_evidence="", weight=0
            )
            for one in candidates
        ]


def judged(data: EvaluationSet, embedder: Embedder, most: int, kept: Path) -> list[Judged]:
    """Every question with at most ``most`` candidates; read from ``kept`` where that is there."""
    if not kept.is_file():
        with indexed(data, Cut(ChunkTargets().child_tokens, True), embedder) as held:
            rows = list(_noted(held, data.questions, most))
        kept.write_text(json.dumps(rows), encoding="utf-8")
    rows = json.loads(kept.read_text(encoding="utf-8"))
    return [_read(question, row) for question, row in zip(data.questions, rows, strict=True)]


def _noted(held: IndexedSet, questions: Sequence[Question], most: int) -> Iterator[list[Any]]:
    config = RerankConfig(max_candidates_to_rerank=most, return_top_n=most)
    with held.database.connection() as conn:
        for question in questions:
            noting = _Noting()
            result = retrieve(
                conn,
                question.text,
                embedder=held.into.embedder,
                mode="chunk",
                tokenizer=held.into.tokenizer,
                reranker=noting,
                rerank=config,
            )
            stand = {
                chunk.chunk_id: held.places[chunk.source_url].piece(chunk.char_start, chunk.char_end)
                for chunk in result.chunks
            }
            yield [
                [asdict(one) | {"chunk_id": str(one.chunk_id)}, stand[one.chunk_id]]
                for one in noting.noted
                if one.chunk_id in stand  # not folded, nor beyond the budget
            ]


def _read(question: Question, row: list[Any]) -> Judged:
    candidates = tuple(
        RerankCandidate(
            **{
                **fields,
                "chunk_id": UUID(fields["chunk_id"]),
                "heading_path": tuple(fields["heading_path"]),
                "sentences": tuple((start, end) for start, end in fields["sentences"]),
            }
        )
        for fields, _ in row
    )
    return Judged(question, candidates, tuple(Piece(*piece) for _, piece in row))
