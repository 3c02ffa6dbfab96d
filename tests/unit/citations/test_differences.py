"""What changed is reported paragraph by paragraph, word by word, and in bounded time."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webrag_desktop.citations.differences import (
    FREE_STEPS,
    STEPS_PER_ELEMENT,
    Budget,
    common_runs,
    compare,
    units_of,
)
from webrag_desktop.models.versions import Change, Difference, TextRun

OLD = """# Tide pools

Where the sea meets rock there is water in hollows.

- limpets
- crabs that walk

## Low tide

Limpets clamp their shells to the rock.

| animal | home |
| ------ | ---- |
| limpet | rock |
"""


def reported(old: str, new: str) -> list[tuple[str, str | None, str | None]]:
    return [(one.kind, cut(old, one.before), cut(new, one.after)) for one in compare(old, new).changes]


def cut(text: str, span: tuple[int, int] | None) -> str | None:
    return text[slice(*span)] if span else None


def test_equal_texts_have_no_changes() -> None:
    assert compare(OLD, OLD) == Difference((), coarse=False)


def test_white_space_is_no_change() -> None:
    assert compare(OLD, OLD.replace("sea meets", "sea\nmeets").replace("\n\n", "\n\n\n")).changes == ()


def test_a_paragraph_that_changed_shows_its_words_and_where_it_stands() -> None:
    new = OLD.replace("clamp", "fasten")
    (change,) = compare(OLD, new).changes
    assert change == Change(
        "changed",
        (OLD.index("Limpets clamp"), OLD.index("rock.\n\n|") + 5),
        (new.index("Limpets fasten"), new.index("rock.\n\n|") + 5),
        "Low tide",
        (
            TextRun("same", "Limpets "),
            TextRun("removed", "clamp"),
            TextRun("added", "fasten"),
            TextRun("same", " their shells to the rock."),
        ),
    )


def test_items_rows_and_headings_count_for_themselves() -> None:
    new = (
        OLD.replace("crabs that walk", "crabs that run")
        .replace("| rock |", "| pool |")
        .replace(" tide", " water")
    )
    assert reported(OLD, new) == [
        ("changed", "- crabs that walk", "- crabs that run"),
        ("changed", "## Low tide", "## Low water"),
        ("changed", "| limpet | rock |", "| limpet | pool |"),
    ]


def test_what_was_added_removed_and_moved() -> None:
    sea = "Where the sea meets rock there is water in hollows."
    new = (
        OLD.replace(sea + "\n\n", "").replace("## Low tide", "Seals are seldom seen.\n\n## Low tide")
        + "\n"
        + sea
    )
    assert reported(OLD, new) == [
        ("added", None, "Seals are seldom seen."),
        ("moved", sea, sea),
    ]
    assert reported(OLD, OLD.replace("- limpets\n", "")) == [("removed", "- limpets", None)]


def test_lines_of_code_are_not_joined_and_their_marks_mean_nothing() -> None:
    code = "```\n# not a heading\n\nx = 1\n- y\n```\n\nAfter it."
    assert [code[one.char_start : one.char_end] for one in units_of(code)] == [
        "```", "# not a heading", "x = 1", "- y", "```", "After it.",
    ]  # fmt: skip


def test_a_language_without_blanks_changes_by_its_signs() -> None:
    (change,) = compare("鏡のような水 がある", "鏡のような海 がある").changes
    assert [one for one in change.words if one.kind != "same"] == [
        TextRun("removed", "水"),
        TextRun("added", "海"),
    ]


_text = st.lists(
    st.sampled_from(
        [
            "# one",
            "## two",
            "alpha beta gamma",
            "alpha beta",
            "- item a",
            "| a | b |",
            "```",
            "",
            " x",
            "é🦀 k",
        ]
    ),
    max_size=14,
).map("\n".join)


@settings(max_examples=300)
@given(_text, _text)
def test_the_changes_lead_from_the_one_text_to_the_other(old: str, new: str) -> None:
    changes = compare(old, new).changes
    gone = {change.before for change in changes}
    come = {change.after for change in changes}
    kept = [one.words for one in units_of(old) if (one.char_start, one.char_end) not in gone]
    assert kept == [one.words for one in units_of(new) if (one.char_start, one.char_end) not in come]
    for change in changes:
        assert (change.before is None) == (change.kind == "added")
        assert (change.after is None) == (change.kind == "removed")
        if change.kind == "changed":
            assert "".join(one.text for one in change.words if one.kind != "added") == cut(old, change.before)
            assert "".join(one.text for one in change.words if one.kind != "removed") == cut(
                new, change.after
            )
    spans = sorted(span for span in gone if span)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


@given(st.text("abc", max_size=40), st.text("abc", max_size=40))
def test_common_runs_are_equal_in_order_and_apart(one: str, other: str) -> None:
    runs = common_runs(one, other, Budget.for_length(80))
    at = (0, 0)
    for i, j, length in runs:
        assert i >= at[0]
        assert j >= at[1]
        assert length > 0
        assert one[i : i + length] == other[j : j + length]
        at = (i + length, j + length)


def _alternating(count: int) -> tuple[str, str]:
    return "a\n\nb\n\n" * count, "b\n\na\n\nc\n\n" * count


def _noise(count: int) -> tuple[str, str]:
    chance = random.Random(3)
    return tuple("".join(chance.choices("ab ", k=count * 8)) for _ in range(2))  # type: ignore[return-value]


@pytest.mark.parametrize("hostile", [_alternating, _noise])
@pytest.mark.parametrize("count", [200, 20_000])
def test_steps_stay_in_proportion_to_the_length(
    hostile: object, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    budgets: list[Budget] = []
    spent: list[int] = []
    spend = Budget.spend

    def counted(budget: Budget, steps: int) -> bool:
        before = budget.steps
        done = spend(budget, steps)
        budgets.append(budget)
        spent.append(before - budget.steps)
        return done

    monkeypatch.setattr(Budget, "spend", counted)
    old, new = hostile(count)  # type: ignore[operator]
    compare(old, new)
    assert len({id(one) for one in budgets}) == 1
    assert budgets[-1].steps >= 0
    assert sum(spent) <= FREE_STEPS + STEPS_PER_ELEMENT * (len(old) + len(new))
    assert len(spent) <= len(old) + len(new)


def test_what_there_are_no_steps_for_is_reported_as_wholly_different() -> None:
    budget = Budget(0)
    assert common_runs("xaay", "xbaz", budget) == [(0, 0, 1)]
    assert budget.exhausted
