"""Many texts on their way: all or none, in order, and the culprit by name."""

import threading
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.embedding.base import InvalidVectorError, ModelInput
from webrag_desktop.embedding.remote import BatchSize, BulkRun, Vector
from webrag_desktop.embedding.server_errors import (
    KeyRefusedError,
    ServerBusyError,
    ServerFailedError,
    ServerSilentError,
    TextsRefusedError,
)
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.progress import CancelToken

OVER_A_TEXT = [TextsRefusedError, ServerFailedError, InvalidVectorError]


def inputs(count: int) -> list[ModelInput]:
    return [ModelInput(str(number), 100, f"Text {number + 1} of {count}") for number in range(count)]


class Server:
    """Refuses what holds a culprit, and remembers what it was sent."""

    def __init__(self, culprits: Sequence[int] = (), kind: type[EmbeddingError] = TextsRefusedError) -> None:
        self.culprits = {str(culprit) for culprit in culprits}
        self.kind = kind
        self.sent: list[list[str]] = []

    def __call__(self, batch: Sequence[ModelInput]) -> list[Vector]:
        texts = [each.text for each in batch]
        self.sent.append(texts)
        if self.culprits & set(texts):
            raise self.kind("It failed.", "Look.")
        return [[float(text)] for text in texts]


def run(
    server: Callable[[Sequence[ModelInput]], list[Vector]],
    count: int,
    *,
    workers: int = 1,
    texts: int = 256,
    require_server: Callable[[], None] = lambda: None,
    stop: CancelToken | None = None,
) -> list[Vector]:
    size = BatchSize(max_texts=texts, max_tokens=200_000)
    size.learn(2_048, 1e-3)  # so that a batch may hold 40 texts
    bulk = BulkRun(inputs(count), size, server, stop=stop or CancelToken(), require_server=require_server)
    return bulk.vectors(workers)


@given(st.integers(1, 40), st.data())
def test_the_first_culprit_is_found_in_few_requests(count: int, data: st.DataObject) -> None:
    culprit = data.draw(st.integers(0, count - 1))
    server = Server([culprit])
    with pytest.raises(
        TextsRefusedError, match=rf"^Text {culprit + 1} of {count} cannot be embedded. It failed"
    ) as e:
        run(server, count)
    assert e.value.hint == "Look."
    assert len(server.sent) <= 2 + 2 * (count - 1).bit_length()


@pytest.mark.parametrize("kind", OVER_A_TEXT)
def test_what_one_text_can_bring_about_is_searched_for(kind: type[EmbeddingError]) -> None:
    with pytest.raises(TextsRefusedError, match=r"^Text 6 of 8") as caught:
        run(Server([5], kind), 8)
    assert not caught.value.transient


@pytest.mark.parametrize("kind", [KeyRefusedError, ServerBusyError, ServerSilentError, EmbeddingError])
def test_what_no_text_brings_about_is_not(kind: type[EmbeddingError]) -> None:
    server = Server([5], kind)
    with pytest.raises(kind, match=r"^It failed"):
        run(server, 8)
    assert len(server.sent) == 1


def test_a_server_that_fails_over_everything_blames_no_text() -> None:
    def broken() -> None:
        raise ServerFailedError("It is broken.")

    with pytest.raises(ServerFailedError, match=r"^It is broken") as caught:
        run(Server(range(8), ServerFailedError), 8, require_server=broken)
    assert caught.value.transient


def test_a_server_that_stumbled_once_blames_no_text() -> None:
    stumbles = iter([True, True])

    def server(batch: Sequence[ModelInput]) -> list[Vector]:
        if next(stumbles, False):
            raise ServerFailedError("It stumbled.")
        return [[float(each.text)] for each in batch]

    assert run(server, 2) == [[0.0], [1.0]]


def test_a_batch_that_is_only_too_large_is_embedded_in_halves() -> None:
    taken: list[int] = []

    def server(batch: Sequence[ModelInput]) -> list[Vector]:
        if len(batch) > 3:
            raise TextsRefusedError("At most 3.")
        taken.append(len(batch))
        return [[float(each.text)] for each in batch]

    assert run(server, 10) == [[float(number)] for number in range(10)]
    assert sum(taken) == 10


@pytest.mark.parametrize("workers", [1, 3])
def test_vectors_come_in_the_order_of_the_texts(workers: int) -> None:
    server = Server()
    assert run(server, 50, workers=workers, texts=4) == [[float(number)] for number in range(50)]
    assert max(map(len, server.sent)) == 4


def test_the_first_failure_ends_the_work_and_is_the_one_that_is_raised() -> None:
    both = threading.Barrier(2, timeout=30)
    stop = CancelToken()
    stopped: list[bool] = []

    def server(batch: Sequence[ModelInput]) -> list[Vector]:
        both.wait()
        if batch[0].text == "0":
            raise KeyRefusedError("No.")
        ended = threading.Event()
        with stop.calling(ended.set):
            stopped.append(stop.cancelled or ended.wait(10))
        raise EmbeddingError("Stopped.")

    with pytest.raises(KeyRefusedError):
        run(server, 40, workers=2, texts=1, stop=stop)
    assert stopped == [True]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("embedding")]


def test_stopping_from_outside_ends_after_the_request_under_way() -> None:
    stop = CancelToken()
    sent: list[int] = []

    def server(batch: Sequence[ModelInput]) -> list[Vector]:
        sent.append(len(batch))
        stop.cancel()
        return [[0.0] for _ in batch]

    assert run(server, 20, texts=5, stop=stop) == [[0.0]] * 5
    assert sent == [5]


def test_no_halves_are_sent_after_a_stop() -> None:
    stop = CancelToken()
    server = Server([0])

    def stopped(batch: Sequence[ModelInput]) -> list[Vector]:
        stop.cancel()
        return server(batch)

    with pytest.raises(TextsRefusedError, match=r"^It failed"):
        run(stopped, 8, stop=stop)
    assert len(server.sent) == 1
