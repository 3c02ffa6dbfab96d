"""The settings file of the data folder."""

import os
import re
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.support.unused_setting import nobody_uses
from webrag_desktop.config import (
    given_settings,
    load_settings,
    setting_names,
    settings_warnings,
    unknown_settings,
)
from webrag_desktop.errors import ConfigurationError, InputError


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in setting_names():
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("RETREIVAL_BLEND", "RETRIEVAL_BLEND"),
        ("RETRIEVAL_TOP_K_CHILDERN", "RETRIEVAL_TOP_K_CHILDREN_LIMIT"),
        ("retrieval_rerank_enable", "RETRIEVAL_RERANK_ENABLED"),
        ("WEBRAG_HOMEE", "WEBRAG_HOME"),
        ("WEBRAG_STAKC", "WEBRAG_STACK"),
        ("EMBEDDING_DIMENSION", "EMBEDDING_DIMENSIONS"),
        ("EMBEDDINGS_MODEL", "EMBEDDING_MODEL"),
        ("CHAT_BASE_UR", "CHAT_BASE_URL"),
    ],
)
def test_a_misspelt_name_is_reported_with_the_one_that_is_meant(
    name: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".env").write_text(f"{name}=7\n", encoding="utf-8")
    reported = f"{name.upper()} in {tmp_path / '.env'} is no setting and does nothing. Did you mean {meant}?"
    assert unknown_settings(tmp_path) == [reported]
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path / "other"))
    monkeypatch.setenv(name, "7")
    load_settings()
    assert caplog.messages == [
        f"{name.upper()} in the environment is no setting and does nothing. Did you mean {meant}?"
    ]


@pytest.mark.parametrize(
    "name",
    [
        "EMBEDDING_MODEL_NAME",
        "CHATGPT_API_KEY",
        "CHATBOT_API_KEY",
        "CHAT_MODEL_ID",
        "FETCH_TIMEOUT_MS",
        "CHUNK_SIZE",
        "RETRIEVAL_MAGIC",
    ],
)
def test_a_name_that_nothing_resembles_is_reported_our_own_file_only(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "7")
    assert unknown_settings(tmp_path) == []
    (tmp_path / ".env").write_text(f"{name}=7\n", encoding="utf-8")
    (reported,) = unknown_settings(tmp_path)
    assert reported.startswith(f"{name} in {tmp_path / '.env'} is no setting")
    assert reported.endswith(("?", "blank.env lists every setting."))


def test_settings_and_names_of_others_are_not_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = ["OPENAI_API_KEY", "CHATTER", "HOME", "REDIS_URL", "WEBRAG_DB_PASSWORD", "WEBRAG_OLLAMA_PORT"]
    lines = [f"{name}=7" for name in (*setting_names(), *others)]
    (tmp_path / ".env").write_text("\n".join([*lines, "RETREIVAL_BLEND="]), encoding="utf-8")
    for name in (*setting_names(), *others):
        monkeypatch.setenv(name, "7")
    monkeypatch.setenv("WEBRAG_HOMEE", "")
    assert unknown_settings(tmp_path) == []


def test_one_that_is_not_in_utf_8_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    (tmp_path / ".env").write_bytes("CHAT_MODEL=modèle\n".encode("latin-1"))
    with pytest.raises(ConfigurationError, match="UTF-8") as caught:
        load_settings()
    assert str(tmp_path / ".env") in caught.value.message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("A='", 1),
        ('# none\n\nCHAT_MODEL="llama\nEMBEDDING_MODEL=b\n', 3),
        ("CHAT_MODEL='one\nEMBEDDING_MODEL='two'\n", 1),  # the mark below would close it
        ("export CHAT_MODEL = 'one\r\n", 1),
    ],
)
def test_a_quotation_mark_that_is_not_closed_is_refused_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, line: int
) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    write(tmp_path, text)
    with pytest.raises(
        ConfigurationError, match=f"Line {line} of the settings file .* quotation mark"
    ) as caught:
        load_settings()
    assert str(tmp_path / ".env") in caught.value.message
    write(tmp_path, "no setting here\nCHAT_MODEL='it\\'s one'\nOTHER=\"two\nlines\"\n")
    assert load_settings().chat_model == "it's one"


def write(home: Path, text: str, mode: int = 0o600) -> Path:
    file = home / ".env"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


