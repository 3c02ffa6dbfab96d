"""The graph of granite-embedding-30m-english, made of its weights: words in 8 bits, linear maps rounded again."""

import io
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from webrag_desktop.embedding.catalog import GRANITE_NAME, GRANITE_SMOOTHING_SHA256
from webrag_desktop.embedding.fused.graph import INPUT, GrowingGraph
from webrag_desktop.embedding.fused.onnx_format import FLOAT, Bytes, Floats, Linear
from webrag_desktop.resources import resource_path, verified_bytes


@dataclass(frozen=True, slots=True)
class GraniteWeights:
    """The model's tensors by short names: floats, or rows of 8-bit numbers with a scale for each group of columns.

    ``arch`` holds its sizes: ``hidden``, ``layers``, ``heads`` and ``position_offset``. ``word_emb``, ``pos_emb`` and
    ``type_emb`` are rows of vectors; the linear maps of layer n, ``ln.qkv``, ``ln.ao``, ``ln.f1`` and ``ln.f2``, have
    ``w`` (outputs × inputs) and ``b``, and so have the norms ``emb_ln``, ``ln.aln`` and ``ln.fln``.
    """

    arch: Mapping[str, int]
    tensors: Mapping[str, Floats | tuple[Bytes, Floats]]

    def floats(self, name: str) -> Floats:
        """A tensor in full precision."""
        kept = self.tensors[name]
        if not isinstance(kept, tuple):
            return kept
        grouped = kept[0].reshape(*kept[1].shape, -1) * kept[1][:, :, None]
        return grouped.reshape(kept[0].shape).astype(np.float32)


def smoothing_factors() -> Floats:
    """Two rows for each layer: what the channels before attention, and before widening, are divided by."""
    content = verified_bytes(resource_path("models", GRANITE_NAME, "smoothing.npy"), GRANITE_SMOOTHING_SHA256)
    factors: Floats = np.load(io.BytesIO(content), allow_pickle=False).astype(np.float32)
    return factors


def granite_model(weights: GraniteWeights, smoothing: Floats) -> bytes:
    """The file of the graph."""
    graph = _Granite(weights)
    state = graph.embedded_tokens()
    layers = weights.arch["layers"]
    for layer in range(layers):
        alone = layer == layers - 1
        state = graph.attended(layer, state, smoothing[2 * layer], first_alone=alone)
        state = graph.fed_forward(layer, state, smoothing[2 * layer + 1])
    return graph.finished(state)


class _Granite(GrowingGraph):
    """RoBERTa's layers. Only the first token's vector is asked for, so the last layer computes no other one."""

    def __init__(self, weights: GraniteWeights) -> None:
        super().__init__()
        self._weights = weights
        self._width: int = weights.arch["hidden"]

    def embedded_tokens(self) -> str:
        """What each token means by itself and by its place; words stay in 8 bits with a scale for every group."""
        words, scales = self._weights.tensors["word_emb"]
        beginning = self._weights.arch["position_offset"]
        places = self._weights.floats("pos_emb")[beginning:] + self._weights.floats("type_emb")[0]
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
            "MultiHeadAttention", names, f"attention_{layer}", num_heads=self._weights.arch["heads"]
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
        exact = self._weights.floats(f"{name}.w").T[:, outputs]
        if factors is not None:
            exact = exact * factors[:, None]
        return Linear.rounded(exact, self._weights.floats(f"{name}.b")[outputs])

    def _normed(self, sum_of: tuple[str, str], norm: str, name: str) -> str:
        gain, shift = (self._weights.floats(f"{norm}.{part}") for part in ("w", "b"))
        return self.normalised(sum_of, gain, shift, name)
