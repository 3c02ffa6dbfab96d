"""Whether the embedding model can be used right now, and what to do if not."""

from dataclasses import replace
from typing import Final

from webrag_desktop.embedding.client import (
    PROBE_TIMEOUT,
    EmbeddingClient,
    ollama_has_model,
    ollama_version,
    open_client,
)
from webrag_desktop.embedding.fused.model_store import installed_model_file, verified_model_file
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.protocols import protocol_of
from webrag_desktop.embedding.server_check import KNOWN_TEXT
from webrag_desktop.embedding.server_errors import (
    ModelMissingError,
    ServerSilentError,
    ServerUnreachableError,
)
from webrag_desktop.embedding.vectors import unit_vectors
from webrag_desktop.errors import EmbeddingError, WebragError
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.models.stack import BackendStatus
from webrag_desktop.servers.listing import aliases_of, rows_of
from webrag_desktop.servers.retries import ONCE

_MOST_NAMES: Final = 3  # of what a server lists
_LONGEST_NAME: Final = 80


def check_backend(model: EmbeddingModel, options: EmbeddingOptions) -> BackendStatus:
    """Look, and have a server embed a known text: lists of names tell little of what it does.

    Nothing of the user's is sent. Takes a few seconds at most and never raises for a missing server.
    """
    if model.backend == "embedded":
        return _check_embedded(model)
    try:
        client = open_client(model.backend, options, timeout=PROBE_TIMEOUT, retry=ONCE)
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


def _check_ollama(model: EmbeddingModel, client: EmbeddingClient) -> BackendStatus:
    """Only a model that is not listed is used: Ollama would load it, which takes long."""
    version = ollama_version(client)
    present = ollama_has_model(client, model.model) or _embeds(model, client)
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


def _embeds(model: EmbeddingModel, client: EmbeddingClient) -> bool:
    try:
        _embed_known_text(model, client)
    except ModelMissingError:
        return False
    return True


def _check_openai(model: EmbeddingModel, client: EmbeddingClient) -> BackendStatus:
    well = BackendStatus(model.backend, model.model, address=str(client.address), reachable=True)
    try:
        _embed_known_text(model, client)
    except ModelMissingError as error:
        remedy = " ".join(filter(None, (error.hint, _offer(_listed_models(client)))))
        return replace(well, model_present=False, problem=error.message, remedy=remedy)
    except ServerSilentError:
        _listed_models(client)  # raises where it is silent altogether
        return replace(well, note=f"It was busy: a text was not embedded within {client.timeout:g} seconds.")
    return replace(well, model_present=True, note=_other_name(model, client))


def _embed_known_text(model: EmbeddingModel, client: EmbeddingClient) -> None:
    """Raise what the server answers, if that is no vector of the model's."""
    protocol = protocol_of(model, client.address)
    timed = client.post(protocol.endpoint, protocol.payload([model.document_prefix + KNOWN_TEXT]))
    unit_vectors(protocol.answer(timed.body, 1).rows, count=1, dimensions=model.dimensions)


def _other_name(model: EmbeddingModel, client: EmbeddingClient) -> str | None:
    """That the server calls a model that it embeds with by another name, as llama.cpp does by that of its file."""
    try:
        listed = _listed_models(client)
    except EmbeddingError:
        return None  # it embeds, whatever its list does
    if not listed or model.model in listed:
        return None
    return f"It embeds under the name {model.model}, which it does not list. {_offer(listed)}"


def _offer(listed: list[str]) -> str:
    if not listed:
        return ""
    shown = ", ".join(" ".join(name.split())[:_LONGEST_NAME] for name in listed[:_MOST_NAMES])
    return f"The server lists {shown}{' and others' if len(listed) > _MOST_NAMES else ''}."


def _listed_models(client: EmbeddingClient) -> list[str]:
    """The names and aliases that the server lists; none where it keeps no list."""
    try:
        answer = client.get(client.address.openai("models"))
    except ModelMissingError:
        return []
    named = [(row.get("id"), *aliases_of(row)) for row in rows_of(answer, "data")]
    return list(dict.fromkeys(name for names in named for name in names if isinstance(name, str)))
