"""Whether our BM25 ranks as bm25s does: both score the same lexemes of the same children for the same questions."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.measuring import table
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet
from benchmarks.retrieval_quality_parts.peers import Peers
from benchmarks.retrieval_quality_parts.products import IndexedSet
from tests.support import bm25_oracle
from webrag_desktop.retrieval import bm25
from webrag_desktop.retrieval.bm25 import K1, B
from webrag_desktop.retrieval.query_text import read_query
from webrag_desktop.storage.searching.candidates import CandidateLimits
from webrag_desktop.storage.searching.postings import Lexicon, open_search
from webrag_desktop.storage.snapshot import snapshot

TOP = 10
_LIMITS = CandidateLimits(vector=1, lexical=TOP, ef_search=1, exact_scan=0)
Scores = npt.NDArray[np.float64]


class Agreement(NamedTuple):
    """Of one question: the correlation of ranks, the share of the best ten in common, the greatest difference.

    The difference is a share of the best score.
    """

    spearman: float
    top: float
    difference: float

    @classmethod
    def between(cls, ours: Scores, theirs: Scores) -> "Agreement":
        """Over the children that either scores above zero; ours must hold one at least."""
        found = (ours > 0) | (theirs > 0)
        one, other = ours[found], theirs[found]
        difference = float(np.abs(one - other).max() / one.max())
        return cls(_correlation(_ranks(one), _ranks(other)), _shared(one, other), difference)


def same_words(data: EvaluationSet, ours: IndexedSet, others: Peers) -> str:
    """How far the two agree, over all questions of which a child holds a word.

    Raises:
        PeersMissing: bm25s is not installed or failed.
    """
    with ours.database.connection() as conn:
        passages = bm25_oracle.passages(conn, ours.into.space.space.chunking_id)
    lexicons = list(_lexicons(data, ours))
    theirs = np.zeros((len(lexicons), 1 + max(passage.ordinal for passage in passages)))
    for language in sorted({passage.language for passage in passages}):
        alike = [passage for passage in passages if passage.language == language]
        texts = [list(passage.words.elements()) for passage in alike]
        asked = [_terms(lexicon, language) for lexicon in lexicons]
        scored = others.word_scores(texts, asked, K1, B)
        theirs[:, [passage.ordinal for passage in alike]] = scored
    pairs = [(_padded(lexicon, theirs.shape[1]), row) for lexicon, row in zip(lexicons, theirs, strict=True)]
    return _shown(data.name, [Agreement.between(*pair) for pair in pairs if pair[0].any()])


def _lexicons(data: EvaluationSet, ours: IndexedSet) -> Iterator[Lexicon]:
    with ours.database.connection() as conn:
        for question in data.questions:
            words = read_query(question.text, corrections=False).words
            with snapshot(conn):
                yield open_search(conn, words, None, _LIMITS)[1]


def _terms(lexicon: Lexicon, language: str) -> list[str]:
    return next((words.terms for words in lexicon.languages if words.language == language), [])


def _padded(lexicon: Lexicon, size: int) -> Scores:
    return bm25.score(lexicon, (), TOP).of_all(np.arange(size))


def _ranks(values: Scores) -> Scores:
    """Equal values share the mean of their places."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    means = counts.cumsum() - (counts - 1) / 2
    return np.asarray(means[places], dtype=np.float64)


def _correlation(one: Scores, other: Scores) -> float:
    """Of ranks; 1 where each has but one of them."""
    spread = float(one.std() * other.std())
    same = bool((one == other).all())
    return float(((one - one.mean()) * (other - other.mean())).mean() / spread) if spread else float(same)


def _shared(one: Scores, other: Scores) -> float:
    best = [set(np.argsort(-scores, kind="stable")[:TOP].tolist()) for scores in (one, other)]
    return len(best[0] & best[1]) / len(best[0])


def _shown(name: str, found: Sequence[Agreement]) -> str:
    means = Agreement(*np.mean(found, axis=0))
    row = (
        len(found),
        f"{means.spearman:.5f}",
        f"{min(one.spearman for one in found):.5f}",
        f"{100 * means.top:.1f}",
        f"{max(one.difference for one in found):.1e}",
    )
    head = ("questions", "Spearman", "lowest", f"top {TOP} in common, %", "greatest difference of a score")
    return table(f"{name}: our BM25 and bm25s over the same lexemes", head, [row])