@pytest.mark.parametrize("where", ["file", "environment"])
def test_a_setting_that_nothing_uses_is_reported(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    nobody_uses("CHAT_MODEL", monkeypatch)
    assert settings_warnings(tmp_path) == []
    if where == "file":
        place = str(write(tmp_path, "chat_model=llama3\n"))
    else:
        monkeypatch.setenv("CHAT_MODEL", "llama3")
        place = "the environment"
    load_settings()
    (reported,) = caplog.messages
    assert reported.startswith(f"CHAT_MODEL in {place} does nothing yet: ")
    assert settings_warnings(tmp_path) == [reported]
    assert unknown_settings(tmp_path) == []


def test_a_data_folder_named_in_the_file_that_lies_in_it_is_reported_and_moves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    file = write(tmp_path, f"WEBRAG_HOME={tmp_path / 'elsewhere'}\n")
    assert load_settings().webrag_home == tmp_path
    assert caplog.messages == [
        f"WEBRAG_HOME in {file} does nothing: only the environment can move the data folder."
    ]


@pytest.mark.skipif(os.name != "posix", reason="a mode says who may read a file on POSIX systems alone")
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("EMBEDDING_API_KEY=sk-1", "EMBEDDING_API_KEY"),
        ("chat_api_key=sk-1", "CHAT_API_KEY"),
        ("RETRIEVAL_RERANK_API_KEY=sk-1", "RETRIEVAL_RERANK_API_KEY"),
        ("WEBRAG_DATABASE_URL=postgresql://me:pass@host/db", "WEBRAG_DATABASE_URL"),
        ("WEBRAG_DATABASE_URL=postgresql://me@host/db?password=pass", "WEBRAG_DATABASE_URL"),
        ("WEBRAG_DATABASE_URL=host=db user=me password=pass", "WEBRAG_DATABASE_URL"),
        ("EMBEDDING_BASE_URL=http://me:pass@host:11434", "EMBEDDING_BASE_URL"),
    ],
)
def test_a_secret_in_a_file_that_others_may_read_is_reported_with_the_remedy(
    line: str,
    name: str,
    mode: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    file = write(tmp_path, f"{line}\n", mode)
    load_settings()
    (reported,) = caplog.messages
    assert reported.startswith(f"{file} holds {name}, and its mode {mode:o} lets others")
    assert reported.endswith(f"chmod 600 {file}")
    assert not {"sk-1", "pass"} & set(re.split(r"[^\w-]", reported))
    file.chmod(0o600)
    assert settings_warnings(tmp_path) == []


@pytest.mark.parametrize(
    "text",
    [
        "CHUNK_CHILD_TOKENS=128\n",
        "EMBEDDING_API_KEY=\n",
        "WEBRAG_DATABASE_URL=postgresql://me@host/db\n",
        "EMBEDDING_BASE_URL=http://host:11434\nEMBEDDING_QUERY_PREFIX='at @ home: '\n",
    ],
)
def test_a_file_without_a_secret_may_be_read_by_all(text: str, tmp_path: Path) -> None:
    write(tmp_path, text, 0o644)
    assert settings_warnings(tmp_path) == []


def test_what_is_given_is_reported_without_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        tmp_path,
        "RETRIEVAL_BLEND=rrf\nchunk_child_tokens=128\nEMBEDDING_API_KEY=sk-1\nCHAT_MODEL=llama3\nOTHER=thing\n"
        "CHAT_BASE_URL=http://me:pass@host\n",
    )
    nobody_uses("CHAT_MODEL", monkeypatch)
    monkeypatch.setenv("RETRIEVAL_BLEND", "linear")
    monkeypatch.setenv("CHAT_API_KEY", "sk-2")
    monkeypatch.setenv("FETCH_TIMEOUT", "")
    reported = {one.name: (one.value, one.place) for one in given_settings(tmp_path)}
    assert reported == {
        "CHUNK_CHILD_TOKENS": ("128", "file"),
        "EMBEDDING_API_KEY": (None, "file"),
        "RETRIEVAL_BLEND": ("linear", "environment"),
        "CHAT_BASE_URL": (None, "file"),
        "CHAT_MODEL": ("llama3", "file"),
        "CHAT_API_KEY": (None, "environment"),
    }
    assert [one.name for one in given_settings(tmp_path) if one.unused] == ["CHAT_MODEL"]


def test_a_file_that_begins_with_a_byte_order_mark_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    (tmp_path / ".env").write_text("CHUNK_CHILD_TOKENS=128\n", encoding="utf-8-sig")
    assert load_settings().chunk_child_tokens == 128


@pytest.mark.skipif(
    not Path("/proc/self/mem").exists(), reason="needs a file that gives no byte, even to root"
)
def test_one_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    (tmp_path / ".env").symlink_to("/proc/self/mem")
    with pytest.raises(ConfigurationError, match="cannot be read") as caught:
        load_settings()
    assert str(tmp_path / ".env") in caught.value.message


def test_what_a_program_asks_for_goes_before_environment_and_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text(
        "RETRIEVAL_CONTEXT_BUDGET=1000\nEMBEDDING_MODEL=of-the-file\n", encoding="utf-8"
    )
    monkeypatch.setenv("RETRIEVAL_CONTEXT_BUDGET", "2000")
    found = load_settings(tmp_path, retrieval_context_budget=3000, RETRIEVAL_RERANK_ENABLED=True)
    assert (found.retrieval_context_budget, found.embedding_model) == (3000, "of-the-file")
    assert found.webrag_home == tmp_path
    assert found.retrieval_rerank_enabled
    assert found.as_environment()["WEBRAG_HOME"] == str(tmp_path)
    assert found.as_environment()["RETRIEVAL_CONTEXT_BUDGET"] == "3000"


def test_a_secret_that_a_program_hands_on_stays_what_it_is(tmp_path: Path) -> None:
    address = "postgresql://u:pw@db/x"
    found = load_settings(tmp_path, WEBRAG_DATABASE_URL=SecretStr(address))
    assert found.stack_options().database_url == address


def test_none_and_nothing_ask_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    monkeypatch.setenv("EMBEDDING_MODEL", "of-the-environment")
    for home in (None, ""):
        found = load_settings(home, EMBEDDING_MODEL=None, EMBEDDING_BASE_URL="")
        assert (found.webrag_home, found.embedding_model) == (tmp_path, "of-the-environment")
        assert "embedding_base_url" not in found.given


@pytest.mark.parametrize("name", ["RETREIVAL_BLEND", "webrag_home"])
def test_a_name_that_no_setting_has_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=name.upper()):
        load_settings(tmp_path, **{name: "x"})
