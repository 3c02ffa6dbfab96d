"""``retrieve``: one question in, the best evidence of the library out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args
from uuid import UUID

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.embedding.catalog import embedded_model
from webrag_desktop.errors import InputError
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.candidates import aggregate
from webrag_desktop.retrieval.choosing import Chooser, beyond_budget, documents_within, parents_within
from webrag_desktop.retrieval.contracts.filters import SearchFilters, restriction
from webrag_desktop.retrieval.contracts.judgements import Reranker
from webrag_desktop.retrieval.contracts.options import RetrievalOptions, effective_budget, effective_threshold
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.contracts.results import Mode, RequestedMode, RetrievalResult
from webrag_desktop.retrieval.evidence import Reading
from webrag_desktop.retrieval.growing import Found, GrowingResult, read_children, result_of
from webrag_desktop.retrieval.pipeline import Question, Stopwatch, read_question
from webrag_desktop.retrieval.query_text import QueryText, QuestionVector, embed_question, given_question
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.candidates import searching
from webrag_desktop.storage.searching.search import (
    AskedParents,
    Scope,
    Shown,
    ask_documents,
    ask_parents,
    document_sizes,
)
from webrag_desktop.text.language import guess_language, load

DEFAULT_OPTIONS = RetrievalOptions()
DEFAULT_RERANKING = RerankConfig()


def retrieve(
    conn: Connection,
    query: str,
    *,
    embedder: Embedder | None,
    options: RetrievalOptions = DEFAULT_OPTIONS,
    mode: RequestedMode = "auto",
    source_urls: list[str] | None = None,
    filters: SearchFilters | None = None,
    context_budget_override: int | None = None,
    cancel: CancelToken | None = None,
    tokenizer: Tokenizer | None = None,
    reranker: Reranker | None = None,
    rerank: RerankConfig = DEFAULT_RERANKING,
    query_embedding: Sequence[float] | None = None,
    limit: int | None = None,
) -> RetrievalResult:
    """Search the library and return the best evidence for a question; no language model is used unless one is given.

    ``auto`` gives a library of at most ``full_context_threshold`` tokens whole, in reading order, and searches
    a larger one by meaning and by words; the other modes decide that themselves. Where nothing can be searched
    (no documents, or none at ``source_urls`` that meets the ``filters``) the result is an empty one of mode
    ``full_context``. ``source_urls`` names documents by their stored address; None and an empty list both mean
    the whole library. Results and figures keep to what meets the ``filters``, too, all of it. A
    ``context_budget_override`` of 0 counts as none. Where ``auto`` asks for
    the threshold, one above the budget is lowered to it with a UserWarning.

    Of whole documents those that the budget holds are given, in reading order; one that does not fit is skipped for
    smaller ones behind it, and only the first is cut. ``degraded`` names what is missing, ``left_out`` holds the
    passages found there.

    Without an embedder, or where it fails or is of another model than the library's, the words alone answer
    and ``degraded`` says so. A ``tokenizer`` (the library's) lets a question beyond the model's window
    be cut for the model rather than refused by it. ``degraded`` also says where a question is too long for all of
    its words to be searched, ``corrections`` which word that no text holds was read as which similar one.

    The ``query_embedding`` of an earlier result may be given back for the same question: then nothing is embedded, the
    result is the same, and the model need not be reachable. It is valid as long as the library is in the space that it
    came from; a vector of another space is noticed only by its length. An empty one counts as none.

    With a ``limit`` no more than the best chunks are made, and ``left_out`` holds the others; all else is the same.

    A ``reranker`` judges the best passages of ``chunk`` mode again, as many as ``rerank`` says; where it fails, the
    order stays, and ``degraded`` says why. Near-duplicates of a better passage are folded into it.

    ``conn`` must be idle. The question is embedded first; then everything is read in one snapshot. Equal state
    and input give an equal result. Setting ``cancel`` in another thread stops a running statement too, and
    closes the connection.

    Raises:
        InputError: the question is empty, too long or breaks the strict syntax, the mode is unknown, the budget
            is below zero, the limit below one, ``query_embedding`` is no vector of the library's length, or ``conn``
            is not idle.
        TextSearchConfigurationError: the database has no such text search configuration.
        Cancelled: ``cancel`` was set.
        DatabaseError: the database refused, failed or cannot be reached.
    """
    _check_number(limit)
    cancel = cancel or CancelToken()
    asked = _Asked(
        query, embedder, options, mode, source_urls, filters, context_budget_override, tokenizer, reranker,
        rerank, query_embedding,
    )  # fmt: skip
    found = asked.of(conn, cancel)
    return found if isinstance(found, RetrievalResult) else found.result(cancel, limit)


def retrieve_growing(
    conn: Connection,
    query: str,
    first: int,
    *,
    embedder: Embedder | None,
    options: RetrievalOptions = DEFAULT_OPTIONS,
    filters: SearchFilters | None = None,
    cancel: CancelToken | None = None,
    tokenizer: Tokenizer | None = None,
    reranker: Reranker | None = None,
    rerank: RerankConfig = DEFAULT_RERANKING,
    query_embedding: Sequence[float] | None = None,
) -> GrowingResult:
    """The same in the mode ``chunk``, its ``first`` best passages before the others are read.

    Where a ``reranker`` judges there is no first before all: then the first result is the whole one.

    Raises:
        InputError: ``first`` is below one; else as :func:`retrieve` does, and so for all else.
    """
    _check_number(first)
    cancel = cancel or CancelToken()
    asked = _Asked(
        query, embedder, options, "chunk", None, filters, None, tokenizer, reranker, rerank, query_embedding
    )
    found = asked.of(conn, cancel, first)
    if isinstance(found, RetrievalResult):
        return GrowingResult(found)
    if not found.unread:
        return GrowingResult(found.result(cancel))
    return GrowingResult(found.result(cancel, first).model_copy(update={"left_out": []}), found)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The arguments of :func:`retrieve`."""

    query: str
    embedder: Embedder | None
    options: RetrievalOptions
    mode: RequestedMode
    source_urls: list[str] | None
    filters: SearchFilters | None
    context_budget_override: int | None
    tokenizer: Tokenizer | None
    reranker: Reranker | None
    rerank: RerankConfig
    query_embedding: Sequence[float] | None

    def of(self, conn: Connection, cancel: CancelToken, first: int | None = None) -> Found | RetrievalResult:
        """What is found, of passages no more read than the ``first`` ones need; the result where nothing can be."""
        watch, options = Stopwatch(), self.options
        _check_mode(self.mode)
        text = read_question(self.query, options)
        budget = effective_budget(options, self.context_budget_override)
        # Only the mode ``auto`` needs the threshold, so only it may warn about one above the budget.
        threshold = effective_threshold(options, self.context_budget_override) if self.mode == "auto" else 0
        chooser = Chooser(budget, self.reranker, self.rerank, options.near_duplicates)
        with watch.timing("embed"):  # before the snapshot: a slow server must not keep a transaction open
            embedded = self._embedded(text, cancel)
        with searching(conn, text.words, cancel):
            restricted = restriction(self.filters, self.source_urls)
            candidates = Question(conn, text, embedded, restricted, cancel).candidates(options)
            scope, children = candidates.scope, candidates.children
            if scope.parent_chunks == 0:
                return result_of("full_context", [], candidates.question, scope, watch)
            decided = _decide(self.mode, scope, threshold)
            ranked, reading = aggregate(children, options), Reading(children)
            wanted = [] if decided == "full_context" else chooser.to_read(ranked)
            kept = ranked if decided == "full_context" else wanted
            if first is not None:
                kept = chooser.first_of(kept, first)
            pending, beyond = _request_shown(conn, decided, scope, kept, read_children(kept, reading), budget)
            evidence = candidates.evidence(reading=reading)  # while the server reads what is shown
            cancel.raise_if_cancelled()
        return Found(
            query=self.query,
            mode=decided,
            candidates=candidates,
            options=options,
            chooser=chooser,
            ranked=ranked,
            wanted=wanted,
            reading=reading,
            evidence=evidence,
            shown=_received(decided, pending, budget),
            watch=watch,
            notice=" ".join(filter(None, (text.shortened, beyond))) or None,
        )

    def _embedded(self, text: QueryText, cancel: CancelToken) -> QuestionVector:
        given = self.query_embedding
        if given is not None and len(given):
            return given_question(given, text.meaning, self.embedder, self.tokenizer)
        return embed_question(text.meaning, self.embedder, self.tokenizer, cancel)


def _check_mode(mode: str) -> None:
    modes = get_args(RequestedMode)
    if mode not in modes:
        raise InputError(f"There is no search mode {mode!r}.", f"Use one of these modes: {', '.join(modes)}.")


def _check_number(passages: int | None) -> None:
    if passages is not None and passages < 1:
        raise InputError(f"A search cannot be limited to {passages:,} passages.", "Ask for one at least.")


def _decide(mode: RequestedMode, scope: Scope, threshold: int) -> Mode:
    if mode == "auto":
        return "full_context" if scope.tokens <= threshold else "chunk"
    return mode


def _request_shown(
    conn: Connection,
    mode: Mode,
    scope: Scope,
    kept: Sequence[Passage],
    children: Sequence[UUID],
    budget: int,
) -> tuple[AskedParents | None, str | None]:
    """Request these parents, or the whole documents that the budget holds, in reading order, with the children's parts.

    Also returns a sentence about the whole documents that the budget does not hold, if any.
    """
    if mode != "full_context":
        return ask_parents(conn, [parent.id for parent in kept], children) if kept else None, None
    if scope.tokens <= budget:
        return ask_documents(conn, scope, None, children), None
    sizes = document_sizes(conn, scope)
    fitting = documents_within(sizes, budget)
    return ask_documents(conn, scope, [size.id for size in fitting], children), beyond_budget(
        sizes, fitting, budget
    )


def _received(mode: Mode, pending: AskedParents | None, budget: int) -> Shown:
    """What was requested."""
    if pending is None:
        return Shown([], {})
    received = pending.received()
    if mode == "full_context":
        return received._replace(parents=parents_within(received.parents, budget))
    return received


ENGLISH_MODELS = ("all-minilm-", "sentence-transformers/all-minilm-")  # of servers, trained on English alone
NOT_ENGLISH = (
    "Nothing was found, and the question does not seem to be in English, the only language that the embedding model "
    "knows: ask in English, or with words from the texts."
)


def with_language_noted(
    result: RetrievalResult, question: str, model: EmbeddingModel | None
) -> RetrievalResult:
    """The result; where nothing was found in a language that is surely not the model's, ``degraded`` says so, too."""
    if result.chunks or not result.corpus_stats.total_documents or not _knows_english_only(model):
        return result
    if guess_language(question) in (None, "en"):
        return result
    degraded = " ".join(filter(None, (result.degraded, NOT_ENGLISH)))
    return result.model_copy(update={"degraded": degraded})


def prepare_languages(model: EmbeddingModel) -> None:
    """Load what the first question that finds nothing would wait for."""
    if _knows_english_only(model):
        load()


def _knows_english_only(model: EmbeddingModel | None) -> bool:
    if model is None:
        return False
    embedded = embedded_model(model.model)
    if embedded is not None:
        return embedded.languages == ("en",)
    return f"{model.model.lower()}-".startswith(ENGLISH_MODELS)
