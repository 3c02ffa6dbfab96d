"""What goes over the wire: OpenAI's ``/v1/embeddings`` and Ollama's own ``/api/embed``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from webrag_desktop.embedding.catalog import known_model
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.servers.address import ServerAddress
from webrag_desktop.servers.listing import positive_count


@dataclass(frozen=True, slots=True)
class Answer:
    """The vectors as they came, in the order of the inputs; ``tokens`` is what the server counted, if it did."""

    rows: list[object]
    tokens: int | None


class EmbeddingProtocol(Protocol):
    """The requests for vectors to one kind of server."""

    @property
    def endpoint(self) -> str:
        """The address that requests go to."""

    def payload(self, inputs: Sequence[str]) -> dict[str, object]:
        """The request for the vectors of ``inputs``."""

    def answer(self, body: object, count: int) -> Answer:
        """Read the answer to ``count`` inputs; raises :class:`EmbeddingError` if it is none."""


@dataclass(frozen=True, slots=True)
class OpenAiProtocol:
    """``dimensions`` requests vectors of that length; only some models support it."""

    address: ServerAddress
    model: str
    dimensions: int | None = None

    @property
    def endpoint(self) -> str:
        """``/v1/embeddings``."""
        return self.address.openai("embeddings")

    def payload(self, inputs: Sequence[str]) -> dict[str, object]:
        """As OpenAI documents it."""
        payload: dict[str, object] = {
            "model": self.model,
            "input": list(inputs),
            "encoding_format": "float",
        }
        return payload if self.dimensions is None else payload | {"dimensions": self.dimensions}

    def answer(self, body: object, count: int) -> Answer:
        """Sorted by ``index``; servers may send the vectors in any order."""
        data = body.get("data") if isinstance(body, dict) else None
        if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
            raise _no_vectors("an OpenAI-compatible server")
        _check_number(len(data), count)
        places = [row.get("index", place) for place, row in enumerate(data)]
        if not all(isinstance(place, int) for place in places) or sorted(places) != list(range(count)):
            raise EmbeddingError(
                "The embedding server did not say clearly which vector belongs to which text, so none was used.",
                "Update the server, or use another one.",
            )
        ordered = sorted(range(count), key=places.__getitem__)
        usage = body.get("usage") if isinstance(body, dict) else None
        tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
        return Answer([data[place].get("embedding") for place in ordered], positive_count(tokens))


@dataclass(frozen=True, slots=True)
class OllamaProtocol:
    """Ollama's own interface: its ``/v1`` cuts long texts without a word and has no option for how many to read.

    Both sizes are the ``window``: a context of another size may have been set for the server, and a text beyond
    ``num_batch`` (512 unless said) has crashed the model in some versions.
    """

    address: ServerAddress
    model: str
    window: int
    dimensions: int | None = None

    @property
    def endpoint(self) -> str:
        """``/api/embed``."""
        return self.address.ollama("embed")

    def payload(self, inputs: Sequence[str]) -> dict[str, object]:
        """A text that is too long is to be refused, not cut."""
        payload: dict[str, object] = {
            "model": self.model,
            "input": list(inputs),
            "truncate": False,
            "options": {"num_ctx": self.window, "num_batch": self.window},
        }
        return payload if self.dimensions is None else payload | {"dimensions": self.dimensions}

    def answer(self, body: object, count: int) -> Answer:
        """Ollama keeps the order of the inputs."""
        rows = body.get("embeddings") if isinstance(body, dict) else None
        if not isinstance(rows, list):
            raise _no_vectors("an Ollama server")
        _check_number(len(rows), count)
        return Answer(rows, positive_count(body.get("prompt_eval_count") if isinstance(body, dict) else None))


def protocol_of(model: EmbeddingModel, address: ServerAddress) -> EmbeddingProtocol:
    """The protocol of the server of a model that is not embedded."""
    known = known_model(model.model)
    dimensions = model.dimensions if known is not None and known.reducible else None
    if model.backend == "ollama":
        return OllamaProtocol(address, model.model, model.max_tokens, dimensions)
    return OpenAiProtocol(address, model.model, dimensions)


def _check_number(got: int, count: int) -> None:
    if got != count:
        raise EmbeddingError(
            f"The embedding server gave {got} vectors for {count} texts, so none was used.",
            "Update the server, or lower EMBEDDING_BATCH_SIZE if it limits the texts per request.",
        )


def _no_vectors(expected: str) -> EmbeddingError:
    return EmbeddingError(
        "The embedding server answered with something other than a list of vectors. Nothing was stored.",
        f"Check that EMBEDDING_BASE_URL is the address of {expected}.",
    )
