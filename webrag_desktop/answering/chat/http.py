"""HTTP to one chat server."""

import json
import re
from collections.abc import Callable, Generator

from webrag_desktop.answering.chat.errors import RERANKING, CallerWords, ChatFailures
from webrag_desktop.errors import ChatError, ConfigurationError
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.address import ServerAddress, parse_address
from webrag_desktop.servers.client import ServerClient, Splitter, Waits

LIST_SECONDS = 3.0  # for what a server lists of itself
MOST_ANSWER_BYTES = 4 * 2**20
MOST_STREAM_BYTES = 64 * 2**20  # each word of a stream is wrapped in some hundred bytes
CHAT_ENDPOINT = "chat/completions"


class ChatClient(ServerClient[ChatFailures]):
    """One server's endpoints; may be used from several threads. Every request has a connection of its own."""

    def __init__(self, address: ServerAddress, key: str | None, failures: ChatFailures) -> None:
        """Contacts no server yet."""
        super().__init__(address, key, failures, most_bytes=MOST_ANSWER_BYTES)

    def json(
        self,
        url: str,
        cancel: CancelToken,
        payload: dict[str, object] | None = None,
        seconds: float = LIST_SECONDS,
    ) -> object:
        """The JSON of a short answer, None where it is none; raises as :meth:`content` does."""
        return _json(self.content(url, payload, Waits.same(seconds), cancel).content)

    def json_if_offered(
        self, url: str, cancel: CancelToken, seconds: float = LIST_SECONDS
    ) -> tuple[object, ChatError | None]:
        """As :meth:`json`; where the server refuses it, None and why."""
        response = self.response(url, None, Waits.same(seconds), cancel)
        if response.is_success:
            return _json(response.content), None
        return None, self.failures.status(response)

    def streamed(
        self,
        url: str,
        payload: dict[str, object],
        splitter: Callable[[], Splitter],
        waits: tuple[float, float],
        cancel: CancelToken,
    ) -> Generator[bytes, None, None]:
        """As :meth:`events`, of as many bytes as replies have."""
        return self.events(url, payload, splitter, waits, MOST_STREAM_BYTES, cancel)


def _json(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def chat_address(text: str, by: CallerWords = RERANKING) -> ServerAddress:
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


def checked_key(key: str | None, by: CallerWords) -> str | None:
    """The key without what is around it; the driver would repeat in its errors one that no header can hold.

    Raises :class:`ConfigurationError` for such a one.
    """
    bare = (key or "").strip()
    if not (bare.isascii() and bare.isprintable()):
        raise ConfigurationError(
            "The chat server's API key holds characters no key has.", f"Copy {by.key} again."
        )
    return bare or None
