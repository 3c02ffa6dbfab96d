"""What can go wrong with an embedding server, each in words of its own; no message ever holds the key."""

import json
from dataclasses import dataclass

import httpx

from webrag_desktop.errors import EmbeddingError
from webrag_desktop.servers.address import ServerAddress
from webrag_desktop.servers.faults import Fault, fault_of, server_words
from webrag_desktop.servers.retries import retry_after

_SAFE = "Nothing is lost."

_FETCH_FROM_OLLAMA = (
    "Fetch the model with: ollama pull MODEL (and update an Ollama older than 0.3), or check EMBEDDING_MODEL."
)
_BUSY_WITH = {Fault.BUSY: "has too much to do", Fault.LOADING: "is still loading its model"}
_WHILE_BUSY = {
    Fault.BUSY: "Try again later, or lower EMBEDDING_MAX_WORKERS.",
    Fault.LOADING: "It answers once that is done.",
}
# What helps where a server reads less than the texts have.
READ_MORE = (
    "Give the server a larger context (llama.cpp: -c, and -b and -ub as large as a text), or set EMBEDDING_MAX_TOKENS "
    "to what it reads and run `webrag space move`."
)


class ServerUnreachableError(EmbeddingError):
    """Nothing answers at the embedding server's address, or not in time."""

    transient = True


class ServerSilentError(ServerUnreachableError):
    """The embedding server took the request and did not answer in time."""


class PriorityLockTimeoutError(EmbeddingError):
    """Another request of this program's has kept the server busy for too long."""

    transient = True


class KeyRefusedError(EmbeddingError):
    """The embedding server wants another API key."""


class ModelMissingError(EmbeddingError):
    """The server answers, but does not offer the model or the endpoint."""


class TextsRefusedError(EmbeddingError):
    """The server does not want these texts; others may do."""


class TextsTooLongError(TextsRefusedError):
    """The server reads less than one of these texts has."""


class NoEmbeddingsError(EmbeddingError):
    """The server answers, but was not started so that it embeds."""


class ServerFailedError(EmbeddingError):
    """Something broke inside the server, perhaps over one of the texts."""

    transient = True


class GarbledAnswerError(EmbeddingError):
    """A complete answer that cannot be parsed."""

    transient = True


class ServerBusyError(EmbeddingError):
    """The server may answer a later request."""

    transient = True
    retryable = True

    def __init__(self, message: str, hint: str | None = None, *, retry_after: float | None = None) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[type["ServerBusyError"], tuple[str, str], dict[str, float | None]]:  # type: ignore[override]
        return type(self), (self.message, self.hint), {"retry_after": self.retry_after}


# The words of servers about these do not help, or contain a part of the key.
_WORDLESS = frozenset((Fault.ELSEWHERE, Fault.KEY, Fault.CREDIT))

# By family: the error, what happened, and what to do beside what the server says itself.
_FAILURES: dict[Fault, tuple[type[EmbeddingError], str, str]] = {
    Fault.ELSEWHERE: (
        EmbeddingError,
        "sends us elsewhere, and texts go only to the address you set",
        "Set EMBEDDING_BASE_URL to the final address.",
    ),
    Fault.KEY: (KeyRefusedError, "did not accept the API key", "Check EMBEDDING_API_KEY."),
    Fault.CREDIT: (
        EmbeddingError,
        "embeds nothing: the account has no credit left",
        "Check the account's billing.",
    ),
    Fault.UNSUPPORTED: (
        NoEmbeddingsError,
        "does not embed texts",
        "Start it so that it does (llama.cpp: --embeddings), or set EMBEDDING_BASE_URL to a server that does.",
    ),
    Fault.TOO_LONG: (TextsTooLongError, "refused the texts as too long", READ_MORE),
    Fault.REFUSED: (
        TextsRefusedError,
        "refused the texts",
        "Check EMBEDDING_MODEL, or lower CHUNK_CHILD_TOKENS if texts are too long for it.",
    ),
    Fault.FAILED: (ServerFailedError, "failed", "Look into the server's log."),
}


