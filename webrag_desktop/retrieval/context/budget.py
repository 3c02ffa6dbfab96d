"""Which pieces a budget of tokens holds: the weakest go first; the best passages are shortened, never dropped."""

from collections.abc import Sequence
from dataclasses import dataclass

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.context.pieces import Piece
from webrag_desktop.retrieval.context.rendering import SEPARATOR, block, pack_text
from webrag_desktop.retrieval.context.shortening import best_sentences, fitting, shortened
from webrag_desktop.retrieval.contracts.packs import TokenCounter


@dataclass(frozen=True, slots=True)
class Selection:
    """What a budget holds, in the order it is read, and what was dropped, in the order it is kept.

    ``tokens`` counts the pack; ``kept_costs`` and ``dropped_costs`` count each piece as it stands, or would have stood.
    ``held`` says whether the budget holds the pack, ``least`` how many of the best passages stay whatever they take.
    """

    kept: list[Piece]
    dropped: list[Piece]
    tokens: int
    kept_costs: list[int]
    dropped_costs: list[int]
    held: bool
    least: int


def within_budget(
    pieces: Sequence[Piece],
    least: int,
    budget: int,
    counter: TokenCounter,
    cancel: CancelToken,
    *,
    keep_fewer: bool = False,
) -> Selection:
    """The pieces, given in the order they are kept in, that fit together; the ``least`` first passages stay anyway.

    With ``keep_fewer`` only as many of these as the budget holds a sentence of each, yet one at least.

    It ends at the first that does not fit, which is cut to what does: a weaker but smaller piece never takes a stronger
    one's place. Where even the passages that stay do not fit, all of these are cut to their best sentences, at last to
    the first words of the best one.
    """
    costs = [_cost(piece, len(pieces), counter, cancel) for piece in pieces]
    essential = min(least, sum(piece.role == "primary" for piece in pieces))
    while keep_fewer and essential > 1 and _count(best_sentences(pieces[:essential]), counter) > budget:
        cancel.raise_if_cancelled()
        essential -= 1
        least = essential
    count = max(essential, _leading(costs, budget))
    kept = list(pieces[:count])
    tokens = _count(kept, counter)
    # The pack as one text may have a few tokens more than its parts.
    while tokens > budget and count > essential:
        cancel.raise_if_cancelled()
        count -= 1
        kept.pop()
        tokens = _count(kept, counter)
    if tokens > budget:
        kept = shortened(kept, budget, counter, cancel)
        tokens = _count(kept, counter)
    elif count < len(pieces) and (part := _part(pieces[count], kept, budget, tokens, counter)):
        kept.append(part)
        tokens = _count(kept, counter)
        count += 1
    kept = _as_read(kept)
    kept_costs = [counter.count(str(block(piece, number))) for number, piece in enumerate(kept, start=1)]
    return Selection(kept, list(pieces[count:]), tokens, kept_costs, costs[count:], tokens <= budget, least)


def _part(
    piece: Piece, kept: Sequence[Piece], budget: int, tokens: int, counter: TokenCounter
) -> Piece | None:
    """What of a piece still fits beside those kept, which have so many tokens."""
    room = budget - tokens
    while part := fitting(piece, room, counter):
        excess = _count([*kept, part], counter) - budget
        if excess <= 0:
            return part
        room -= excess
    return None


def _count(pieces: Sequence[Piece], counter: TokenCounter) -> int:
    return counter.count(pack_text(_as_read(pieces)))


def _as_read(pieces: Sequence[Piece]) -> list[Piece]:
    return sorted(pieces, key=lambda piece: piece.reading_place)


def _leading(costs: Sequence[int], budget: int) -> int:
    left = budget
    for count, cost in enumerate(costs):
        left -= cost
        if left < 0:
            return count
    return len(costs)


def _cost(piece: Piece, number: int, counter: TokenCounter, cancel: CancelToken) -> int:
    cancel.raise_if_cancelled()
    return counter.count(str(block(piece, number)) + SEPARATOR)
