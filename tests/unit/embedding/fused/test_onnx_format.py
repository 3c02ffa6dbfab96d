import numpy as np
import pytest

from webrag_desktop.embedding.embedded import open_session
from webrag_desktop.embedding.fused import onnx_format


def sum_of(values: list[float]) -> bytes:
    """A model that adds its input to some constants and multiplies by their count."""
    model = onnx_format.new_model(opset=18, contributed=1)
    onnx_format.add_tensor(model.graph, "values", np.array(values, np.float32))
    onnx_format.add_tensor(model.graph, "axis", np.array([0], np.int64))
    onnx_format.add_node(model.graph, "Add", ["x", "values"], ["added"], "")
    onnx_format.add_node(model.graph, "ReduceSum", ["added", "axis"], ["total"], "", keepdims=0)
    onnx_format.add_node(model.graph, "Elu", ["total"], ["y"], "", alpha=0.5)
    onnx_format.describe(model.graph.input, "x", onnx_format.FLOAT, (len(values),))
    onnx_format.describe(model.graph.output, "y", onnx_format.FLOAT, ())
    return onnx_format.to_bytes(model)


def test_onnxruntime_computes_what_was_written() -> None:
    session = open_session(sum_of([1.0, 2.0, -9.0]))
    assert session.run(None, {"x": np.zeros(3, np.float32)})[0] == pytest.approx(0.5 * (np.exp(-6.0) - 1))


def test_a_file_reads_back_as_it_was_written() -> None:
    model = onnx_format.read_model(sum_of([1.5, -2.0]))
    values, axis = model.graph.initializer
    assert (values.name, onnx_format.tensor_array(values).tolist()) == ("values", [1.5, -2.0])
    assert onnx_format.tensor_array(axis).dtype == np.int64
    assert [node.op_type for node in model.graph.node] == ["Add", "ReduceSum", "Elu"]
    assert [(found.name, found.i, found.f) for found in model.graph.node[1].attribute] == [
        ("keepdims", 0, 0.0)
    ]
    assert model.graph.node[2].attribute[0].f == 0.5
    assert {found.domain: found.version for found in model.opset_import} == {"": 18, "com.microsoft": 1}
    assert model.graph.input[0].type.tensor_type.shape.dim[0].dim_value == 2


def test_the_same_model_gives_the_same_bytes() -> None:
    assert sum_of([1.0, 2.0]) == sum_of([1.0, 2.0])
    assert sum_of([1.0, 2.0]) != sum_of([1.0, 2.5])


def test_unknown_fields_of_a_file_are_passed_over() -> None:
    producer = bytes([2 << 3 | 2, 4]) + b"made"  # field 2 of a model: who wrote it
    assert onnx_format.read_model(producer + sum_of([1.0])).graph.node[0].op_type == "Add"
