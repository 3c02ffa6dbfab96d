"""How the runs of a plain text are stored, so that the database needs little memory for many."""

import json

import pytest

from webrag_desktop.storage.plain_maps import MOST_LISTED, Run, runs_of, stored_map


def runs(number: int) -> tuple[Run, ...]:
    return tuple((2 * at, 3 * at + at % 2, at % 5) for at in range(number))


@pytest.mark.parametrize("number", [0, 1, 1000, MOST_LISTED])
def test_runs_are_listed(number: int) -> None:
    stored = json.loads(json.dumps(stored_map(runs(number)).obj))
    assert stored == [list(run) for run in runs(number)]
    assert runs_of(stored) == runs(number)


def test_more_are_packed_into_one_text() -> None:
    stored = stored_map(runs(MOST_LISTED + 1)).obj
    assert isinstance(stored, str)
    assert len(stored) < MOST_LISTED
    assert runs_of(stored) == runs(MOST_LISTED + 1)
    assert all(type(number) is int for number in runs_of(stored)[-1])


@pytest.mark.parametrize("stored", [{"a": [1]}, [[1], 2], None, 7, "", "no base64!", "AAAA", "eJxjAAAAAQAB"])
def test_anything_else_holds_none(stored: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - several reasons
        runs_of(stored)
