"""How a JSON shape is derived from a data type of the library, so that no field is listed twice."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from typing import Any, Self, TypeVar, get_type_hints

from pydantic import create_model

from webrag_desktop.models.base import FrozenModel


class Shape(FrozenModel):
    """A JSON document that copies the fields which its row has under the same names."""

    @classmethod
    def of(cls, row: object, **other: Any) -> Self:
        """The shape of a row; ``other`` holds the fields that the row lacks or has in another form."""
        copied = {name: getattr(row, name) for name in cls.model_fields if name not in other}
        return cls.model_validate(copied | other)


S = TypeVar("S", bound=Shape)


def shape_of(name: str, row: type, **options: Any) -> type[Shape]:
    """A shape with the fields of a dataclass, in their order: a new field of the row is printed, too."""
    return create_model(name, __base__=Shape, **_definitions(row, **options))


def derived(row: type, **options: Any) -> Callable[[type[S]], type[S]]:
    """Gives a class the fields of a dataclass, as :func:`shape_of` does."""
    return lambda shape: create_model(
        shape.__name__, __base__=shape, __doc__=shape.__doc__, **_definitions(row, **options)
    )


def _definitions(
    row: type,
    *,
    without: Collection[str] = (),
    renamed: Mapping[str, str] | None = None,
    first: Mapping[str, Any] | None = None,
    last: Mapping[str, Any] | None = None,
    inherited_after: str | None = None,
    order: Collection[str] = (),
) -> dict[str, Any]:
    """The fields of a shape.

    ``renamed`` gives the names in JSON. ``first`` and ``last`` hold the types of fields before and behind those of the
    row; a field of the row that is among them has the type given there, and one in ``last`` keeps its place.
    Fields that the row inherits come before its own, or after the one that ``inherited_after`` names.
    Those that ``order`` names come first of all, in its order.
    """
    columns = [field.name for field in fields(row)]
    if inherited_after is not None:
        inherited = [name for name in columns if name not in row.__annotations__]
        declared = [name for name in columns if name in row.__annotations__]
        before = declared.index(inherited_after) + 1
        columns = [*declared[:before], *inherited, *declared[before:]]
    names = {field: (renamed or {}).get(field, field) for field in columns}
    hints = get_type_hints(row)
    own = {names[field]: hints[field] for field in names if field not in without}
    types = {**(first or {}), **own, **(first or {}), **(last or {})}
    ordered = {field: types[field] for field in order} | types
    return {field: (type_, ...) for field, type_ in ordered.items()}
