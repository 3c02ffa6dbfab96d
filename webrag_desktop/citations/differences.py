"""What changed between two texts, paragraph by paragraph, with the changed words; found in bounded time."""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from webrag_desktop.citations.alignment import Budget, common_runs
from webrag_desktop.citations.markdown_units import Unit, units_of

ChangeKind = Literal["added", "removed", "changed", "moved"]
StretchKind = Literal["same", "removed", "added"]
LEAST_ALIKE = 0.5  # the share of words that makes two paragraphs one that changed
LOOK_AHEAD = 8  # paragraphs among which the one that changed is looked for
STEPS_TO_PAIR = 100 * LOOK_AHEAD
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0eff]|\w+|\s+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a paragraph that changed: in both texts, or in one."""

    kind: StretchKind
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A paragraph, heading, list item, table row or line of code that is not as it was, and where.

    ``before`` and ``after`` are its places in the old and in the new text, None where it is not there. ``words`` are
    told of what ``changed``: without those added they are the old text, without those removed the new one. What
    ``moved`` is the same elsewhere. ``heading`` is what it stands under, in the new text where it is there.
    """

    kind: ChangeKind
    before: tuple[int, int] | None
    after: tuple[int, int] | None
    heading: str | None
    words: tuple[Stretch, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes in reading order. ``coarse``: not all was looked at closely, the texts are too different for that."""

    changes: tuple[Change, ...]
    coarse: bool


def compare(old: str, new: str) -> Difference:
    """What changed from ``old`` to ``new``; white space aside."""
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
        _stretches(old[was.char_start : was.char_end], new[is_.char_start : is_.char_end], budget),
    )


def _stretches(old: str, new: str, budget: Budget) -> tuple[Stretch, ...]:
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    stretches: list[Stretch] = []
    at = [0, 0]
    for i, j, length in [*common_runs(before, after, budget), (len(before), len(after), 0)]:
        stretches += _told("removed", before[at[0] : i])
        stretches += _told("added", after[at[1] : j])
        stretches += _told("same", before[i : i + length])
        at = [i + length, j + length]
    return tuple(stretches)


def _told(kind: StretchKind, tokens: Iterable[str]) -> list[Stretch]:
    text = "".join(tokens)
    return [Stretch(kind, text)] if text else []


def _with_moves(changes: Sequence[Change], old: str, new: str) -> list[Change]:
    """The changes, with what was removed here and added elsewhere as one."""
    gone: dict[str, deque[int]] = defaultdict(deque)
    for number, change in enumerate(changes):
        if change.kind == "removed":
            gone[_words(old, change.before)].append(number)
    told: list[Change] = []
    moved: set[int] = set()
    for change in changes:
        origins = gone.get(_words(new, change.after)) if change.kind == "added" else None
        if not origins:
            told.append(change)
            continue
        origin = origins.popleft()
        moved.add(origin)
        told.append(replace(change, kind="moved", before=changes[origin].before))
    return [change for number, change in enumerate(told) if number not in moved]


def _words(text: str, span: tuple[int, int] | None) -> str:
    return " ".join(text[slice(*span)].split()) if span else ""
