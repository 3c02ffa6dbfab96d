"""``retrieve``: one question in, the best evidence of the library out."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import get_args

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.errors import InputError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval import bm25
from webrag_desktop.retrieval.aggregate import Parent, aggregate
from webrag_desktop.retrieval.assembly import Assembly
from webrag_desktop.retrieval.budget import beyond_budget, documents_within, parents_within
from webrag_desktop.retrieval.candidates import Child, judge
from webrag_desktop.retrieval.choosing import Choice, Chooser, fallback_notice
from webrag_desktop.retrieval.contracts.filters import SearchFilters, restriction
from webrag_desktop.retrieval.contracts.judgements import Reranker
from webrag_desktop.retrieval.contracts.options import RetrievalOptions, effective_budget, effective_threshold
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.contracts.results import (
    CorpusStats,
    Mode,
    RequestedMode,
    RetrievalResult,
    RetrievedChunk,
    TimingInfo,
)
from webrag_desktop.retrieval.corrections import corrections, lexemes_as_read
from webrag_desktop.retrieval.evidence import Evidence, Reading
from webrag_desktop.retrieval.proposing import limits_for, propose
from webrag_desktop.retrieval.query_text import QueryText, read_query
from webrag_desktop.retrieval.question_vector import QuestionVector, embed_question, given_question
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.candidates import CandidateLimits
from webrag_desktop.storage.searching.postings import Lexicon, open_search
from webrag_desktop.storage.searching.query_refusals import searching
from webrag_desktop.storage.searching.search import (
    AskedParents,
    ParentRow,
    Scope,
    Shown,
    ask_documents,
    ask_parents,
    document_sizes,
)


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
    """Search the library and return the best evidence for a question; no language model is asked unless one is given.

    ``auto`` gives a library of at most ``full_context_threshold`` tokens whole, in reading order, and searches
    a larger one by meaning and by words; the other modes decide that themselves. Where nothing can be searched
    (no documents, or none at ``source_urls`` that meets the ``filters``) the result is an empty one of mode
    ``full_context``. ``source_urls`` names documents by their stored address; None and an empty list both stand
    for the whole library. Results and figures keep to what meets the ``filters``, too, all of it. A
    ``context_budget_override`` of 0 counts as none. Where ``auto`` asks for
    the threshold, one above the budget is lowered to it with a UserWarning.

    Of whole documents those that the budget holds are given, in reading order; one that does not fit makes way for
    smaller ones behind it, and only the first is cut. ``degraded`` names what is missing, ``left_out`` holds the
    passages found there.

    Without an embedder, or where it fails or is of another model than the library's, the words alone answer
    and ``degraded`` says so. A ``tokenizer`` (the library's) lets a question beyond the model's window
    be cut for the model rather than refused by it. ``degraded`` also says where a question is too long for all of
    its words to be searched, ``corrections`` which word that no text holds was read as which similar one.

    The ``query_embedding`` of an earlier result may be given back for the same question: then nothing is embedded, the
    result is the same, and the model may be away. It counts as long as the library is in the space that it came from;
    of another space only the length is noticed. An empty one counts as none.

    A ``reranker`` judges the best passages of ``chunk`` mode again, as many as ``rerank`` says; where it fails, the
    order stays, and ``degraded`` says why. Passages that say the same as a better one are folded into it.

    ``conn`` must be idle. The question is embedded first; then everything is read in one snapshot. Equal state
    and input give an equal result. Setting ``cancel`` in another thread stops a running statement too, and
    closes the connection.

    Raises:
        InputError: the question is empty, too long or breaks the strict syntax, the mode is unknown, the budget
            is below zero, ``query_embedding`` is no vector of the library's length, or ``conn`` is not idle.
        TextSearchConfigurationError: the database has no such text search configuration.
        Cancelled: ``cancel`` was set.
        DatabaseError: the database refused, failed or went away.
    """
    clock = _Clock()
    _check_mode(mode)
    asked = read_query(
        query, options.tsquery_mode, options.text_search_config, corrections=options.corrections
    )
    budget = effective_budget(options, context_budget_override)
    # Nothing else asks how much a library may hold to be read whole.
    threshold = effective_threshold(options, context_budget_override) if mode == "auto" else 0
    chooser = Chooser(budget, reranker, rerank, options.near_duplicates)
    search = _Search(conn, asked, options, chooser, cancel or CancelToken())
    clock.embedding_starts()
    # Before the snapshot: a slow server must not keep a transaction open.
    if query_embedding is not None and len(query_embedding):
        embedded = given_question(query_embedding, asked.meaning, embedder, tokenizer)
    else:
        embedded = embed_question(asked.meaning, embedder, tokenizer, cancel)
    clock.embedding_ends()
    with searching(conn, asked.words, cancel):
        scope, lexicon = open_search(conn, asked.words, restriction(filters, source_urls), search.limits)
        if scope.parent_chunks == 0:
            return _result("full_context", [], QuestionVector(), scope, clock)
        question = embedded.within(scope.space)
        children, lexicon = search.children(scope, lexicon, question)
        decided = _decide(mode, scope, threshold)
        ranked, reading = aggregate(children, options), Reading(children)
        waiting, beyond = search.ask_shown(decided, scope, ranked, reading)
        evidence = search.evidence(children, scope, lexicon, reading)  # while the server reads what is shown
        search.cancel.raise_if_cancelled()
    shown = search.shown(decided, waiting)
    evidence = evidence.with_parts(shown.children)
    # After the snapshot: a slow model must not keep a transaction open.
    chosen = search.chosen(decided, query, ranked, shown.parents)
    found = Assembly(decided, chosen, evidence, options.spans_per_parent).chunks()
    chunks = found if decided == "full_context" else group_by_document(found)
    search.cancel.raise_if_cancelled()
    question = question.also(asked.shortened).also(beyond).also(fallback_notice(chosen.report))
    result = _result(decided, chunks, question, scope, clock)
    return result.model_copy(
        update={
            "corrections": corrections(lexicon.similar),
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


@dataclass(frozen=True, slots=True)
class _Search:
    """The steps between the question and its parents, inside one snapshot."""

    conn: Connection
    asked: QueryText
    options: RetrievalOptions
    chooser: Chooser
    cancel: CancelToken

    @property
    def limits(self) -> CandidateLimits:
        """How candidates are looked for."""
        return limits_for(self.options, self.asked.words)

    def children(
        self, scope: Scope, lexicon: Lexicon, question: QuestionVector
    ) -> tuple[list[Child], Lexicon]:
        """The children that count as evidence, in text order, and the words as they are read."""
        self.cancel.raise_if_cancelled()
        rows, lexicon = propose(
            self.conn, self.asked.words, scope, lexicon, question.values or None, self.limits, self.cancel
        )
        self.cancel.raise_if_cancelled()
        model_floor = scope.space.space.model.similarity_floor if scope.space else None
        floor = self.options.floor_for(model_floor)
        return judge(rows, floor, self.options, only_read=bm25.only_read(lexicon)), lexicon

    def ask_shown(
        self, mode: Mode, scope: Scope, ranked: Sequence[Parent], reading: Reading
    ) -> tuple[AskedParents | None, str | None]:
        """Ask for the parents to choose from, in reading order, and for what their spans take.

        Also says which whole documents the budget does not hold, if any.
        """
        kept = ranked if mode == "full_context" else self.chooser.to_read(ranked)
        children = [child.row.id for parent in kept for child in reading.of(parent.children)[0]]
        if mode != "full_context":
            return ask_parents(self.conn, [parent.id for parent in kept], children) if kept else None, None
        budget = self.chooser.budget
        if scope.tokens <= budget:
            return ask_documents(self.conn, scope, None, children), None
        sizes = document_sizes(self.conn, scope)
        fitting = documents_within(sizes, budget)
        beyond = beyond_budget(sizes, fitting, budget)
        return ask_documents(self.conn, scope, [size.id for size in fitting], children), beyond

    def evidence(
        self, children: Sequence[Child], scope: Scope, lexicon: Lexicon, reading: Reading
    ) -> Evidence:
        """What the children hold of the question's words."""
        lexemes = lexemes_as_read(scope.lexemes, lexicon.similar)
        literals = self.asked.words.identifiers + self.asked.words.bigrams
        return Evidence(children, lexemes, literals, bm25.known_share(lexicon), reading=reading)

    def shown(self, mode: Mode, waiting: AskedParents | None) -> Shown:
        """What was asked for."""
        if waiting is None:
            return Shown([], {})
        received = waiting.received()
        if mode == "full_context":
            return received._replace(parents=parents_within(received.parents, self.chooser.budget))
        return received

    def chosen(self, mode: Mode, query: str, ranked: Sequence[Parent], rows: Sequence[ParentRow]) -> Choice:
        """What is returned of the parents that were read; whole documents are neither judged nor folded."""
        if mode == "full_context":
            return self.chooser.whole(ranked, rows)
        return self.chooser.choose(query, ranked, rows, self.cancel)


def _result(
    mode: Mode, chunks: list[RetrievedChunk], question: QuestionVector, scope: Scope, clock: "_Clock"
) -> RetrievalResult:
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
        timing=clock.timing(),
        degraded=question.degraded,
    )


class _Clock:
    """Tells the question's embedding from the rest."""

    def __init__(self) -> None:
        self._started = perf_counter()
        self._embedding = (self._started, self._started)

    def embedding_starts(self) -> None:
        now = perf_counter()
        self._embedding = (now, now)

    def embedding_ends(self) -> None:
        self._embedding = (self._embedding[0], perf_counter())

    def timing(self) -> TimingInfo:
        total = (perf_counter() - self._started) * 1000
        embed = (self._embedding[1] - self._embedding[0]) * 1000
        return TimingInfo(embed_ms=embed, search_ms=total - embed, total_ms=total)
