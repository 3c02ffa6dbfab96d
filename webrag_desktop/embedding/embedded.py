"""The model that comes with the program: all-MiniLM-L6-v2 as int8 ONNX on the CPU, nothing to start."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np
import numpy.typing as npt

from webrag_desktop.embedding.catalog import EMBEDDED_MODEL
from webrag_desktop.embedding.inputs import check_text, check_window
from webrag_desktop.embedding.model_file import installed_model_file, verified_model_file
from webrag_desktop.embedding.vectors import unit_vectors
from webrag_desktop.embedding.wordpiece import CLASSIFY_ID, SEPARATE_ID, WordPieceTokenizer
from webrag_desktop.models import EmbeddingModel


class Encoder(Protocol):
    """One form of the model's graph: token ids, specials included, to one vector (not yet of length 1)."""

    def __call__(self, token_ids: list[int], /) -> npt.NDArray[np.float32]:
        """The pooled vector of one input; callable from several threads."""


class MiniLmEncoder:
    """The graph as shipped, plus mean pooling over its token vectors.

    One input per run: the graph quantises activations by the largest value in the batch, so a vector in a
    batch would depend on its neighbours, and padding costs more than batching saves.
    """

    def __init__(self, path: Path) -> None:
        # The library sends usage data to its makers unless told not to before it is loaded.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        # Heavy (0.1 s, 40 MB), and whoever uses a server never needs it.
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.inter_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def __call__(self, token_ids: list[int], /) -> npt.NDArray[np.float32]:
        """The mean of the token vectors."""
        ids = np.array([token_ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        tokens: npt.NDArray[np.float32] = self._session.run(["last_hidden_state"], feed)[0]
        mean: npt.NDArray[np.float32] = tokens[0].mean(axis=0)
        return mean


def shipped_encoder() -> Encoder:
    """The encoder over the installed model file, its hash checked."""
    return MiniLmEncoder(verified_model_file(installed_model_file()))


class EmbeddedEmbedder:
    """An :class:`~webrag_desktop.embedding.base.Embedder` inside this process.

    The model is loaded at first use (0.3 s). Texts are embedded one after the other in the calling thread;
    calls from other threads run beside it, so a question does not wait for indexing.
    """

    def __init__(
        self,
        model: EmbeddingModel = EMBEDDED_MODEL,
        *,
        tokenizer: WordPieceTokenizer | None = None,
        load: Callable[[], Encoder] = shipped_encoder,
    ) -> None:
        self._model = model
        self._tokenizer = tokenizer or WordPieceTokenizer()
        self._load = load
        self._loading = Lock()
        self._encoder: Encoder | None = None

    @property
    def model(self) -> EmbeddingModel:
        """The embedded model."""
        return self._model

    def embed_texts(self, texts: list[str]) -> list[list[float]]:
        """Vectors of passages, in order; every text is checked before the first is embedded."""
        return self._embed(self._model.document_prefix, texts)

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self._embed(self._model.query_prefix, [text])[0]

    def close(self) -> None:
        """Let go of the loaded model."""
        with self._loading:
            self._encoder = None

    def _embed(self, prefix: str, texts: list[str]) -> list[list[float]]:
        inputs = [self._token_ids(prefix, text, position, len(texts)) for position, text in enumerate(texts)]
        if not inputs:
            return []
        encode = self._loaded()
        vectors = [encode(token_ids) for token_ids in inputs]
        return unit_vectors(vectors, count=len(texts), dimensions=self._model.dimensions)

    def _token_ids(self, prefix: str, text: str, position: int, total: int) -> list[int]:
        check_text(text, position, total)
        token_ids = [CLASSIFY_ID, *self._tokenizer.token_ids(prefix + text), SEPARATE_ID]
        check_window(len(token_ids), self._model, position, total)
        return token_ids

    def _loaded(self) -> Encoder:
        with self._loading:
            if self._encoder is None:
                self._encoder = self._load()
            return self._encoder