@dataclass(frozen=True, slots=True)
class EmbeddingFailures:
    """What can go wrong with one embedding server as errors; ``ollama`` says whose remedies to name."""

    address: ServerAddress
    key: str | None = None
    ollama: bool = False
    server: str = "embedding server"

    def transport(
        self, fault: Fault, _error: BaseException | None, seconds: float, *, begun: bool = False
    ) -> EmbeddingError:
        """The failure of a request that got no complete answer."""
        address = self.address
        if fault is Fault.CERTIFICATE:
            return EmbeddingError(
                f"The embedding server at {address} does not prove by a certificate who it is. Nothing was sent.",
                "Check EMBEDDING_BASE_URL; a server with a certificate of its own needs SSL_CERT_FILE to name that.",
            )
        if fault is Fault.UNREACHABLE:
            start = "Start it (ollama serve), or" if self.ollama else "Start the server, or"
            return ServerUnreachableError(
                f"Nothing answers at {address}. {_SAFE}", f"{start} check EMBEDDING_BASE_URL."
            )
        if fault is Fault.SILENT:
            return ServerSilentError(
                f"The embedding server at {address} did not answer within {seconds:g} seconds. {_SAFE}",
                "Check that the server is not overloaded, or send less at once with EMBEDDING_BATCH_SIZE.",
            )
        if fault is Fault.BROKEN:
            return ServerBusyError(
                f"The connection to the embedding server at {address} broke off. {_SAFE}",
                "Check that the server still runs, then try again.",
            )
        if fault is Fault.GARBLED:
            return _garbled(address)
        return EmbeddingError(
            f"The embedding server at {address} cannot be used. {_SAFE}", "Check EMBEDDING_BASE_URL."
        )

    def status(self, response: httpx.Response) -> EmbeddingError:
        """The failure that a server reported by its status; its own words go into the hint."""
        address = self.address
        fault, said = fault_of(response), server_words(response, self.key)
        if fault is Fault.MISSING:
            remedy = _FETCH_FROM_OLLAMA if self.ollama else "Check EMBEDDING_MODEL and EMBEDDING_BASE_URL."
            return ModelMissingError(
                f"The embedding server at {address} does not have this model or endpoint. {_SAFE}",
                _join(said, remedy),
            )
        if fault in (Fault.LOADING, Fault.BUSY):
            return ServerBusyError(
                f"The embedding server at {address} {_BUSY_WITH[fault]}. {_SAFE}",
                _join(said, _WHILE_BUSY[fault]),
                retry_after=retry_after(response.headers.multi_items()),
            )
        kind, happened, remedy = _FAILURES[fault]
        words = "" if fault in _WORDLESS else said
        return kind(f"The embedding server at {address} {happened}. {_SAFE}", _join(words, remedy))

    def too_large(self, most_bytes: int) -> EmbeddingError:
        """The failure of a request whose answer has no end, or is none of an embedding server's."""
        return EmbeddingError(
            f"The embedding server at {self.address} answers with more than {most_bytes // (1024 * 1024)} MB. {_SAFE}",
            "Check EMBEDDING_BASE_URL, or send less at once with EMBEDDING_BATCH_SIZE.",
        )


def decoded(response: httpx.Response, address: ServerAddress) -> object:
    """The answer's JSON; raises :class:`EmbeddingError` for a web page and for anything cut or garbled."""
    if response.content.lstrip()[:1] == b"<":
        raise EmbeddingError(
            f"A web page answered at {address} instead of an embedding server. {_SAFE}",
            "Check EMBEDDING_BASE_URL.",
        )
    try:
        answer: object = json.loads(response.content)
    except (ValueError, RecursionError) as error:
        raise _garbled(address) from error
    return answer


def _garbled(address: ServerAddress) -> EmbeddingError:
    return GarbledAnswerError(
        f"The answer of the embedding server at {address} is incomplete or garbled. {_SAFE}",
        "Try again; if it happens every time, look into the server's log.",
    )


def _join(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)
