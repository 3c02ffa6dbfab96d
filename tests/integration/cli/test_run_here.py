"""Commands that tests run in their own process answer as the program does."""

from collections.abc import Iterator

import pytest

from tests.support.command_line import Program, ProgramHere, program


@pytest.fixture(scope="module")
def webrag() -> Iterator[Program]:
    with program() as started:
        yield started


@pytest.mark.parametrize(
    ("arguments", "settings", "code"),
    [
        (("--version",), {}, 0),
        (("stack", "status"), {}, 0),
        (("search", "--json"), {}, 2),
        (("no such command",), {}, 2),
        (("list", "--json"), {"CHUNK_PARENT_TOKENS": "many"}, 4),
    ],
    ids=str,
)
def test_it_prints_the_same_and_ends_with_the_same_code(
    webrag: Program, arguments: tuple[str, ...], settings: dict[str, str], code: int
) -> None:
    as_a_process = Program(webrag.home, settings).run(*arguments)
    assert as_a_process.code == code
    assert ProgramHere(webrag.home, settings).run(*arguments) == as_a_process
    assert as_a_process.out or as_a_process.err


def test_standard_input_is_that_of_the_command(webrag: Program) -> None:
    given = "ftp://nowhere.example/Bücher\n"
    as_a_process = webrag.run("add", "--json", "-", given=given)
    assert (as_a_process.code, "nowhere.example/B" in as_a_process.out) == (2, True)
    assert ProgramHere(webrag.home).run("add", "--json", "-", given=given) == as_a_process
