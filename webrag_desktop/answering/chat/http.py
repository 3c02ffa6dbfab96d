"""HTTP to one chat server: whole answers and streams, bounded waits, no other host, left at once when nobody waits."""

import json
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, closing
from typing import Protocol

import httpx

from webrag_desktop.answering.chat.errors import RERANKING, AskedBy, ChatFailures
from webrag_desktop.answering.chat.interruption import Interruption, arriving, interruptibly
from webrag_desktop.embedding.address import ServerAddress, parse_address
from webrag_desktop.errors import ChatError, ConfigurationError
from webrag_desktop.progress import CancelToken
from webrag_desktop.version import VERSION

CONNECT_SECONDS = 10.0
LOOK_SECONDS = 3.0  # for what a server lists of itself
MOST_ANSWER_BYTES = 4 * 2**20
MOST_STREAM_BYTES = 64 * 2**20  # each word of a stream is wrapped in some hundred bytes
CHAT_ENDPOINT = "chat/completions"
_KEPT_HEADERS = ("retry-after", "date", "location")


class Splitter(Protocol):
    """Cuts a stream of bytes into events."""

    def feed(self, part: bytes) -> Iterator[bytes]:
        """The events that end in ``part``."""

    def rest(self) -> Iterator[bytes]:
        """What is left at the end."""


