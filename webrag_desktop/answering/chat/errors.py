"""The errors of chat servers, in the words of one caller; no message ever contains the key."""

import socket
from dataclasses import dataclass

import httpx

from webrag_desktop.errors import ChatError
from webrag_desktop.servers.address import ServerAddress
from webrag_desktop.servers.chat import (
    LARGER_CONTEXT,
    ContextOverflowError,
    LateReplyError,
    ModelLoadingError,
)
from webrag_desktop.servers.faults import Fault, ServerWords, fault_of, overflow_of, server_words
from webrag_desktop.servers.retries import retry_after
from webrag_desktop.text.printable import title_line


@dataclass(frozen=True, slots=True)
class CallerWords:
    """What messages about a chat server name for one purpose: the settings of address, model and key, and remedies.

    ``late`` is what helps where the server is slow, ``too_long`` where it does not read all, ``declined`` where the
    model will not.
    """

    address: str
    model: str
    key: str
    late: str
    too_long: str
    declined: str

    @property
    def check(self) -> str:
        """What to do where the server is not the one that was meant."""
        return f"Check {self.address}."

    @property
    def of_server(self) -> ServerWords:
        """What messages about any model server name."""
        does_not_chat = f"Start it so that it does, or name another one. {self.check}"
        return ServerWords(
            "chat server", "chat", "request", self.address, self.key, "", {Fault.UNSUPPORTED: does_not_chat}
        )

    def check_model(self, model: str, *, ollama: bool = False) -> str:
        """What to do where the server does not have the ``model``; ``ollama``: that is what it is."""
        if ollama:
            return f"Fetch it with: ollama pull {model}. Or name another one in {self.model}."
        return f"Check {self.model} and the address; with Ollama, fetch the model by: ollama pull {model}."


RERANKING = CallerWords(
    address="CHAT_BASE_URL or RETRIEVAL_RERANK_BASE_URL",
    model="RETRIEVAL_RERANK_MODEL",
    key="RETRIEVAL_RERANK_API_KEY or CHAT_API_KEY",
    late="Raise RETRIEVAL_RERANK_TIMEOUT, or lower RETRIEVAL_RERANK_MAX_CANDIDATES_TO_RERANK.",
    too_long=LARGER_CONTEXT,
    declined="Let another model judge (RETRIEVAL_RERANK_MODEL).",
)
ANSWERING = CallerWords(
    address="CHAT_BASE_URL",
    model="CHAT_MODEL",
    key="CHAT_API_KEY",
    late="Raise CHAT_TIMEOUT, or choose a smaller model (CHAT_MODEL).",
    too_long="Give the model a larger context (llama.cpp: -c, Ollama: CHAT_CONTEXT_TOKENS), or have less sent: set "
    "CHAT_CONTEXT_TOKENS to what the model reads, or lower CHAT_REPLY_TOKENS.",
    declined="Ask in other words, or let another model answer (CHAT_MODEL).",
)

_OLLAMA_PORT = ":11434"


class ModelMissingError(ChatError):
    """The server does not have the model, or not the endpoint."""


class RequestRefusedError(ChatError):
    """The server does not want this request; ``words`` are its own reasons."""

    def __init__(self, message: str, hint: str | None = None, *, words: str = "") -> None:
        super().__init__(message, hint)
        self.words = words

    def __reduce__(self) -> tuple[type["RequestRefusedError"], tuple[str, str], dict[str, object]]:  # type: ignore[override]
        return type(self), (self.message, self.hint), {"words": self.words}


