"""A real small language model behind a real server, in an environment of its own."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.environments import environment

REQUIREMENTS = Path(__file__).with_name("model-requirements.txt")
NAME = "smollm2"
_SERVE = Path(__file__).with_name("serve.py")


class ModelMissing(Exception):
    """The server did not start."""


@contextmanager
def small_model(cache: Path, context: int) -> Iterator[str]:
    """The address of SmolLM2 135M on llama.cpp's server; it reads and writes ``context`` tokens for a request.

    Raises:
        EnvironmentMissing: the packages cannot be had.
        ModelMissing: the server does not start.
    """
    python = environment(cache / "small-model", REQUIREMENTS, complete=True)
    command = [str(python), str(_SERVE), str(context), str(os.cpu_count() or 1)]
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
