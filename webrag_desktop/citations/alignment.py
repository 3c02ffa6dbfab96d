"""What two sequences have in common, in order, found with a bounded number of steps."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

Run = tuple[int, int, int]  # where it begins in the one and in the other, and how long it is
STEPS_PER_ELEMENT = 24
FREE_STEPS = 4_000_000
MOST_STEPS_AT_ONCE = 500_000


@dataclass(slots=True)
class Budget:
    """How many steps are left. What there are too few for is taken as wholly different, and ``exhausted`` tells so."""

    steps: int
    exhausted: bool = False

    @classmethod
    def for_length(cls, length: int) -> "Budget":
        """Enough for texts of ``length`` elements together, in proportion to that."""
        return cls(FREE_STEPS + STEPS_PER_ELEMENT * length)

    def spend(self, steps: int) -> bool:
        """Take ``steps`` away; False when there are not as many."""
        if steps > self.steps:
            self.exhausted = True
            return False
        self.steps -= steps
        return True


@dataclass(frozen=True, slots=True)
class _Part:
    """``[a, a_end)`` of the one beside ``[b, b_end)`` of the other."""

    a: int
    a_end: int
    b: int
    b_end: int


def common_runs(one: Sequence[Hashable], other: Sequence[Hashable], budget: Budget) -> list[Run]:
    """Runs of equal elements, in order in both, that do not overlap and are as long as can be.

    Elements that each side has once lead the way; where there are none and little is left,
    :class:`difflib.SequenceMatcher` looks at it.
    """
    numbers: dict[Hashable, int] = {}
    a = [numbers.setdefault(element, len(numbers)) for element in one]
    b = [numbers.setdefault(element, len(numbers)) for element in other]
    found: list[Run] = []
    parts = [_Part(0, len(a), 0, len(b))]
    while parts:
        part = _trimmed(a, b, parts.pop(), found)
        if part.a == part.a_end or part.b == part.b_end:
            continue
        if not budget.spend(part.a_end - part.a + part.b_end - part.b):
            continue
        landmarks = _landmarks(a, b, part)
        if landmarks:
            parts += _between(part, landmarks, found)
        else:
            found += _looked_at(a, b, part, budget)
    return _joined(found)


def _trimmed(a: Sequence[int], b: Sequence[int], part: _Part, found: list[Run]) -> _Part:
    """What is left of a part without what is equal at its ends."""
    head, most = 0, min(part.a_end - part.a, part.b_end - part.b)
    while head < most and a[part.a + head] == b[part.b + head]:
        head += 1
    tail, most = 0, most - head
    while tail < most and a[part.a_end - 1 - tail] == b[part.b_end - 1 - tail]:
        tail += 1
    rest = _Part(part.a + head, part.a_end - tail, part.b + head, part.b_end - tail)
    found += [run for run in ((part.a, part.b, head), (rest.a_end, rest.b_end, tail)) if run[2]]
    return rest


def _landmarks(a: Sequence[int], b: Sequence[int], part: _Part) -> list[tuple[int, int]]:
    """Where elements stand that each side has once: the most of them that stand in one order."""
    in_a, in_b = Counter(a[part.a : part.a_end]), Counter(b[part.b : part.b_end])
    places = {b[j]: j for j in range(part.b, part.b_end) if in_b[b[j]] == 1}
    pairs = [(i, places[a[i]]) for i in range(part.a, part.a_end) if in_a[a[i]] == 1 and a[i] in places]
    return _longest_rising(pairs)


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    ends: list[int] = []  # the least end of a rising row of each length
    last: list[int] = []  # which pair that is
    before: list[int] = []
    for number, (_i, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [j]
        last[length : length + 1] = [number]
    row: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        row.append(pairs[at])
        at = before[at]
    return row[::-1]


def _between(part: _Part, landmarks: Sequence[tuple[int, int]], found: list[Run]) -> list[_Part]:
    found += [(i, j, 1) for i, j in landmarks]
    starts = [(part.a, part.b), *((i + 1, j + 1) for i, j in landmarks)]
    ends = [*landmarks, (part.a_end, part.b_end)]
    return [_Part(i, i_end, j, j_end) for (i, j), (i_end, j_end) in zip(starts, ends, strict=True)]


def _looked_at(a: Sequence[int], b: Sequence[int], part: _Part, budget: Budget) -> list[Run]:
    n, m = part.a_end - part.a, part.b_end - part.b
    steps = n * m * min(n, m)  # what it takes at worst
    if steps > MOST_STEPS_AT_ONCE or not budget.spend(steps):
        budget.exhausted = True
        return []
    matcher = SequenceMatcher(None, a[part.a : part.a_end], b[part.b : part.b_end], autojunk=False)
    return [(part.a + i, part.b + j, length) for i, j, length in matcher.get_matching_blocks() if length]


def _joined(found: list[Run]) -> list[Run]:
    """The runs in order, those that continue each other as one."""
    joined: list[Run] = []
    for i, j, length in sorted(found):
        if joined and joined[-1][0] + joined[-1][2] == i and joined[-1][1] + joined[-1][2] == j:
            joined[-1] = (joined[-1][0], joined[-1][1], joined[-1][2] + length)
        else:
            joined.append((i, j, length))
    return joined
