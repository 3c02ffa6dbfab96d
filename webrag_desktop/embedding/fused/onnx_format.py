"""ONNX files: the few message types that a rewrite reads and writes, over the protobuf library.

Field numbers and types are those of ONNX's published ``onnx.proto``; what is not listed is skipped when read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Message = Any  # a protobuf message; its classes are made at run time

FLOAT: Final = 1
INT8: Final = 3
INT64: Final = 7
CONTRIBUTED: Final = "com.microsoft"  # operators that onnxruntime brings itself
_ELEMENT_TYPES: Final[dict[int, np.dtype[Any]]] = {
    FLOAT: np.dtype("<f4"),
    INT8: np.dtype("i1"),
    INT64: np.dtype("<i8"),
}
_ATTRIBUTE_FLOAT: Final = 1
_ATTRIBUTE_INT: Final = 2

# message -> field name, number and type; a leading * means repeated, a capital letter another message.
_FIELDS: Final = {
    "Attribute": "name:1:string f:2:float i:3:int64 type:20:int32",
    "Node": "*input:1:string *output:2:string name:3:string op_type:4:string *attribute:5:Attribute domain:7:string",
    "Tensor": "*dims:1:int64 data_type:2:int32 name:8:string raw_data:9:bytes",
    "Dimension": "dim_value:1:int64 dim_param:2:string",
    "Shape": "*dim:1:Dimension",
    "TensorType": "elem_type:1:int32 shape:2:Shape",
    "Type": "tensor_type:1:TensorType",
    "ValueInfo": "name:1:string type:2:Type",
    "Graph": "*node:1:Node name:2:string *initializer:5:Tensor *input:11:ValueInfo *output:12:ValueInfo",
    "OperatorSet": "domain:1:string version:2:int64",
    "Model": "ir_version:1:int64 graph:7:Graph *opset_import:8:OperatorSet",
}


@cache
def _classes() -> dict[str, Any]:
    # Loaded only where a model is rewritten.
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # type: ignore[import-untyped]

    file = descriptor_pb2.FileDescriptorProto(name="webrag_onnx.proto", package="webrag_onnx")
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for field in fields.split():
            _add_field(message, field)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = {name: pool.FindMessageTypeByName(f"webrag_onnx.{name}") for name in _FIELDS}
    return {name: message_factory.GetMessageClass(descriptor) for name, descriptor in found.items()}


def _add_field(message: Message, field: str) -> None:
    name, number, kind = field.removeprefix("*").split(":")
    added = message.field.add(name=name, number=int(number))
    added.label = added.LABEL_REPEATED if field.startswith("*") else added.LABEL_OPTIONAL
    if kind in _FIELDS:
        added.type, added.type_name = added.TYPE_MESSAGE, f".webrag_onnx.{kind}"
    else:
        added.type = getattr(added, f"TYPE_{kind.upper()}")


def new_model(*, opset: int, contributed: int) -> Message:
    """A model without nodes that uses the standard operators and those that onnxruntime contributes."""
    model = _classes()["Model"](ir_version=10)
    model.opset_import.add(domain="", version=opset)
    model.opset_import.add(domain=CONTRIBUTED, version=contributed)
    model.graph.name = "model"
    return model


def read_model(content: bytes) -> Message:
    """The model in a file's bytes."""
    return _classes()["Model"].FromString(content)


def to_bytes(model: Message) -> bytes:
    """The file's bytes; the same model gives the same ones."""
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def add_tensor(graph: Message, name: str, array: npt.NDArray[Any]) -> None:
    """Add a constant of the graph."""
    kind = next(kind for kind, dtype in _ELEMENT_TYPES.items() if dtype == array.dtype)
    raw = np.ascontiguousarray(array, _ELEMENT_TYPES[kind]).tobytes()
    graph.initializer.add(name=name, data_type=kind, dims=array.shape, raw_data=raw)


def tensor_array(tensor: Message) -> npt.NDArray[Any]:
    """A constant's numbers, not copied."""
    numbers: npt.NDArray[Any] = np.frombuffer(tensor.raw_data, _ELEMENT_TYPES[tensor.data_type])
    return numbers.reshape(tuple(tensor.dims))


def add_node(
    graph: Message, operator: str, inputs: list[str], outputs: list[str], domain: str, **attributes: float
) -> None:
    """Add an operation; attributes are whole numbers or floats, distinguished by their Python type."""
    node = graph.node.add(op_type=operator, input=inputs, output=outputs, name=outputs[0], domain=domain)
    for name, value in attributes.items():
        if isinstance(value, int):
            node.attribute.add(name=name, i=value, type=_ATTRIBUTE_INT)
        else:
            node.attribute.add(name=name, f=value, type=_ATTRIBUTE_FLOAT)


def describe(values: Message, name: str, element_type: int, shape: tuple[str | int, ...]) -> None:
    """Add an input or output (``graph.input``, ``graph.output``); a dimension is a number or a name for any."""
    tensor_type = values.add(name=name).type.tensor_type
    tensor_type.elem_type = element_type
    for size in shape:
        tensor_type.shape.dim.add(**{"dim_value" if isinstance(size, int) else "dim_param": size})


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
        """The same function of inputs divided by ``factors``; its weights are rounded again."""
        return Linear.rounded(self.weight * self.scale * factors[:, None], self.bias)

    @classmethod
    def rounded(cls, exact: Floats, bias: Floats) -> "Linear":
        """The map of weights in full precision (inputs × outputs), rounded to 8 bits."""
        scale = np.maximum(np.abs(exact).max(axis=0), np.float32(1e-30)) / np.float32(127)
        return cls(np.rint(exact / scale).astype(np.int8), scale, bias)


@dataclass(frozen=True, slots=True)
class Weights:
    """All that the graph is made of, as the shipped file holds it; an array is made only when it is read."""

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

    Its products have no names that say their place: they are in the order in which the model computes them.
    """
    graph = read_model(content).graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    products = [node.input[1] for node in graph.node if node.op_type == "MatMul"]
    return Weights(tensors, [name for name in products if f"{name}_q" in tensors])
