"""What changed between two texts, paragraph by paragraph, with the changed words; found in bounded time."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from webrag_desktop.models.versions import Change, Difference, RunKind, TextRun
from webrag_desktop.text.markdown_grammar import FENCE, OWN_LINE, atx_heading, closes_fence

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
    """Where elements are that each side has once: the most of them that are in one order."""
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


@dataclass(frozen=True, slots=True)
class Unit:
    """``[char_start, char_end)`` of a text, its words with single blanks, and the heading that it is under."""

    char_start: int
    char_end: int
    words: str
    heading: str | None


def units_of(markdown: str) -> list[Unit]:
    """The units of a text in order; blank lines belong to none."""
    units: list[Unit] = []
    heading: str | None = None
    for start, end in _spans(markdown):
        text = markdown[start:end]
        if text.startswith("#") and (found := atx_heading(text)):
            heading = text[found.start : found.end] or None
        units.append(Unit(start, end, " ".join(text.split()), heading))
    return units


def _spans(markdown: str) -> Iterator[tuple[int, int]]:
    start: int | None = None  # of a paragraph that goes on
    at, end, fence = 0, 0, ""
    for line in markdown.split("\n"):
        alone = bool(fence) or OWN_LINE.match(line) is not None or FENCE.match(line) is not None
        if start is not None and (alone or not line.strip()):
            yield start, end
            start = None
        fence = _fence_after(line, fence)
        end = at + len(line)
        if alone and line.strip():
            if _is_item(line):
                start = at  # lines that follow belong to it
            else:
                yield at, end
        elif line.strip() and start is None:
            start = at
        at = end + 1
    if start is not None:
        yield start, end


def _is_item(line: str) -> bool:
    return not line.lstrip().startswith(("|", "#", "`", "~"))


def _fence_after(line: str, fence: str) -> str:
    """The marks that a code block which is open after this line ends with; empty where none is."""
    if fence:
        return "" if closes_fence(line.rstrip(), fence) else fence
    found = FENCE.match(line)
    return found[1] if found else ""


LEAST_ALIKE = 0.5  # the share of words that makes two paragraphs one that changed
LOOK_AHEAD = 8  # paragraphs among which the one that changed is searched for
STEPS_TO_PAIR = 100 * LOOK_AHEAD
# A sign is one of a script without spaces.
WORD_OR_SIGN = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0eff]|\w+"
_TOKEN = re.compile(rf"{WORD_OR_SIGN}|\s+|.", re.DOTALL)


def compare(old: str, new: str) -> Difference:
    """What changed from ``old`` to ``new``, ignoring white space."""
    before, after = units_of(old), units_of(new)
    budget = Budget.for_length(len(old) + len(new))
    changes: list[Change] = []
    at = [0, 0]
    runs = common_runs([one.words for one in before], [one.words for one in after], budget)
    for i, j, length in [*runs, (len(before), len(after), 0)]:
        changes += _gap(old, new, before[at[0] : i], after[at[1] : j], budget)
        at = [i + length, j + length]
    return Difference(tuple(_with_moves(changes, old, new)), budget.exhausted)


def _gap(old: str, new: str, removed: Sequence[Unit], added: Sequence[Unit], budget: Budget) -> list[Change]:
    """What became of units that have no equal at their place."""
    changes: list[Change] = []
    next_added = 0
    partners = _partners(removed, added) if budget.spend(STEPS_TO_PAIR * len(removed)) else {}
    for number, unit in enumerate(removed):
        partner = partners.get(number)
        if partner is None:
            changes.append(Change("removed", (unit.char_start, unit.char_end), None, unit.heading))
            continue
        changes += map(_addition, added[next_added:partner])
        changes.append(_changed(old, new, unit, added[partner], budget))
        next_added = partner + 1
    return changes + [_addition(unit) for unit in added[next_added:]]


def _addition(unit: Unit) -> Change:
    return Change("added", None, (unit.char_start, unit.char_end), unit.heading)


def _partners(removed: Sequence[Unit], added: Sequence[Unit]) -> dict[int, int]:
    """Which of the removed units became which of the added ones: in order, the most alike of the next few."""
    bags = {number: Counter(unit.words.split()) for number, unit in enumerate(added)} if removed else {}
    partners: dict[int, int] = {}
    first = 0
    for number, unit in enumerate(removed):
        bag = Counter(unit.words.split())
        candidates = range(first, min(first + LOOK_AHEAD, len(added)))
        best = max(candidates, key=lambda at: (_alike(bag, bags[at]), -at), default=None)
        if best is not None and _alike(bag, bags[best]) >= LEAST_ALIKE:
            partners[number] = best
            first = best + 1
    return partners


def _alike(one: Counter[str], other: Counter[str]) -> float:
    """The share of words that two paragraphs have in common."""
    return (one & other).total() / max(one.total(), other.total(), 1)


def _changed(old: str, new: str, was: Unit, is_: Unit, budget: Budget) -> Change:
    return Change(
        "changed",
        (was.char_start, was.char_end),
        (is_.char_start, is_.char_end),
        is_.heading,
        _runs(old[was.char_start : was.char_end], new[is_.char_start : is_.char_end], budget),
    )


def _runs(old: str, new: str, budget: Budget) -> tuple[TextRun, ...]:
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    runs: list[TextRun] = []
    at = [0, 0]
    for i, j, length in [*common_runs(before, after, budget), (len(before), len(after), 0)]:
        runs += _run_of("removed", before[at[0] : i])
        runs += _run_of("added", after[at[1] : j])
        runs += _run_of("same", before[i : i + length])
        at = [i + length, j + length]
    return tuple(runs)


def _run_of(kind: RunKind, tokens: Iterable[str]) -> list[TextRun]:
    text = "".join(tokens)
    return [TextRun(kind, text)] if text else []


def _with_moves(changes: Sequence[Change], old: str, new: str) -> list[Change]:
    """The changes, with what was removed here and added elsewhere as one."""
    gone: dict[str, deque[int]] = defaultdict(deque)
    for number, change in enumerate(changes):
        if change.kind == "removed":
            gone[_words(old, change.before)].append(number)
    shown: list[Change] = []
    moved: set[int] = set()
    for change in changes:
        origins = gone.get(_words(new, change.after)) if change.kind == "added" else None
        if not origins:
            shown.append(change)
            continue
        origin = origins.popleft()
        moved.add(origin)
        shown.append(replace(change, kind="moved", before=changes[origin].before))
    return [change for number, change in enumerate(shown) if number not in moved]


def _words(text: str, span: tuple[int, int] | None) -> str:
    return " ".join(text[slice(*span)].split()) if span else ""
