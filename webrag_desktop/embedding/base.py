"""The contracts of embedders and tokenizers, and the checks that every input and every vector passes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from webrag_desktop.errors import EmbeddingError
from webrag_desktop.models.spaces import EmbeddingModel

if TYPE_CHECKING:
    from webrag_desktop.progress import CancelToken


class Embedder(Protocol):
    """Turns texts into unit vectors of ``model.dimensions``; may be called from several threads at once."""

    @property
    def model(self) -> "EmbeddingModel":
        """The model the vectors belong to; vectors of different models are never compared."""

    def embed_texts(self, texts: list[str], *, cancel: "CancelToken | None" = None) -> list[list[float]]:
        """One unit vector per passage, in order, the document prefix applied here; all of them or none.

        Raises :class:`~webrag_desktop.errors.EmbeddingError`, also for a blank text and for one longer than
        the model's window: nothing is cut off silently. ``cancel`` is checked between units of work and ends
        waits for a server; :class:`~webrag_desktop.errors.Cancelled` is raised then.
        """

    def embed_query(self, text: str, *, cancel: "CancelToken | None" = None) -> list[float]:
        """The unit vector of a question, the query prefix applied here; raises as :meth:`embed_texts`."""

    def close(self) -> None:
        """Release connections and memory; the embedder must not be used afterwards."""


@runtime_checkable
class BulkEmbedder(Embedder, Protocol):
    """An :class:`Embedder` that can be given texts before the vectors of earlier ones were taken."""

    def begin_texts(
        self, texts: list[str], *, cancel: "CancelToken | None" = None, ahead: bool = False
    ) -> "Callable[[], list[list[float]]]":
        """Begin to embed as :meth:`embed_texts` does; what is returned waits for the vectors.

        What was begun ``ahead`` is embedded only while nothing else is. Blank and long texts are refused here, all
        else is raised by what is returned.
        """


class Tokenizer(Protocol):
    """Counts tokens as the embedding model does. Texts hold no lone surrogates; any length is fine."""

    @property
    def name(self) -> str:
        """The name under which :func:`~webrag_desktop.embedding.factory.open_tokenizer` gives it again."""

    @property
    def special_tokens(self) -> int:
        """How many tokens the model adds around one input; they count towards its window."""

    def token_starts(self, text: str) -> Sequence[int]:
        """For every token of ``text``, the offset of its first code point: never descending, specials left out.

        Several tokens may start at one code point (a token can be a part of it).
        """

    def count(self, text: str) -> int:
        """``len(token_starts(text))``, cheaper."""


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


class InvalidVectorError(EmbeddingError):
    """A vector without length or with numbers that are none; perhaps over one of the texts only."""


_UNUSABLE = "Nothing was stored. Trying again may help; if it does not, the model or its server is broken."


def unit_vectors(
    rows: Sequence[object], *, count: int, dimensions: int, as_set: bool = False
) -> list[list[float]]:
    """The rows as vectors of length 1; raises :class:`EmbeddingError` unless all of them can be used.

    ``as_set`` says that the dimensions are what the settings ask for, which may be what is wrong.

    Refused: another number of rows or numbers per row than expected, anything not finite, a zero vector.
    Rows that are unit vectors already (within 1e-6) are returned bit for bit.
    """
    try:
        array = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EmbeddingError(
            "The embedding model answered with something other than vectors.", _UNUSABLE
        ) from error
    if len(array) != count:
        raise EmbeddingError(
            f"The embedding model gave {len(array)} vectors for {count} texts, so none was used.", _UNUSABLE
        )
    if count == 0:
        return []
    _check_dimensions(array, dimensions, as_set)
    norms = _checked_norms(array)
    scale = np.where(np.abs(norms - 1.0) > 1e-6, norms, 1.0)
    unit: list[list[float]] = (array / scale[:, None]).tolist()
    return unit


def _check_dimensions(array: npt.NDArray[np.float64], dimensions: int, as_set: bool) -> None:
    if array.ndim != 2:
        raise EmbeddingError(
            "The embedding model gave no plain list of numbers per text. Nothing was stored.",
            "Check that EMBEDDING_MODEL names an embedding model, and that the server runs it as one.",
        )
    given = array.shape[1]
    if given == dimensions:
        return
    if as_set and given:
        raise EmbeddingError(
            f"The embedding model gave {given} numbers per text, but EMBEDDING_DIMENSIONS says {dimensions}. "
            "Nothing was stored.",
            f"Set EMBEDDING_DIMENSIONS to {given}, or leave it out for a model that this program knows. (A move begun "
            "with the wrong number is ended by `webrag space cancel`; where a library has worked with this one, "
            "EMBEDDING_MODEL names another model now.)",
        )
    raise EmbeddingError(
        f"The embedding model gave {given} numbers per text, but {dimensions} were expected. Nothing was stored.",
        "Check that EMBEDDING_MODEL names the model that is meant, and that the server runs that one under this name.",
    )


def _checked_norms(array: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):
        norms: npt.NDArray[np.float64] = np.linalg.norm(array, axis=1)
    if not np.isfinite(norms).all():
        raise InvalidVectorError("The embedding model gave vectors that hold no valid numbers.", _UNUSABLE)
    if not (norms > 0).all():
        raise InvalidVectorError(
            "The embedding model gave a vector of zeros, which is close to nothing.", _UNUSABLE
        )
    return norms
