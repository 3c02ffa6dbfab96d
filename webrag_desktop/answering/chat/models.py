"""The chat models: the one that answers, by Ollama's own interface or OpenAI's, and the one that judges passages."""

import re
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Final

from webrag_desktop.answering.chat import ollama as ollama_chat
from webrag_desktop.answering.chat import openai as openai_chat
from webrag_desktop.answering.chat.client import CHAT_ENDPOINT, LIST_SECONDS, ChatClient, checked_key
from webrag_desktop.answering.chat.errors import ANSWERING, RERANKING, ChatFailures, RequestRefusedError
from webrag_desktop.answering.chat.ollama import OllamaModel
from webrag_desktop.answering.chat.openai import (
    Delta,
    Form,
    Lines,
    ServerSentEvents,
    payload_of,
    pieces_of,
    read_whole,
)
from webrag_desktop.errors import ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.address import ServerAddress
from webrag_desktop.servers.chat import (
    ChatEnd,
    ChatMessage,
    ChatPiece,
    ChatReply,
    ChatRequest,
    ContextOverflowError,
    JsonSchema,
    LateReplyError,
    reads_too_few,
)
from webrag_desktop.servers.client import Waits
from webrag_desktop.servers.listing import (
    OLLAMA_CHAT_CONTEXT,
    Sight,
    is_ollama,
    listed_context,
    lists_nothing,
    loaded_context,
    sight_of_props,
)
from webrag_desktop.servers.retries import MODEL_SERVERS, RetryPolicy

Pieces = Generator[ChatPiece, None, None]
_OF_PICTURES: Final = re.compile(r"\bimages?\b|image_url|multimodal|vision|mmproj", re.IGNORECASE)


def _is_of_pictures(error: ChatError) -> bool:
    """Whether the server's words say so; some of them come as if the server had failed."""
    return not isinstance(error, ContextOverflowError) and _OF_PICTURES.search(error.hint) is not None


