"""The settings file of the data folder."""

from pathlib import Path

import pytest

from webrag_desktop.config import load_settings
from webrag_desktop.errors import ConfigurationError


def test_one_that_is_not_in_utf_8_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    (tmp_path / ".env").write_bytes("CHAT_MODEL=modèle\n".encode("latin-1"))
    with pytest.raises(ConfigurationError, match="UTF-8") as caught:
        load_settings()
    assert str(tmp_path / ".env") in caught.value.message
