"""From children to documents: a document scores as much as its best child."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.retrieval.candidates import Child
from webrag_desktop.retrieval.contracts.options import MOST_CANDIDATES, RetrievalOptions
from webrag_desktop.retrieval.contracts.results import Arm, ArmScores, arms_of
from webrag_desktop.retrieval.fusion import ranks
from webrag_desktop.retrieval.pipeline import Candidates, Question
from webrag_desktop.storage.searching.items import ItemRow, Items, load_items, load_parent_spans
from webrag_desktop.storage.searching.query_refusals import searching
from webrag_desktop.text.spans import Span

# How many children of each arm are requested per document; the second where the first gave too few documents, since
# the children of a long one took all the places.
WIDTHS = (5, 50)


class FoundDocument(NamedTuple):
    """A document with the children that found it, best first; the ranks of its ``scores`` are among documents."""

    item: ItemRow
    children: tuple[Child, ...]
    scores: ArmScores

    @property
    def score(self) -> float:
        """That of its best child."""
        return self.children[0].rank_score

    @property
    def found_by(self) -> tuple[Arm, ...]:
        """The arms that found any of its children."""
        return arms_of(child.found_by for child in self.children)


class Found(NamedTuple):
    """The best ``documents``, and all ``items`` that any candidate belongs to.

    ``allowed`` are the parts of their texts that meet the filters, by document; None where all of them do.
    """

    candidates: Candidates
    documents: list[FoundDocument]
    items: Items
    allowed: dict[UUID, list[Span]] | None = None


def find_documents(question: Question, options: RetrievalOptions, most: int, *, to_cut: bool) -> Found:
    """At most ``most`` documents, best first; ``to_cut`` says that their allowed parts are needed, for late chunking.

    Raises:
        InputError: the words break the strict syntax, there is no such configuration, or the connection is not idle.
        Cancelled: the question's token was set.
        DatabaseError: the database refused, failed or cannot be reached.
    """
    conn, cancel = question.conn, question.cancel
    with searching(conn, question.text.words, cancel):
        candidates = _candidates(question, options, most)
        cancel.raise_if_cancelled()
        if not candidates.children:
            return Found(candidates, [], Items({}, {}))
        items = load_items(conn, [child.row.id for child in candidates.children])
        documents = leading(rank_documents(candidates.children, items), most)
        cancel.raise_if_cancelled()
        parents = candidates.scope.parent_ids if to_cut and candidates.question.values else None
        if parents is None:
            return Found(candidates, documents, items)
        allowed = load_parent_spans(conn, [one.item.id for one in documents], parents)
        return Found(candidates, documents, items, allowed)


def _candidates(question: Question, options: RetrievalOptions, documents: int) -> Candidates:
    for width in WIDTHS:
        candidates = question.candidates(widened(options, width * documents))
        if _enough(candidates, documents):
            break
    return candidates


def widened(options: RetrievalOptions, children: int) -> RetrievalOptions:
    """The same with at least that many children from each arm."""
    return replace(
        options,
        top_k_children_limit=min(MOST_CANDIDATES, max(options.top_k_children_limit, children)),
        lexical_children_limit=min(MOST_CANDIDATES, max(options.lexical_children_limit, children)),
    )


def _enough(candidates: Candidates, documents: int) -> bool:
    """Whether the rows belong to that many documents, or neither arm has more rows."""
    rows, limits = candidates.rows, candidates.limits
    if len({row.source_url for row in rows}) >= min(documents, candidates.scope.documents):
        return True
    by_vector, by_words = sum(row.by_vector for row in rows), sum(row.by_words for row in rows)
    return by_vector < limits.vector and by_words < limits.lexical


def rank_documents(children: Iterable[Child], items: Items) -> list[FoundDocument]:
    """The documents of these children, best first; those of equal score by address."""
    families: dict[UUID, list[Child]] = defaultdict(list)
    for child in children:
        families[items.passages[child.row.id].document_id].append(child)
    best = {id_: ArmScores.best([child.scores for child in family]) for id_, family in families.items()}
    by_words = ranks([one.score_text for one in best.values()])
    by_meaning = ranks([one.score_vec for one in best.values()])
    found = [
        FoundDocument(
            items.documents[id_],
            tuple(sorted(families[id_], key=attrgetter("sort_key"))),
            scores._replace(rank_text=rank_text, rank_vec=rank_vec),
        )
        for (id_, scores), rank_text, rank_vec in zip(best.items(), by_words, by_meaning, strict=True)
    ]
    return sorted(found, key=lambda one: (-one.score, one.item.source_url, one.item.id))


def leading(documents: Sequence[FoundDocument], most: int) -> list[FoundDocument]:
    """The first ``most`` in order; where there are more, those whose best child repeats a better one come last."""
    if len(documents) <= most:
        return list(documents)
    seen: set[str] = set()
    new: list[int] = []
    repeated: list[int] = []
    for place, one in enumerate(documents):
        text = one.children[0].row.chunk_text
        (repeated if text in seen else new).append(place)
        seen.add(text)
    return [documents[place] for place in sorted([*new, *repeated][:most])]
