"""WebRAG itself: documents read, cut, embedded and stored as a user's are, then asked through ``retrieve()``."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, get_type_hints
from urllib.parse import quote

from pydantic import TypeAdapter

from benchmarks.measuring import EMBEDDED, library
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet
from benchmarks.retrieval_quality_parts.metrics import Ranking
from benchmarks.retrieval_quality_parts.reading_order import Place, original_offsets, ranking
from tests.support.new_source import new_source
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.indexing.corpus_space import chunking_options, settle_space, wanted_space
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, extract
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.spaces.space_tables import activate_space, ensure_space

_PLENTY_OF_TOKENS = 10_000_000  # where whole rankings are judged, no result may be cut short by its size


@dataclass(frozen=True, slots=True)
class Cut:
    """How documents are cut and headed before they are embedded."""

    child_tokens: int
    header: bool

    def __str__(self) -> str:
        return f"children of {self.child_tokens}, {'with' if self.header else 'without'} header"


@dataclass(frozen=True, slots=True)
class Search:
    """How a library is asked: the arms that count and options that differ from their defaults."""

    arms: str
    options: Mapping[str, Any]

    def __str__(self) -> str:
        changed = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.arms}, {changed}" if changed else self.arms


HYBRID = "hybrid"
VECTOR_ONLY = "vector only"
WORDS_ONLY = "words only"


def arms_of(hybrid: Search) -> list[Search]:
    """Each arm of a hybrid search alone, all else equal."""
    alone = {**hybrid.options, "vector_weight": 1.0, "lexical_children_limit": 1}
    return [Search(VECTOR_ONLY, alone), Search(WORDS_ONLY, hybrid.options)]


def parsed_options(text: str) -> dict[str, Any]:
    """``vector_weight=.4,similarity_floor=0`` as options of retrieval, each in its type.

    Raises:
        ValueError: there is no such option, or its value is of another type.
    """
    types = get_type_hints(RetrievalOptions)
    given = dict(part.split("=", 1) for part in text.split(",") if part)
    if unknown := given.keys() - types:
        raise ValueError(f"There is no option {', '.join(sorted(unknown))}")
    return {name: TypeAdapter(types[name]).validate_python(value) for name, value in given.items()}


@contextmanager
def indexed(data: EvaluationSet, cut: Cut, embedder: Embedder) -> Iterator["IndexedSet"]:
    """A library that holds the set's documents."""
    with library() as database:
        into = _indexer(database, cut, embedder)
        yield IndexedSet(database, into, _add(database, into, data))


def _indexer(database: Database, cut: Cut, embedder: Embedder) -> Indexer:
    targets = ChunkTargets(child_tokens=cut.child_tokens)
    options = replace(EMBEDDED, model=embedder.model.model)
    space = (
        settle_space(database, options, targets)
        if cut.header
        else _space_without_header(database, options, targets)
    )
    tokenizer = open_tokenizer(embedder.model.tokenizer)
    return Indexer(database, space, embedder, tokenizer, chunking_options(targets, embedder.model, tokenizer))


def _space_without_header(
    database: Database, options: EmbeddingOptions, targets: ChunkTargets
) -> StoredSpace:
    usual = settle_space(database, options, targets)
    with database.connection() as conn:
        bare = wanted_space(usual.space, options, targets).model_copy(update={"header_tokens": 0})
        stored = ensure_space(conn, bare)
        activate_space(conn, stored)
        return stored


def _add(database: Database, into: Indexer, data: EvaluationSet) -> dict[str, Place]:
    places = {}
    for name, text in data.documents.items():
        url = f"https://evaluation.example/{quote(name)}"
        capture = Capture(
            url=url,
            final_url=url,
            status_code=200,
            headers=(("content-type", f"{data.media_type}; charset=utf-8"),),
            body=text.encode(),
            fetched_at=datetime(2026, 1, 2, tzinfo=UTC),
        )
        with database.connection() as conn:
            source_id = new_source(conn, "url", url, url)
            stored = captures.save_capture(conn, source_id, capture)
        document = extract(capture)
        origin = Origin(stored.id, stored.raw_hash, EXTRACTOR_VERSION)
        into.index(source_id, document, origin, report=lambda *_step: None)
        with database.connection() as conn:
            sources.set_state(conn, source_id, "ready")
        places[document.source_url] = Place(name, original_offsets(document.markdown, text))
    return places


@dataclass(frozen=True, slots=True)
class IndexedSet:
    """A library that can be asked."""

    database: Database
    into: Indexer
    places: Mapping[str, Place]

    def rankings(self, data: EvaluationSet, search: Search) -> list[Ranking]:
        """Every question's answer."""
        budget = _PLENTY_OF_TOKENS if data.task == "documents" else None
        questions = [question.text for question in data.questions]
        return [ranking(result, self.places) for result in self.results(questions, search, budget)]

    def results(
        self, questions: Sequence[str], search: Search, budget: int | None = None
    ) -> list[RetrievalResult]:
        """What each question finds; a ``budget`` in tokens of passages goes before the usual one."""
        options = RetrievalOptions(**search.options)
        with self.database.connection() as conn:
            return [
                retrieve(
                    conn,
                    question,
                    embedder=None if search.arms == WORDS_ONLY else self.into.embedder,
                    options=options,
                    mode="chunk",
                    context_budget_override=budget,
                    tokenizer=self.into.tokenizer,
                )
                for question in questions
            ]
