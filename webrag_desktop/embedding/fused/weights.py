"""The weights in the shipped model file, by what they are for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from webrag_desktop.embedding.fused.onnx_format import Message, read_model, tensor_array

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.int8]

LAYERS: Final = 6
WIDTH: Final = 384
_PREFIX: Final = "inner."
_LINEAR_PARTS: Final = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


@dataclass(frozen=True, slots=True)
class Linear:
    """``x @ (weight * scale) + bias``: 8-bit weights (inputs × outputs), one scale per output."""

    weight: Bytes
    scale: Floats
    bias: Floats

    def smoothed(self, factors: Floats) -> "Linear":
        """The same function of inputs divided by ``factors``; its weights are rounded anew."""
        exact = self.weight * self.scale * factors[:, None]
        scale = np.maximum(np.abs(exact).max(axis=0), np.float32(1e-30)) / np.float32(127)
        return Linear(np.rint(exact / scale).astype(np.int8), scale, self.bias)


@dataclass(frozen=True, slots=True)
class Weights:
    """All that the graph is made of, as the shipped file holds it; an array is made only when it is asked for."""

    tensors: Mapping[str, Message]
    products: Sequence[str]

    def floats(self, name: str) -> Floats:
        """A tensor that is stored in full precision, such as a bias."""
        return self._array(_PREFIX + name)

    def bytes_and_scale(self, name: str) -> tuple[Bytes, Floats]:
        """A tensor stored as 8-bit numbers and their scale."""
        return self._array(f"{_PREFIX}{name}_q"), self._array(f"{_PREFIX}{name}_scale")

    def linear(self, layer: int, *parts: str) -> Linear:
        """The linear maps of a layer that have the same input, side by side."""
        names = [self.products[layer * len(_LINEAR_PARTS) + _LINEAR_PARTS.index(part)] for part in parts]
        return Linear(
            np.concatenate([self._array(f"{name}_q") for name in names], axis=1),
            np.concatenate([self._array(f"{name}_scale").reshape(-1) for name in names]),
            np.concatenate([self.floats(f"encoder.layer.{layer}.{part}.bias") for part in parts]),
        )

    def _array(self, name: str) -> npt.NDArray[Any]:
        return tensor_array(self.tensors[name])


def read_weights(content: bytes) -> Weights:
    """The weights in the shipped file's bytes.

    Its products have no names that tell their place: they stand in the order in which the model computes them.
    """
    graph = read_model(content).graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    products = [node.input[1] for node in graph.node if node.op_type == "MatMul"]
    return Weights(tensors, [name for name in products if f"{name}_q" in tensors])
