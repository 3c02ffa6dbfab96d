"""The embedder leaves the computer its memory: measured in processes of their own."""

import sys
from pathlib import Path

import pytest

from benchmarks.embedding_parts.memory import measured
from webrag_desktop.embedding.catalog import GRANITE_FUSED, MINILM_FUSED

LIMIT_MEGABYTES = 150
MADE_MEGABYTES = 130  # a model that comes made, before it embeds in bulk
MEGABYTES_A_CORE = 30  # as docs/settings.md says of EMBEDDING_CORES


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a process since it began")
@pytest.mark.parametrize("place", ["missing", "kept", "unwritable"])
def test_embedding_up_to_the_longest_text_takes_little_memory(tmp_path: Path, place: str) -> None:
    folder = Path("/dev/null/models") if place == "unwritable" else tmp_path
    if place == "kept":
        measured(MINILM_FUSED.model, folder)
    figures = measured(MINILM_FUSED.model, folder)
    assert 20 < figures["loaded"] <= figures["embedded"] < LIMIT_MEGABYTES
    assert len(list(tmp_path.iterdir())) == (0 if place == "unwritable" else 1)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a process since it began")
@pytest.mark.parametrize("cores", [1, 2, 3])
def test_a_model_that_comes_made_takes_as_little_and_writes_nothing(tmp_path: Path, cores: int) -> None:
    figures = measured(GRANITE_FUSED.model, tmp_path, cores)
    assert 20 < figures["loaded"] <= figures["embedded"] < MADE_MEGABYTES + MEGABYTES_A_CORE * cores
    assert list(tmp_path.iterdir()) == []
