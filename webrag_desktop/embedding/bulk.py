"""One call's texts on their way to a server: requests cut as they can be sent, failing ones halved."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event, Lock
from typing import Final

from webrag_desktop.embedding.batching import BatchSize
from webrag_desktop.embedding.inputs import ModelInput
from webrag_desktop.embedding.server_errors import ServerFailedError, TextsRefusedError
from webrag_desktop.embedding.vectors import InvalidVectorError
from webrag_desktop.errors import EmbeddingError

Vector = list[float]
Request = Callable[[Sequence[ModelInput]], list[Vector]]

# What one text among others can bring about. Not: refused keys, full queues, silence.
_OVER_A_TEXT: Final = (TextsRefusedError, ServerFailedError, InvalidVectorError)


class BulkRun:
    """Embeds ``inputs`` with up to ``workers`` requests at a time, all of them or none.

    Each request is cut when it can be sent, so that it has the size learned by then. Setting ``stop`` ends the
    run after the requests that are under way. ``require_server`` raises if the server fails over any text.
    """

    def __init__(
        self,
        inputs: Sequence[ModelInput],
        size: BatchSize,
        request: Request,
        *,
        stop: Event,
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
                self._stop.set()
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
            if self._stop.is_set() or self._sent == len(self._inputs):
                return None
            batch = self._size.batch(self._counts, self._sent)
            self._sent = batch.stop
            return batch

    def _fail(self, error: BaseException) -> None:
        with self._lock:
            self._failure = self._failure or error
        self._stop.set()

    def _embed(self, inputs: Sequence[ModelInput]) -> list[Vector]:
        """As one request, or in halves down to the text that fails; that both halves go well is as good."""
        try:
            return self._request(inputs)
        except _OVER_A_TEXT as error:
            if self._stop.is_set():
                raise
            if len(inputs) == 1:
                return self._embed_alone(inputs[0], error)
        middle = len(inputs) // 2
        return self._embed(inputs[:middle]) + self._embed(inputs[middle:])

    def _embed_alone(self, suspect: ModelInput, error: EmbeddingError) -> list[Vector]:
        """Once more, if the server answers at all: it may just have been starting anew."""
        self._require_server()
        try:
            return self._request([suspect])
        except _OVER_A_TEXT as again:
            message = f"{suspect.name} cannot be embedded. {again.message}"
            raise TextsRefusedError(message, again.hint) from error
