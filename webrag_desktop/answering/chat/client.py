"""HTTP to one chat server, and the check whether its model can be used now."""

import json
import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from webrag_desktop.answering.chat.errors import (
    ANSWERING,
    RERANKING,
    CallerWords,
    ChatFailures,
    ModelMissingError,
)
from webrag_desktop.errors import ChatError, ConfigurationError
from webrag_desktop.models.stack import ChatStatus
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.address import ServerAddress, parse_address
from webrag_desktop.servers.client import ServerClient, Splitter, Waits
from webrag_desktop.servers.listing import is_ollama, listed_row, lists_nothing, rows_of, tagged
from webrag_desktop.text.printable import title_line

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

    def ollama_version(self, cancel: CancelToken, seconds: float = LIST_SECONDS) -> str | None:
        """The version that Ollama reports; None where the server is not Ollama."""
        answer, _ = self.json_if_offered(self.address.ollama("version"), cancel, seconds)
        version = answer.get("version") if isinstance(answer, dict) else None
        return version if isinstance(version, str) else None

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


_MOST_NAMES: Final = 3  # of what a server lists
_LONGEST_NAME: Final = 80
# Such servers hold one model, and answer by it whatever the name in a request is.
_ANSWERS_UNDER_ANY_NAME: Final = "llamacpp"


def check_chat(
    address: ServerAddress, model: str, key: str | None = None, cancel: CancelToken | None = None
) -> ChatStatus:
    """The status by what the server lists: the model is not used, and no text of the user is sent.

    Takes a few seconds at most.

    Raises:
        ConfigurationError: the key, or the environment's proxy or certificates, cannot be used.
        Cancelled: the token was set.
    """
    bare = checked_key(key, ANSWERING)
    http = ChatClient(address, bare, ChatFailures(address, model, bare, ANSWERING))
    return _Check(http, model, cancel or CancelToken()).status()


def served_models(address: ServerAddress, key: str | None, cancel: CancelToken) -> tuple[str, ...]:
    """The names of the models that a chat server lists, asked once; none where it keeps no list.

    Raises:
        ConfigurationError: the key, or the environment's proxy or certificates, cannot be used.
        ChatError: the server does not answer, or refuses.
        Cancelled: the token was set.
    """
    bare = checked_key(key, ANSWERING)
    http = ChatClient(address, bare, ChatFailures(address, "", bare, ANSWERING))
    listed, refusal = http.json_if_offered(address.openai("models"), cancel)
    if is_ollama(listed) or (lists_nothing(listed) and http.ollama_version(cancel) is not None):
        pulled = rows_of(http.json(address.ollama("tags"), cancel), "models")
        return tuple(name for row in pulled if isinstance(name := row.get("name"), str))
    if refusal is not None and not isinstance(refusal, ModelMissingError):
        raise refusal
    return tuple(name for row in rows_of(listed, "data") if isinstance(name := row.get("id"), str))


@dataclass(frozen=True, slots=True)
class _Check:
    http: ChatClient
    model: str
    cancel: CancelToken

    def status(self) -> ChatStatus:
        try:
            listed, refusal = self.http.json_if_offered(self.http.address.openai("models"), self.cancel)
        except ChatError as error:
            return self._of_model(ChatStatus("does not answer", error.message, error.hint))
        if is_ollama(listed) or (lists_nothing(listed) and self.http.ollama_version(self.cancel) is not None):
            return self._of_ollama()
        if refusal is not None and not isinstance(refusal, ModelMissingError):
            return self._of_model(ChatStatus("failing", refusal.message, refusal.hint))
        return self._of_others(listed)

    def _of_model(self, status: ChatStatus) -> ChatStatus:
        return replace(status, model=self.model, address=str(self.http.address))

    def _of_ollama(self) -> ChatStatus:
        try:
            version = self.http.ollama_version(self.cancel)
            pulled = rows_of(self.http.json(self.http.address.ollama("tags"), self.cancel), "models")
        except ChatError as error:
            return self._of_model(ChatStatus("failing", error.message, error.hint))
        row = next((row for row in pulled if row.get("name") == tagged(self.model)), None)
        if row is None:
            missing = f"Ollama runs, but it does not have the model {self.model}."
            remedy = ANSWERING.check_model(self.model, ollama=True)
            return self._of_model(ChatStatus("model missing", missing, remedy, version=version))
        detail = f"{self.model}, through Ollama at {self.http.address}."
        return self._of_model(ChatStatus("ready", detail, size=_size(row), version=version))

    def _of_others(self, listed: object) -> ChatStatus:
        rows = rows_of(listed, "data")
        if not rows or self._is_held(listed_row(listed, self.model)):
            return self._of_model(
                ChatStatus("ready", f"{self.model}, through the chat server at {self.http.address}.")
            )
        names = [title_line(str(row.get("id", "")))[:_LONGEST_NAME] for row in rows]
        others = " and others" if len(names) > _MOST_NAMES else ""
        return self._of_model(
            ChatStatus(
                "model missing",
                f"The chat server at {self.http.address} does not list the model {self.model}.",
                f"It lists {', '.join(names[:_MOST_NAMES])}{others}. Name one of them in CHAT_MODEL, or have the "
                "server load yours.",
            )
        )

    def _is_held(self, row: Mapping[str, Any]) -> bool:
        """Whether what the server lists is the model."""
        if row.get("owned_by") == _ANSWERS_UNDER_ANY_NAME:
            return True
        return self.model == row.get("id") or self.model in (row.get("aliases") or ())


def _size(row: Mapping[str, Any]) -> str | None:
    """How many parameters it has, such as ``8B``."""
    details = row.get("details")
    size = details.get("parameter_size") if isinstance(details, dict) else None
    return size.replace(".0B", "B") if isinstance(size, str) and size else None
