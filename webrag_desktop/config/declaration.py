"""What a setting is. It is declared once, as a field of a :class:`Section`.

From that field come what is read, the messages, ``blank.env``, ``docs/settings.md``, and what ``webrag status`` shows.
A setting that is an option of a stage takes default and bounds from there (:func:`staged`).
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, get_args, get_origin

from webrag_desktop.bounds import Bounds, bounds_of
from webrag_desktop.config.values import FOLDER

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Options = type[DataclassInstance]

Beside = Callable[[str, Path], str]
Kind = Literal["text", "secret", "choice", "yes or no", "whole number", "number", "file", "folder"]


class Section:
    """Settings of one section, under a ``title``; ``about`` describes all of them.

    No model of pydantic: every command reads settings, and many need nothing else of what takes long to import.
    """

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
class _Declared:
    """What is declared of a setting beside its name and type."""

    description: str
    default: Any
    bounds: Bounds
    unit: str
    otherwise: str
    unused: str
    beside: Beside | None
    stages: tuple[StageOption, ...]


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
    return _Declared(description, default, bounds or Bounds(), unit, otherwise, unused, beside, stages)


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
    says why it does nothing yet. ``beside`` reads what the settings file says of it, ``own`` what any place says, and
    ``made_default`` makes a default that cannot be written down.
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
    beside: Beside | None
    own: Callable[[str], Any] | None
    made_default: Callable[[], Any] | None

    @property
    def secret(self) -> bool:
        """Whether its value must never be shown."""
        return self.kind == "secret"

    def default_value(self) -> Any:
        """The value where none is given."""
        return self.made_default() if self.made_default else self.default

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
    for name, annotation in section.__annotations__.items():
        declared = section.__dict__[name]
        if isinstance(declared, _Declared):
            yield _setting(section, name, annotation, declared)


def _setting(section: type[Section], name: str, annotation: Any, declared: _Declared) -> Setting:
    kind, choices, own = _type_of(annotation)
    made_default = declared.default if callable(declared.default) else None
    return Setting(
        name=name.upper(),
        section=section.title,
        kind=kind,
        choices=choices,
        bounds=declared.bounds,
        default=None if made_default else declared.default,
        unit=declared.unit,
        description=declared.description,
        otherwise=declared.otherwise,
        unused=declared.unused,
        stages=declared.stages,
        beside=declared.beside,
        own=own,
        made_default=made_default,
    )


def _type_of(annotation: Any) -> tuple[Kind, tuple[str, ...], Callable[[str], Any] | None]:
    """What its values are; where only some will do, which; and what reads them in a way of their own."""
    if annotation == "SecretStr | None":  # of pydantic, which is long to import
        return "secret", (), None
    if type(None) in get_args(annotation):
        (annotation,) = (one for one in get_args(annotation) if one is not type(None))
    own: Callable[[str], Any] | None = None
    marks: list[Any] = []
    if get_origin(annotation) is Annotated:
        annotation, own, *marks = get_args(annotation)
    if get_origin(annotation) is Literal:
        return "choice", get_args(annotation), None
    if annotation is Path:
        return ("folder" if FOLDER in marks else "file"), (), own
    kinds: dict[Any, Kind] = {bool: "yes or no", int: "whole number", float: "number"}
    return kinds.get(annotation, "text"), (), own
