"""Real language models behind a real server, each in an environment of its own."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.environments import environment

_HERE = Path(__file__).parent
_SERVE = _HERE / "serve.py"
NAME = "smollm2"


class ModelMissing(Exception):
    """The server did not start."""


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A model whose weights packages hold: its name, what it is, those packages, and its environment's folder."""

    name: str
    title: str
    requirements: Path
    folder: str


SMALL = PackagedModel(NAME, "SmolLM2 135M", _HERE / "model-requirements.txt", "small-model")
# Apache-2.0, as its publisher says; the packages hold its file of 1.1 GB (Q4_K_M) in parts, without a licence text.
LARGER = PackagedModel(
    "qwen2.5-coder-1.5b", "Qwen2.5 Coder 1.5B", _HERE / "larger-model-requirements.txt", "larger-model"
)
MODELS = {one.name: one for one in (SMALL, LARGER)}


@contextmanager
def served(model: PackagedModel, cache: Path, context: int, threads: int) -> Iterator[str]:
    """The address of a model on llama.cpp's server; it reads and writes ``context`` tokens for a request.

    Raises:
        EnvironmentMissing: the packages cannot be had.
        ModelMissing: the server does not start.
    """
    folder = cache / model.folder
    python = environment(folder, model.requirements, complete=True)
    command = [str(python), str(_SERVE), model.name, str(context), str(threads), str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address.startswith("http"):
            raise ModelMissing(f"the model's server ended with exit status {process.wait()}")
        try:
            yield address
        finally:
            process.kill()


@contextmanager
def small_model(cache: Path, context: int) -> Iterator[str]:
    """The address of SmolLM2 135M, on all processors; see :func:`served`."""
    with served(SMALL, cache, context, os.cpu_count() or 1) as address:
        yield address
