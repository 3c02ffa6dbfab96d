"""From children to parents: small chunks are found, large ones are read."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.retrieval.candidates import Child, depth_weight
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import NO_SCORES, Arm, ArmScores

_ARMS: tuple[Arm, ...] = ("vector", "words", "identifier")


class Parent(NamedTuple):
    """A parent with the children that found it, best first; see RetrievedChunk for its scores.

    ``tokens`` is its token span, ``position`` its place in the library for breaking ties.
    """

    id: UUID
    children: tuple[Child, ...]
    tokens: int
    position: tuple[str, int]
    rank_score: float
    score: float
    raw_similarity: float | None
    found_by: tuple[Arm, ...]
    scores: ArmScores = NO_SCORES


def aggregate(children: Iterable[Child], options: RetrievalOptions) -> list[Parent]:
    """Parents by falling rank, each once and as strong as its best child.

    The best child stands for its parent, since a mean would punish a section for what else it talks about.
    """
    families: dict[int, list[Child]] = defaultdict(list)  # ids are slow keys
    for child in children:
        families[child.row.parent_id.int].append(child)
    parents = [_parent(family, options) for family in families.values()]
    return sorted(parents, key=lambda parent: (-parent.rank_score, parent.position, parent.id))


def _parent(family: list[Child], options: RetrievalOptions) -> Parent:
    first, rank_score = family[0].row, family[0].rank_score
    similarity, found_by, scores = first.similarity, family[0].found_by, family[0].scores
    if len(family) > 1:  # most are alone
        family.sort(key=lambda child: (-child.rank_score, child.row.char_start, child.row.id))
        first, rank_score = family[0].row, family[0].rank_score
        cosines = [child.row.similarity for child in family if child.row.similarity is not None]
        similarity = max(cosines, default=None)
        arms = {arm for child in family for arm in child.found_by}
        found_by = tuple(arm for arm in _ARMS if arm in arms)
        scores = ArmScores.best([child.scores for child in family])
    weight = depth_weight(first.depth, options)
    return Parent(
        id=first.parent_id,
        children=tuple(family),
        tokens=first.parent_tokens,
        position=(first.source_url, first.parent_start),
        rank_score=rank_score,
        score=rank_score if similarity is None else max(similarity, 0.0) * weight,
        raw_similarity=similarity,
        found_by=found_by,
        scores=scores,
    )
