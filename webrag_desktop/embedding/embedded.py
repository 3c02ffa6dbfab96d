"""The model that comes with the program: all-MiniLM-L6-v2 in 8 bits on the CPU, nothing to start."""

from collections.abc import Callable
from threading import Lock

from webrag_desktop.embedding.encoders import Encoder
from webrag_desktop.embedding.inputs import check_text, check_window
from webrag_desktop.embedding.tokenizers.wordpiece import CLASSIFY_ID, SEPARATE_ID, WordPieceTokenizer
from webrag_desktop.embedding.vectors import unit_vectors
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken


class EmbeddedEmbedder:
    """An :class:`~webrag_desktop.embedding.base.Embedder` inside this process.

    ``load`` gives the encoder of the model's form and is called at first use (0.3 s). Texts are embedded one after
    the other in the calling thread; calls from other threads run beside it, so a question does not wait for indexing.
    """

    def __init__(
        self,
        model: EmbeddingModel,
        *,
        load: Callable[[], Encoder],
        tokenizer: WordPieceTokenizer | None = None,
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

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        """Vectors of passages, in order; every text is checked before the first is embedded."""
        return self._embed(self._model.document_prefix, texts, cancel or CancelToken())

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        """The vector of a question."""
        return self._embed(self._model.query_prefix, [text], cancel or CancelToken())[0]

    def close(self) -> None:
        """Let go of the loaded model."""
        with self._loading:
            self._encoder = None

    def _embed(self, prefix: str, texts: list[str], cancel: CancelToken) -> list[list[float]]:
        inputs = [self._token_ids(prefix, text, position, len(texts)) for position, text in enumerate(texts)]
        if not inputs:
            return []
        encode = self._loaded()
        vectors = []
        for token_ids in inputs:
            cancel.raise_if_cancelled()
            vectors.append(encode(token_ids))
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
