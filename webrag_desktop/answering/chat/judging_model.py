"""A chat model behind any server that speaks OpenAI's ``/v1/chat/completions``: OpenAI, Ollama, llama.cpp, vLLM …"""

import time
from collections.abc import Sequence

from webrag_desktop.answering.chat.errors import RERANKING, ChatFailures, RequestRefusedError
from webrag_desktop.answering.chat.http import CHAT_ENDPOINT, ChatClient, checked_key
from webrag_desktop.answering.chat.openai import Form, payload_of, read_whole
from webrag_desktop.answering.chat.streaming import ChatRequest
from webrag_desktop.errors import ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.reranking.chat import ChatMessage, ChatReply, JsonSchema
from webrag_desktop.servers.address import ServerAddress
from webrag_desktop.servers.client import Waits
from webrag_desktop.servers.listing import OLLAMA_CHAT_CONTEXT, is_ollama, listed_context, loaded_context


class OpenAiChatModel:
    """A :class:`~webrag_desktop.retrieval.reranking.chat.ChatModel` over HTTP.

    Redirects are never followed and the key goes to this one address. A server that refuses a JSON schema is asked for
    a JSON object, then for no format at all; what it takes is kept for the next request. One in this house is asked how
    much it reads at once.
    """

    def __init__(self, address: ServerAddress, model: str, key: str | None = None) -> None:
        """Contacts nobody yet; raises ConfigurationError for a key that no request can carry."""
        bare = checked_key(key, RERANKING)
        self._model = model
        self._http = ChatClient(address, bare, ChatFailures(address, model, bare, RERANKING))
        self._form = Form()

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
        address = self._http.address
        if not address.is_private:  # none of those that sell answers lists it
            return None
        token = cancel or CancelToken()
        try:
            listed = self._http.look(address.openai("models"), token)
            if is_ollama(listed):
                running = self._http.look(address.ollama("ps"), token)
                return loaded_context(running, self._model) or OLLAMA_CHAT_CONTEXT
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
