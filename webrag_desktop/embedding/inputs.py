"""Checking texts against the model's window and packing them into requests, before anything is sent."""

from collections.abc import Sequence

from webrag_desktop.errors import EmbeddingError
from webrag_desktop.models import EmbeddingModel


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


def pack(token_counts: Sequence[int], *, max_texts: int, max_tokens: int) -> list[range]:
    """Consecutive texts in as few requests as the two limits allow; a longer single text goes alone."""
    batches: list[range] = []
    start = tokens = 0
    for index, count in enumerate(token_counts):
        if index > start and (index - start == max_texts or tokens + count > max_tokens):
            batches.append(range(start, index))
            start, tokens = index, 0
        tokens += count
    if token_counts:
        batches.append(range(start, len(token_counts)))
    return batches


def _which(position: int, total: int) -> str:
    return "The text" if total == 1 else f"Text {position + 1} of {total}"
