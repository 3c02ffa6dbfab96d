"""The stages that every search shares: question, candidates, evidence. Ranking and selection differ.

:func:`webrag_desktop.retrieval.search.retrieve` ranks parents, and
:class:`webrag_desktop.retrieval.hybrid.retriever.HybridRetriever` ranks documents.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from operator import attrgetter
from time import perf_counter
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.embedding.catalog import vector_weight_of
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval import bm25, held_words
from webrag_desktop.retrieval.candidates import judge
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.retrieval.contracts.question_terms import QuestionTerms, inverse_frequencies, share
from webrag_desktop.retrieval.contracts.results import Correction
from webrag_desktop.retrieval.evidence import Evidence, Reading
from webrag_desktop.retrieval.phrases import QuotedPhrases
from webrag_desktop.retrieval.query_text import QueryText, QuestionVector, read_query
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.candidates import (
    CandidateLimits,
    CandidateRow,
    Nearest,
    ScoredWords,
    ask_nearest,
    find_candidates,
)
from webrag_desktop.storage.searching.postings import Lexicon, open_search
from webrag_desktop.storage.searching.restriction import Restriction
from webrag_desktop.storage.searching.search import ChildParts, Scope
from webrag_desktop.storage.searching.word_query import WordQuery
from webrag_desktop.storage.searching.words import SimilarWord

# How often the search is repeated for texts ranked behind copies, and the factor by which more of the best by words are
# examined for it each time that was not enough.
MOST_REPETITIONS = 3
WIDENING = 20


class Proposed(NamedTuple):
    """The ``rows`` of both arms in text order, and the words as they are read in the end."""

    rows: list[CandidateRow]
    lexicon: Lexicon


def limits_for(options: RetrievalOptions, words: WordQuery) -> CandidateLimits:
    """The limits of a search for candidates; for operators the server scores, since BM25 scores only words."""
    score = options.lexical_score
    return CandidateLimits(
        vector=options.top_k_children_limit,
        lexical=options.lexical_children_limit,
        ef_search=options.ef_search,
        exact_scan=options.exact_scan_limit,
        lexical_score="ts_rank_cd" if score == "bm25" and words.mode == "strict" else score,
    )


def propose(
    conn: Connection,
    words: WordQuery,
    scope: Scope,
    lexicon: Lexicon,
    vector: Sequence[float] | None,
    limits: CandidateLimits,
    cancel: CancelToken,
) -> Proposed:
    """What both arms find in the ``scope`` that was opened, inside its snapshot.

    Where copies of a few texts take most places of an arm, the texts ranked behind them are proposed too.

    Raises:
        Cancelled: ``cancel`` was set.
        DatabaseError: the database refused, failed or cannot be reached.
    """
    nearest = ask_nearest(conn, scope, words, vector, limits)  # the server works while words are scored
    phrases = QuotedPhrases(words.quoted) if words.quoted else None
    search = _Search(conn, words, held_words.read_as_held(lexicon), vector, limits, cancel, phrases)
    rows = search.rows(scope, nearest)
    if _crowded(rows, rows, limits):
        rows = search.behind_copies(scope, rows)
    if phrases is not None:
        rows = [row.holding(phrases.held(row.chunk_text)) for row in rows]
    return Proposed(rows, search.lexicon)


@dataclass(frozen=True, slots=True)
class _Search:
    """One question to both arms, repeated where copies take the places."""

    conn: Connection
    words: WordQuery
    lexicon: Lexicon
    vector: Sequence[float] | None
    limits: CandidateLimits
    cancel: CancelToken
    phrases: QuotedPhrases | None = None

    def rows(self, scope: Scope, nearest: Nearest | None = None) -> list[CandidateRow]:
        """What both arms find in the scope, among it what holds a phrase."""
        limits, words = self.limits, self.words
        if limits.lexical_score != "bm25":
            phrased = ScoredWords().behind(self._phrased(self.lexicon.phrased))
            return find_candidates(self.conn, scope, words, self.vector, limits, phrased, nearest)
        width = limits.lexical * (WIDENING if scope.seen else 1)
        while True:
            scores = bm25.score(
                self.lexicon, words.identifiers, width, exact=words.exact, operates=words.operates
            )
            self.cancel.raise_if_cancelled()
            best = scores.best.behind(self._phrased(scores.phrased))
            found = find_candidates(
                self.conn, scope, words, self.vector, limits, best, nearest, scores.of_children
            )
            enough = not scope.seen or 2 * sum(row.by_words for row in found) >= limits.lexical
            if enough or len(scores.best.ordinals) < width:
                return found
            width *= WIDENING  # nearly all of them have texts already seen

    def _phrased(self, ordinals: Sequence[int]) -> list[int]:
        """Those of these children, given best first, that hold a phrase, as many as words propose."""
        if self.phrases is None:
            return []
        return list(self.phrases.holding(self.conn, ordinals, self.limits.lexical, self.cancel))

    def behind_copies(self, scope: Scope, rows: Sequence[CandidateRow]) -> list[CandidateRow]:
        """These rows, and those found when texts that occur several times take no places."""
        found = {row.ordinal: row for row in rows}
        for _ in range(MOST_REPETITIONS):
            latest = self.rows(replace(scope, seen=_repeated(found.values())))
            for row in latest:
                found[row.ordinal] = _found_twice(found.get(row.ordinal), row)
            if not _crowded(latest, found.values(), self.limits):
                break
        return sorted(found.values(), key=lambda row: (row.source_url, row.char_start, row.id))


def _found_twice(before: CandidateRow | None, row: CandidateRow) -> CandidateRow:
    if before is None:
        return row
    return row._replace(by_vector=row.by_vector or before.by_vector, by_words=row.by_words or before.by_words)


def _crowded(
    latest: Sequence[CandidateRow], found: Collection[CandidateRow], limits: CandidateLimits
) -> bool:
    """Whether the ``latest`` rows take all places of an arm that ``found`` fewer texts than half of its places."""
    arms = (attrgetter("by_vector"), limits.vector), (attrgetter("by_words"), limits.lexical)
    return any(
        sum(map(by_arm, latest)) >= places
        and 2 * len({row.chunk_text for row in found if by_arm(row)}) < places
        for by_arm, places in arms
    )


def _repeated(rows: Iterable[CandidateRow]) -> list[str]:
    return [text for text, times in Counter(row.chunk_text for row in rows).items() if times > 1]


class Stopwatch:
    """Milliseconds by step, and in total."""

    def __init__(self) -> None:
        self._started = perf_counter()
        self._steps: dict[str, float] = {}

    @contextmanager
    def timing(self, step: str) -> Iterator[None]:
        """Measure the block."""
        began = perf_counter()
        try:
            yield
        finally:
            self._steps[step] = _milliseconds(began)

    def going_on(self, milliseconds: float) -> "Stopwatch":
        """Another one with the same steps, which goes on now from that total."""
        going = Stopwatch()
        going._started -= milliseconds / 1000
        going._steps |= self._steps
        return going

    def read(self) -> dict[str, float]:
        """The times measured so far."""
        return {**self._steps, "total": _milliseconds(self._started)}


def _milliseconds(began: float) -> float:
    return (perf_counter() - began) * 1000


class SearchTerms(NamedTuple):
    """The question's ``stems`` by text search language, and its ``literals``, which are the same in every language."""

    stems: Mapping[str, Sequence[str]]
    literals: tuple[str, ...]

    def coverage(self, passages: Sequence[tuple[str, str]]) -> list[float]:
        """For each passage (its language, its text), the share in [0, 1] of the terms' idf that it contains.

        The idf of a term is computed over these passages, which no index covers.
        """
        by_language: dict[str, list[int]] = defaultdict(list)
        for place, (language, _) in enumerate(passages):
            by_language[language].append(place)
        shares = [0.0] * len(passages)
        for language, places in by_language.items():
            question_terms = QuestionTerms(self.stems.get(language, ()), self.literals)
            occurrences = question_terms.occurrences_in([passages[place][1] for place in places])
            found = [[term for _, term in one] for one in occurrences]
            worth = inverse_frequencies(
                found, dict.fromkeys((*question_terms.stems, *question_terms.literals))
            )
            for place, terms in zip(places, found, strict=True):
                shares[place] = share(terms, worth)
        return shares


