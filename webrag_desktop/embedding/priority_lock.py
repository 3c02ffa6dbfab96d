"""Turns at one embedding server: a question goes before the next request of bulk work, from any process."""

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Protocol

from webrag_desktop.embedding.server_errors import PriorityLockTimeoutError
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.progress import CancelToken

# How long one wait for a lock may hold up a cancellation.
_SLICE_SECONDS = 0.1


class Lock(Protocol):
    """A lock that ends with the process that holds it."""

    def acquire(self, *, shared: bool, timeout: float | None) -> bool:
        """Take it; False when others kept it for ``timeout`` seconds."""

    def release(self) -> None:
        """Give it up; if it is not held, nothing happens."""


# Gives an object for the lock of a name; every process that uses the server gives the same locks.
Locks = Callable[[str], Lock]


class PriorityLock:
    """The turns at one server, over all threads and processes that share ``locks``.

    A question announces itself for as long as it is under way; bulk work starts no request meanwhile. Where the
    server takes ``one_at_a_time``, a request holds the lock, too, so a question waits for the one that is
    running and no more. What a killed process held is free at once.
    """

    def __init__(self, locks: Locks, server: str, *, one_at_a_time: bool) -> None:
        self._locks = locks
        self._name = f"embedding-{hashlib.sha256(server.encode()).hexdigest()[:12]}"
        self._one_at_a_time = one_at_a_time

    @contextmanager
    def question(self, cancel: CancelToken, patience: float) -> Iterator[None]:
        """The block is a question's request; raises :class:`PriorityLockTimeoutError` after ``patience`` seconds."""
        deadline = time.monotonic() + patience
        with self._held("questions", cancel, shared=True, deadline=deadline), self._request(cancel, deadline):
            yield

    @contextmanager
    def bulk(self, cancel: CancelToken) -> Iterator[None]:
        """The block is one request of bulk work; it waits for as long as questions come."""
        while True:
            with self._held("questions", cancel, shared=False):
                pass  # no question waits at the moment
            with self._request(cancel):
                if not self._one_at_a_time or self._nobody_asks():
                    yield
                    return

    def _nobody_asks(self) -> bool:
        """Whether no question came while this one waited for the request before."""
        lock = self._lock("questions")
        try:
            return _acquired(lock, shared=False, timeout=0.0)
        finally:
            lock.release()

    @contextmanager
    def _request(self, cancel: CancelToken, deadline: float | None = None) -> Iterator[None]:
        held = self._held("request", cancel, shared=False, deadline=deadline)
        with held if self._one_at_a_time else nullcontext():
            yield

    @contextmanager
    def _held(
        self, what: str, cancel: CancelToken, *, shared: bool, deadline: float | None = None
    ) -> Iterator[None]:
        lock = self._lock(what)
        while not _acquired(lock, shared=shared, timeout=_SLICE_SECONDS):
            cancel.raise_if_cancelled()
            if deadline is not None and time.monotonic() > deadline:
                raise PriorityLockTimeoutError(
                    "The embedding server is still at work on a request of this program's.",
                    "Try again in a moment.",
                )
        try:
            yield
        finally:
            lock.release()

    def _lock(self, what: str) -> Lock:
        with _file_errors():
            return self._locks(f"{self._name}-{what}.lock")


def _acquired(lock: Lock, *, shared: bool, timeout: float) -> bool:
    with _file_errors():
        return lock.acquire(shared=shared, timeout=timeout)


@contextmanager
def _file_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EmbeddingError(
            f"The file by which programs take turns at the embedding server cannot be used: {error.strerror}.",
            "Check that the folder WEBRAG_HOME can be written to.",
        ) from error
