"""The last check every vector passes before anyone else sees it."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from webrag_desktop.errors import EmbeddingError


class InvalidVectorError(EmbeddingError):
    """A vector without length or with numbers that are none; perhaps over one of the texts only."""


_UNUSABLE = "Nothing was stored. Trying again may help; if it does not, the model or its server is broken."


def unit_vectors(
    rows: Sequence[object], *, count: int, dimensions: int, as_set: bool = False
) -> list[list[float]]:
    """The rows as vectors of length 1; raises :class:`EmbeddingError` unless all of them can be used.

    ``as_set`` says that the dimensions are what the settings ask for, which may be what is wrong.

    Refused: another number of rows or numbers per row than asked for, anything not finite, a zero vector.
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
