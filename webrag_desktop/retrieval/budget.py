"""What fits the context: tokens of parents, counted as token spans of their markdown."""

from collections.abc import Sequence
from itertools import groupby

from webrag_desktop.retrieval.aggregate import Parent
from webrag_desktop.storage.searching.search import ParentRow


def best_within(parents: Sequence[Parent], budget: int) -> list[Parent]:
    """The leading parents that fit together; the first comes even where it alone exceeds the budget.

    It ends at the first that does not fit, so a weaker but smaller one never takes a stronger one's place.
    """
    kept: list[Parent] = []
    left = budget
    for parent in parents:
        left -= parent.tokens
        if left < 0 and kept:
            break
        kept.append(parent)
        if left < 0:
            break
    return kept


def documents_within(parents: Sequence[ParentRow], budget: int) -> list[ParentRow]:
    """The leading whole documents that fit together, given every parent in reading order.

    Documents that do not fit go from the end, whole. The first stays: one that alone exceeds the budget is cut
    behind its last parent that fits, and keeps at least one.
    """
    kept: list[ParentRow] = []
    left = budget
    for _, group in groupby(parents, key=lambda parent: parent.document_id):
        document = list(group)
        tokens = sum(map(_tokens, document))
        if tokens > left:
            return kept or _leading(document, budget)
        kept += document
        left -= tokens
    return kept


def _leading(document: Sequence[ParentRow], budget: int) -> list[ParentRow]:
    kept = [document[0]]
    left = budget - _tokens(document[0])
    for parent in document[1:]:
        left -= _tokens(parent)
        if left < 0:
            break
        kept.append(parent)
    return kept


def _tokens(parent: ParentRow) -> int:
    return parent.token_end - parent.token_start
