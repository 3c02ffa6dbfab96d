"""The fused form: close to full precision, made once, checked at every load, and chosen where it runs."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from webrag_desktop.embedding import embedded
from webrag_desktop.embedding.catalog import FUSED_SHA256, MINILM_FUSED, MINILM_SHIPPED
from webrag_desktop.embedding.embedded import (
    EmbeddedEmbedder,
    FusedEncoder,
    encoder_loader,
    open_session,
    preferred_form,
)
from webrag_desktop.embedding.factory import open_embedder, require_match, resolve
from webrag_desktop.embedding.fused import graph
from webrag_desktop.embedding.fused.graph import (
    FILE_NAME,
    INPUT,
    OUTPUT,
    UnsupportedFormError,
    kept_fused_model,
    overflow_probe,
    probe_shows_overflow,
)
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.tokenizers.shipped import CLASSIFY_ID, SEPARATE_ID, WordPieceTokenizer
from webrag_desktop.errors import ConfigurationError, EmbeddingError

ROOT = Path(__file__).parents[3]
QUESTIONS = ["How deep may a tree grow?", "!", "日本語の文", "who designed the language Go?"]


def token_ids(text: str) -> list[int]:
    return [CLASSIFY_ID, *WordPieceTokenizer().token_ids(text)[:510], SEPARATE_ID]


def unit(vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    scaled: npt.NDArray[np.float32] = vector / np.linalg.norm(vector)
    return scaled


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kept = tmp_path_factory.mktemp("models")
    kept_fused_model(kept)
    return kept


@pytest.fixture(scope="module")
def passages() -> list[str]:
    """Texts that the form's factors were not measured on."""
    texts = [
        (ROOT / name).read_text(encoding="utf-8") for name in ("ARCHITECTURE.md", "docs/hostile-input.md")
    ]
    return [text[start : start + 700] for text in texts for start in range(0, 5000, 1000)]


def test_vectors_are_those_of_full_precision(folder: Path, passages: list[str]) -> None:
    fused = encoder_loader(MINILM_FUSED, folder)()
    exact = encoder_loader(MINILM_SHIPPED, folder)()  # 8-bit weights, computed in full precision
    inputs = [token_ids(text) for text in passages + QUESTIONS]
    cosines = [float(unit(fused(ids)) @ unit(exact(ids))) for ids in inputs]
    assert np.mean(cosines) > 0.998
    assert min(cosines) > 0.995


def test_processors_whose_products_overflow_get_the_same_vectors(folder: Path, passages: list[str]) -> None:
    session = open_session(folder / FILE_NAME, exact_products=True)
    usual = FusedEncoder(folder / FILE_NAME)
    for text in passages[:3] + QUESTIONS:
        ids = token_ids(text)
        exact = session.run([OUTPUT], {INPUT: np.array([ids], np.int64)})[0][0]
        assert exact.tobytes() == usual(ids).tobytes()


