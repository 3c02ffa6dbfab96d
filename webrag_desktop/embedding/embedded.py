"""The models that come with the program, on the CPU: fused into 8 bits, or all-MiniLM-L6-v2 as shipped."""

import math
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from webrag_desktop.embedding.base import check_text, check_window, unit_vectors
from webrag_desktop.embedding.bulk_threads import BulkThreads
from webrag_desktop.embedding.catalog import (
    DEFAULT_EMBEDDED,
    EMBEDDED_MODELS,
    GRANITE_FUSED,
    GRANITE_PUBLISHED,
    MINILM,
    MINILM_FUSED,
    MINILM_SHIPPED,
    MULTILINGUAL,
    MULTILINGUAL_FORM,
    EmbeddedModel,
    embedded_model,
)
from webrag_desktop.embedding.fused.graph import (
    INPUT,
    OUTPUT,
    UnsupportedFormError,
    installed_model_file,
    kept_fused_model,
    overflow_probe,
    probe_shows_overflow,
    shipped_granite_file,
    verified_model_file,
)
from webrag_desktop.embedding.fused.published import published_file
from webrag_desktop.embedding.multilingual import multilingual_encoder, multilingual_weights
from webrag_desktop.embedding.tokenizers.shipped import InputTokenizer, input_tokenizer
from webrag_desktop.errors import ConfigurationError, EmbeddingError, resource_error
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    import onnxruntime


class Encoder(Protocol):
    """One form of the model's graph: token ids, specials included, to one vector (not yet of length 1)."""

    def __call__(self, token_ids: list[int], /) -> npt.NDArray[np.float32]:
        """The pooled vector of one input; callable from several threads."""


def open_session(model: Path | bytes, *, exact_products: bool = False) -> "onnxruntime.InferenceSession":
    """One quiet thread that gives back what it does not need: bulk work leaves the computer to others.

    ``exact_products`` is for processors whose 8-bit products overflow; the vectors are the same, bit for bit, as
    those of one that does not need it, and cost up to 1.7 times as much.
    """
    onnxruntime = _runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    if exact_products:  # works from this level on
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.add_session_config_entry("session.x64quantprecision", "1")
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    source = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def _runtime() -> ModuleType:
    # It sends usage data to its makers unless forbidden before it is loaded.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    # Heavy (0.1 s, 20 MB), and not needed with a server.
    import onnxruntime

    module: ModuleType = onnxruntime
    return module


