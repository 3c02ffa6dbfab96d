from datetime import date

import click
import pytest

from webrag_desktop.cli.filtering import _WORDS, GivenFilters, filter_options, nothing_left


def given(*arguments: str) -> GivenFilters:
    """What the options give."""

    @click.command()
    @filter_options
    def command(**options: object) -> object:
        return options

    result: GivenFilters = command.main(arguments, standalone_mode=False)
    return result


def test_options_become_fields_and_may_be_repeated() -> None:
    options = given("--has", "definition-list", "--has", "code", "--source", "a", "--document", "b")
    assert options["content_flags"] == ("has_definition_list", "has_code")
    assert options["documents"] == ("a", "b")
    assert given("--published-to", "2024")["published_to"] == date(2024, 12, 31)


@pytest.mark.parametrize("wrong", [("--has", "tables"), ("--type", "doc"), ("--published-from", "soon")])
def test_unknown_values_are_a_wrong_command_line(wrong: tuple[str, str]) -> None:
    with pytest.raises(click.BadParameter):
        given(*wrong)


def test_every_option_is_reported_in_words_where_nothing_is_left() -> None:
    assert set(GivenFilters.__annotations__) == set(_WORDS)
    options = given("--tag", "sea", "--tag", "to_read", "--has", "definition-list", "--max-depth", "0")
    reported = nothing_left(options).message
    assert reported.endswith("tag sea or to_read, with definition list, depth at most 0.")
