"""Embedding by a server: any that speaks OpenAI's ``/v1/embeddings``, or Ollama by its own interface."""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Final

from webrag_desktop.embedding.base import (
    InvalidVectorError,
    ModelInput,
    Tokenizer,
    model_inputs,
    unit_vectors,
)
from webrag_desktop.embedding.client import EmbeddingClient, Turn
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.priority_lock import PriorityLock
from webrag_desktop.embedding.protocols import EmbeddingProtocol
from webrag_desktop.embedding.server_check import Sample, ServerCheck
from webrag_desktop.embedding.server_errors import ServerFailedError, ServerSilentError, TextsRefusedError
from webrag_desktop.errors import Cancelled, EmbeddingError
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.retries import LONGEST_WAIT_OF_QUESTION

# A question waits for at most one request where a server takes one at a time.
TARGET_SECONDS: Final = 2.0

# How fast a server is, is unknown before its first answer; eight chunks take a slow processor a few seconds.
FIRST_TOKENS: Final = 2_048

# Below, the way to the server and back outweighs what a smaller request saves.
FEWEST_TOKENS: Final = 256


class BatchSize:
    """Cuts texts into requests by tokens and number, and learns the tokens from how long each request took.

    The same durations always give the same sizes. It may be used from several threads.
    """

    def __init__(self, *, max_texts: int, max_tokens: int) -> None:
        self._max_texts = max_texts
        self._max_tokens = max_tokens
        self._tokens = min(FIRST_TOKENS, max_tokens)
        self._lock = Lock()

    @property
    def tokens(self) -> int:
        """How many tokens the next request may hold; a longer single text goes alone."""
        with self._lock:
            return self._tokens

    def batch(self, token_counts: Sequence[int], start: int) -> range:
        """The texts of the next request, ``start`` and those after it; never empty."""
        limit = self.tokens
        stop, total = start + 1, token_counts[start]
        while stop < len(token_counts) and stop - start < self._max_texts:
            total += token_counts[stop]
            if total > limit:
                break
            stop += 1
        return range(start, stop)

    def learn(self, tokens: int, seconds: float) -> None:
        """Note that a request of so many tokens took so long.

        Too slow a request shrinks the next at once. A quick one lets them double at most, and only if it was
        large: what a small one takes is mostly the way there and back.
        """
        with self._lock:
            if seconds > TARGET_SECONDS:
                fitting = int(tokens * TARGET_SECONDS / seconds)
                self._tokens = max(FEWEST_TOKENS, min(self._tokens, fitting))
            elif tokens * 2 >= self._tokens:
                fitting = int(tokens * TARGET_SECONDS / max(seconds, 1e-9))
                self._tokens = min(self._max_tokens, self._tokens * 2, max(self._tokens, fitting))


Vector = list[float]
Request = Callable[[Sequence[ModelInput]], list[Vector]]

# What one text among others can bring about. Not: refused keys, full queues, silence.
_OVER_A_TEXT: Final = (TextsRefusedError, ServerFailedError, InvalidVectorError)


