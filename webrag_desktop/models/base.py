"""The base of data that is written as JSON."""

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """Immutable, strict about unknown fields; bytes become base64 in JSON.

    What checks a model is built when it is first used: at a start, most are only imported.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64", defer_build=True
    )


Model = TypeVar("Model", bound=FrozenModel)


def unchecked(kind: type[Model], values: dict[str, Any]) -> Model:
    """An instance of values that are known to be right, such as those of rows that the library stored.

    It equals the one that checking them would give. ``values`` names all fields, those with defaults too, and
    belongs to the instance from then on. Checking takes several times as long, and ``model_construct`` longer still.
    """
    made = object.__new__(kind)
    # What pydantic's own model_construct sets.
    object.__setattr__(made, "__dict__", values)
    _set_fields(made, set(values))
    _set_extra(made, None)
    _set_private(made, None)
    return made


# Its slots, which are filled in half the time of setting an attribute by name.
_SLOTS: Any = BaseModel
_set_fields, _set_extra, _set_private = (
    slot.__set__
    for slot in (
        _SLOTS.__pydantic_fields_set__,
        _SLOTS.__pydantic_extra__,
        _SLOTS.__pydantic_private__,
    )
)
