"""A chat model behind any server that speaks OpenAI's ``/v1/chat/completions``: OpenAI, Ollama, llama.cpp, vLLM …"""

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import httpx

from webrag_desktop.answering.chat_errors import (
    RequestRefusedError,
    status_failure,
    too_large,
    transport_failure,
    unreadable,
)
from webrag_desktop.answering.interruption import Interruption, interruptibly
from webrag_desktop.embedding.address import ServerAddress, parse_address
from webrag_desktop.errors import ChatError, ConfigurationError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.reranking.chat import ChatMessage, ChatReply, JsonSchema
from webrag_desktop.version import VERSION

# Ollama's own default since 0.6; a model that is not loaded yet may be given more, which the next look tells.
OLLAMA_CHAT_CONTEXT = 4_096


def is_ollama(listed: object) -> bool:
    """Whether ``/v1/models`` was answered by Ollama, which tells no sizes there."""
    return any(row.get("owned_by") == "library" for row in _rows(listed, "data"))


def listed_context(listed: object, model: str) -> int | None:
    """What ``/v1/models`` tells: llama.cpp as ``meta.n_ctx``, vLLM as ``max_model_len``."""
    rows = _rows(listed, "data")
    named = [row for row in rows if model == row.get("id") or model in _names(row)]
    row = next(iter(named or (rows if len(rows) == 1 else ())), {})
    meta = row.get("meta")
    return _size(meta.get("n_ctx") if isinstance(meta, dict) else row.get("max_model_len"))


def ollama_context(running: object, model: str) -> int:
    """What Ollama's ``/api/ps`` tells of a model that is loaded; a name without a tag means ``:latest``."""
    tagged = model if ":" in model.rsplit("/", 1)[-1] else f"{model}:latest"
    row = next((row for row in _rows(running, "models") if row.get("name") == tagged), {})
    return _size(row.get("context_length")) or OLLAMA_CHAT_CONTEXT