class BulkRun:
    """Embeds ``inputs`` with up to ``workers`` requests at a time, all of them or none.

    Each request is cut when it can be sent, so that it has the size learned by then. ``stop`` ends the run, also when
    the run itself fails. ``require_server`` raises if the server fails over any text.
    """

    def __init__(
        self,
        inputs: Sequence[ModelInput],
        size: BatchSize,
        request: Request,
        *,
        stop: CancelToken,
        require_server: Callable[[], None],
    ) -> None:
        self._inputs = inputs
        self._counts = [each.tokens for each in inputs]
        self._size = size
        self._request = request
        self._stop = stop
        self._require_server = require_server
        self._sent = 0
        self._vectors: dict[int, list[Vector]] = {}
        self._failure: BaseException | None = None
        self._lock = Lock()

    def vectors(self, workers: int) -> list[Vector]:
        """The vectors in the order of the inputs; fewer than inputs only after ``stop`` was set from outside.

        Raises the first failure.
        """
        first = self._size.batch(self._counts, 0)
        if workers == 1 or len(first) == len(self._inputs):
            self._work()
        else:
            self._work_together(min(workers, len(self._inputs)))
        if self._failure is not None:
            raise self._failure
        return [vector for start in sorted(self._vectors) for vector in self._vectors[start]]

    def _work_together(self, workers: int) -> None:
        with ThreadPoolExecutor(workers, "embedding") as executor:
            try:
                wait([executor.submit(self._work) for _ in range(workers)])
            except BaseException:  # an interrupt must not wait for everything that is still to be sent
                self._stop.cancel()
                raise

    def _work(self) -> None:
        while (batch := self._next_batch()) is not None:
            try:
                vectors = self._embed(self._inputs[batch.start : batch.stop])
            except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits for all
                self._fail(error)
                return
            with self._lock:
                self._vectors[batch.start] = vectors

    def _next_batch(self) -> range | None:
        with self._lock:
            if self._stop.cancelled or self._sent == len(self._inputs):
                return None
            batch = self._size.batch(self._counts, self._sent)
            self._sent = batch.stop
            return batch

    def _fail(self, error: BaseException) -> None:
        with self._lock:
            self._failure = self._failure or error
        self._stop.cancel()

    def _embed(self, inputs: Sequence[ModelInput]) -> list[Vector]:
        """As one request, or in halves down to the text that fails; that both halves go well is as good."""
        try:
            return self._request(inputs)
        except _OVER_A_TEXT as error:
            if self._stop.cancelled:
                raise
            if len(inputs) == 1:
                return self._embed_alone(inputs[0], error)
        middle = len(inputs) // 2
        return self._embed(inputs[:middle]) + self._embed(inputs[middle:])

    def _embed_alone(self, suspect: ModelInput, error: EmbeddingError) -> list[Vector]:
        """Once more, if the server answers at all: it may just have been restarting."""
        self._require_server()
        try:
            return self._request([suspect])
        except _OVER_A_TEXT as again:
            message = f"{suspect.name} cannot be embedded. {again.message}"
            raise TextsRefusedError(message, again.hint) from error


# A question that waits longer for its turn is better answered by words alone.
QUESTION_PATIENCE = 15.0

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

    Requests of bulk work grow and shrink to what the server does in two seconds; with a ``priority_lock``, questions go
    before them. The server is checked before the first bulk request of a process.
    """

    def __init__(
        self,
        model: EmbeddingModel,
        client: EmbeddingClient,
        protocol: EmbeddingProtocol,
        tokenizer: Tokenizer,
        *,
        check: ServerCheck,
        limits: Limits | None = None,
        priority_lock: PriorityLock | None = None,
        dimensions_set: bool = False,
    ) -> None:
        """``dimensions_set`` says that the model's dimensions are what the settings ask for."""
        self._model = model
        self._client = client
        self._protocol = protocol
        self._tokenizer = tokenizer
        self._check = check
        self._limits = limits or Limits()
        self._priority_lock = priority_lock
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
            turn = partial(self._priority_lock.bulk, stop) if self._priority_lock else nullcontext
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

        Before the first of a process, a known text shows whether the library's vectors are of this model.
        """
        (question,) = model_inputs([text], self._model.query_prefix, self._model, self._tokenizer)
        with _stopping(cancel or CancelToken()) as stop:
            patience = min(QUESTION_PATIENCE, self._client.timeout)
            turn = (
                partial(self._priority_lock.question, stop, patience) if self._priority_lock else nullcontext
            )
            ask = partial(self._sample, stop=stop, turn=turn, longest_wait=LONGEST_WAIT_OF_QUESTION)
            if question.tokens > _LONG_QUESTION_TOKENS:
                self._check.require(question.tokens, ask)
            return self._check.question(question.text, ask)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _request(self, inputs: Sequence[ModelInput], *, stop: CancelToken, turn: Turn) -> list[list[float]]:
        tokens = sum(each.tokens for each in inputs)
        try:
            sample = self._sample([each.text for each in inputs], stop=stop, turn=turn)
        except ServerSilentError:
            self._size.learn(tokens, self._client.timeout)
            raise
        self._size.learn(tokens, sample.seconds)
        return sample.vectors

    def _sample(
        self, texts: Sequence[str], *, stop: CancelToken, turn: Turn, longest_wait: float = math.inf
    ) -> Sample:
        timed = self._client.post(
            self._protocol.endpoint,
            self._protocol.payload(texts),
            cancel=stop,
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
def _stopping(cancel: CancelToken) -> Iterator[CancelToken]:
    """A token that is set when ``cancel`` is, or by the block itself; what ends the block is a cancellation then."""
    stop = CancelToken()
    with cancel.calling(stop.cancel):
        cancel.raise_if_cancelled()
        try:
            yield stop
        except (EmbeddingError, Cancelled):
            cancel.raise_if_cancelled()
            raise
    cancel.raise_if_cancelled()
