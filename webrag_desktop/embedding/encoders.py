"""The forms in which the embedded model runs on onnxruntime: as shipped, and fused."""

import os
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from webrag_desktop.embedding.fused.graph import INPUT, OUTPUT
from webrag_desktop.embedding.fused.overflow import overflow_probe, probe_shows_overflow
from webrag_desktop.embedding.fused.unsupported import UnsupportedFormError
from webrag_desktop.errors import resource_error

if TYPE_CHECKING:
    import onnxruntime


class Encoder(Protocol):
    """One form of the model's graph: token ids, specials included, to one vector (not yet of length 1)."""

    def __call__(self, token_ids: list[int], /) -> npt.NDArray[np.float32]:
        """The pooled vector of one input; callable from several threads."""


def open_session(model: Path | bytes, *, exact_products: bool = False) -> "onnxruntime.InferenceSession":
    """One quiet thread that gives back what it does not need: bulk work leaves the computer to others.

    ``exact_products`` is for processors whose 8-bit products overflow; the vectors are the same, bit for bit, as
    those of one that does not need it, and cost up to 1.7 times as much.
    """
    onnxruntime = _runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    if exact_products:  # works from this level on
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.add_session_config_entry("session.x64quantprecision", "1")
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    source = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def _runtime() -> ModuleType:
    # It sends usage data to its makers unless told not to before it is loaded.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    # Heavy (0.1 s, 20 MB), and whoever uses a server never needs it.
    import onnxruntime

    module: ModuleType = onnxruntime
    return module


class ShippedEncoder:
    """The graph as shipped, plus mean pooling over its token vectors.

    One input per run: padding costs more than batching saves.
    """

    def __init__(self, path: Path) -> None:
        self._session = open_session(path)

    def __call__(self, token_ids: list[int], /) -> npt.NDArray[np.float32]:
        """The mean of the token vectors."""
        ids = np.array([token_ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        tokens: npt.NDArray[np.float32] = self._session.run(["last_hidden_state"], feed)[0]
        mean: npt.NDArray[np.float32] = tokens[0].mean(axis=0)
        return mean


class FusedEncoder:
    """The rewritten graph, from its file or its bytes.

    One input per run: the graph scales activations by the largest value in a run, so a vector in a batch would
    depend on its neighbours.
    """

    def __init__(self, model: Path | bytes) -> None:
        self._session = _on_this_computer(model)

    def __call__(self, token_ids: list[int], /) -> npt.NDArray[np.float32]:
        """The vector, of length 1 up to rounding."""
        ids = np.array([token_ids], dtype=np.int64)
        vectors: npt.NDArray[np.float32] = self._session.run([OUTPUT], {INPUT: ids})[0]
        vector: npt.NDArray[np.float32] = vectors[0]
        return vector


def _on_this_computer(model: Path | bytes) -> "onnxruntime.InferenceSession":
    states = _runtime().capi.onnxruntime_pybind11_state
    try:
        overflows = probe_shows_overflow(_probed(open_session(overflow_probe())))
        return open_session(model, exact_products=overflows)
    except (states.NotImplemented, states.InvalidGraph, states.Fail, states.RuntimeException) as error:
        if (lacking := resource_error(error)) is not None:  # no reason for a new library to take another form
            raise lacking from error
        raise UnsupportedFormError(
            "The fast form of the embedded model does not run on this computer: its onnxruntime lacks an operation. "
            "Nothing is lost.",
            "Update onnxruntime, or start a new library on this computer: it gets the form that runs here.",
        ) from error


def _probed(session: "onnxruntime.InferenceSession") -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = session.run(None, {})[0]
    return found
