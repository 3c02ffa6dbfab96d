"""Between which numbers an option of a stage may lie: declared beside the option's default, and there alone.

A stage checks its options by it, and the settings and the command line take it from there.
"""

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from webrag_desktop.errors import ConfigurationError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class Bounds:
    """Between which numbers an option may lie: ``least`` and ``most`` are allowed themselves, ``above`` is not."""

    least: float = -math.inf
    most: float = math.inf
    above: float = -math.inf

    def hold(self, value: float) -> bool:
        """Whether the value is a finite number within."""
        return abs(value) <= sys.float_info.max and self.least <= value <= self.most and value > self.above

    def __str__(self) -> str:
        limits = {"above": self.above, "at least": self.least, "at most": self.most}
        return " and ".join(f"{word} {limit:.16g}" for word, limit in limits.items() if math.isfinite(limit))


_UNBOUNDED = Bounds()
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


def bounded(
    default: Any, *, least: float = -math.inf, most: float = math.inf, above: float = -math.inf
) -> Any:
    """A field of a stage's options with its default and its :class:`Bounds`; None is within any."""
    return field(default=default, metadata={"bounds": Bounds(least, most, above)})


def bounds_of(options: "type[DataclassInstance] | DataclassInstance", name: str) -> Bounds:
    """The bounds of one field of a stage's options."""
    (one,) = (one for one in fields(options) if one.name == name)
    bounds: Bounds = one.metadata.get("bounds", _UNBOUNDED)
    return bounds


def check_bounds(options: "DataclassInstance", refusal: Callable[[str, object, str], Exception]) -> None:
    """Raise the ``refusal`` of the first value out of its bounds, made of its name, itself and what it must be."""
    for one in fields(options):
        value, bounds = getattr(options, one.name), one.metadata.get("bounds", _UNBOUNDED)
        if value is not None and bounds is not _UNBOUNDED and not bounds.hold(value):
            raise refusal(one.name, value, str(bounds))


def check_settings(options: "DataclassInstance", prefix: str, other_names: Mapping[str, str] = _NONE) -> None:
    """As :func:`check_bounds`, where fields are settings, named by ``prefix`` and field or by ``other_names``.

    Raises:
        ConfigurationError: a value is out of its bounds; it names the setting.
    """

    def refused(name: str, value: object, wanted: str) -> ConfigurationError:
        setting = other_names.get(name, f"{prefix}_{name.upper()}")
        return ConfigurationError(f"{setting} is {value}, but it must be {wanted}.", f"Change {setting}.")

    check_bounds(options, refused)
