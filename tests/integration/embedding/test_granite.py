"""The shipped files of granite-embedding-30m-english are those that were made, and computers that differ agree."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from webrag_desktop.embedding import embedded
from webrag_desktop.embedding.catalog import (
    GRANITE,
    GRANITE_FUSED,
    GRANITE_NAME,
    GRANITE_SHA256,
    GRANITE_TOKENIZER_SHA256,
)
from webrag_desktop.embedding.embedded import FusedEncoder, open_session, preferred_form
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.embedding.fused import graph
from webrag_desktop.embedding.fused.graph import INPUT, OUTPUT, UnsupportedFormError, shipped_granite_file
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.server_check import check_backend
from webrag_desktop.embedding.tokenizers.shipped import input_tokenizer
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.resources import resource_path

NAMED = EmbeddingOptions(backend="embedded", model=GRANITE_NAME)
ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("kind", "name", "sha256"),
    [("models", "model.onnx", GRANITE_SHA256), ("tokenizers", "tokenizer.json", GRANITE_TOKENIZER_SHA256)],
)
def test_the_shipped_files_are_named_with_their_sums_beside_their_licence(
    kind: str, name: str, sha256: str
) -> None:
    folder = resource_path(kind, GRANITE_NAME)
    assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == sha256
    assert sha256 in (folder.parent / "README.md").read_text(encoding="utf-8")
    assert "Apache License" in (folder / "LICENSE").read_text(encoding="utf-8")


def test_processors_whose_products_overflow_get_the_same_vectors() -> None:
    exact = open_session(shipped_granite_file(), exact_products=True)
    usual = FusedEncoder(shipped_granite_file())
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for passage in (text[:700], text[1500:1900], "!", "日本語の文"):
        ids = input_tokenizer(GRANITE_NAME).input_ids(passage)
        found = exact.run([OUTPUT], {INPUT: np.array([ids], np.int64)})[0][0]
        assert found.tobytes() == usual(ids).tobytes()


def test_a_damaged_file_is_not_used_and_the_status_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = bytearray(shipped_granite_file().read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "model.onnx").write_bytes(damaged)
    monkeypatch.setattr(graph, "resource_path", lambda *_: tmp_path / "model.onnx")
    with pytest.raises(EmbeddingError, match="not the one this program was built with"):
        open_embedder(GRANITE_FUSED, NAMED).embed_query("a tree")
    found = check_backend(GRANITE_FUSED, NAMED)
    assert (found.ok, found.model_present, found.weights) == (False, False, GRANITE.weights)


def test_the_status_names_where_the_weights_come_from() -> None:
    found = check_backend(GRANITE_FUSED, NAMED)
    assert found.ok
    assert found.weights is not None
    assert "IBM" in found.weights
    assert "9b5b096411652ec1189c68fcfb90d0a82c5b45af"[:12] in found.weights


def test_whoever_names_it_gets_no_other_model_where_it_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(_: object) -> object:
        raise UnsupportedFormError("The fast form does not run on this computer.", "Update onnxruntime.")

    preferred_form.cache_clear()
    monkeypatch.setattr(embedded, "FusedEncoder", lacking)
    assert resolve(NAMED) == GRANITE_FUSED
    with pytest.raises(UnsupportedFormError):
        open_embedder(GRANITE_FUSED, NAMED).embed_query("a tree")
    preferred_form.cache_clear()
