"""Leaving a request under way: whoever waits for it goes on at once, and its connection is shut down."""

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

    A server that hears the end of its connection stops computing, too.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._stopped = False
        self._reached = False

    @property
    def reached(self) -> bool:
        """Whether the server was reached: the request is on its way, over a connection that is ready."""
        return self._reached

    @property
    def stopped(self) -> bool:
        """Whether nobody waits for the request any more."""
        return self._stopped

    def trace(self, event: str, info: Mapping[str, object]) -> None:
        """Given to httpx as the request's ``trace``: learns of the connection as soon as there is one."""
        if event.endswith("send_request_headers.started"):
            # A proxy that is to open the way to the server is not the server.
            self._reached = info["request"].method != b"CONNECT"  # type: ignore[attr-defined]  # httpcore's request
        elif event.endswith("connect_tcp.complete"):
            connected = info["return_value"].get_extra_info("socket")  # type: ignore[attr-defined]  # httpcore's stream
            with self._lock:
                # A handle of its own: the driver's ends where encryption begins, and shutting down an encrypted socket
                # would drop its encryption first. Where none is to be had, the request ends at the next part it reads.
                with suppress(OSError):
                    self._socket = connected.dup()
                self._shut_down_if_stopped()

    def stop(self) -> None:
        """Shut the connection down, also one that is still to be made."""
        with self._lock:
            self._stopped = True
            self._shut_down_if_stopped()

    def close(self) -> None:
        """Let go of the connection, once the request is over."""
        with self._lock:
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
    """What ``request`` gives, waited for at most so many ``seconds``; it hands its connection to the ``interruption``.

    Raises:
        Cancelled: the token was set.
        TimeoutError: the seconds were up.
    """

    def asking(hand_on: Callable[[T], None]) -> None:
        hand_on(request())

    (given,) = arriving(asking, interruption, seconds, seconds, cancel)
    return given


def arriving(
    request: Callable[[Callable[[T], None]], None],
    interruption: Interruption,
    first: float,
    then: float,
    cancel: CancelToken,
) -> Generator[T, None, None]:
    """What ``request`` hands on, as it comes: waited for at most ``first`` seconds, then between two ``then``.

    It has a thread of its own, since nothing ends a call that looks up the name of a host, connects or agrees on keys.
    Left alone, the thread ends with the call that it is in: what it connects to is shut down at once. That is so when
    the iterator is closed, too.

    Raises:
        Cancelled: the token was set.
        TimeoutError: the seconds were up.
    """
    given: deque[T] = deque()
    over: Future[None] = Future()
    news = Event()

    def hand_on(part: T) -> None:
        given.append(part)
        news.set()

    def asking() -> None:
        try:
            request(hand_on)
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
        Thread(target=asking, name="chat request", daemon=True).start()
        try:
            yield from _waited_for(given, over, news, (first, then), cancel)
        finally:
            interruption.stop()


def _waited_for(
    given: "deque[T]", over: "Future[None]", news: Event, waits: tuple[float, float], cancel: CancelToken
) -> Iterator[T]:
    seconds, then = waits
    while True:
        in_time = news.wait(seconds)
        news.clear()
        ended = over.done()  # asked before what is given is taken: nothing comes behind that
        cancel.raise_if_cancelled()
        if not (in_time or given or ended):
            raise TimeoutError
        while given:
            yield given.popleft()
            cancel.raise_if_cancelled()
            seconds = then
        if ended:
            over.result()
            return
