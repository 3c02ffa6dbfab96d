"""What one snapshot of the library holds for a question: documents and their best children."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.bm25 import only_read
from webrag_desktop.retrieval.candidates import Child, judge
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.hybrid.documents import FoundDocument, leading, rank_documents
from webrag_desktop.retrieval.hybrid.options import widened
from webrag_desktop.retrieval.proposing import limits_for, propose
from webrag_desktop.retrieval.query_text import QueryText
from webrag_desktop.retrieval.question_vector import QuestionVector
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.candidates import CandidateLimits, CandidateRow
from webrag_desktop.storage.searching.items import Items, load_items, load_parent_spans
from webrag_desktop.storage.searching.postings import Lexicon, open_search
from webrag_desktop.storage.searching.query_refusals import searching
from webrag_desktop.storage.searching.restriction import Restriction
from webrag_desktop.storage.searching.search import Scope
from webrag_desktop.text.spans import Span

# How many children of each arm are looked at for every document wanted; the second where the first gave too few
# documents, since a long one took all the places.
WIDTHS = (5, 50)


class Candidates(NamedTuple):
    """The children that either arm proposed, and those of them that count as evidence."""

    scope: Scope
    lexicon: Lexicon
    question: QuestionVector
    floor: float
    rows: Sequence[CandidateRow]
    children: list[Child]


class Found(NamedTuple):
    """The best ``documents``, and all ``items`` that any child is of.

    ``allowed`` are the parts of their texts that meet the filters, by document; None where all of them do.
    """

    candidates: Candidates
    documents: list[FoundDocument]
    items: Items
    allowed: dict[UUID, list[Span]] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One question to the library; ``conn`` must be idle."""

    conn: Connection
    asked: QueryText
    embedded: QuestionVector
    options: RetrievalOptions
    restriction: Restriction | None
    cancel: CancelToken

    def documents(self, most: int, *, to_cut: bool) -> Found:
        """At most so many documents, the best first; with what is allowed of them if they are ``to_cut`` and can be.

        Raises:
            InputError: the words break the strict syntax, there is no such configuration, or ``conn`` is not idle.
            Cancelled: the token was set.
            DatabaseError: the database refused, failed or went away.
        """
        with searching(self.conn, self.asked.words, self.cancel):
            candidates = self._candidates(most)
            self.cancel.raise_if_cancelled()
            if not candidates.children:
                return Found(candidates, [], Items({}, {}))
            items = load_items(self.conn, [child.row.id for child in candidates.children])
            documents = leading(rank_documents(candidates.children, items), most)
            self.cancel.raise_if_cancelled()
            parents = candidates.scope.parent_ids if to_cut and candidates.question.values else None
            if parents is None:
                return Found(candidates, documents, items)
            allowed = load_parent_spans(self.conn, [one.item.id for one in documents], parents)
            return Found(candidates, documents, items, allowed)

    def _candidates(self, documents: int) -> Candidates:
        for width in WIDTHS:
            options = widened(self.options, width * documents)
            limits = limits_for(options, self.asked.words)
            candidates = self._proposed(options, limits)
            if _enough(candidates, limits, documents):
                break
        return candidates

    def _proposed(self, options: RetrievalOptions, limits: CandidateLimits) -> Candidates:
        words = self.asked.words
        scope, lexicon = open_search(self.conn, words, self.restriction, limits)
        floor = options.floor_for(scope.space.space.model.similarity_floor if scope.space else None)
        if scope.parent_chunks == 0:
            return Candidates(scope, lexicon, QuestionVector(), floor, [], [])
        self.cancel.raise_if_cancelled()
        wants_meaning = self.embedded.values or self.embedded.degraded
        question = self.embedded.within(scope.space) if wants_meaning else self.embedded
        vector = question.values or None
        rows, lexicon = propose(self.conn, words, scope, lexicon, vector, limits, self.cancel)
        children = judge(rows, floor, options, only_read=only_read(lexicon))
        return Candidates(scope, lexicon, question, floor, rows, children)


def _enough(candidates: Candidates, limits: CandidateLimits, documents: int) -> bool:
    """Whether there are so many documents among the rows, or no more to be had."""
    rows, there_are = candidates.rows, candidates.scope.documents
    if len({row.source_url for row in rows}) >= min(documents, there_are):
        return True
    by_vector, by_words = sum(row.by_vector for row in rows), sum(row.by_words for row in rows)
    return by_vector < limits.vector and by_words < limits.lexical
