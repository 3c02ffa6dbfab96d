"""The question's vector, or the reason why there is none."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.errors import ConfigurationError, EmbeddingError, InputError
from webrag_desktop.models.spaces import EmbeddingModel, StoredSpace
from webrag_desktop.progress import CancelToken

_TAKE_BACK = "Give back the query_embedding of an earlier result of this library unchanged, or leave it out."
_WORDS_ONLY = "so the question was searched by its words only"


@dataclass(frozen=True, slots=True)
class QuestionVector:
    """``values`` of ``model``, empty where there is no vector; a model of None is unknown.

    ``degraded`` says why, or what is less than it can be.
    """

    values: list[float] = field(default_factory=list)
    degraded: str | None = None
    model: EmbeddingModel | None = None

    def also(self, reason: str | None) -> Self:
        """The same with one reason more, if there is one."""
        return replace(self, degraded=" ".join(filter(None, (self.degraded, reason))) or None)

    def within(self, space: StoredSpace | None) -> "QuestionVector":
        """What may be compared with the vectors of ``space``: nothing, where those are of another model.

        Raises:
            InputError: a vector of an unknown model has another length than those of the space.
        """
        if space is None:
            return _words_only("This library has no vectors yet")
        dimensions = space.space.model.dimensions
        if self.model is None and self.values and len(self.values) != dimensions:
            raise InputError(
                f"The vector given for the question has {len(self.values)} numbers, but those of this library have "
                f"{dimensions}.",
                _TAKE_BACK,
            )
        if self.model is not None and not _same_model(self.model, space.space.model):
            made_with = space.space.model.model
            return _words_only(
                f"This library was made with the embedding model {made_with}, not {self.model.model}"
            )
        return self


def embed_question(
    text: str, embedder: Embedder | None, tokenizer: Tokenizer | None, cancel: CancelToken | None = None
) -> QuestionVector:
    """Embed a question. Nothing but a cancellation is raised: what fails here leaves the full text to answer.

    A question beyond the model's window is cut for the model, which ``degraded`` says, where there is a
    ``tokenizer`` to count with; otherwise the embedder refuses it.
    """
    if embedder is None:
        return _words_only("There is no embedding model at hand")
    readable = _within_window(text, embedder.model, tokenizer)
    try:
        values = embedder.embed_query(readable, cancel=cancel)
    except (EmbeddingError, ConfigurationError) as error:
        remedy = f" {error.hint}" if error.hint and not error.transient else ""
        return QuestionVector(
            degraded=f"The question could not be embedded, {_WORDS_ONLY}. {error.message}{remedy}"
        )
    if not _usable(values, embedder.model.dimensions):
        return _words_only("The embedding model gave no usable vector")
    return QuestionVector(values, _cut_notice(text, readable), embedder.model)


def given_question(
    values: Sequence[float], text: str, embedder: Embedder | None, tokenizer: Tokenizer | None
) -> QuestionVector:
    """A question whose vector is given; of the ``embedder`` only the length of its window is used.

    Raises:
        InputError: these are no numbers, not all of them are finite, or all are zero.
    """
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        numbers = [math.nan]
    if not (all(map(math.isfinite, numbers)) and any(numbers)):
        raise InputError(
            "The vector given for the question is none: it needs finite numbers that are not all zero.",
            _TAKE_BACK,
        )
    readable = _within_window(text, embedder.model, tokenizer) if embedder else text
    return QuestionVector(numbers, _cut_notice(text, readable))


def _cut_notice(text: str, readable: str) -> str | None:
    """A notice of how much of a question the model read; None where that was all."""
    if readable == text:
        return None
    return (
        f"The question is longer than the embedding model reads: its first {len(readable):,} characters were "
        "searched by meaning."
    )


def _words_only(reason: str) -> QuestionVector:
    return QuestionVector(degraded=f"{reason}, {_WORDS_ONLY}.")


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
