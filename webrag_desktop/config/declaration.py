"""What a setting is. It is declared once, as a field of a :class:`Section`.

From that field come what is read, the messages, ``blank.env``, ``docs/settings.md``, and what ``webrag status`` shows.
A setting that is an option of a stage takes default and bounds from there (:func:`staged`).
"""

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic.fields import FieldInfo

from webrag_desktop.bounds import Bounds, bounds_of
from webrag_desktop.config.values import FOLDER

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Options = type[DataclassInstance]

Beside = Callable[[str, Path], str]
Kind = Literal["text", "secret", "choice", "yes or no", "whole number", "number", "file", "folder"]

_MOST = sys.maxsize  # what is larger fits into no number of the database's


class Section(BaseModel):
    """Settings of one section, under a ``title``; ``about`` describes all of them.

    Nothing is read by making one: :func:`webrag_desktop.config.load_settings` reads the environment and the file.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        allow_inf_nan=False,
        hide_input_in_errors=True,  # it may be a secret
        defer_build=True,
    )

    title: ClassVar[str] = ""
    about: ClassVar[str] = ""


class StageOption(NamedTuple):
    """The field of a stage's options that a setting is; the option is ``each`` times the setting."""

    options: "Options"
    name: str
    each: int = 1

    @property
    def default(self) -> Any:
        """The value of the setting where none is given."""
        (default,) = (one.default for one in fields(self.options) if one.name == self.name)
        assert default is not MISSING
        return default if self.each == 1 else default // self.each

    def value(self, setting: Any) -> Any:
        """What the option is where the setting is this."""
        return setting if self.each == 1 else setting * self.each

    @property
    def bounds(self) -> Bounds:
        """Between what the setting may lie."""
        bounds = bounds_of(self.options, self.name)
        return Bounds(bounds.least / self.each, bounds.most / self.each, bounds.above / self.each)


@dataclass(frozen=True, slots=True)
class _Annotations:
    """What there is to say of a setting beside its type, bounds, default and description."""

    unit: str
    otherwise: str
    unused: str
    beside: Beside | None
    stages: tuple[StageOption, ...]

    def __call__(self, schema: dict[str, Any]) -> None:
        """Say it in the JSON schema, too."""
        schema |= {name: said for name in ("unit", "unused") if (said := getattr(self, name))}


def setting(
    description: str,
    default: object = None,
    *,
    bounds: Bounds | None = None,
    unit: str = "",
    otherwise: str = "",
    unused: str = "",
    beside: Beside | None = None,
    stages: tuple[StageOption, ...] = (),
) -> Any:
    """Declare a setting. The ``description`` is one for users, in whole sentences; it needs not repeat the rest.

    ``unit`` is of a number, ``otherwise`` says what holds where nothing is set and no default can be written down, and
    ``unused`` why a setting does nothing yet. ``beside`` reads a path that the settings file names, whose folder it is
    given, too.
    """
    bounds = bounds or Bounds()
    most = min(bounds.most, _MOST) if bounds != Bounds() else math.inf
    limits = {"ge": bounds.least, "le": most, "gt": bounds.above}
    annotations: dict[str, Any] = {name: limit for name, limit in limits.items() if math.isfinite(limit)}
    annotations |= {"default_factory": default} if callable(default) else {"default": default}
    return Field(
        description=description,
        json_schema_extra=_Annotations(unit, otherwise, unused, beside, stages),
        **annotations,
    )


def staged(
    options: "Options",
    name: str,
    description: str,
    *,
    most: float = math.inf,
    each: int = 1,
    also: Iterable[tuple["Options", str]] = (),
    unit: str = "",
    otherwise: str = "",
    beside: Beside | None = None,
) -> Any:
    """Declare a setting that is a stage's option of that ``name``, with the default and bounds that it has there.

    ``most`` narrows the bounds. ``each`` is how much of the option one of the setting is: bytes in a megabyte. It may
    ``also`` be an option of another stage.
    """
    stage = StageOption(options, name, each)
    bounds = Bounds(stage.bounds.least, min(most, stage.bounds.most), stage.bounds.above)
    stages = (stage, *(StageOption(*other) for other in also))
    more: dict[str, Any] = {"unit": unit, "otherwise": otherwise, "beside": beside, "stages": stages}
    return setting(description, stage.default, bounds=bounds, **more)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as it is shown: by the ``name`` it has in the environment, with a ``section``'s title.

    ``default`` is None where there is none; ``otherwise`` then says what holds, if there is more to say. ``unused``
    says why it does nothing yet.
    """

    name: str
    section: str
    kind: Kind
    choices: tuple[str, ...]
    bounds: Bounds
    default: Any
    unit: str
    description: str
    otherwise: str
    unused: str
    stages: tuple[StageOption, ...]

    @property
    def secret(self) -> bool:
        """Whether its value must never be shown."""
        return self.kind == "secret"

    @property
    def written_default(self) -> str:
        """The default as it is written in a settings file; empty where there is none."""
        if isinstance(self.default, bool):
            return str(self.default).lower()
        if isinstance(self.default, float):
            return f"{self.default:g}"
        return "" if self.default is None else str(self.default)

    @property
    def wanted(self) -> str:
        """What a value must be, after "it must be"; empty where every text will do."""
        words = {"whole number": "a whole number", "number": "a number", "yes or no": "true or false"}
        return f"one of {', '.join(self.choices)}" if self.choices else words.get(self.kind, "")


def settings_of(section: type[Section]) -> Iterator[Setting]:
    """The settings declared in a section, in their order."""
    for name, field in section.model_fields.items():
        annotations = annotations_of(field)
        kind, choices = _kind(field)
        yield Setting(
            name=name.upper(),
            section=section.title,
            kind=kind,
            choices=choices,
            bounds=_bounds(field),
            default=None if field.default_factory else field.default,
            unit=annotations.unit,
            description=field.description or "",
            otherwise=annotations.otherwise,
            unused=annotations.unused,
            stages=annotations.stages,
        )


def annotations_of(field: FieldInfo) -> _Annotations:
    """What was declared of a field."""
    assert isinstance(field.json_schema_extra, _Annotations)
    return field.json_schema_extra


def _kind(field: FieldInfo) -> tuple[Kind, tuple[str, ...]]:
    """What its values are, and where only some will do, which."""
    annotation: Any = field.annotation
    if type(None) in get_args(annotation):
        (annotation,) = (one for one in get_args(annotation) if one is not type(None))
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) is Literal:
        return "choice", get_args(annotation)
    if annotation is Path:
        return ("folder" if FOLDER in field.metadata else "file"), ()
    kinds: dict[Any, Kind] = {bool: "yes or no", int: "whole number", float: "number", SecretStr: "secret"}
    return kinds.get(annotation, "text"), ()


def _bounds(field: FieldInfo) -> Bounds:
    limits = {
        name: getattr(one, name)
        for one in field.metadata
        for name in ("ge", "le", "gt")
        if hasattr(one, name)
    }
    most = limits.get("le", _MOST)
    return Bounds(
        limits.get("ge", -math.inf), math.inf if most == _MOST else most, limits.get("gt", -math.inf)
    )