class ServedChatModel:
    """A :class:`~webrag_desktop.servers.chat.StreamingChatModel` over HTTP.

    Which protocol is spoken is settled with the first question. The key goes to this one address, and redirects are
    never followed. ``context`` is the most tokens that the user lets a model read and write, None for what it can.
    ``retry`` is how a busy server is retried within the seconds that there are for the first piece.
    """

    def __init__(
        self,
        address: ServerAddress,
        model: str,
        key: str | None = None,
        context: int | None = None,
        retry: RetryPolicy = MODEL_SERVERS,
    ) -> None:
        """Contacts no server yet; raises ConfigurationError for a key that no request can hold."""
        bare = checked_key(key, ANSWERING)
        self._model = model
        self._most = context
        self._retry = retry
        self._http = ChatClient(address, bare, ChatFailures(address, model, bare, ANSWERING))
        self._ollama: bool | None = None  # not known yet
        self._listed: object = None
        self._form = Form()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    def context_tokens(self, cancel: CancelToken | None = None) -> int | None:
        """How many tokens the model reads and writes for one request, as far as server or user say; see the protocol.

        Raises:
            ConfigurationError: the proxy or the certificates that the environment names cannot be used.
            Cancelled: ``cancel`` was set.
        """
        token, listed = cancel or CancelToken(), None
        try:
            if self._is_ollama(token):
                return self._ollama_model(token).most_context(self._most)
            listed = self._listed_context(token)
        except ChatError:  # the request that follows reports what is wrong with the server, if anything
            pass
        return min(filter(None, (listed, self._most)), default=None)

    def sight(self, cancel: CancelToken | None = None) -> Sight:
        """Whether the model takes pictures, as far as the server reports it; see the protocol.

        Raises:
            ConfigurationError: the proxy or the certificates that the environment names cannot be used.
            Cancelled: ``cancel`` was set.
        """
        token, address = cancel or CancelToken(), self._http.address
        try:
            if self._is_ollama(token):
                can = self._ollama_model(token).can
                return ("sees" if "vision" in can else "blind") if can else "unknown"
            if not address.is_private:
                return "unknown"
            return sight_of_props(self._http.json(address.plain("props"), token))
        except ChatError:
            return "unknown"

    def stream(
        self, request: ChatRequest, *, seconds: float, cancel: CancelToken | None = None
    ) -> Iterator[ChatPiece]:
        """The reply as it comes; see the protocol. A server that is busy or loads its model is retried until then.

        Raises:
            ChatError: there is no (whole) reply; what was yielded before is valid.
            ContextOverflowError: of these, that the messages are too long, or a part of them was not read.
            ConfigurationError: the proxy or the certificates that the environment names cannot be used.
            Cancelled: ``cancel`` was set; the connection is shut down.
        """
        token = cancel or CancelToken()

        def attempt(left: float) -> tuple[ChatPiece, Pieces]:
            return self._begun(request, (left, seconds), token)

        try:
            first, others = replace(self._retry, seconds=seconds).run(attempt, token)
        except LateReplyError as late:  # knows only the time that the last attempt had
            raise LateReplyError(late.who, seconds, late.hint) from late
        with closing(others):
            yield first
            yield from others

    def _begun(
        self, request: ChatRequest, waits: tuple[float, float], token: CancelToken
    ) -> tuple[ChatPiece, Pieces]:
        """The first piece, and the others: where a server refuses the form of a request, of a weaker one."""
        ends, form = time.monotonic() + waits[0], self._form
        while True:
            left = max(ends - time.monotonic(), 0.001)
            pieces = self._pieces(request, form, (left, waits[1]), token)
            try:
                first = next(pieces)
            except ChatError as error:
                form = self._weaker(form, error, request)
            else:
                self._form = form
                return first, pieces

    def _weaker(self, form: Form, error: ChatError, request: ChatRequest) -> Form:
        """What to ask for after a refusal; raises the ``error`` where it is none, or nothing can be left out."""
        if request.images and _is_of_pictures(error):
            raise self._http.failures.blind() from error
        if isinstance(error, RequestRefusedError):
            weaker = form.without_what_was_refused(
                error.words, formatted=request.schema is not None, streamed=True
            )
            if weaker is not None:
                return weaker
        raise error

    def _pieces(
        self, request: ChatRequest, form: Form, waits: tuple[float, float], token: CancelToken
    ) -> Pieces:
        if self._is_ollama(token, waits[0]):
            return self._by_ollama(request, form, waits, token)
        return self._by_openai(request, form, waits, token)

    def _by_openai(
        self, request: ChatRequest, form: Form, waits: tuple[float, float], token: CancelToken
    ) -> Pieces:
        payload = openai_chat.payload_of(self._model, request, form, streamed=True)
        url = self._http.address.openai(CHAT_ENDPOINT)
        with closing(self._http.streamed(url, payload, ServerSentEvents, waits, token)) as events:
            for piece in pieces_of(self._read(events, openai_chat.read_event), self._http.failures):
                if isinstance(piece, ChatEnd) and reads_too_few(piece.prompt_tokens, request.messages):
                    raise self._http.failures.read_in_part(piece.prompt_tokens or 0)
                yield piece

    def _by_ollama(
        self, request: ChatRequest, form: Form, waits: tuple[float, float], token: CancelToken
    ) -> Pieces:
        model = self._ollama_model(token, waits[0])
        context = model.context_for(request, self._most)
        payload = ollama_chat.payload_of(self._model, request, form, model, context)
        url = self._http.address.ollama("chat")
        with closing(self._http.streamed(url, payload, Lines, waits, token)) as events:
            for piece in pieces_of(self._read(events, ollama_chat.read_event), self._http.failures):
                if isinstance(piece, ChatEnd):
                    self._require_all_read(piece.prompt_tokens, request, context, token)
                yield piece

    def _read(self, events: Iterator[bytes], read: Callable[[bytes, ChatFailures], Delta]) -> Iterator[Delta]:
        return (read(event, self._http.failures) for event in events)

    def _require_all_read(
        self, counted: int | None, request: ChatRequest, context: int, token: CancelToken
    ) -> None:
        """Raise ContextOverflowError where Ollama dropped a part of the messages, as it does without a word."""
        cut = ollama_chat.fills_context(counted, context)
        if not cut and ollama_chat.may_be_cut(counted, request):
            answer = self._http.json(self._http.address.ollama("version"), token)
            version = answer.get("version") if isinstance(answer, dict) else None
            cut = ollama_chat.counts_all(str(version or ""))
        if cut:
            raise self._http.failures.read_in_part(counted or 0)

    # -- The server -------------------------------------------------------------------------------------------

    def _is_ollama(self, token: CancelToken, seconds: float = LIST_SECONDS) -> bool:
        """Whether the server is Ollama; raises ChatError where no server answers."""
        if self._ollama is not None:
            return self._ollama
        address = self._http.address
        self._listed, refusal = self._http.json_if_offered(address.openai("models"), token, seconds)
        found = is_ollama(self._listed)
        if lists_nothing(self._listed):
            found = self._http.ollama_version(token, seconds) is not None
        if found:
            self._http.failures = replace(self._http.failures, ollama=True)
        if refusal is None or not refusal.transient:  # one that is busy reports later what it is
            self._ollama = found
        return found

    def _listed_context(self, token: CancelToken) -> int | None:
        if self._http.address.is_private:  # may be restarted with another one
            self._listed = self._http.json(self._http.address.openai("models"), token)
        return listed_context(self._listed, self._model)

    def _ollama_model(self, token: CancelToken, seconds: float = LIST_SECONDS) -> OllamaModel:
        """What Ollama reports of the model now; raises ChatError where it does not have it."""
        address = self._http.address
        shown = self._http.json(address.ollama("show"), token, {"model": self._model}, seconds)
        running = self._http.json(address.ollama("ps"), token, seconds=seconds)
        return ollama_chat.model_of(shown, loaded_context(running, self._model))


