"""The children that both arms propose for a question, each scored by its words and by its meaning."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import NamedTuple

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval import bm25
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.candidates import (
    CandidateLimits,
    CandidateRow,
    Nearest,
    WordQuery,
    ask_nearest,
    find_candidates,
)
from webrag_desktop.storage.searching.postings import Lexicon
from webrag_desktop.storage.searching.search import Scope

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
    search = _Search(conn, words, bm25.read_as_held(lexicon), vector, limits, cancel)
    rows = search.rows(scope, nearest)
    if _crowded(rows, rows, limits):
        rows = search.behind_copies(scope, rows)
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

    def rows(self, scope: Scope, nearest: Nearest | None = None) -> list[CandidateRow]:
        """What both arms find in the scope."""
        limits, words = self.limits, self.words
        if limits.lexical_score != "bm25":
            return find_candidates(self.conn, scope, words, self.vector, limits, nearest=nearest)
        width = limits.lexical * (WIDENING if scope.seen else 1)
        while True:
            scores = bm25.score(self.lexicon, words.identifiers, width, exact=words.exact)
            self.cancel.raise_if_cancelled()
            found = find_candidates(self.conn, scope, words, self.vector, limits, scores.best, nearest)
            enough = not scope.seen or 2 * sum(row.by_words for row in found) >= limits.lexical
            if enough or len(scores.best.ordinals) < width:
                return scores.worded(found)
            width *= WIDENING  # nearly all of them have texts already seen

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
