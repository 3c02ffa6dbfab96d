"""The children that both arms propose for a question, each scored by its words and by its meaning."""

from collections.abc import Sequence
from typing import NamedTuple

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval import bm25
from webrag_desktop.retrieval.options import RetrievalOptions
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.candidates import (
    CandidateLimits,
    CandidateRow,
    WordQuery,
    ask_nearest,
    find_candidates,
)
from webrag_desktop.storage.searching.postings import Lexicon
from webrag_desktop.storage.searching.search import Scope


class Proposed(NamedTuple):
    """The ``rows`` of both arms in text order, and the words as they are read in the end."""

    rows: list[CandidateRow]
    lexicon: Lexicon


def limits_for(options: RetrievalOptions, words: WordQuery) -> CandidateLimits:
    """How candidates are looked for; what operators find is scored by the server, since BM25 knows only words."""
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

    Raises:
        Cancelled: ``cancel`` was set.
        DatabaseError: the database refused, failed or went away.
    """
    nearest = ask_nearest(conn, scope, words, vector, limits)  # the server works while words are scored
    lexicon = bm25.read_as_held(lexicon)
    if limits.lexical_score != "bm25":
        return Proposed(find_candidates(conn, scope, words, vector, limits, nearest=nearest), lexicon)
    scores = bm25.score(lexicon, words.identifiers, limits.lexical, exact=words.exact)
    cancel.raise_if_cancelled()
    found = find_candidates(conn, scope, words, vector, limits, scores.best, nearest)
    return Proposed(scores.worded(found), lexicon)
