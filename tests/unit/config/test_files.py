"""The settings file of the data folder."""

from pathlib import Path

import pytest

from webrag_desktop.config import load_settings, setting_names, unknown_settings
from webrag_desktop.errors import ConfigurationError


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
def test_a_misspelt_name_is_told_with_the_one_that_is_meant(
    name: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".env").write_text(f"{name}=7\n", encoding="utf-8")
    told = f"{name.upper()} in {tmp_path / '.env'} is no setting and does nothing. Did you mean {meant}?"
    assert unknown_settings(tmp_path) == [told]
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
def test_a_name_that_nothing_resembles_is_told_of_our_own_file_only(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "7")
    assert unknown_settings(tmp_path) == []
    (tmp_path / ".env").write_text(f"{name}=7\n", encoding="utf-8")
    (told,) = unknown_settings(tmp_path)
    assert told.startswith(f"{name} in {tmp_path / '.env'} is no setting")
    assert told.endswith(("?", "blank.env lists every setting."))


def test_settings_and_names_of_others_are_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