@dataclass(frozen=True, slots=True)
class Candidates:
    """The ``rows`` that either arm proposed for a question, and the ``children`` among them that count as evidence.

    ``lexicon`` holds the words as they were read, ``floor`` is the similarity floor that was applied.
    """

    words: WordQuery
    scope: Scope
    lexicon: Lexicon
    question: QuestionVector
    floor: float
    limits: CandidateLimits
    rows: Sequence[CandidateRow] = ()
    children: Sequence[Passage] = ()

    @property
    def terms(self) -> SearchTerms:
        """The terms that were searched for, with misspelt words as they were read."""
        stems = lexemes_as_read(self.scope.lexemes, self.lexicon.similar)
        return SearchTerms(stems, self.words.identifiers + self.words.bigrams)

    def evidence(
        self, parts: Mapping[UUID, ChildParts] | None = None, reading: Reading | None = None
    ) -> Evidence:
        """Finds the best sentences of the children; see :class:`Evidence` for ``parts`` and ``reading``."""
        terms = self.terms
        coverage = held_words.idf_coverage(self.lexicon)
        space = self.scope.space
        scale = float if space is None else space.space.model.nearness
        return Evidence(self.children, terms.stems, terms.literals, coverage, parts, reading, scale)


def read_question(text: str, options: RetrievalOptions) -> QueryText:
    """Take a question apart as the options say; see :func:`~webrag_desktop.retrieval.query_text.read_query`."""
    return read_query(text, options.tsquery_mode, options.text_search_config, corrections=options.corrections)


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a library, as it is searched in one snapshot; ``restriction`` limits what is searched."""

    conn: Connection
    text: QueryText
    embedded: QuestionVector
    restriction: Restriction | None
    cancel: CancelToken

    def candidates(self, options: RetrievalOptions) -> Candidates:
        """Open the search and judge what both arms propose; none where nothing can be searched.

        Raises:
            InputError: the question's vector cannot be compared with those of the library.
            Cancelled: the token was set.
            DatabaseError: the database refused, failed or cannot be reached.
        """
        words, embedded = self.text.words, self.embedded
        limits = limits_for(options, words)
        scope, lexicon = open_search(self.conn, words, self.restriction, limits)
        model = scope.space.space.model if scope.space else None
        floor = options.floor_for(model.similarity_floor if model else None)
        options = options.weighed_for(vector_weight_of(model))
        if scope.parent_chunks == 0:
            return Candidates(words, scope, lexicon, QuestionVector(), floor, limits)
        self.cancel.raise_if_cancelled()
        # A question that was not to be embedded has neither a vector nor a reason, and needs none.
        question = embedded.within(scope.space) if embedded.values or embedded.degraded else embedded
        rows, lexicon = propose(
            self.conn, words, scope, lexicon, question.values or None, limits, self.cancel
        )
        self.cancel.raise_if_cancelled()
        known = held_words.known_words(lexicon, operates=words.operates)
        children = judge(rows, floor, options, only_read=held_words.only_read(lexicon), known=known)
        return Candidates(words, scope, lexicon, question, floor, limits, rows, children)


def corrections(similar: Sequence[SimilarWord], rows: Sequence[CandidateRow]) -> list[Correction]:
    """Which word was read as which that the texts found hold, each once; of several readings the likeliest first.

    A spelling only has the stem of what a text holds ("kubernete"), so what the texts have is named; nothing where none
    of the ``rows`` has it.
    """
    held = ((one.word, _as_held(one, rows)) for one in similar)
    return [
        Correction(word=word, read_as=read_as) for word, read_as in dict.fromkeys(held) if read_as is not None
    ]


def _as_held(similar: SimilarWord, rows: Sequence[CandidateRow]) -> str | None:
    """The word of the texts with that stem that is most like what was asked; the spelling itself where one has it."""
    term = QuestionTerms((similar.term,), ())
    forms = {
        row.chunk_text[start:end].casefold()
        for row in rows
        if row.search_language == similar.language
        for start, end, _term in term.words(row.chunk_text)
    }
    if similar.spelling in forms:
        return similar.spelling
    return min(
        forms, key=lambda form: (-SequenceMatcher(None, similar.word, form).ratio(), form), default=None
    )


def lexemes_as_read(
    lexemes: Mapping[str, Sequence[str]], similar: Sequence[SimilarWord]
) -> dict[str, list[str]]:
    """The question's lexemes by language, with those of similar words in place of those that no text contains."""
    read = {language: list(words) for language, words in lexemes.items()}
    for one in similar:
        kept = [word for word in read.get(one.language, ()) if word not in one.unknown]
        read[one.language] = [*kept, *({one.term} - set(kept))]
    return read
