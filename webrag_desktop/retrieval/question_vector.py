"""The question's vector, or the reason why there is none."""

import math
from dataclasses import dataclass, field, replace
from typing import Self

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.models import EmbeddingModel
from webrag_desktop.storage.spaces import StoredSpace

_WORDS_ONLY = "so the question was searched by its words only"


@dataclass(frozen=True, slots=True)
class QuestionVector:
    """``values`` is empty where there is no vector; ``degraded`` says why, or what is less than it can be."""

    values: list[float] = field(default_factory=list)
    degraded: str | None = None

    def also(self, reason: str | None) -> Self:
        """The same with one reason more, if there is one."""
        return replace(self, degraded=" ".join(filter(None, (self.degraded, reason))) or None)


def embed_question(
    text: str, embedder: Embedder | None, space: StoredSpace | None, tokenizer: Tokenizer | None
) -> QuestionVector:
    """Embed a question for a space. Nothing is raised: what fails here leaves the full text to answer.

    A question beyond the model's window is cut for the model, which ``degraded`` says, where a ``tokenizer``
    can tell; otherwise the embedder refuses it.
    """
    if space is None or embedder is None or not _same_model(embedder.model, space.space.model):
        return QuestionVector(degraded=f"{_obstacle(embedder, space)}, {_WORDS_ONLY}.")
    readable = _within_window(text, embedder.model, tokenizer)
    try:
        values = embedder.embed_query(readable)
    except EmbeddingError as error:
        return QuestionVector(degraded=f"The question could not be embedded, {_WORDS_ONLY}. {error.message}")
    if not _usable(values, embedder.model.dimensions):
        return QuestionVector(degraded=f"The embedding model gave no usable vector, {_WORDS_ONLY}.")
    if readable == text:
        return QuestionVector(values)
    return QuestionVector(
        values,
        f"The question is longer than the embedding model reads: its first {len(readable):,} characters were "
        "searched by meaning.",
    )


def _obstacle(embedder: Embedder | None, space: StoredSpace | None) -> str:
    if space is None:
        return "This library has no vectors yet"
    if embedder is None:
        return "There is no embedding model at hand"
    return f"This library was made with the embedding model {space.space.model.model}, not {embedder.model.model}"


def _same_model(one: EmbeddingModel, other: EmbeddingModel) -> bool:
    """Whether vectors compare; the floor is a matter of judging them."""
    return one.model_copy(update={"similarity_floor": other.similarity_floor}) == other


def _within_window(text: str, model: EmbeddingModel, tokenizer: Tokenizer | None) -> str:
    if tokenizer is None:
        return text
    room = model.max_tokens - tokenizer.special_tokens - tokenizer.count(model.query_prefix)
    starts = tokenizer.token_starts(text)
    return text if len(starts) <= room else text[: starts[room]].rstrip()


def _usable(values: list[float], dimensions: int) -> bool:
    return len(values) == dimensions and all(map(math.isfinite, values)) and any(values)
