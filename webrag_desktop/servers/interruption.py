"""Cancelling a request under way: its caller continues at once, and its connection is shut down."""

import socket
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import TypeVar

from webrag_desktop.progress import CancelToken

T = TypeVar("T")


class Interruption:
    """Knows the connection of one request; :meth:`stop` may be called from any thread.

    A server that sees its connection end stops computing, too.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._stopped = False
        self._reached = False

    @property
    def reached(self) -> bool:
        """Whether the server was reached: the request is being sent over a connection that is ready."""
        return self._reached

    @property
    def stopped(self) -> bool:
        """Whether the caller no longer waits for the request."""
        return self._stopped

    def trace(self, event: str, info: Mapping[str, object]) -> None:
        """Given to httpx as the request's ``trace``: learns of a new connection as soon as there is one."""
        if event.endswith("send_request_headers.started"):
            # A proxy that is to open the way to the server is not the server.
            self._reached = info["request"].method != b"CONNECT"  # type: ignore[attr-defined]  # httpcore's request
        elif event.endswith("connect_tcp.complete"):
            connected = info["return_value"].get_extra_info("socket")  # type: ignore[attr-defined]  # httpcore's stream
            # A duplicate: the driver's own socket is replaced where encryption begins, and shutting down an encrypted
            # socket would drop its encryption first. Without a duplicate, the request ends at the next part it reads.
            with suppress(OSError):
                self.use(connected.dup())

    def use(self, connection: socket.socket | None) -> None:
        """The request runs over this connection, of which it closes the one it had before."""
        with self._lock:
            self._close()
            self._socket = connection
            self._shut_down_if_stopped()

    def release(self) -> socket.socket | None:
        """Give back the connection, to be used for another request; None where there is none, or it was stopped."""
        with self._lock:
            if self._stopped:
                self._close()
            released, self._socket = self._socket, None
            return released

    def stop(self) -> None:
        """Shut the connection down, also one that is still to be made."""
        with self._lock:
            self._stopped = True
            self._shut_down_if_stopped()

    def close(self) -> None:
        """Close the duplicate of the connection, once the request is over."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _shut_down_if_stopped(self) -> None:
        if self._stopped and self._socket is not None:
            with suppress(OSError):  # it has ended already
                self._socket.shutdown(socket.SHUT_RDWR)


def interruptibly(
    request: Callable[[], T], interruption: Interruption, seconds: float, cancel: CancelToken
) -> T:
    """What ``request`` returns, waited for at most so many ``seconds``; it gives its connection to ``interruption``.

    Raises:
        Cancelled: the token was set.
        TimeoutError: the seconds were up.
    """

    def requesting(yield_part: Callable[[T], None]) -> None:
        yield_part(request())

    (returned,) = arriving(requesting, interruption, seconds, seconds, cancel)
    return returned


def directly(request: Callable[[], T], interruption: Interruption, cancel: CancelToken) -> T:
    """What ``request`` returns, in the calling thread: for one whose connection is ready, so that it can be shut down.

    Raises:
        Cancelled: the token was set.
    """
    with cancel.calling(interruption.stop):
        cancel.raise_if_cancelled()
        try:
            return request()
        finally:
            cancel.raise_if_cancelled()


def arriving(
    request: Callable[[Callable[[T], None]], None],
    interruption: Interruption,
    first: float,
    then: float,
    cancel: CancelToken,
) -> Generator[T, None, None]:
    """The parts that ``request`` passes on, as they come: ``first`` seconds are waited at most, then ``then`` each.

    It has a thread of its own, since a call that resolves the name of a host, connects or agrees on keys cannot be
    ended. An abandoned thread ends with the call that it is in: what it connects to is shut down at once. That is so
    when the iterator is closed, too.

    Raises:
        Cancelled: the token was set.
        TimeoutError: the seconds were up.
    """
    parts: deque[T] = deque()
    over: Future[None] = Future()
    news = Event()

    def pass_on(part: T) -> None:
        parts.append(part)
        news.set()

    def requesting() -> None:
        try:
            request(pass_on)
            over.set_result(None)
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            over.set_exception(error)
        finally:
            interruption.close()
            news.set()

    def stop() -> None:
        interruption.stop()
        news.set()

    with cancel.calling(stop):
        cancel.raise_if_cancelled()
        Thread(target=requesting, name="server request", daemon=True).start()
        try:
            yield from _awaited(parts, over, news, (first, then), cancel)
        finally:
            interruption.stop()


def _awaited(
    parts: "deque[T]", over: "Future[None]", news: Event, waits: tuple[float, float], cancel: CancelToken
) -> Iterator[T]:
    seconds, then = waits
    while True:
        in_time = news.wait(seconds)
        news.clear()
        ended = over.done()  # read before the parts are taken: none comes after that
        cancel.raise_if_cancelled()
        if not (in_time or parts or ended):
            raise TimeoutError
        while parts:
            yield parts.popleft()
            cancel.raise_if_cancelled()
            seconds = then
        if ended:
            over.result()
            return
