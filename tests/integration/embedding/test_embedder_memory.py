"""The embedder leaves the computer its memory: measured in processes of their own."""

import sys
from pathlib import Path

import pytest

from benchmarks.embedding_parts.memory import measured
from webrag_desktop.embedding.catalog import EMBEDDED_MODEL

LIMIT_MEGABYTES = 150


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a process since it began")
@pytest.mark.parametrize("place", ["missing", "kept", "unwritable"])
def test_embedding_up_to_the_longest_text_takes_little_memory(tmp_path: Path, place: str) -> None:
    folder = Path("/dev/null/models") if place == "unwritable" else tmp_path
    if place == "kept":
        measured(EMBEDDED_MODEL.model, folder)
    figures = measured(EMBEDDED_MODEL.model, folder)
    assert 20 < figures["loaded"] <= figures["embedded"] < LIMIT_MEGABYTES
    assert len(list(tmp_path.iterdir())) == (0 if place == "unwritable" else 1)