class ShippedEncoder:
    """The graph as shipped, plus mean pooling over its token vectors.

    One input per run: padding costs more than batching saves.
    """

    def __init__(self, path: Path) -> None:
        self._session = open_session(path)

    def __call__(self, token_ids: list[int], /) -> npt.NDArray[np.float32]:
        """The mean of the token vectors."""
        ids = np.array([token_ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        tokens: npt.NDArray[np.float32] = self._session.run(["last_hidden_state"], feed)[0]
        mean: npt.NDArray[np.float32] = tokens[0].mean(axis=0)
        return mean


class FusedEncoder:
    """A graph in 8 bits, from its file or its bytes.

    One input per run: the graph scales activations by the largest value in a run, so a vector in a batch would
    depend on its neighbours.
    """

    def __init__(self, model: Path | bytes) -> None:
        self._session = _on_this_computer(model)

    def __call__(self, token_ids: list[int], /) -> npt.NDArray[np.float32]:
        """The vector, of length 1 up to rounding."""
        ids = np.array([token_ids], dtype=np.int64)
        vectors: npt.NDArray[np.float32] = self._session.run([OUTPUT], {INPUT: ids})[0]
        vector: npt.NDArray[np.float32] = vectors[0]
        return vector


def _on_this_computer(model: Path | bytes) -> "onnxruntime.InferenceSession":
    states = _runtime().capi.onnxruntime_pybind11_state
    try:
        overflows = probe_shows_overflow(_probed(open_session(overflow_probe())))
        return open_session(model, exact_products=overflows)
    except (states.NotImplemented, states.InvalidGraph, states.Fail, states.RuntimeException) as error:
        if (lacking := resource_error(error)) is not None:  # no reason for a new library to take another form
            raise lacking from error
        raise UnsupportedFormError(
            "The fast form of the embedded model does not run on this computer: its onnxruntime lacks an operation. "
            "Nothing is lost.",
            "Update onnxruntime, or start a new library on this computer: it gets the form that runs here.",
        ) from error


def _probed(session: "onnxruntime.InferenceSession") -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = session.run(None, {})[0]
    return found


class EmbeddedEmbedder:
    """An :class:`~webrag_desktop.embedding.base.Embedder` inside this process.

    ``load`` gives the encoder of the model's form and is called at first use (0.3 s). Texts are shared among so many
    threads as ``cores`` says; a vector is the same in any of them, bit for bit. A question is embedded in the calling
    thread, and no text is begun meanwhile, so it does not wait for indexing.
    """

    def __init__(
        self,
        model: EmbeddingModel,
        *,
        load: Callable[[], Encoder],
        tokenizer: InputTokenizer | None = None,
        cores: int = 1,
    ) -> None:
        self._model = model
        self._threads: BulkThreads[list[int], npt.NDArray[np.float32]] = BulkThreads(cores)
        self._tokenizer = tokenizer or input_tokenizer(model.tokenizer)
        self._load = load
        self._loading = Lock()
        self._encoder: Encoder | None = None

    @property
    def model(self) -> EmbeddingModel:
        """The form of the embedded model."""
        return self._model

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        """Vectors of passages, in order; every text is checked before the first is embedded."""
        return self.begin_texts(texts, cancel=cancel)()

    def begin_texts(
        self, texts: list[str], *, cancel: CancelToken | None = None, ahead: bool = False
    ) -> Callable[[], list[list[float]]]:
        """As :meth:`embed_texts`, but what is returned waits for the vectors."""
        inputs = self._inputs(self._model.document_prefix, texts)
        if not inputs:
            return list
        vectors = self._threads.begin(self._loaded(), inputs, len, cancel or CancelToken(), ahead=ahead)
        return lambda: unit_vectors(vectors(), count=len(texts), dimensions=self._model.dimensions)

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        """The vector of a question."""
        (token_ids,) = self._inputs(self._model.query_prefix, [text])
        encode = self._loaded()
        if cancel is not None:
            cancel.raise_if_cancelled()
        with self._threads.question():
            vector = encode(token_ids)
        return unit_vectors([vector], count=1, dimensions=self._model.dimensions)[0]

    def close(self) -> None:
        """Let go of the loaded model; texts that were not begun are not embedded any more."""
        self._threads.close()
        with self._loading:
            self._encoder = None

    def _inputs(self, prefix: str, texts: list[str]) -> list[list[int]]:
        return [self._token_ids(prefix, text, position, len(texts)) for position, text in enumerate(texts)]

    def _token_ids(self, prefix: str, text: str, position: int, total: int) -> list[int]:
        check_text(text, position, total)
        token_ids = self._tokenizer.input_ids(prefix + text)
        check_window(len(token_ids), self._model, position, total)
        return token_ids

    def _loaded(self) -> Encoder:
        with self._loading:
            if self._encoder is None:
                self._encoder = self._load()
            return self._encoder


# The sentences of MiniLM's documentation, which gives their cosines in full precision.
_SENTENCES: Final = (
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
)
_PAIRS: Final = ((0, 1), (0, 2), (1, 2))
_TOLERANCE: Final = 0.02


def encoder_loader(model: EmbeddingModel, folder: Path | None) -> Callable[[], Encoder]:
    """What loads the encoder that ``model`` names; ``folder`` keeps what is made for it (None: nothing is kept).

    Raises:
        ConfigurationError: the model is none that this version brings.
    """
    if model.model == MINILM_FUSED.model:
        return lambda: FusedEncoder(kept_fused_model(folder))
    if model.model == MINILM_SHIPPED.model:
        return lambda: ShippedEncoder(verified_model_file(installed_model_file()))
    if model.model == GRANITE_FUSED.model:
        return lambda: FusedEncoder(shipped_granite_file())
    if model.model == GRANITE_PUBLISHED.model:
        return lambda: FusedEncoder(published_file(model, folder))
    if model.model == MULTILINGUAL_FORM.model:
        return multilingual_encoder
    brought = " and ".join(one.forms[0].model for one in EMBEDDED_MODELS)
    raise ConfigurationError(
        f"This library's vectors were made with {model.model}, and this version brings {brought}. They cannot be "
        "compared.",
        "Use the version of WebRAG Desktop that made the library, or embed its texts again.",
    )


def require_weights(model: EmbeddingModel, folder: Path | None) -> None:
    """Raise :class:`EmbeddingError` if the file that a form of an embedded model is made from is missing or altered.

    ``folder`` is that of :func:`encoder_loader`. ConfigurationError: it comes with an extra that is not installed, or
    was not fetched from its publisher.
    """
    named = embedded_model(model.model)
    if named is MINILM:
        verified_model_file(installed_model_file())
    elif named is MULTILINGUAL:
        multilingual_weights()
    elif model.model == GRANITE_PUBLISHED.model:
        published_file(model, folder)
    else:
        shipped_granite_file()


@cache
def preferred_form(folder: Path | None, named: EmbeddedModel | None = None) -> EmbeddingModel:
    """The form a new library gets: the first of the ``named`` model's that this computer can compute with.

    Where no model is named it is the default's; a computer that has none of its forms gets MiniLM's as shipped, which
    runs everywhere. A model that is missing or altered is no reason to choose another form; loading it reports that.
    """
    forms = (*DEFAULT_EMBEDDED.forms, *MINILM.forms) if named is None else named.forms
    return next((form for form in forms[:-1] if _computes(form, folder)), forms[-1])


def _computes(form: EmbeddingModel, folder: Path | None) -> bool:
    try:
        require_known_cosines(EmbeddedEmbedder(form, load=encoder_loader(form, folder)))
    except UnsupportedFormError:
        return False
    except EmbeddingError:
        return True
    return True


def require_known_cosines(embedder: EmbeddedEmbedder) -> None:
    """Raise :class:`UnsupportedFormError` unless three known sentences are as near to each other as they should be."""
    vectors = np.array(embedder.embed_texts(list(_SENTENCES)))
    one = embedded_model(embedder.model.model)
    assert one is not None, "forms of embedded models alone are checked"
    for (first, second), known in zip(_PAIRS, one.cosines, strict=True):
        if not math.isclose(float(vectors[first] @ vectors[second]), known, abs_tol=_TOLERANCE):
            raise UnsupportedFormError(
                "The fast form of the embedded model computes wrong vectors on this computer.",
                "Report this with the name of the processor.",
            )
