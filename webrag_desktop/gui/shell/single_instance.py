"""One window per data folder: a lock decides which process is first, and a local socket takes later arguments."""

import hashlib
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, Signal

from webrag_desktop import DataFolder, FileLock
from webrag_desktop.errors import InputError, StackError
from webrag_desktop.models.citations import is_link
from webrag_desktop.models.formats import READABLE_SUFFIXES

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

LOCK_FILE = "window.lock"
PASS_SECONDS = 5.0
_TRY_MILLISECONDS = 250
_LONGEST_MESSAGE = 1_000_000  # bytes; a command line cannot hold more
_LENGTH_BYTES = 4
_TAKEN = b"taken"


class SingleInstance(QObject):
    """The claim of this process to be the one window of a data folder."""

    arguments_received = Signal(object)  # tuple[str, ...]: another start was given these, paths made absolute

    def __init__(self, lock_path: Path, address: str, parent: QObject | None = None) -> None:
        """``address`` is a pipe's name on Windows, elsewhere the path of a socket in a private folder."""
        super().__init__(parent)
        self._lock = FileLock(lock_path)
        self._address = address
        self._server: QLocalServer | None = None
        self._pending: dict[QLocalSocket, QByteArray] = {}

    @classmethod
    def of_home(cls, home: Path, parent: QObject | None = None) -> "SingleInstance":
        """The instance of a data folder, which must exist."""
        return cls(home / LOCK_FILE, _address_of(home), parent)

    def claim(self, arguments: Sequence[str]) -> bool:
        """Become the first, who is to :meth:`listen` soon, or pass ``arguments`` to it and return False.

        Raises:
            StackError: another window is there but does not answer.
            InputError: more was given than can be passed.
        """
        message = _message(arguments)
        deadline = time.monotonic() + PASS_SECONDS
        while not self._lock.acquire(shared=False, timeout=0):
            # The first may be starting and not listen yet, or just be gone.
            if self._pass_on(message, deadline):
                return False
            if time.monotonic() > deadline:
                raise StackError(
                    "WebRAG Desktop is running already, but its window does not answer. Nothing was lost.",
                    "Wait a moment and try again; if that does not help, end the program and start it again.",
                )
        return True

    def _pass_on(self, message: bytes, deadline: float) -> bool:
        from PySide6.QtNetwork import QLocalSocket  # as below

        socket = QLocalSocket()
        socket.connectToServer(self._address)
        if not socket.waitForConnected(_TRY_MILLISECONDS):
            time.sleep(_TRY_MILLISECONDS / 1000)
            return False
        socket.write(QByteArray(len(message).to_bytes(_LENGTH_BYTES, "big") + message))
        # The first may be busy for a moment; its answer says that nothing can be lost any more.
        answer = b""
        while len(answer) < len(_TAKEN) and (left := deadline - time.monotonic()) > 0:
            if not socket.waitForReadyRead(max(1, round(left * 1000))):
                break
            answer += bytes(socket.readAll().data())
        return answer == _TAKEN

    def listen(self) -> None:
        """Be there for further starts; until then they wait.

        Raises:
            StackError: the system does not allow it.
        """
        from PySide6.QtNetwork import QLocalServer  # a library that the window need not wait for

        # What a killed predecessor left; the lock says that it is gone.
        QLocalServer.removeServer(self._address)
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._accept)
        if not server.listen(self._address):
            raise StackError(
                "The window cannot listen for further starts of the program.",
                f"Check that {self._address} can be written. ({server.errorString()})",
            )
        self._server = server

    def _accept(self) -> None:
        assert self._server is not None
        while (socket := self._server.nextPendingConnection()) is not None:
            self._pending[socket] = QByteArray()
            socket.readyRead.connect(lambda socket=socket: self._read(socket))
            socket.disconnected.connect(lambda socket=socket: self._forget(socket))
            self._read(socket)

    def _read(self, socket: "QLocalSocket") -> None:
        if socket not in self._pending:
            return
        received = self._pending[socket] + socket.readAll()
        self._pending[socket] = received
        head = bytes(received.data()[:_LENGTH_BYTES])
        if len(head) < _LENGTH_BYTES:
            return
        length = int.from_bytes(head, "big")
        if length > _LONGEST_MESSAGE:
            socket.abort()
        elif received.size() >= _LENGTH_BYTES + length:
            del self._pending[socket]  # whatever else it may send is not listened to
            self._take(socket, bytes(received.data()[_LENGTH_BYTES : _LENGTH_BYTES + length]))

    def _take(self, socket: "QLocalSocket", message: bytes) -> None:
        arguments = _understood(message)
        if arguments is None:
            socket.abort()
            return
        socket.write(QByteArray(_TAKEN))
        socket.flush()
        socket.disconnectFromServer()
        self.arguments_received.emit(arguments)

    def _forget(self, socket: "QLocalSocket") -> None:
        self._pending.pop(socket, None)
        socket.deleteLater()

    def release(self) -> None:
        """Be no longer the first; calling it again changes nothing."""
        if self._server is not None:
            self._server.close()
            self._server.deleteLater()
            self._server = None
        self._lock.release()


def absolute(arguments: Sequence[str]) -> tuple[str, ...]:
    """Arguments that mean the same in another current folder: names of files become whole paths."""
    return tuple(
        str(Path(one).absolute()) if not is_link(one) and _is_file(one) else one for one in arguments
    )


def _is_file(argument: str) -> bool:
    """Whether it names a file: one that is here, or one that only can be meant, although it is missing."""
    from webrag_desktop.gui.adding.link_text import is_bare

    try:
        there = Path(argument).exists()
    except (OSError, ValueError):  # too long for a path, or a NUL in it
        return False
    meant = "://" not in argument and not is_bare(argument) and not argument.startswith("~")
    return there or (meant and Path(argument).suffix.lower() in READABLE_SUFFIXES)


def _message(arguments: Sequence[str]) -> bytes:
    message = json.dumps({"arguments": absolute(arguments)}).encode()
    if len(message) > _LONGEST_MESSAGE:
        raise InputError("Too much was given at once. Nothing was added.", "Give it in several steps.")
    return message


def _understood(message: bytes) -> tuple[str, ...] | None:
    try:
        arguments = json.loads(message)["arguments"]
    except (ValueError, KeyError, TypeError):
        return None
    if not isinstance(arguments, list) or not all(isinstance(one, str) for one in arguments):
        return None
    return tuple(arguments)


def _address_of(home: Path) -> str:
    if sys.platform == "win32":
        return "webrag-" + hashlib.sha256(os.fsencode(home.resolve())).hexdigest()[:16]
    return str(DataFolder.socket_folder(home) / "window")
