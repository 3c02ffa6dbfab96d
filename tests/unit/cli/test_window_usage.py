import pytest

from webrag_desktop.cli.window_usage import read_arguments


def test_what_follows_two_dashes_is_a_file() -> None:
    assert read_arguments(["a.md", "--", "-b.md"]) == ["a.md", "-b.md"]


@pytest.mark.parametrize(("argument", "code"), [("-h", 0), ("--version", 0), ("--nonsense", 2)])
def test_options_end_the_process(argument: str, code: int) -> None:
    with pytest.raises(SystemExit) as ended:
        read_arguments(["a.md", argument])
    assert ended.value.code == code
