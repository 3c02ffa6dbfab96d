"""The errors of embedding servers, by kind of failure; no message ever contains the key."""

import json
from dataclasses import dataclass

import httpx

from webrag_desktop.errors import EmbeddingError
from webrag_desktop.servers.address import ServerAddress
from webrag_desktop.servers.faults import Fault, ServerWords, fault_of, server_words
from webrag_desktop.servers.retries import retry_after

_FETCH_FROM_OLLAMA = (
    "Fetch the model with: ollama pull MODEL (and update an Ollama older than 0.3), or check EMBEDDING_MODEL."
)
# What helps where a server reads less than the texts have.
READ_MORE = (
    "Give the server a larger context (llama.cpp: -c, and -b and -ub as large as a text), or set EMBEDDING_MAX_TOKENS "
    "to what it reads and run `webrag space move`."
)


class ServerUnreachableError(EmbeddingError):
    """No server answers at the embedding server's address, or not in time."""

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


_WORDS = ServerWords(
    server="embedding server",
    purpose="embed texts",
    sent="texts",
    address="EMBEDDING_BASE_URL",
    key="EMBEDDING_API_KEY",
    lost="Nothing is lost.",
    remedies={
        Fault.SILENT: "Check that the server is not overloaded, or send less at once with EMBEDDING_BATCH_SIZE.",
        Fault.UNSUPPORTED: "Start it so that it does (llama.cpp: --embeddings), or set EMBEDDING_BASE_URL to a server "
        "that does.",
        Fault.TOO_LONG: READ_MORE,
        Fault.REFUSED: "Check EMBEDDING_MODEL, or lower CHUNK_CHILD_TOKENS if texts are too long for it.",
        Fault.MISSING: "Check EMBEDDING_MODEL and EMBEDDING_BASE_URL.",
        Fault.BUSY: "Try again later, or lower EMBEDDING_MAX_WORKERS.",
    },
)
_KINDS: dict[Fault, type[EmbeddingError]] = {
    Fault.UNREACHABLE: ServerUnreachableError,
    Fault.SILENT: ServerSilentError,
    Fault.BROKEN: ServerBusyError,
    Fault.GARBLED: GarbledAnswerError,
    Fault.KEY: KeyRefusedError,
    Fault.MISSING: ModelMissingError,
    Fault.UNSUPPORTED: NoEmbeddingsError,
    Fault.TOO_LONG: TextsTooLongError,
    Fault.REFUSED: TextsRefusedError,
    Fault.FAILED: ServerFailedError,
}


@dataclass(frozen=True, slots=True)
class EmbeddingFailures:
    """What can go wrong with one embedding server as errors; ``ollama`` says whose remedies to name."""

    address: ServerAddress
    key: str | None = None
    ollama: bool = False
    server: str = _WORDS.server

    def transport(
        self, fault: Fault, _error: BaseException | None, seconds: float, *, begun: bool = False
    ) -> EmbeddingError:
        """The failure of a request that got no complete answer."""
        start = "Start it (ollama serve), or" if self.ollama else "Start the server, or"
        remedy = f"{start} check EMBEDDING_BASE_URL." if fault is Fault.UNREACHABLE else ""
        return _KINDS.get(fault, EmbeddingError)(
            *_WORDS.of(fault, self.address, seconds=seconds, remedy=remedy)
        )

    def status(self, response: httpx.Response) -> EmbeddingError:
        """The failure that a server reported by its status; its own words go into the hint."""
        fault, said = fault_of(response), server_words(response, self.key)
        remedy = _FETCH_FROM_OLLAMA if fault is Fault.MISSING and self.ollama else ""
        message, hint = _WORDS.of(fault, self.address, said, remedy=remedy)
        if fault in (Fault.LOADING, Fault.BUSY):
            return ServerBusyError(message, hint, retry_after=retry_after(response.headers.multi_items()))
        return _KINDS.get(fault, EmbeddingError)(message, hint)

    def too_large(self, most_bytes: int) -> EmbeddingError:
        """The failure of a request whose answer has no end, or is none of an embedding server's."""
        message, hint = _WORDS.too_large(self.address, most_bytes)
        return EmbeddingError(message, f"{hint[:-1]}, or send less at once with EMBEDDING_BATCH_SIZE.")


def decoded(response: httpx.Response, address: ServerAddress) -> object:
    """The answer's JSON; raises :class:`EmbeddingError` for a web page and for anything cut or garbled."""
    if response.content.lstrip()[:1] == b"<":
        raise EmbeddingError(*_WORDS.web_page(address))
    try:
        answer: object = json.loads(response.content)
    except (ValueError, RecursionError) as error:
        raise GarbledAnswerError(*_WORDS.of(Fault.GARBLED, address)) from error
    return answer
