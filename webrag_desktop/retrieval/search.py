"""``retrieve``: one question in, the best evidence of the library out."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import get_args

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.embedding.catalog import embedded_model
from webrag_desktop.errors import InputError
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.assembly import with_evidence
from webrag_desktop.retrieval.candidates import Reading, aggregate
from webrag_desktop.retrieval.choosing import (
    Chooser,
    beyond_budget,
    documents_within,
    fallback_notice,
    parents_within,
)
from webrag_desktop.retrieval.contracts.filters import SearchFilters, restriction
from webrag_desktop.retrieval.contracts.judgements import Reranker
from webrag_desktop.retrieval.contracts.options import RetrievalOptions, effective_budget, effective_threshold
from webrag_desktop.retrieval.contracts.passages import Passage, as_retrieved
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.contracts.results import (
    CorpusStats,
    Mode,
    RequestedMode,
    RetrievalResult,
    RetrievedChunk,
    TimingInfo,
)
from webrag_desktop.retrieval.pipeline import Question, Stopwatch, corrections, read_question
from webrag_desktop.retrieval.query_text import QuestionVector, embed_question, given_question
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


def group_by_document(chunks: Iterable[RetrievedChunk]) -> list[RetrievedChunk]:
    """Documents by their best chunk, the chunks of each in reading order."""
    groups: dict[str, list[RetrievedChunk]] = defaultdict(list)
    for chunk in chunks:
        groups[chunk.source_url].append(chunk)
    best_first = sorted(groups.items(), key=lambda item: (-max(c.rank_score for c in item[1]), item[0]))
    return [
        chunk for _, group in best_first for chunk in sorted(group, key=lambda c: (c.chunk_index, c.chunk_id))
    ]


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

    A ``reranker`` judges the best passages of ``chunk`` mode again, as many as ``rerank`` says; where it fails, the
    order stays, and ``degraded`` says why. Near-duplicates of a better passage are folded into it.

    ``conn`` must be idle. The question is embedded first; then everything is read in one snapshot. Equal state
    and input give an equal result. Setting ``cancel`` in another thread stops a running statement too, and
    closes the connection.

    Raises:
        InputError: the question is empty, too long or breaks the strict syntax, the mode is unknown, the budget
            is below zero, ``query_embedding`` is no vector of the library's length, or ``conn`` is not idle.
        TextSearchConfigurationError: the database has no such text search configuration.
        Cancelled: ``cancel`` was set.
        DatabaseError: the database refused, failed or cannot be reached.
    """
    watch, cancel = Stopwatch(), cancel or CancelToken()
    _check_mode(mode)
    query_text = read_question(query, options)
    budget = effective_budget(options, context_budget_override)
    # Only the mode ``auto`` needs the threshold, so only it may warn about one above the budget.
    threshold = effective_threshold(options, context_budget_override) if mode == "auto" else 0
    chooser = Chooser(budget, reranker, rerank, options.near_duplicates)
    # Before the snapshot: a slow server must not keep a transaction open.
    with watch.timing("embed"):
        if query_embedding is not None and len(query_embedding):
            embedded = given_question(query_embedding, query_text.meaning, embedder, tokenizer)
        else:
            embedded = embed_question(query_text.meaning, embedder, tokenizer, cancel)
    with searching(conn, query_text.words, cancel):
        question = Question(conn, query_text, embedded, restriction(filters, source_urls), cancel)
        candidates = question.candidates(options)
        scope, children = candidates.scope, candidates.children
        if scope.parent_chunks == 0:
            return _result("full_context", [], candidates.question, scope, watch)
        decided = _decide(mode, scope, threshold)
        ranked, reading = aggregate(children, options), Reading(children)
        pending, beyond = _request_shown(conn, decided, scope, ranked, reading, chooser)
        evidence = candidates.evidence(reading=reading)  # while the server reads what is shown
        cancel.raise_if_cancelled()
    shown = _received(decided, pending, budget)
    evidence = evidence.with_parts(shown.children)
    # After the snapshot: a slow model must not keep a transaction open.
    if decided == "full_context":  # whole documents are neither judged nor folded
        chosen = chooser.whole(ranked, shown.parents)
    else:
        chosen = chooser.choose(query, ranked, shown.parents, cancel)
    passages = with_evidence(chosen.passages, evidence, options.spans_per_parent)
    whole = decided == "full_context"
    found = [as_retrieved(one, whole=whole) for one in passages]
    chunks = found if whole else group_by_document(found)
    cancel.raise_if_cancelled()
    vector = candidates.question.also(query_text.shortened).also(beyond).also(fallback_notice(chosen.report))
    result = _result(decided, chunks, vector, scope, watch)
    return result.model_copy(
        update={
            "corrections": corrections(candidates.lexicon.similar, candidates.rows),
            "rerank": chosen.report,
            "rerank_results": list(chosen.judged.values()),
            "left_out": list(chosen.left_out),
        }
    )


def _check_mode(mode: str) -> None:
    modes = get_args(RequestedMode)
    if mode not in modes:
        raise InputError(f"There is no search mode {mode!r}.", f"Use one of these modes: {', '.join(modes)}.")


def _decide(mode: RequestedMode, scope: Scope, threshold: int) -> Mode:
    if mode == "auto":
        return "full_context" if scope.tokens <= threshold else "chunk"
    return mode


def _request_shown(
    conn: Connection,
    mode: Mode,
    scope: Scope,
    ranked: Sequence[Passage],
    reading: Reading,
    chooser: Chooser,
) -> tuple[AskedParents | None, str | None]:
    """Request the parents to choose from, in reading order, and the parts of the children that are read for evidence.

    Also returns a sentence about the whole documents that the budget does not hold, if any.
    """
    kept = ranked if mode == "full_context" else chooser.to_read(ranked)
    children = [child.id for parent in kept for child in reading.of(parent.children)[0]]
    if mode != "full_context":
        return ask_parents(conn, [parent.id for parent in kept], children) if kept else None, None
    budget = chooser.budget
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


def _result(
    mode: Mode, chunks: list[RetrievedChunk], question: QuestionVector, scope: Scope, watch: Stopwatch
) -> RetrievalResult:
    times = watch.read()
    return RetrievalResult(
        mode=mode,
        chunks=chunks,
        query_embedding=question.values,
        corpus_stats=CorpusStats(
            total_documents=scope.documents,
            total_parent_chunks=scope.parent_chunks,
            total_tokens=scope.tokens,
            documents_matched=list(dict.fromkeys(chunk.source_url for chunk in chunks)),
        ),
        timing=TimingInfo(
            embed_ms=times["embed"], search_ms=times["total"] - times["embed"], total_ms=times["total"]
        ),
        degraded=question.degraded,
    )


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