def _rows(answer: object, name: str) -> Sequence[Mapping[str, Any]]:
    rows = answer.get(name) if isinstance(answer, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _names(row: Mapping[str, Any]) -> Sequence[object]:
    aliases = row.get("aliases")
    return aliases if isinstance(aliases, list) else ()


def _size(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


CONNECT_SECONDS = 10.0
LOOK_SECONDS = 3.0  # for what a server lists of itself
MOST_ANSWER_BYTES = 4 * 2**20
_ENDPOINT = "chat/completions"

_Format = Literal["json_schema", "json_object", "none"]
_WEAKER: dict[_Format, _Format] = {"json_schema": "json_object", "json_object": "none"}


@dataclass(frozen=True, slots=True)
class _Form:
    """What is asked of a server beside the messages; not every one knows all of it."""

    format: _Format = "json_schema"
    lengths: bool = True  # of texts in a schema
    temperature: bool = True

    def without_what_was_refused(self, words: str, *, formatted: bool) -> "_Form | None":
        """What is left to ask for after a refusal; None where nothing can be left out."""
        if self.temperature and "temperature" in words.lower():
            return replace(self, temperature=False)
        if self.lengths and "maxlength" in words.lower():
            return replace(self, lengths=False)
        if formatted and self.format in _WEAKER:
            return replace(self, format=_WEAKER[self.format])
        return replace(self, temperature=False) if self.temperature else None


class OpenAiChatModel:
    """A :class:`~webrag_desktop.retrieval.reranking.chat.ChatModel` over HTTP.

    Redirects are never followed and the key goes to this one address. A server that refuses a JSON schema is asked for
    a JSON object, then for no format at all; what it takes is kept for the next request. One in this house is asked how
    much it reads at once.
    """

    def __init__(self, address: ServerAddress, model: str, key: str | None = None) -> None:
        """Contacts nobody yet; raises ConfigurationError for a key that no request can carry."""
        self._address = address
        self._model = model
        self._key = _checked(key)
        self._form = _Form()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    def context_tokens(self, cancel: CancelToken | None = None) -> int | None:
        """How many tokens the server reads for one request, if it tells; see :class:`ChatModel`.

        Raises:
            ConfigurationError: the proxy or the certificates that the environment names cannot be used.
            Cancelled: ``cancel`` was set.
        """
        if not self._address.is_private:  # none of those that sell answers lists it
            return None
        token = cancel or CancelToken()
        try:
            listed = self._listed(self._address.openai("models"), token)
            if is_ollama(listed):
                return ollama_context(self._listed(self._address.ollama("ps"), token), self._model)
            return listed_context(listed, self._model)
        except ChatError:  # the question that follows tells what is wrong with the server, if anything
            return None

    def reply(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seconds: float,
        cancel: CancelToken | None = None,
    ) -> ChatReply:
        """The answer to the messages, within so many ``seconds``; see :class:`ChatModel`.

        Raises:
            ChatError: there is none.
            ConfigurationError: the proxy or the certificates that the environment names cannot be used.
            Cancelled: ``cancel`` was set; nobody waits for the server then, nor for a connection to it.
        """
        ends, form, token = time.monotonic() + seconds, self._form, cancel or CancelToken()
        while True:
            left = max(ends - time.monotonic(), 0.001)
            try:
                reply = self._asked(_payload(self._model, messages, schema, form), left, seconds, token)
            except RequestRefusedError as refused:
                weaker = form.without_what_was_refused(refused.words, formatted=schema is not None)
                if weaker is None:
                    raise
                form = weaker
            else:
                self._form = form
                return reply

    def _asked(
        self, payload: dict[str, object], left: float, seconds: float, cancel: CancelToken
    ) -> ChatReply:
        url = self._address.openai(_ENDPOINT)
        return _read(self._content(url, payload, left, seconds, cancel), self._address)

    def _listed(self, url: str, cancel: CancelToken) -> object:
        """The JSON at ``url``, None where it is none."""
        try:
            return json.loads(self._content(url, None, LOOK_SECONDS, LOOK_SECONDS, cancel))
        except (ValueError, RecursionError):
            return None

    def _content(
        self,
        url: str,
        payload: dict[str, object] | None,
        left: float,
        seconds: float,
        cancel: CancelToken,
    ) -> bytes:
        interruption = Interruption()

        def request() -> httpx.Response:
            with self._client(left) as client:
                return self._response(client, url, payload, interruption)

        try:
            response = interruptibly(request, interruption, left, cancel)
        except (httpx.RequestError, TimeoutError) as error:
            raise transport_failure(error, self._address, seconds, reached=interruption.reached) from error
        if not response.is_success:
            raise status_failure(response, self._address, self._key)
        return response.content

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
                trust_env=not self._address.is_private,
                verify=httpx.create_ssl_context() if self._address.root.startswith("https:") else True,
            )
        except (ImportError, ValueError, OSError) as error:  # a kind of proxy or a file that there is not
            raise ConfigurationError(
                "The proxy or the certificates that the environment names cannot be used for the chat server.",
                "Set HTTPS_PROXY or ALL_PROXY to an HTTP proxy or remove them, and check SSL_CERT_FILE and "
                "SSL_CERT_DIR.",
            ) from error

    def _response(
        self,
        client: httpx.Client,
        url: str,
        payload: dict[str, object] | None,
        interruption: Interruption,
    ) -> httpx.Response:
        """The response with its body, as far as that is not without end."""
        method, extensions = "GET" if payload is None else "POST", {"trace": interruption.trace}
        body = bytearray()
        with client.stream(method, url, json=payload, extensions=extensions) as arriving:
            for part in arriving.iter_bytes():
                body += part
                if len(body) > MOST_ANSWER_BYTES:
                    raise too_large(self._address, MOST_ANSWER_BYTES)
                if interruption.stopped:
                    break
        kept = [
            (name, text)
            for name, text in arriving.headers.multi_items()
            if name in ("retry-after", "date", "location")
        ]
        return httpx.Response(arriving.status_code, headers=kept, content=bytes(body))


def chat_address(text: str) -> ServerAddress:
    """Read a chat server's address as people write it, with or without ``/v1`` and the endpoint.

    Raises :class:`ConfigurationError` for anything else than a host with an optional port and path.
    """
    try:
        return parse_address(re.sub(rf"/{_ENDPOINT}/?\Z", "", text.strip()))
    except ConfigurationError as error:
        raise ConfigurationError(
            "The chat server's address has to be a host with an optional port and path, without a user name, a "
            "password or a query.",
            "Set CHAT_BASE_URL or RETRIEVAL_RERANK_BASE_URL to something like http://localhost:11434.",
        ) from error


def _checked(key: str | None) -> str | None:
    """The key without what is around it; the driver would repeat in its errors one that no header can hold."""
    bare = (key or "").strip()
    if not (bare.isascii() and bare.isprintable()):
        raise ConfigurationError(
            "The chat server's API key holds characters no key has.",
            "Copy RETRIEVAL_RERANK_API_KEY or CHAT_API_KEY again.",
        )
    return bare or None


def _payload(
    model: str, messages: Sequence[ChatMessage], schema: JsonSchema | None, form: _Form
) -> dict[str, object]:
    payload: dict[str, object] = {
        "model": model,
        "messages": [{"role": one.role, "content": one.content} for one in messages],
        "stream": False,
    }
    if form.temperature:
        payload["temperature"] = 0
    if schema is not None and form.format == "json_schema":
        shape = schema.schema if form.lengths else _without_lengths(schema.schema)
        described = {"name": schema.name, "strict": True, "schema": shape}
        payload["response_format"] = {"type": "json_schema", "json_schema": described}
    elif schema is not None and form.format == "json_object":
        payload["response_format"] = {"type": "json_object"}
    return payload


def _without_lengths(schema: object) -> object:
    """The schema without limits to the length of texts, which not every server knows."""
    if isinstance(schema, Mapping):
        return {name: _without_lengths(value) for name, value in schema.items() if name != "maxLength"}
    return schema


def _read(content: bytes, address: ServerAddress) -> ChatReply:
    try:
        body = json.loads(content)
        choice = body["choices"][0]
        message, usage = choice["message"], body.get("usage")
        # Models that think aloud may have said nothing else, which is an answer all the same.
        text = "" if "content" in message and message["content"] is None else message.get("content")
        cut = choice.get("finish_reason") == "length"
        refused = bool(message.get("refusal"))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise unreadable(address, content) from error
    if refused or (isinstance(choice, dict) and choice.get("finish_reason") == "content_filter"):
        raise ChatError(
            "The chat model declined to answer.", "Let another model judge (RETRIEVAL_RERANK_MODEL)."
        )
    if not isinstance(text, str):
        raise unreadable(address, content)
    tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return ChatReply(text, cut, tokens if isinstance(tokens, int) and not isinstance(tokens, bool) else None)
