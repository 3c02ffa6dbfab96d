"""Changes of the settings file: nothing else in it is touched, and nothing invalid is written."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.config import change_settings, load_settings, setting_names, written_settings
from webrag_desktop.config.writing import changed_text
from webrag_desktop.errors import ConfigurationError, InputError


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in setting_names():
        monkeypatch.delenv(name, raising=False)


BEFORE = """# my own notes
export OTHER_PROGRAM=1

CHAT_MODEL=old  # the small one
# CHAT_TIMEOUT=120
chat_model='older still'
BROKEN LINE
FETCH_TIMEOUT=30"""


def test_comments_and_unknown_lines_stay_and_lines_that_do_not_hold_go(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(BEFORE, encoding="utf-8")
    change_settings(tmp_path, {"CHAT_MODEL": "llama3.1", "CHAT_TIMEOUT": "60", "FETCH_TIMEOUT": None})
    assert file.read_text(encoding="utf-8") == (
        "# my own notes\nexport OTHER_PROGRAM=1\n\n# CHAT_TIMEOUT=120\nCHAT_TIMEOUT=60\nCHAT_MODEL=llama3.1\n"
        "BROKEN LINE\n"
    )
    assert load_settings(tmp_path).chat_model == "llama3.1"


def test_a_new_setting_comes_at_the_end_on_a_line_of_its_own() -> None:
    assert changed_text("A=1", {"CHAT_MODEL": "m"}) == "A=1\nCHAT_MODEL=m\n"
    assert changed_text("", {"CHAT_MODEL": "two words"}) == "CHAT_MODEL='two words'\n"
    assert changed_text("A=1\n", {"CHAT_MODEL": None}) == "A=1\n"


_PLAIN = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="'\"\\\\$#="), min_size=1
)
_VALUES = st.one_of(st.just(""), _PLAIN, _PLAIN.map("'{}'".format), _PLAIN.map('"{} # {{"'.format))
_COMMENTS = st.one_of(
    st.just(""), st.text(st.characters(codec="ascii", exclude_categories=["C"])).map("  # {}".format)
)


@given(
    st.sampled_from(["", "  ", "export ", " export  "]),
    st.sampled_from(["=", " = ", " ="]),
    _VALUES,
    _COMMENTS,
    st.sampled_from(["\n", "\r\n"]),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1),
)
def test_all_but_the_value_of_a_changed_line_stays(
    tmp_path_factory: pytest.TempPathFactory,
    before: str,
    equals: str,
    old: str,
    comment: str,
    newline: str,
    value: str,
) -> None:
    name, others = (
        "EMBEDDING_QUERY_PREFIX",
        (f"# first{newline}export A=1  # one{newline}", f"B='2' # two{newline}"),
    )
    text = f"{others[0]}{before}{name}{equals}{old}{comment}{newline}{others[1]}"
    made = changed_text(text, {name: value})
    assert made.startswith(f"{others[0]}{before}{name}=")
    assert made.endswith(f"{comment}{newline}{others[1]}")
    assert ("\r\n" in made, made.count(newline)) == (newline == "\r\n", 4)
    file = tmp_path_factory.mktemp("home") / ".env"
    file.write_bytes(made.encode())
    assert written_settings(file) == {"A": "1", name: value, "B": "2"}


def test_a_comment_that_touched_a_quoted_value_does_not_become_part_of_the_next_one() -> None:
    assert changed_text("A='old'# mine\n", {"A": "2"}) == "A=2 # mine\n"
    assert changed_text("A='two\nlines' # mine", {"A": "2"}) == "A=2 # mine\n"
    assert changed_text("A=#old\n", {"A": "2"}) == "A=2\n"
    assert changed_text("A # mine\n", {"A": "2"}) == "A=2 # mine\n"
    assert changed_text("B=1\r\n", {"A": "2"}) == "B=1\r\nA=2\r\n"


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1))
def test_whatever_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    file = tmp_path_factory.mktemp("home") / ".env"
    file.write_text(changed_text("# before\n", {"EMBEDDING_QUERY_PREFIX": value}), encoding="utf-8")
    assert written_settings(file) == {"EMBEDDING_QUERY_PREFIX": value}


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_nobody_else_may_read_the_file_afterwards(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("", encoding="utf-8")
    file.chmod(0o644)
    change_settings(tmp_path, {"CHAT_MODEL": "m"})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(one.name for one in tmp_path.iterdir()) == [".env", "locks"]


@pytest.mark.skipif(os.name != "posix", reason="links are usual there")
def test_a_file_that_is_a_link_stays_one(tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "dotfiles"
    home.mkdir()
    elsewhere.write_text("# kept\n", encoding="utf-8")
    (home / ".env").symlink_to(elsewhere)
    change_settings(home, {"CHAT_MODEL": "m"})
    assert (home / ".env").is_symlink()
    assert elsewhere.read_text(encoding="utf-8") == "# kept\nCHAT_MODEL=m\n"


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"FETCH_TIMEOUT": "-1", "CHAT_MODEL": "m"}, ConfigurationError, "FETCH_TIMEOUT"),
        ({"CHAT_BASE_URL": "ftp://x"}, ConfigurationError, "it must be the address of a server"),
        ({"FETCH_SUBRESOURCES_SITES": "https://x.example/"}, ConfigurationError, "it must be hosts such as"),
        (
            {"FETCH_SUBRESOURCES_SITES": "a.example *.x.example"},
            ConfigurationError,
            "it must be hosts such as",
        ),
        ({"CHAT_CHECK_AGAIN": "perhaps"}, ConfigurationError, "true or false"),
        ({"NO_SUCH": "1"}, InputError, "NO_SUCH"),
        ({"WEBRAG_HOME": "/tmp"}, InputError, "WEBRAG_HOME"),
    ],
)
def test_nothing_is_written_of_what_cannot_be_used(
    tmp_path: Path, changes: dict[str, str | None], error: type[Exception], said: str
) -> None:
    file = tmp_path / ".env"
    file.write_text("# before\n", encoding="utf-8")
    with pytest.raises(error, match=said):
        change_settings(tmp_path, changes)
    assert file.read_text(encoding="utf-8") == "# before\n"


def test_a_wrong_setting_can_be_mended_while_another_one_is_wrong(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("FETCH_TIMEOUT=x\nCHAT_TIMEOUT=y\n", encoding="utf-8")
    change_settings(tmp_path, {"FETCH_TIMEOUT": "9"})
    assert (tmp_path / ".env").read_text(encoding="utf-8") == "FETCH_TIMEOUT=9\nCHAT_TIMEOUT=y\n"
