"""Embedding by a server: any that speaks OpenAI's ``/v1/embeddings``, or Ollama by its own interface."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from threading import Event

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.embedding.batching import BatchSize
from webrag_desktop.embedding.bulk import BulkRun
from webrag_desktop.embedding.inputs import ModelInput, model_inputs
from webrag_desktop.embedding.lane import Lane
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.protocols import EmbeddingProtocol
from webrag_desktop.embedding.server_check import Sample, ServerCheck
from webrag_desktop.embedding.server_errors import ServerSilentError
from webrag_desktop.embedding.transport import JsonClient, Turn
from webrag_desktop.embedding.vectors import unit_vectors
from webrag_desktop.errors import Cancelled, EmbeddingError
from webrag_desktop.models import EmbeddingModel
from webrag_desktop.progress import CancelToken

# A question that waits longer for its turn is better answered by words alone.
QUESTION_PATIENCE = 15.0

# Nor does a question wait longer than so many seconds for another attempt, whatever the server names.
_QUESTION_LONGEST_WAIT = 5.0

# Questions are short; only one that no server's smallest context holds is worth a look at the server first.
_LONG_QUESTION_TOKENS = 128


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may hold at most, and how many requests of bulk work run at once."""

    texts: int = EmbeddingOptions.batch_size
    tokens: int = 200_000
    workers: int = EmbeddingOptions.max_workers


class RemoteEmbedder:
    """An :class:`~webrag_desktop.embedding.base.Embedder` over HTTP.

    Requests of bulk work grow and shrink to what the server does in two seconds; with a ``lane``, questions go
    before them. The server is checked before the first bulk request of a process.
    """

    def __init__(
        self,
        model: EmbeddingModel,
        client: JsonClient,
        protocol: EmbeddingProtocol,
        tokenizer: Tokenizer,
        *,
        check: ServerCheck,
        limits: Limits | None = None,
        lane: Lane | None = None,
        dimensions_set: bool = False,
    ) -> None:
        """``dimensions_set`` says that the model's dimensions are what the settings ask for."""
        self._model = model
        self._client = client
        self._protocol = protocol
        self._tokenizer = tokenizer
        self._check = check
        self._limits = limits or Limits()
        self._lane = lane
        self._dimensions_set = dimensions_set
        self._size = BatchSize(max_texts=self._limits.texts, max_tokens=self._limits.tokens)

    @property
    def model(self) -> EmbeddingModel:
        """The model behind the server."""
        return self._model

    @property
    def batch_tokens(self) -> int:
        """How many tokens the next bulk request may hold, as learned so far."""
        return self._size.tokens

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        """Vectors of passages, in order, all or none; a text that the server fails over is named."""
        inputs = model_inputs(texts, self._model.document_prefix, self._model, self._tokenizer)
        if not inputs:
            return []
        with _stopping(cancel or CancelToken()) as stop:
            turn = partial(self._lane.bulk, stop) if self._lane else nullcontext
            ask = partial(self._sample, stop=stop, turn=turn)
            self._check.require(max(each.tokens for each in inputs), ask)
            run = BulkRun(
                inputs,
                self._size,
                partial(self._request, stop=stop, turn=turn),
                stop=stop,
                require_server=partial(self._check.require_answer, ask),
            )
            return run.vectors(self._limits.workers)

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        """The vector of a question; it does not wait for bulk work, at most for its one request under way.

        Before the first of a process, a known text tells whether the library's vectors are of this model.
        """
        (question,) = model_inputs([text], self._model.query_prefix, self._model, self._tokenizer)
        with _stopping(cancel or CancelToken()) as stop:
            patience = min(QUESTION_PATIENCE, self._client.timeout)
            turn = partial(self._lane.question, stop, patience) if self._lane else nullcontext
            ask = partial(self._sample, stop=stop, turn=turn, longest_wait=_QUESTION_LONGEST_WAIT)
            if question.tokens > _LONG_QUESTION_TOKENS:
                self._check.require(question.tokens, ask)
            return self._check.question(question.text, ask)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _request(self, inputs: Sequence[ModelInput], *, stop: Event, turn: Turn) -> list[list[float]]:
        tokens = sum(each.tokens for each in inputs)
        try:
            sample = self._sample([each.text for each in inputs], stop=stop, turn=turn)
        except ServerSilentError:
            self._size.learn(tokens, self._client.timeout)
            raise
        self._size.learn(tokens, sample.seconds)
        return sample.vectors

    def _sample(
        self, texts: Sequence[str], *, stop: Event, turn: Turn, longest_wait: float = math.inf
    ) -> Sample:
        timed = self._client.post(
            self._protocol.endpoint,
            self._protocol.payload(texts),
            stop=stop,
            turn=turn,
            longest_wait=longest_wait,
        )
        answer = self._protocol.answer(timed.body, len(texts))
        vectors = unit_vectors(
            answer.rows,
            count=len(texts),
            dimensions=self._model.dimensions,
            as_set=self._dimensions_set,
        )
        return Sample(vectors, answer.tokens, timed.seconds)


@contextmanager
def _stopping(cancel: CancelToken) -> Iterator[Event]:
    """An event that is set when ``cancel`` is; what ends the block early is a cancellation then."""
    stop = Event()
    with cancel.calling(stop.set):
        cancel.raise_if_cancelled()
        try:
            yield stop
        except (EmbeddingError, Cancelled):
            cancel.raise_if_cancelled()
            raise
    cancel.raise_if_cancelled()