def test_overflowing_products_are_recognised(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    sums = open_session(overflow_probe(), exact_products=True).run(None, {})[0]
    assert not probe_shows_overflow(sums)
    assert probe_shows_overflow(np.full_like(sums, 64 // 2 * (2**15 - 1)))
    asked: list[bool] = []
    monkeypatch.setattr(embedded, "probe_shows_overflow", lambda _: True)
    monkeypatch.setattr(
        embedded, "open_session", lambda _, *, exact_products=False: asked.append(exact_products)
    )
    monkeypatch.setattr(embedded, "_probed", lambda _: sums)
    FusedEncoder(folder / FILE_NAME)
    assert asked == [False, True]


def test_the_model_is_made_once_and_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "_rewritten", lambda: pytest.fail("made again"))
    assert kept_fused_model(folder) == folder / FILE_NAME
    assert [file.name for file in folder.iterdir()] == [FILE_NAME]
    assert FUSED_SHA256[:12] in FILE_NAME


@pytest.mark.parametrize("harm", ["cut", "altered", "empty"])
def test_a_damaged_file_is_made_again(tmp_path: Path, folder: Path, harm: str) -> None:
    whole = (folder / FILE_NAME).read_bytes()
    middle = len(whole) // 2
    altered = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    path = tmp_path / FILE_NAME
    path.write_bytes({"cut": whole[:middle], "altered": altered, "empty": b""}[harm])
    assert kept_fused_model(tmp_path) == path
    assert path.read_bytes() == whole


def test_a_folder_that_cannot_be_written_leaves_the_model_in_memory(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    content = kept_fused_model(blocked / "models")
    assert isinstance(content, bytes)
    assert FusedEncoder(content)(token_ids("a tree")).shape == (384,)
    assert list(tmp_path.iterdir()) == [blocked]


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_self: Path, _target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert isinstance(kept_fused_model(tmp_path), bytes)
    assert list(tmp_path.iterdir()) == []


def test_what_killed_processes_left_is_removed_and_what_others_write_is_not(tmp_path: Path) -> None:
    left, writing = tmp_path / "left.part", tmp_path / "writing.part"
    for part in (left, writing):
        part.write_bytes(b"x")
    os.utime(left, (1, 1))
    kept_fused_model(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([FILE_NAME, "writing.part"])


def test_processes_that_make_it_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from webrag_desktop.embedding.fused.graph import kept_fused_model\n"
        "print(kept_fused_model(Path(sys.argv[1])))"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in started] == [str(tmp_path / FILE_NAME)] * 3
    assert [file.name for file in tmp_path.iterdir()] == [FILE_NAME]
    assert graph._is_intact(tmp_path / FILE_NAME)


def test_a_rewrite_that_comes_out_otherwise_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "fused_model", lambda *_: b"another")
    with pytest.raises(UnsupportedFormError, match="came out otherwise"):
        kept_fused_model(None)


@pytest.fixture
def fresh_choice() -> object:
    preferred_form.cache_clear()
    yield
    preferred_form.cache_clear()


@pytest.mark.usefixtures("fresh_choice")
def test_new_libraries_get_the_fused_form() -> None:
    assert resolve(EmbeddingOptions(backend="embedded", model="all-MiniLM-L6-v2")) == MINILM_FUSED


@pytest.mark.usefixtures("fresh_choice")
def test_a_missing_operation_leaves_new_libraries_the_shipped_form(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = overflow_probe().replace(b"DynamicQuantizeMatMul", b"DynamicQuantizeMatMol")
    monkeypatch.setattr(embedded, "overflow_probe", lambda: probe)
    with pytest.raises(UnsupportedFormError, match="lacks an operation"):
        open_embedder(MINILM_FUSED, EmbeddingOptions()).embed_query("a tree")
    assert resolve(EmbeddingOptions(backend="embedded")) == MINILM_SHIPPED


@pytest.mark.usefixtures("fresh_choice")
def test_wrong_vectors_leave_new_libraries_the_shipped_form(monkeypatch: pytest.MonkeyPatch) -> None:
    def constant(_: object) -> object:
        return lambda _ids: np.ones(384, np.float32)

    monkeypatch.setattr(embedded, "FusedEncoder", constant)
    assert resolve(EmbeddingOptions(backend="embedded")) == MINILM_SHIPPED


@pytest.mark.usefixtures("fresh_choice")
def test_a_missing_model_is_no_reason_for_another_form(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: object) -> bytes:
        raise EmbeddingError("The model is not installed.", "Install it.")

    monkeypatch.setattr(embedded, "kept_fused_model", missing)
    assert resolve(EmbeddingOptions(backend="embedded", model="all-MiniLM-L6-v2")) == MINILM_FUSED


def test_a_library_goes_on_in_its_own_form() -> None:
    for form in (MINILM_FUSED, MINILM_SHIPPED):
        for options in (EmbeddingOptions(), EmbeddingOptions(backend="embedded", model="all-MiniLM-L6-v2")):
            require_match(form, options)
        embedder = open_embedder(form, EmbeddingOptions())
        assert isinstance(embedder, EmbeddedEmbedder)
        assert embedder.model == form
    vectors = [
        open_embedder(form, EmbeddingOptions()).embed_query("tree") for form in (MINILM_FUSED, MINILM_SHIPPED)
    ]
    assert vectors[0] != vectors[1]


def test_a_form_may_be_named_and_then_no_other_will_do() -> None:
    named = EmbeddingOptions(backend="embedded", model=MINILM_SHIPPED.model)
    assert resolve(named) == MINILM_SHIPPED
    with pytest.raises(ConfigurationError, match="EMBEDDING_MODEL"):
        require_match(MINILM_FUSED, named)
