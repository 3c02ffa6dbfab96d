"""Keys in the system's keyring, and in the file where there is none."""

import logging
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.keyrings import KeyringHere, keyring_here
from webrag_desktop.config import (
    change_settings,
    given_settings,
    listed_settings,
    load_settings,
    reload_settings,
    setting_names,
    settings_warnings,
)
from webrag_desktop.config.keys import SERVICE, has_keyring

KEY, OTHER = "sk-secret-1", "sk-secret-2"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in setting_names():
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def here() -> Iterator[KeyringHere]:
    with keyring_here() as keyring:
        yield keyring


def _key(home: Path, patience: float | None = None) -> str | None:
    key = (load_settings(home) if patience is None else reload_settings(home, patience)).chat_api_key
    return key.get_secret_value() if key else None


def test_a_key_goes_to_the_keyring_and_the_file_says_where(tmp_path: Path, here: KeyringHere) -> None:
    assert change_settings(tmp_path, {"CHAT_API_KEY": KEY, "CHAT_MODEL": "m"}) == []
    written = (tmp_path / ".env").read_text(encoding="utf-8")
    assert KEY not in written
    assert list(here.kept.values()) == [KEY]
    assert {service for service, _name in here.kept} == {SERVICE}
    assert _key(tmp_path) == KEY
    given = {one.name: (one.value, one.place) for one in given_settings(tmp_path)}
    assert given == {"CHAT_MODEL": ("m", "file"), "CHAT_API_KEY": (None, "keyring")}
    (state,) = [
        one for group in listed_settings(tmp_path) for one in group.settings if one.name == "CHAT_API_KEY"
    ]
    assert (state.place, state.value) == ("keyring", None)


def test_another_key_replaces_the_first_and_none_removes_it(tmp_path: Path, here: KeyringHere) -> None:
    change_settings(tmp_path, {"CHAT_API_KEY": KEY})
    change_settings(tmp_path, {"CHAT_API_KEY": OTHER})
    assert (list(here.kept.values()), _key(tmp_path)) == ([OTHER], OTHER)
    change_settings(tmp_path, {"CHAT_API_KEY": None})
    assert (here.kept, _key(tmp_path)) == ({}, None)


def test_environment_and_a_key_in_the_file_go_on_working(
    tmp_path: Path, here: KeyringHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text(f"CHAT_API_KEY={KEY}\n", encoding="utf-8")
    assert _key(tmp_path) == KEY
    change_settings(tmp_path, {"CHAT_API_KEY": OTHER})
    monkeypatch.setenv("CHAT_API_KEY", "sk-exported")
    here.lock()  # nobody asks it for what does not hold
    assert _key(tmp_path) == "sk-exported"


def test_without_a_keyring_a_key_lies_in_a_file_of_the_user_alone(tmp_path: Path) -> None:
    assert not has_keyring()  # the failing backend of the tests
    assert change_settings(tmp_path, {"CHAT_API_KEY": KEY}) == []
    file = tmp_path / ".env"
    assert file.read_text(encoding="utf-8") == f"CHAT_API_KEY={KEY}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 or sys.platform == "win32"
    assert _key(tmp_path) == KEY


def test_the_address_of_a_database_never_waits_for_a_keyring(tmp_path: Path, here: KeyringHere) -> None:
    change_settings(tmp_path, {"WEBRAG_DATABASE_URL": "postgresql://me:pw@localhost/webrag"})
    assert here.kept == {}


def test_a_locked_keyring_is_waited_for_so_long_and_reported(
    tmp_path: Path, here: KeyringHere, caplog: pytest.LogCaptureFixture
) -> None:
    change_settings(tmp_path, {"CHAT_API_KEY": KEY})
    here.lock()
    with caplog.at_level(logging.WARNING):
        assert _key(tmp_path, patience=0.05) is None
    assert "did not answer within 0.05 seconds" in caplog.text
    assert KEY not in caplog.text
    here.unlocked.set()
    assert _key(tmp_path) == KEY


def test_a_key_that_a_locked_keyring_does_not_take_is_kept_in_the_file(
    tmp_path: Path, here: KeyringHere
) -> None:
    here.lock()
    (note,) = change_settings(tmp_path, {"CHAT_API_KEY": KEY}, patience=0.05)
    assert "CHAT_API_KEY is kept in the settings file" in note
    assert KEY not in note
    assert _key(tmp_path) == KEY


def test_a_key_that_is_gone_from_the_keyring_is_reported(
    tmp_path: Path, here: KeyringHere, caplog: pytest.LogCaptureFixture
) -> None:
    change_settings(tmp_path, {"CHAT_API_KEY": KEY})
    here.kept.clear()
    assert _key(tmp_path) is None
    assert "holds no key for CHAT_API_KEY any more" in caplog.text


def test_the_mark_of_a_keyring_is_no_secret_that_others_could_read(tmp_path: Path, here: KeyringHere) -> None:
    change_settings(tmp_path, {"CHAT_API_KEY": KEY})
    (tmp_path / ".env").chmod(0o644)
    assert settings_warnings(tmp_path) == []


def test_nothing_of_the_keyring_is_imported_by_who_has_no_key_there(tmp_path: Path) -> None:
    code = f"import sys; from webrag_desktop import load_settings; load_settings({str(tmp_path)!r}); "
    done = subprocess.run(
        [sys.executable, "-c", code + "sys.exit('keyring' in sys.modules)"], check=False, timeout=60
    )
    assert done.returncode == 0
