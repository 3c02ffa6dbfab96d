import hashlib
from pathlib import Path

import pytest

from webrag_desktop import resources
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.resources import resource_path, verified_bytes

DIGEST = hashlib.sha256(b"content").hexdigest()


def test_shipped_files_are_found_in_a_checkout() -> None:
    assert resource_path("tokenizers", "bert-base-uncased", "vocab.txt").is_file()
    assert resource_path("tokenizers", "cl100k_base", "LICENSE").is_file()


def test_shipped_files_are_found_in_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "webrag_desktop" / "resources").mkdir(parents=True)
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "webrag_desktop")
    assert resource_path("x", "y") == tmp_path / "webrag_desktop" / "resources" / "x" / "y"


def test_right_content_is_returned(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    assert verified_bytes(tmp_path / "file", DIGEST) == b"content"


def test_altered_content_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"contenT")
    with pytest.raises(EmbeddingError, match="not the one this program was built with"):
        verified_bytes(tmp_path / "file", DIGEST)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="cannot be read"):
        verified_bytes(tmp_path / "nothing", DIGEST)
