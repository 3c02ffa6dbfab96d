"""Whether the embedding model can be used right now, and what to do if not."""

from dataclasses import dataclass

from webrag_desktop.embedding import ollama
from webrag_desktop.embedding.model_file import installed_model_file, verified_model_file
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.server_errors import ModelMissingError, ServerUnreachableError
from webrag_desktop.embedding.servers import PROBE_TIMEOUT, open_client
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
            model.backend,
            model.model,
            reachable=True,
            model_present=False,
            problem=error.message,
            remedy=error.hint,
        )
    return BackendStatus(model.backend, model.model, reachable=True, model_present=True)


def _check_ollama(model: EmbeddingModel, client: JsonClient) -> BackendStatus:
    version = ollama.version(client)
    present = ollama.has_model(client, model.model)
    missing = None if present else f"Ollama runs, but it does not have the model {model.model}."
    return BackendStatus(
        model.backend,
        model.model,
        address=str(client.address),
        reachable=True,
        model_present=present,
        version=version,
        problem=missing,
        remedy=None if present else f"Fetch it with: ollama pull {model.model}",
    )


def _check_openai(model: EmbeddingModel, client: JsonClient) -> BackendStatus:
    listed = _listed_models(client)
    missing = listed is not None and model.model not in listed
    return BackendStatus(
        model.backend,
        model.model,
        address=str(client.address),
        reachable=True,
        model_present=None if listed is None else not missing,
        problem=f"The embedding server does not offer the model {model.model}." if missing else None,
        remedy="Load the model in the server, or change EMBEDDING_MODEL." if missing else None,
    )


def _listed_models(client: JsonClient) -> set[str] | None:
    """The names the server lists, or None where it keeps no list (it may embed all the same)."""
    try:
        answer = client.get(client.address.openai("models"))
    except ModelMissingError:
        return None
    data = answer.get("data") if isinstance(answer, dict) else None
    return {str(row.get("id")) for row in data if isinstance(row, dict)} if isinstance(data, list) else None
