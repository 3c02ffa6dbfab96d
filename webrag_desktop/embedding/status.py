"""Whether the embedding model can be used right now, and what to do if not."""

from dataclasses import dataclass

from webrag_desktop.embedding import ollama
from webrag_desktop.embedding.model_file import installed_model_file, verified_model_file
from webrag_desktop.embedding.server_errors import KeyRefusedError, ServerUnreachableError
from webrag_desktop.embedding.servers import PROBE_TIMEOUT, open_client
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.transport import JsonClient
from webrag_desktop.errors import EmbeddingError, WebragError
from webrag_desktop.models import EmbeddingModel


@dataclass(frozen=True, slots=True)
class BackendStatus:
    """What a look at the backend found; ``problem`` and ``remedy`` are None when it can be used.

    ``address`` is None for the embedded model. ``model_present`` is None where it cannot be told.
    """

    backend: str
    model: str
    address: str | None = None
    reachable: bool = False
    model_present: bool | None = None
    version: str | None = None
    problem: str | None = None
    remedy: str | None = None

    @property
    def ok(self) -> bool:
        """Whether embedding should work."""
        return self.problem is None


def check_backend(model: EmbeddingModel, options: EmbeddingOptions) -> BackendStatus:
    """Look, without embedding anything; takes a few seconds at most and never raises for a missing server."""
    if model.backend == "embedded":
        return _check_embedded(model)
    try:
        client = open_client(model.backend, options, timeout=PROBE_TIMEOUT)
    except WebragError as error:
        return BackendStatus(model.backend, model.model, problem=error.message, remedy=error.hint)
    try:
        return _check_ollama(model, client) if model.backend == "ollama" else _check_openai(model, client)
    except EmbeddingError as error:
        return BackendStatus(
            model.backend,
            model.model,
            address=str(client.address),
            reachable=not isinstance(error, ServerUnreachableError),
            problem=error.message,
            remedy=error.hint,
        )
    finally:
        client.close()


def _check_embedded(model: EmbeddingModel) -> BackendStatus:
    try:
        verified_model_file(installed_model_file())
    except EmbeddingError as error:
        return BackendStatus(
            model.backend, model.model, reachable=True, model_present=False, problem=error.message, remedy=error.hint
        )
    return BackendStatus(model.backend, model.model, reachable=True, model_present=True)