class OpenAiChatModel:
    """A :class:`~webrag_desktop.servers.chat.ChatModel` over HTTP.

    Redirects are never followed and the key goes to this one address. Where a server refuses a JSON
    schema, a JSON object is requested, then no format at all; what it accepts is used for the next request. A server in
    the private network is queried for the size of its context.
    """

    def __init__(self, address: ServerAddress, model: str, key: str | None = None) -> None:
        """Contacts no server yet; raises ConfigurationError for a key that no request can hold."""
        bare = checked_key(key, RERANKING)
        self._model = model
        self._http = ChatClient(address, bare, ChatFailures(address, model, bare, RERANKING))
        self._form = Form()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    def context_tokens(self, cancel: CancelToken | None = None) -> int | None:
        """How many tokens the server reads for one request, if it reports that; see :class:`ChatModel`.

        Raises:
            ConfigurationError: the proxy or the certificates that the environment names cannot be used.
            Cancelled: ``cancel`` was set.
        """
        address = self._http.address
        if not address.is_private:  # none of those that sell answers lists it
            return None
        token = cancel or CancelToken()
        try:
            listed = self._http.json(address.openai("models"), token)
            if is_ollama(listed):
                running = self._http.json(address.ollama("ps"), token)
                return loaded_context(running, self._model) or OLLAMA_CHAT_CONTEXT
            return listed_context(listed, self._model)
        except ChatError:  # the request that follows reports what is wrong with the server, if anything
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
            Cancelled: ``cancel`` was set; the call returns at once, also during a connection attempt.
        """
        ends, form, token = time.monotonic() + seconds, self._form, cancel or CancelToken()
        request = ChatRequest(messages, schema)
        while True:
            left = max(ends - time.monotonic(), 0.001)
            payload = payload_of(self._model, request, form, streamed=False)
            try:
                answer = self._http.content(
                    self._http.address.openai(CHAT_ENDPOINT), payload, Waits.same(left, seconds), token
                )
            except RequestRefusedError as refused:
                weaker = form.without_what_was_refused(refused.words, formatted=schema is not None)
                if weaker is None:
                    raise
                form = weaker
            else:
                self._form = form
                return read_whole(answer.content, self._http.failures)
