"""Asking an Ollama server, by its own interface, whether it is there and which models it holds."""

from webrag_desktop.embedding.transport import EmbeddingClient


def version(client: EmbeddingClient) -> str:
    """The server's version; raises :class:`~webrag_desktop.errors.EmbeddingError` if no Ollama answers."""
    answer = client.get(client.address.ollama("version"))
    found = answer.get("version") if isinstance(answer, dict) else None
    return found if isinstance(found, str) else ""


def has_model(client: EmbeddingClient, name: str) -> bool:
    """Whether the model was pulled; a name without a tag means ``:latest``, as in Ollama itself."""
    answer = client.get(client.address.ollama("tags"))
    models = answer.get("models") if isinstance(answer, dict) else None
    names = {_tagged(str(model.get("name", ""))) for model in models or () if isinstance(model, dict)}
    return _tagged(name) in names


def _tagged(name: str) -> str:
    return name if ":" in name.rsplit("/", 1)[-1] else f"{name}:latest"
