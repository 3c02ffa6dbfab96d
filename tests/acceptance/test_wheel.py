"""The wheel holds everything the program needs besides its dependencies."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


@pytest.mark.parametrize(
    "name",
    [
        "webrag_desktop/py.typed",
        "webrag_desktop/storage/migrations/0001_library.sql",
        "webrag_desktop/resources/docker-compose.yml",
        "webrag_desktop/resources/tokenizers/bert-base-uncased/vocab.txt",
        "webrag_desktop/resources/tokenizers/bert-base-uncased/LICENSE",
        "webrag_desktop/resources/tokenizers/cl100k_base/cl100k_base.tiktoken",
        "webrag_desktop/resources/models/minilm_smoothing.npy",
        "webrag_desktop/resources/models/granite-embedding-30m-english/model.onnx",
        "webrag_desktop/resources/models/granite-embedding-30m-english/LICENSE",
        "webrag_desktop/resources/tokenizers/granite-embedding-30m-english/tokenizer.json",
    ],
)
def test_it_holds(wheel: zipfile.ZipFile, name: str) -> None:
    assert name in wheel.namelist()


def test_both_commands_are_entry_points(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    points = wheel.read(name).decode()
    assert "webrag = webrag_desktop.__main__:main" in points
    assert "webrag-desktop = webrag_desktop.__main__:window" in points


def test_it_holds_no_tests_or_benchmarks(wheel: zipfile.ZipFile) -> None:
    assert {name.split("/")[0].partition("-")[0] for name in wheel.namelist()} == {"webrag_desktop"}
