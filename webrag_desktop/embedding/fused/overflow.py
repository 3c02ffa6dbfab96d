"""Whether the processor's 8-bit products overflow, as they do on x86 before the VNNI instructions.

There, two products are added in 16 bits; the sum of two large ones is cut off without a word.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from webrag_desktop.embedding.fused import onnx_format

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
