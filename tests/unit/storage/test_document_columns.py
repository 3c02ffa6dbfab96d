"""How the runs of a plain text are stored, so that the database needs little memory for many."""

import json

import pytest

from webrag_desktop.storage.document_columns import MOST_LISTED, Run, is_map_of, runs_of, stored_map
from webrag_desktop.text.plain_text import project


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


@pytest.mark.parametrize(
    "markdown", ["", "***", "# A *title* &amp; more\n\n| a | b |\n|---|---|\n| &fjlig; | d |\n"]
)
def test_runs_of_a_projection_are_a_map_of_its_text(markdown: str) -> None:
    plain = project(markdown)
    assert is_map_of(plain.runs, plain.text)


@pytest.mark.parametrize(
    "damaged",
    [
        [],
        [(0, 2, 4)],
        [(0, 2, 6)],
        [(1, 2, 5)],
        [(0, 2, 2), (3, 4, 2)],
        [(0, 2, 3), (3, 1, 2)],
        [(0, 2, 6), (6, 8, -1)],
        [("0", 2, 5)],
        [(0, None, 5)],
        [(0, 2.5, 5)],
        [(0, True, 5)],
    ],
)
def test_runs_that_do_not_cover_the_text_are_damaged(damaged: list[Run]) -> None:
    assert is_map_of([(0, 2, 5)], "plain")
    assert not is_map_of(damaged, "plain")
