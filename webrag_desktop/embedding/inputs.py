"""Texts on their way to a model: checked against its window before anything is sent, and named if they fail."""

from collections.abc import Sequence
from dataclasses import dataclass

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.models.spaces import EmbeddingModel

_SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class ModelInput:
    """What the model is given for one text: prefix and text, with all its tokens, special ones included.

    ``name`` is how messages call the text.
    """

    text: str
    tokens: int
    name: str


def model_inputs(
    texts: Sequence[str], prefix: str, model: EmbeddingModel, tokenizer: Tokenizer
) -> list[ModelInput]:
    """The inputs for ``texts``; raises :class:`EmbeddingError` for the first that cannot be embedded."""
    total = len(texts)
    for position, text in enumerate(texts):
        check_text(text, position, total)
    inputs = []
    for position, text in enumerate(texts):
        tokens = tokenizer.count(prefix + text) + tokenizer.special_tokens
        check_window(tokens, model, position, total)
        inputs.append(ModelInput(prefix + text, tokens, f"{_which(position, total)} ({_beginning(text)})"))
    return inputs


def check_text(text: str, position: int = 0, total: int = 1) -> None:
    """Raise :class:`EmbeddingError` for a text no model can embed: blank, or not valid Unicode."""
    if not text.strip():
        raise EmbeddingError(
            f"{_which(position, total)} is blank, so it has no meaning to embed.", "Leave it out."
        )
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise EmbeddingError(
            f"{_which(position, total)} holds a broken character (half of a surrogate pair).",
            "Remove the character.",
        ) from error


def check_window(tokens: int, model: EmbeddingModel, position: int = 0, total: int = 1) -> None:
    """Raise :class:`EmbeddingError` if ``tokens``, prefix and special tokens included, exceed the window."""
    if tokens > model.max_tokens:
        raise EmbeddingError(
            f"{_which(position, total)} is {tokens} tokens long, and {model.model} reads at most "
            f"{model.max_tokens}. Nothing was cut off and nothing was stored.",
            "Split the text, or lower CHUNK_CHILD_TOKENS.",
        )


def _which(position: int, total: int) -> str:
    return "The text" if total == 1 else f"Text {position + 1} of {total}"


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return f"“{line}”" if len(line) <= _SHOWN_CHARACTERS else f"“{line[:_SHOWN_CHARACTERS].rstrip()}…”"
