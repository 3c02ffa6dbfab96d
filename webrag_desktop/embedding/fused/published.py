"""granite's weights as its publisher offers them: read as data, made into the graph, and kept by the graph's sha256."""

import hashlib
import json
import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from webrag_desktop.embedding.catalog import GRANITE_NAME
from webrag_desktop.embedding.fused.granite import GraniteWeights
from webrag_desktop.embedding.fused.onnx_format import Bytes, Floats
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.models.spaces import EmbeddingModel

_HEADS: Final = 12
_POSITION_OFFSET: Final = 2  # RoBERTa counts places from the one after that of padding
_GROUP: Final = 64  # columns of the words that share a scale
_LENGTH: Final = struct.Struct("<Q")
_LONGEST_HEADER: Final = 10_000_000
_PREFIX: Final = "roberta."


class WeightsNotFetchedError(ConfigurationError):
    """The publisher's weights of a model are not on this computer."""


def published_file(form: EmbeddingModel, folder: Path | None) -> Path:
    """The graph that was made of the publisher's weights, if it is still what it was.

    Raises:
        WeightsNotFetchedError: it is not in ``folder``, or altered.
    """
    found = sorted(folder.glob(f"{form.model}.*.onnx")) if folder is not None else []
    for path in found:
        if _is_intact(path):
            return path
    state = "altered, so they are not used" if found else "not on this computer"
    raise WeightsNotFetchedError(
        f"The publisher's weights of {GRANITE_NAME} are {state}. Nothing is lost.",
        f"Fetch them with `webrag space fetch {GRANITE_NAME}`.",
    )


def published_name(form: EmbeddingModel, graph: bytes) -> str:
    """The name of the graph's file, which states its sha256."""
    return f"{form.model}.{hashlib.sha256(graph).hexdigest()}.onnx"


def _is_intact(path: Path) -> bool:
    stated = path.name.split(".")[-2]
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == stated
    except OSError:
        return False


def published_weights(content: bytes) -> GraniteWeights:
    """The weights in a ``model.safetensors`` of RoBERTa's layers, in the program's names.

    Raises:
        ValueError: it is no such file.
    """
    tensors = _tensors(content)
    try:
        return _renamed({name.removeprefix(_PREFIX): numbers for name, numbers in tensors.items()})
    except KeyError as error:
        raise ValueError(f"The file has no tensor {error}.") from error


def _renamed(given: dict[str, Floats]) -> GraniteWeights:
    words = given["embeddings.word_embeddings.weight"]
    layers = 1 + max(int(name.split(".")[2]) for name in given if name.startswith("encoder.layer."))
    made: dict[str, Floats | tuple[Bytes, Floats]] = {
        "word_emb": _grouped(words),
        "pos_emb": given["embeddings.position_embeddings.weight"],
        "type_emb": given["embeddings.token_type_embeddings.weight"],
    }
    for short, part in (("w", "weight"), ("b", "bias")):
        made[f"emb_ln.{short}"] = given[f"embeddings.LayerNorm.{part}"]
        for layer in range(layers):
            own = f"encoder.layer.{layer}"
            three = [given[f"{own}.attention.self.{name}.{part}"] for name in ("query", "key", "value")]
            made[f"l{layer}.qkv.{short}"] = np.concatenate(three)
            for mine, theirs in _PARTS:
                made[f"l{layer}.{mine}.{short}"] = given[f"{own}.{theirs}.{part}"]
    arch = {
        "hidden": words.shape[1],
        "layers": layers,
        "heads": _HEADS,
        "position_offset": _POSITION_OFFSET,
    }
    return GraniteWeights(arch, made)


_PARTS: Final = (
    ("ao", "attention.output.dense"),
    ("aln", "attention.output.LayerNorm"),
    ("f1", "intermediate.dense"),
    ("f2", "output.dense"),
    ("fln", "output.LayerNorm"),
)


def _grouped(words: Floats) -> tuple[Bytes, Floats]:
    """Rows in 8 bits, with a scale for each group of columns."""
    groups = words.reshape(len(words), -1, _GROUP)
    scales = np.maximum(np.abs(groups).max(axis=2), np.float32(1e-30)) / np.float32(127)
    numbers = np.rint(groups / scales[:, :, None]).astype(np.int8)
    return numbers.reshape(words.shape), scales


def _tensors(content: bytes) -> dict[str, Floats]:
    """Every tensor in floats. The file is the length of a JSON header, the header, then the numbers of each."""
    try:
        (length,) = _LENGTH.unpack_from(content)
        if length > min(_LONGEST_HEADER, len(content)):
            raise ValueError("The header is longer than the file.")
        begin = _LENGTH.size + length
        head = json.loads(content[_LENGTH.size : begin])
        return {
            name: _floats(memoryview(content)[begin:], described)
            for name, described in head.items()
            if name != "__metadata__" and described["dtype"] in _READERS
        }
    except (struct.error, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("The file holds no tensors as safetensors writes them.") from error


def _floats(content: memoryview, described: dict[str, Any]) -> Floats:
    first, end = described["data_offsets"]
    shape = tuple(described["shape"])
    size, read = _READERS[described["dtype"]]
    if not 0 <= first <= end <= len(content) or end - first != size * math.prod(shape):
        raise ValueError("A tensor does not lie within the file.")
    return read(content[first:end]).reshape(shape)


def _from_floats(raw: memoryview) -> Floats:
    return np.frombuffer(raw, "<f4")


def _from_halves(raw: memoryview) -> Floats:
    return np.frombuffer(raw, "<f2").astype(np.float32)


def _from_bfloats(raw: memoryview) -> Floats:
    return (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4")


_Reader = Callable[[memoryview], Floats]
_READERS: Final[dict[str, tuple[int, _Reader]]] = {
    "F32": (4, _from_floats),
    "F16": (2, _from_halves),
    "BF16": (2, _from_bfloats),
}
