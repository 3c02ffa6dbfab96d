"""From children to documents: a document is as good as its best child."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from webrag_desktop.retrieval.candidates import Child
from webrag_desktop.retrieval.contracts.results import Arm, ArmScores
from webrag_desktop.retrieval.fusion import ranks
from webrag_desktop.storage.searching.items import ItemRow, Items

_ARMS: tuple[Arm, ...] = ("vector", "words", "identifier")


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
    def found_by(self) -> list[Arm]:
        """The arms that found any of its children."""
        arms = {arm for child in self.children for arm in child.found_by}
        return [arm for arm in _ARMS if arm in arms]


def rank_documents(children: Iterable[Child], items: Items) -> list[FoundDocument]:
    """All documents that these children are of, the best first; equal ones by address."""
    families: dict[UUID, list[Child]] = defaultdict(list)
    for child in children:
        families[items.passages[child.row.id].document_id].append(child)
    found = [
        FoundDocument(items.documents[id_], tuple(sorted(family, key=best_first)), _best(family))
        for id_, family in families.items()
    ]
    places = zip(_places(found, "score_text"), _places(found, "score_vec"), strict=True)
    ranked = [
        one._replace(scores=one.scores._replace(rank_text=by_words, rank_vec=by_meaning))
        for one, (by_words, by_meaning) in zip(found, places, strict=True)
    ]
    return sorted(ranked, key=lambda one: (-one.score, one.item.source_url, one.item.id))


def leading(documents: Sequence[FoundDocument], most: int) -> list[FoundDocument]:
    """The first ``most`` in their order; where there are more, one whose best child a better one has goes last."""
    if len(documents) <= most:
        return list(documents)
    told: set[str] = set()
    new: list[int] = []
    again: list[int] = []
    for place, one in enumerate(documents):
        text = one.children[0].row.chunk_text
        (again if text in told else new).append(place)
        told.add(text)
    return [documents[place] for place in sorted([*new, *again][:most])]


def best_first(child: Child) -> tuple[float, str, int, UUID]:
    """The order of children by what they are worth, then by where they stand."""
    row = child.row
    return -child.rank_score, row.source_url, row.char_start, row.id


def _best(family: list[Child]) -> ArmScores:
    return ArmScores.best([child.scores for child in family])


def _places(found: Iterable[FoundDocument], arm: str) -> list[int | None]:
    return ranks([getattr(one.scores, arm) for one in found])


def about(item: ItemRow, found_by: Sequence[Arm]) -> dict[str, Any]:
    """What else is known of a document, as plain data."""
    return {
        "version_id": str(item.version_id),
        "content_hash": item.content_hash,
        "language": item.language,
        "published_time": item.published_time,
        "modified_time": item.modified_time,
        "fetched_at": item.fetched_at.isoformat(),
        "depth": item.depth,
        "page_count": item.page_count,
        "found_by": list(found_by),
    }
