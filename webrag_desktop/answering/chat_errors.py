"""What can go wrong with a chat server, each in words of its own; no message ever holds the key."""

import socket

import httpx

from webrag_desktop.embedding.address import ServerAddress
from webrag_desktop.embedding.server_faults import Fault, fault_of, overflow_of, server_words
from webrag_desktop.errors import ChatError
from webrag_desktop.ingestion.fetching.retries import retry_after
from webrag_desktop.retrieval.reranking.chat import ContextOverflowError, LateReplyError, ModelLoadingError
from webrag_desktop.text.printable import title_line

_CHECK = "Check CHAT_BASE_URL or RETRIEVAL_RERANK_BASE_URL."
_CHECK_MODEL = (
    "Check RETRIEVAL_RERANK_MODEL and the address; with Ollama, fetch the model by: ollama pull MODEL."
)


# What servers say of these helps nobody, or holds a part of the key.
_WORDLESS = frozenset((Fault.ELSEWHERE, Fault.KEY, Fault.CREDIT))

# By family: what happened, and what to do beside what the server says itself.
_FAILURES = {
    Fault.ELSEWHERE: (
        "sends us elsewhere, and texts go only to the address you set",
        "Set the address to the final one.",
    ),
    Fault.KEY: ("did not accept the API key", "Check RETRIEVAL_RERANK_API_KEY or CHAT_API_KEY."),
    Fault.CREDIT: ("answers nothing: the account has no credit left", "Check the account's billing."),
    Fault.MISSING: ("does not have this model or endpoint", _CHECK_MODEL),
    Fault.UNSUPPORTED: ("does not chat", f"Start it so that it does, or name another one. {_CHECK}"),
    Fault.LOADING: ("is still loading its model", "Try again when that is done."),
    Fault.BUSY: ("has too much to do", "Try again later."),
    Fault.FAILED: ("failed", "Look into the server's log."),
}


class RequestRefusedError(ChatError):
    """The server does not want this request; ``words`` are its own reasons."""

    def __init__(self, message: str, hint: str | None = None, *, words: str = "") -> None:
        super().__init__(message, hint)
        self.words = words

    def __reduce__(self) -> tuple[type["RequestRefusedError"], tuple[str, str], dict[str, object]]:  # type: ignore[override]
        return type(self), (self.message, self.hint), {"words": self.words}


def transport_failure(
    error: httpx.RequestError | TimeoutError, address: ServerAddress, seconds: float, *, reached: bool
) -> ChatError:
    """The failure of a request that got no complete answer; ``reached`` says that it had a connection."""
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return ChatError(
            f"The chat server at {address} does not prove by a certificate who it is; nothing was sent.",
            f"{_CHECK} A server with a certificate of its own needs SSL_CERT_FILE to name that.",
        )
    late = isinstance(error, (TimeoutError, httpx.TimeoutException))
    if isinstance(error, httpx.ConnectError) or (late and not reached):
        return ChatError(
            f"No chat server answers at {address}.",
            f"Start the server. {_CHECK}",
            transient=not _nobody_there(error),
        )
    if late:
        return LateReplyError(f"The chat server at {address}", seconds)
    return ChatError(
        f"The connection to the chat server at {address} broke off.",
        "Check that the server still runs, then try again.",
        transient=True,
    )


def _nobody_there(error: BaseException) -> bool:
    """Whether nothing listens at the address, or no host has that name: seconds later it is just so."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, (ConnectionRefusedError, socket.gaierror)):
        cause = cause.__cause__ or cause.__context__
    return cause is not None


def status_failure(response: httpx.Response, address: ServerAddress, key: str | None) -> ChatError:
    """The failure that a server reported by its status; its own words go into the hint."""
    fault, said = fault_of(response), title_line(server_words(response, key))
    if fault is Fault.REFUSED:
        return RequestRefusedError(
            f"The chat server at {address} refused the request.", _join(said, _CHECK_MODEL), words=said
        )
    if fault is Fault.TOO_LONG:
        overflow = overflow_of(response)
        return ContextOverflowError(
            f"The chat server at {address}", context=overflow.context, sent=overflow.sent, words=said
        )
    happened, remedy = _FAILURES[fault]
    kind = ModelLoadingError if fault is Fault.LOADING else ChatError
    return kind(
        f"The chat server at {address} {happened}.",
        _join("" if fault in _WORDLESS else said, remedy),
        transient=fault in (Fault.LOADING, Fault.BUSY, Fault.FAILED),
        retry_after=retry_after(response.headers.multi_items()),
    )


def unreadable(address: ServerAddress, content: bytes) -> ChatError:
    """The failure of an answer that is none of a chat server's, or only a part of one."""
    if content.lstrip()[:1] == b"<":
        return ChatError(f"A web page answered at {address} instead of a chat server.", _CHECK)
    return ChatError(
        f"The answer of the chat server at {address} is incomplete or garbled.",
        "Try again; if it happens every time, look into the server's log.",
        transient=True,
    )


def too_large(address: ServerAddress, most_bytes: int) -> ChatError:
    """The failure of a request whose answer has no end."""
    return ChatError(f"The chat server at {address} answers with more than {most_bytes // 2**20} MB.", _CHECK)


def _join(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)
