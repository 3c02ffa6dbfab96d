"""Embedding by any server that speaks OpenAI's ``/v1/embeddings``: OpenAI, Ollama, LM Studio and others."""

from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.embedding.inputs import check_text, check_window, pack
from webrag_desktop.embedding.transport import JsonClient
from webrag_desktop.embedding.vectors import unit_vectors
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.models import EmbeddingModel


@dataclass(frozen=True, slots=True)
class Batching:
    """Limits of one request, and how many requests run at once."""

    texts: int = 256
    tokens: int = 200_000
    workers: int = 4


class RemoteEmbedder:
    """An :class:`~webrag_desktop.embedding.base.Embedder` over HTTP.

    ``send_dimensions`` asks the server for vectors of the model's length; only some models know how.
    """

    def __init__(
        self,
        model: EmbeddingModel,
        client: JsonClient,
        tokenizer: Tokenizer,
        *,
        batching: Batching | None = None,
        send_dimensions: bool = False,
    ) -> None:
        self._model = model
        self._client = client
        self._tokenizer = tokenizer
        self._batching = batching or Batching()
        self._send_dimensions = send_dimensions

    @property
    def model(self) -> EmbeddingModel:
        """The model behind the server."""
        return self._model

    def embed_texts(self, texts: list[str]) -> list[list[float]]:
        """Vectors of passages, in order; one failing request fails the call and cancels the others."""
        return self._embed(self._model.document_prefix, texts)

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self._embed(self._model.query_prefix, [text])[0]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _embed(self, prefix: str, texts: Sequence[str]) -> list[list[float]]:
        for position, text in enumerate(texts):
            check_text(text, position, len(texts))
        inputs = [prefix + text for text in texts]
        limits = self._batching
        batches = [
            inputs[batch.start : batch.stop]
            for batch in pack(self._token_counts(inputs), max_texts=limits.texts, max_tokens=limits.tokens)
        ]
        stop = Event()
        if len(batches) <= 1 or limits.workers == 1:
            answers = [self._embed_batch(batch, stop) for batch in batches]
        else:
            answers = self._embed_concurrently(batches, stop)
        return [vector for answer in answers for vector in answer]

    def _token_counts(self, inputs: Sequence[str]) -> list[int]:
        special = self._tokenizer.special_tokens
        counts = [self._tokenizer.count(text) + special for text in inputs]
        for position, count in enumerate(counts):
            check_window(count, self._model, position, len(counts))
        return counts

    def _embed_concurrently(self, batches: list[list[str]], stop: Event) -> list[list[list[float]]]:
        executor = ThreadPoolExecutor(min(self._batching.workers, len(batches)), "embedding")
        try:
            futures = [executor.submit(self._embed_batch, batch, stop) for batch in batches]
            for finished in wait(futures, return_when=FIRST_EXCEPTION).done:
                finished.result()
            return [future.result() for future in futures]
        finally:
            stop.set()
            executor.shutdown(cancel_futures=True)

    def _embed_batch(self, batch: list[str], stop: Event) -> list[list[float]]:
        payload: dict[str, object] = {"model": self._model.model, "input": batch, "encoding_format": "float"}
        if self._send_dimensions:
            payload["dimensions"] = self._model.dimensions
        answer = self._client.post(self._client.address.openai("embeddings"), payload, stop)
        return unit_vectors(_rows(answer, len(batch)), count=len(batch), dimensions=self._model.dimensions)


def _rows(answer: object, count: int) -> list[object]:
    """The vectors of an answer in the order of its inputs; servers may send them in any order."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise EmbeddingError(
            "The embedding server answered with something other than a list of vectors. Nothing was stored.",
            "Check that EMBEDDING_BASE_URL is the address of an OpenAI-compatible server.",
        )
    if len(data) != count:
        raise EmbeddingError(
            f"The embedding server gave {len(data)} vectors for {count} texts, so none was used.",
            "Update the server, or lower EMBEDDING_BATCH_SIZE if it limits the texts per request.",
        )
    places = [row.get("index", place) for place, row in enumerate(data)]
    if not all(isinstance(place, int) for place in places) or sorted(places) != list(range(count)):
        raise EmbeddingError(
            "The embedding server did not say clearly which vector belongs to which text, so none was used.",
            "Update the server, or use another one.",
        )
    ordered = sorted(range(count), key=places.__getitem__)
    return [data[place].get("embedding") for place in ordered]
