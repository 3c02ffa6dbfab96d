"""Systems that rank chunks of one size: bm25s by words, exact cosines by meaning, and a convex sum of both."""

from collections.abc import Callable, Sequence

import bm25s  # type: ignore[import-not-found]
import numpy as np
import Stemmer  # type: ignore[import-not-found]
from langchain_text_splitters import RecursiveCharacterTextSplitter  # type: ignore[import-not-found]

from benchmarks.retrieval_quality_parts.peer_systems.fusing import Scores, fused
from benchmarks.retrieval_quality_parts.peer_systems.jobs import Embed, Found, Job
from benchmarks.retrieval_quality_parts.peer_systems.places import TextChunk, located, whole

Cutting = Callable[[Job], list[TextChunk]]
_STEMMERS = {"en": "english", "de": "german"}


def recursive(tokens: int) -> Cutting:
    """LangChain's recursive splitter by tokens of cl100k_base, without overlap."""

    def cut(job: Job) -> list[TextChunk]:
        splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
            encoding_name="cl100k_base", chunk_size=tokens, chunk_overlap=0, disallowed_special=()
        )
        documents = job.documents.items()
        return [chunk for name, text in documents for chunk in located(name, text, splitter.split_text(text))]

    return cut


def uncut(job: Job) -> list[TextChunk]:
    """Whole documents."""
    return whole(job.documents)


def words(cutting: Cutting) -> Callable[[Job, Embed], list[Found]]:
    """bm25s with its defaults, stemmed, stop words left out."""

    def run(job: Job, _embed: Embed) -> list[Found]:
        chunks = cutting(job)
        return [_best(chunks, np.where(row > 0, row, -np.inf), job.depth) for row in _bm25(job, chunks)]

    return run


def dense(cutting: Cutting) -> Callable[[Job, Embed], list[Found]]:
    """Cosine of chunk and question."""

    def run(job: Job, embed: Embed) -> list[Found]:
        chunks = cutting(job)
        return [_best(chunks, row, job.depth) for row in _cosines(job, chunks, embed)]

    return run


def convex(cutting: Cutting) -> Callable[[Job, Embed], list[Found]]:
    """Both, fused."""

    def run(job: Job, embed: Embed) -> list[Found]:
        chunks = cutting(job)
        pairs = zip(_bm25(job, chunks), _cosines(job, chunks, embed), strict=True)
        return [_best(chunks, fused(by_words, by_meaning), job.depth) for by_words, by_meaning in pairs]

    return run


def _bm25(job: Job, chunks: Sequence[TextChunk]) -> list[Scores]:
    stemmer = Stemmer.Stemmer(_STEMMERS[job.language])

    def tokens(texts: list[str]) -> list[list[str]]:
        found: list[list[str]] = bm25s.tokenize(
            texts, stopwords=job.language, stemmer=stemmer, return_ids=False, show_progress=False
        )
        return found

    index = bm25s.BM25()
    index.index(tokens([chunk.text for chunk in chunks]), show_progress=False)
    return [np.asarray(index.get_scores(asked), dtype=np.float64) for asked in tokens(list(job.questions))]


def _cosines(job: Job, chunks: Sequence[TextChunk], embed: Embed) -> list[Scores]:
    texts = np.array(embed([chunk.text for chunk in chunks]))
    questions = np.array(embed(list(job.questions)))
    return list(questions @ texts.T)


def _best(chunks: Sequence[TextChunk], scores: Scores, depth: int) -> Found:
    order = np.argsort(-scores, kind="stable")[:depth]
    return [chunks[at][:3] for at in order if scores[at] > -np.inf]