class ChatHttp:
    """One server's endpoints; may be used from several threads.

    Redirects are never followed and the key goes to this one address. Every failure is told in the words of ``fails``.
    """

    def __init__(self, address: ServerAddress, key: str | None, fails: ChatFailures) -> None:
        """Contacts nobody yet."""
        self.address = address
        self.fails = fails
        self._key = key

    def content(
        self,
        url: str,
        payload: dict[str, object] | None,
        left: float,
        seconds: float,
        cancel: CancelToken,
    ) -> bytes:
        """The whole answer, waited for ``left`` seconds of the ``seconds`` that a failure tells.

        Raises:
            ChatError: there is none.
            ConfigurationError: the proxy or the certificates that the environment names cannot be used.
            Cancelled: ``cancel`` was set.
        """
        response = self._response(url, payload, left, seconds, cancel)
        if not response.is_success:
            raise self.fails.status(response)
        return response.content

    def look(
        self,
        url: str,
        cancel: CancelToken,
        payload: dict[str, object] | None = None,
        seconds: float = LOOK_SECONDS,
    ) -> object:
        """The JSON of a short answer, None where it is none; raises as :meth:`content` does."""
        return _json(self.content(url, payload, seconds, seconds, cancel))

    def look_if_offered(
        self, url: str, cancel: CancelToken, seconds: float = LOOK_SECONDS
    ) -> tuple[object, ChatError | None]:
        """As :meth:`look`; where the server refuses it, None and why."""
        response = self._response(url, None, seconds, seconds, cancel)
        if response.is_success:
            return _json(response.content), None
        return None, self.fails.status(response)

    def _response(
        self,
        url: str,
        payload: dict[str, object] | None,
        left: float,
        seconds: float,
        cancel: CancelToken,
    ) -> httpx.Response:
        interruption = Interruption()

        def request() -> httpx.Response:
            with self._client(left) as client, self._sent(client, url, payload, interruption) as answer:
                return self._whole(answer, interruption)

        try:
            return interruptibly(request, interruption, left, cancel)
        except (httpx.RequestError, TimeoutError) as error:
            raise self.fails.transport(error, seconds, reached=interruption.reached) from error

    def events(
        self,
        url: str,
        payload: dict[str, object],
        splitter: Callable[[], Splitter],
        waits: tuple[float, float],
        cancel: CancelToken,
    ) -> Generator[bytes, None, None]:
        """The events of a streamed answer, as they come; closing the iterator ends the connection.

        ``waits`` are how many seconds the first event and each further one may take. Raises as :meth:`content` does.
        """
        interruption = Interruption()

        def request(hand_on: Callable[[httpx.Response | bytes], None]) -> None:
            with self._client(max(waits)) as client, self._sent(client, url, payload, interruption) as answer:
                if not answer.is_success:
                    hand_on(self._whole(answer, interruption))
                    return
                for event in self._split(answer, splitter(), interruption):
                    hand_on(event)

        begun = False
        try:
            with closing(arriving(request, interruption, *waits, cancel)) as parts:
                for part in parts:
                    if isinstance(part, httpx.Response):
                        raise self.fails.status(part)
                    begun = True
                    yield part
        except (httpx.RequestError, TimeoutError) as error:
            seconds = waits[1] if begun else waits[0]
            raise self.fails.transport(error, seconds, reached=interruption.reached, begun=begun) from error

    def _client(self, seconds: float) -> httpx.Client:
        headers = {"User-Agent": f"webrag-desktop/{VERSION}"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            return httpx.Client(
                headers=headers,
                timeout=httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
                follow_redirects=False,
                # A proxy from the environment is for the internet; what stays in the house does not pass through it.
                trust_env=not self.address.is_private,
                verify=httpx.create_ssl_context() if self.address.root.startswith("https:") else True,
            )
        except (ImportError, ValueError, OSError) as error:  # a kind of proxy or a file that there is not
            raise ConfigurationError(
                "The proxy or the certificates that the environment names cannot be used for the chat server.",
                "Set HTTPS_PROXY or ALL_PROXY to an HTTP proxy or remove them, and check SSL_CERT_FILE and "
                "SSL_CERT_DIR.",
            ) from error

    @staticmethod
    def _sent(
        client: httpx.Client, url: str, payload: dict[str, object] | None, interruption: Interruption
    ) -> AbstractContextManager[httpx.Response]:
        method = "GET" if payload is None else "POST"
        return client.stream(method, url, json=payload, extensions={"trace": interruption.trace})

    def _whole(self, answer: httpx.Response, interruption: Interruption) -> httpx.Response:
        """The response with its body, as far as that is not without end."""
        body = b"".join(self._bounded(answer, MOST_ANSWER_BYTES, interruption))
        kept = [(name, text) for name, text in answer.headers.multi_items() if name in _KEPT_HEADERS]
        return httpx.Response(answer.status_code, headers=kept, content=body)

    def _split(
        self, answer: httpx.Response, splitter: Splitter, interruption: Interruption
    ) -> Iterator[bytes]:
        for part in self._bounded(answer, MOST_STREAM_BYTES, interruption):
            yield from splitter.feed(part)
        yield from splitter.rest()

    def _bounded(self, answer: httpx.Response, most: int, interruption: Interruption) -> Iterator[bytes]:
        taken = 0
        for part in answer.iter_bytes():
            taken += len(part)
            if taken > most:
                raise self.fails.too_large(most)
            yield part
            if interruption.stopped:
                return


def _json(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def chat_address(text: str, by: AskedBy = RERANKING) -> ServerAddress:
    """Read a chat server's address as people write it, with or without ``/v1`` and the endpoint.

    Raises :class:`ConfigurationError` for anything else than a host with an optional port and path.
    """
    try:
        return parse_address(re.sub(rf"/{CHAT_ENDPOINT}/?\Z", "", text.strip()))
    except ConfigurationError as error:
        raise ConfigurationError(
            "The chat server's address has to be a host with an optional port and path, without a user name, a "
            "password or a query.",
            f"Set {by.address} to something like http://localhost:11434.",
        ) from error


def checked_key(key: str | None, by: AskedBy) -> str | None:
    """The key without what is around it; the driver would repeat in its errors one that no header can hold.

    Raises :class:`ConfigurationError` for such a one.
    """
    bare = (key or "").strip()
    if not (bare.isascii() and bare.isprintable()):
        raise ConfigurationError(
            "The chat server's API key holds characters no key has.", f"Copy {by.key} again."
        )
    return bare or None
