"""``python -m benchmarks.embedding_parts.calibration FILE``: measure the factors shipped as ``minilm_smoothing.npy``.

For every layer and both of its inputs, how large each channel gets over real text, against the median channel. A
new file is a new form of the model: its hash in ``embedding/catalog.py`` changes, and with it the name of the space.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.support.corpus import FILES, PAGES, captured
from webrag_desktop.embedding.embedded import open_session
from webrag_desktop.embedding.fused import onnx_format
from webrag_desktop.embedding.fused.graph import installed_model_file
from webrag_desktop.embedding.fused.onnx_format import LAYERS, WIDTH
from webrag_desktop.embedding.tokenizers.shipped import CLASSIFY_ID, SEPARATE_ID, WordPieceTokenizer
from webrag_desktop.ingestion.extract import extract

if TYPE_CHECKING:
    import onnxruntime

TOKENS = 254
# Channels up to this multiple of the median are left as they are: every factor costs its weights precision.
USUAL = 1.2


def passages() -> Iterator[list[int]]:
    """The test pages in parts of the length the model was trained on."""
    tokenizer = WordPieceTokenizer()
    for url, name in FILES.items():
        ids = tokenizer.token_ids(extract(captured(url, (PAGES / name).read_bytes())).markdown)
        for start in range(0, len(ids), TOKENS):
            yield [CLASSIFY_ID, *ids[start : start + TOKENS], SEPARATE_ID]


def tapped_session() -> "tuple[onnxruntime.InferenceSession, list[str]]":
    """The shipped model, which computes in full precision, with the inputs of its products as outputs."""
    model = onnx_format.read_model(installed_model_file().read_bytes())
    scaled = {tensor.name.removesuffix("_q") for tensor in model.graph.initializer}
    inputs = [
        node.input[0] for node in model.graph.node if node.op_type == "MatMul" and node.input[1] in scaled
    ]
    # Of the six products of a layer, the first three share an input; the fifth widens.
    taps = [name for layer in range(LAYERS) for name in (inputs[6 * layer], inputs[6 * layer + 4])]
    for name in taps:
        onnx_format.describe(model.graph.output, name, onnx_format.FLOAT, (1, "tokens", WIDTH))
    return open_session(onnx_format.to_bytes(model)), taps


def smoothing_factors() -> np.ndarray[Any, np.dtype[np.float16]]:
    """Two rows for each layer: what every channel is divided by, before attention and before widening."""
    session, taps = tapped_session()
    largest = np.zeros((len(taps), WIDTH), np.float32)
    for token_ids in passages():
        ids = np.array([token_ids], np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states = np.stack([np.abs(state[0]).max(axis=0) for state in session.run(taps, feed)])
        largest = np.maximum(largest, states)
    usual = USUAL * np.median(largest, axis=1, keepdims=True)
    return np.maximum(1, largest / usual).astype(np.float16)


if __name__ == "__main__":
    np.save(Path(sys.argv[1]), smoothing_factors())
