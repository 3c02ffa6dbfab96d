"""The last filter before storage: no string field holds what the database refuses."""

from collections.abc import Iterable
from typing import Any, TypeVar

from webrag_desktop.ingestion.text_decoding import is_storable, storable
from webrag_desktop.models import FrozenModel

Model = TypeVar("Model", bound=FrozenModel)


def is_clean(texts: Iterable[str | None]) -> bool:
    """Whether none of the texts holds what :func:`cleaned` would take out."""
    return is_storable("\n".join(text for text in texts if text))


def cleaned(model: Model, known_clean: frozenset[str] = frozenset()) -> Model:
    """``model`` with every string field free of NUL, other control characters and lone surrogates.

    Tuples of strings are cleaned too; models inside are the caller's to clean. The fields ``known_clean`` are
    left out.
    """
    fields = ((name, value) for name, value in model if name not in known_clean)
    changes = {name: clean for name, value in fields if (clean := _clean(value)) != value}
    return model.model_copy(update=changes) if changes else model


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return tuple(map(storable, value))
    return value
