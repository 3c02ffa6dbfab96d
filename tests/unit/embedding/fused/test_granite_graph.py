"""The graph of granite, made from a small model of the same build, computes what its definition says."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from benchmarks.embedding_parts.granite import made_from, read_pack
from webrag_desktop.embedding.embedded import FusedEncoder
from webrag_desktop.embedding.fused.granite import GraniteWeights, granite_model, smoothing_factors
from webrag_desktop.errors import EmbeddingError

ARCH = {"hidden": 128, "layers": 2, "heads": 4, "position_offset": 2}
WORDS, PLACES, INNER, GROUP = 60, 34, 256, 64
Array = npt.NDArray[Any]


def packed(tensors: dict[str, Array | tuple[Array, Array]]) -> bytes:
    """A file as the wheel holds it."""
    listed, raw = [], b""
    for name, tensor in tensors.items():
        parts = tensor if isinstance(tensor, tuple) else (tensor,)
        content = b"".join(part.tobytes() for part in parts)
        kind = {"dtype": "i8", "group": GROUP} if isinstance(tensor, tuple) else {"dtype": "f32"}
        listed.append({"name": name, "shape": parts[0].shape, "len": len(content), **kind})
        raw += content
    tokenizer = b'{"model": {}}'
    head = json.dumps({"arch": ARCH, "tokenizer_len": len(tokenizer), "tensors": listed}).encode()
    return b"HMSEMB01" + struct.pack("<Q", len(head)) + head + tokenizer + raw


def small_model() -> dict[str, Array | tuple[Array, Array]]:
    random = np.random.default_rng(3)

    def floats(*shape: int, scale: float = 0.1) -> Array:
        return (scale * random.standard_normal(shape)).astype("<f4")

    def grouped(rows: int, columns: int) -> tuple[Array, Array]:
        weights = random.integers(-127, 128, (rows, columns)).astype(np.int8)
        return weights, (0.001 * (0.5 + random.random((rows, columns // GROUP)))).astype("<f4")

    width = ARCH["hidden"]
    tensors: dict[str, Array | tuple[Array, Array]] = {
        "word_emb": grouped(WORDS, width),
        "pos_emb": floats(PLACES, width),
        "type_emb": floats(2, width),
        "emb_ln.w": 1 + floats(width),
        "emb_ln.b": floats(width),
    }
    for layer in range(ARCH["layers"]):
        for name, rows, columns in (
            ("qkv", 3 * width, width),
            ("ao", width, width),
            ("f1", INNER, width),
            ("f2", width, INNER),
        ):
            tensors[f"l{layer}.{name}.w"] = grouped(rows, columns)
            tensors[f"l{layer}.{name}.b"] = floats(rows)
        for norm in ("aln", "fln"):
            tensors[f"l{layer}.{norm}.w"] = 1 + floats(width)
            tensors[f"l{layer}.{norm}.b"] = floats(width)
    return tensors


def normed(state: Array, pack: GraniteWeights, name: str) -> Array:
    centred = state - state.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    moved: Array = scaled * pack.floats(f"{name}.w") + pack.floats(f"{name}.b")
    return moved


def gelu(values: Array) -> Array:
    from math import erf

    shares: Array = np.vectorize(lambda value: 0.5 * (1 + erf(value / 2**0.5)))(values)
    return values * shares


def by_definition(pack: GraniteWeights, ids: list[int]) -> Array:
    """RoBERTa's layers over all tokens in full precision; the first token's vector, of length 1."""
    width, heads = ARCH["hidden"], ARCH["heads"]

    def linear(state: Array, name: str) -> Array:
        mapped: Array = state @ pack.floats(f"{name}.w").T + pack.floats(f"{name}.b")
        return mapped

    words = pack.floats("word_emb")[ids]
    places = pack.floats("pos_emb")[2 : 2 + len(ids)] + pack.floats("type_emb")[0]
    state = normed(words + places, pack, "emb_ln")
    for layer in range(ARCH["layers"]):
        split = [part.reshape(len(ids), heads, -1) for part in np.split(linear(state, f"l{layer}.qkv"), 3, 1)]
        weights = np.einsum("ihd,jhd->hij", split[0], split[1]) / (width / heads) ** 0.5
        weights = np.exp(weights - weights.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed = np.einsum("hij,jhd->ihd", weights, split[2]).reshape(len(ids), width)
        state = normed(linear(mixed, f"l{layer}.ao") + state, pack, f"l{layer}.aln")
        fed = linear(gelu(linear(state, f"l{layer}.f1")), f"l{layer}.f2")
        state = normed(fed + state, pack, f"l{layer}.fln")
    first: Array = state[0] / np.linalg.norm(state[0])
    return first


@pytest.mark.parametrize("factor", [1.0, 2.0], ids=["as it is", "smoothed"])
def test_the_graph_gives_the_first_tokens_vector_by_the_definition(factor: float) -> None:
    pack = read_pack(packed(small_model())).weights
    smoothing = np.ones((2 * ARCH["layers"], ARCH["hidden"]), np.float32)
    smoothing[:, ::7] = factor
    content = granite_model(pack, smoothing)
    assert content == granite_model(pack, smoothing)
    encode = FusedEncoder(content)
    for ids in ([0, 5, 2], [0, *range(3, 33)], [0, 9, 9, 41, 2]):
        assert float(encode(ids) @ by_definition(pack, ids)) > 0.999


def test_a_file_of_another_kind_or_length_is_refused() -> None:
    content = packed(small_model())
    with pytest.raises(ValueError, match="no file of that kind"):
        read_pack(b"x" + content)
    with pytest.raises(ValueError, match="list of tensors ends"):
        read_pack(content + b"x")


def test_another_wheel_is_refused_unread(tmp_path: Path) -> None:
    wheel = tmp_path / "another.whl"
    wheel.write_bytes(b"anything")
    with pytest.raises(EmbeddingError, match="not the one this program was built with"):
        made_from(wheel)


def test_the_shipped_factors_only_ever_shrink_inputs() -> None:
    factors = smoothing_factors()
    assert factors.shape == (12, 384)
    assert factors.min() == 1
