"""How many tokens of evidence a model is given, and what is left out where it is more."""

from bisect import bisect_right
from collections.abc import Sequence

from webrag_desktop.answering.excerpts import Excerpt, Stretch, united
from webrag_desktop.answering.pointing import KnownTexts, Pointable, pointable
from webrag_desktop.retrieval.contracts.packs import TokenCounter

SHARE_OF_WINDOW = 0.4
# Our tokenizer is not the model's: so much more may a text take there.
MARGIN = 1.25
INSTRUCTION_TOKENS = 500  # instruction, how to reply, and the schema where it is sent as text
TOKENS_OF_AN_ID = 6  # with brackets, before the sentence, and once more in the schema
TOKENS_OF_A_SENTENCE = 20  # a short one
LEAST_ROOM = 64  # one short passage under its name; less holds nothing to answer from
_TOKENS_OF_A_NAME = 40


def room_for_evidence(window: int | None, reply: int, question: int, otherwise: int) -> int:
    """How many of our tokens the evidence may have, its marks included.

    ``window`` is how many tokens the model reads and writes at once, of which evidence gets two fifths, or less where
    the ``reply``, the instruction and the ``question`` leave less; where it is not known the ``otherwise`` counts.
    All are tokens.
    """
    if window is None:
        return otherwise
    rest = (window - reply - INSTRUCTION_TOKENS - MARGIN * question) / MARGIN
    return max(LEAST_ROOM, int(min(SHARE_OF_WINDOW * window, rest)))


def within_room(
    excerpts: Sequence[Excerpt], question: str, room: int, counter: TokenCounter
) -> tuple[list[Excerpt], bool]:
    """The excerpts that fit, in their order, and whether the last one left had to be cut.

    The weakest go first. Of one that is larger than all there is room for, its best sentences stay.
    """
    costs = [counter.count(excerpt.text) + _TOKENS_OF_A_NAME for excerpt in excerpts]
    kept = list(range(len(excerpts)))
    by_rank = sorted(kept, key=lambda place: (-excerpts[place].rank, place))
    while len(by_rank) > 1 and sum(costs[place] for place in by_rank) > room:
        by_rank.pop()
    left = [excerpts[place] for place in sorted(by_rank)]
    if len(left) == 1 and costs[by_rank[0]] > room:
        return [_best_sentences(left[0], question, room - _TOKENS_OF_A_NAME, counter)], True
    return left, False


def _best_sentences(excerpt: Excerpt, question: str, room: int, counter: TokenCounter) -> Excerpt:
    """As many of its best sentences as fit, in their order; the best one in any case."""
    sentences = pointable([excerpt], KnownTexts([excerpt]), question, len(excerpt.text))
    if not sentences:
        return excerpt
    chosen: list[Stretch] = []
    for one in sentences:
        cost = counter.count(one.markdown) + TOKENS_OF_AN_ID
        if cost > room:
            break
        room -= cost
        chosen.append(Stretch(one.start, one.end, one.markdown))
    return excerpt.with_stretches(united(chosen) or [_beginning(sentences[0], room, counter)])


def _beginning(sentence: Pointable, room: int, counter: TokenCounter) -> Stretch:
    """The first characters of a sentence that so many tokens hold, up to the end of a word where there is one."""
    lengths = range(1, len(sentence.markdown) + 1)
    most = bisect_right(lengths, room, key=lambda length: counter.count(sentence.markdown[:length]))
    words = sentence.markdown[:most].rpartition(" ")[0].rstrip()
    text = words or sentence.markdown[: max(1, most)]
    return Stretch(sentence.start, sentence.start + len(text), text)