@dataclass(frozen=True, slots=True)
class ChatFailures:
    """What can go wrong with one server, in the words of one caller; ``ollama``: name its remedies."""

    address: ServerAddress
    model: str
    key: str | None
    by: CallerWords
    ollama: bool = False
    server: str = "chat server"

    def transport(
        self, fault: Fault, error: BaseException | None, seconds: float, *, begun: bool = False
    ) -> ChatError:
        """The failure of a request that got no complete answer; ``begun``: a part of the answer came."""
        if fault is Fault.UNREACHABLE:
            return self._no_answer(error)
        if fault is Fault.SILENT:
            return LateReplyError(f"The chat server at {self.address}", seconds, self.by.late, begun=begun)
        if fault is Fault.CERTIFICATE:
            return ChatError(*self.by.of_server.of(fault, self.address))
        return self.broken_off()

    def _no_answer(self, error: BaseException | None) -> ChatError:
        if _caused_by(error, socket.gaierror):
            return ChatError(
                f"No chat server answers at {self.address}: no computer of that name was found.",
                f"{self.by.check} Without the network only a server on this computer can be used.",
            )
        looks_like_ollama = self.ollama or self.address.root.endswith(_OLLAMA_PORT)
        start = f"Start the server{' (ollama serve)' if looks_like_ollama else ''}. {self.by.check}"
        return ChatError(
            *self.by.of_server.of(Fault.UNREACHABLE, self.address, remedy=start),
            transient=not _caused_by(error, ConnectionRefusedError),  # seconds later it is just so
        )

    def broken_off(self) -> ChatError:
        """The connection ended before the answer did."""
        return ChatError(*self.by.of_server.of(Fault.BROKEN, self.address), transient=True)

    def status(self, response: httpx.Response) -> ChatError:
        """The failure that a server reported by its status; its own words go into the hint."""
        fault, said = fault_of(response), title_line(server_words(response, self.key))
        if fault is Fault.TOO_LONG:
            found = overflow_of(response)
            return self.overflow(context=found.context, sent=found.sent, words=said)
        if fault is Fault.MISSING and self.ollama:
            return ModelMissingError(
                f"Ollama at {self.address} does not have the model {self.model}.",
                self.by.check_model(self.model, ollama=True),
            )
        names_model = fault in (Fault.REFUSED, Fault.MISSING)
        remedy = self.by.check_model(self.model) if names_model else ""
        message, hint = self.by.of_server.of(fault, self.address, said, remedy=remedy)
        if fault is Fault.REFUSED:
            return RequestRefusedError(message, hint, words=said)
        if fault is Fault.MISSING:
            return ModelMissingError(message, hint)
        kind = ModelLoadingError if fault is Fault.LOADING else ChatError
        return kind(
            message,
            hint,
            transient=fault in (Fault.LOADING, Fault.BUSY, Fault.FAILED),
            retry_after=retry_after(response.headers.multi_items()),
        )

    def reported(self, error: object) -> ChatError:
        """The failure that a server reports within an answer: ``{"error": …}``."""
        inner = error.get("error") if isinstance(error, dict) else None
        code = inner.get("code") if isinstance(inner, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else 500
        return self.status(httpx.Response(status, json=error))

    def overflow(
        self, *, context: int | None = None, sent: int | None = None, words: str = ""
    ) -> ContextOverflowError:
        """The server does not read as much as it was sent."""
        who = f"The chat server at {self.address}"
        return ContextOverflowError(who, context=context, sent=sent, words=words, remedy=self.by.too_long)

    def read_in_part(self, counted: int) -> ContextOverflowError:
        """The server dropped a part of what it was sent, without a word; it ``counted`` so many tokens."""
        who = "The chat server read only a part of what it was sent: it"
        return ContextOverflowError(who, context=counted, remedy=self.by.too_long)

    def declined(self) -> ChatError:
        """The model will not answer."""
        return ChatError("The chat model declined to answer.", self.by.declined)

    def thought_only(self) -> ChatError:
        """The model used up what it may write before it said anything."""
        return ChatError(
            f"The chat model {self.model} used all that it may write for thinking, and said nothing.",
            "Raise CHAT_REPLY_TOKENS, or choose a model that does not think aloud (CHAT_MODEL).",
        )

    def blind(self) -> ChatError:
        """The model takes no pictures."""
        return ChatError(
            f"The chat model {self.model} takes no pictures.",
            "Set CHAT_IMAGES to false, or choose a model that sees (CHAT_MODEL).",
        )

    def unreadable(self, content: bytes) -> ChatError:
        """The failure of an answer that is none of a chat server's, or only a part of one."""
        if content.lstrip()[:1] == b"<":
            return ChatError(*self.by.of_server.web_page(self.address))
        return ChatError(*self.by.of_server.of(Fault.GARBLED, self.address), transient=True)

    def too_large(self, most_bytes: int) -> ChatError:
        """The failure of a request whose answer has no end."""
        return ChatError(*self.by.of_server.too_large(self.address, most_bytes))


def _caused_by(error: BaseException | None, kind: type[BaseException]) -> bool:
    cause = error
    while cause is not None and not isinstance(cause, kind):
        cause = cause.__cause__ or cause.__context__
    return cause is not None
