"""Breaking off a request under way: its connection is shut down, so that whoever waits for it wakes at once."""

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Lock, Timer

from webrag_desktop.progress import CancelToken

_CONNECTED = ("connect_tcp.complete", "start_tls.complete")


class Interruption:
    """Knows the connection of one request; :meth:`stop` may be called from any thread.

    A server that hears the end of its connection stops computing, too.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._stopped = False

    def trace(self, event: str, info: Mapping[str, object]) -> None:
        """Given to httpx as the request's ``trace``: learns of the connection as soon as there is one."""
        if event.endswith(_CONNECTED):
            stream = info["return_value"]
            with self._lock:
                self._socket = stream.get_extra_info("socket")  # type: ignore[attr-defined]  # httpcore's stream
                if self._stopped:
                    self._shut_down()

    def stop(self) -> None:
        """Shut the connection down, also one that is still to be made."""
        with self._lock:
            self._stopped = True
            self._shut_down()

    def _shut_down(self) -> None:
        if self._socket is not None:
            with suppress(OSError):  # it has ended already
                # Not its own method: an encrypted socket would drop its encryption first, while others may be sending.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


@contextmanager
def interruptible(seconds: float, cancel: CancelToken) -> Iterator[Interruption]:
    """For the block, a request is broken off after so many ``seconds``, and when ``cancel`` is set.

    Raises:
        Cancelled: the token was set.
    """
    interruption = Interruption()
    limit = Timer(seconds, interruption.stop)
    limit.daemon = True
    with cancel.calling(interruption.stop):
        cancel.raise_if_cancelled()
        limit.start()
        try:
            yield interruption
        except Exception:
            cancel.raise_if_cancelled()  # what failed was broken off
            raise
        finally:
            limit.cancel()
    cancel.raise_if_cancelled()
