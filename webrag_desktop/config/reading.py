"""What is written for a setting, read: as pydantic reads text, which is too long to import for most commands."""

import math
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from webrag_desktop.bounds import Bounds
from webrag_desktop.config.declaration import Kind, Setting

if TYPE_CHECKING:
    from pydantic import SecretStr

_MOST = sys.maxsize  # what is larger fits into no number of the database's
_YES = frozenset(("1", "on", "t", "true", "y", "yes"))
_NO = frozenset(("0", "off", "f", "false", "n", "no"))


def read_value(one: Setting, written: str) -> Any:
    """The value that is written for a setting.

    Raises:
        ValueError: it is not of its type or out of range; says what it must be, and nothing of what is written.
    """
    if one.choices and written not in one.choices:
        raise ValueError(_wanted(one))
    read = one.own or _READERS.get(one.kind, str)
    if one.own is None:
        try:
            value = read(written)
        except ValueError:
            raise ValueError(_wanted(one)) from None
        _check(one, value)
        return value
    return read(written)


def _wanted(one: Setting) -> str:
    return f"it must be {one.wanted}"


def _check(one: Setting, value: Any) -> None:
    """Refuse a number out of its bounds."""
    bounds = one.bounds
    if bounds == Bounds() or one.kind not in ("whole number", "number"):
        return
    if not (value >= bounds.least and value > bounds.above and value <= min(bounds.most, _MOST)):
        endless = value > _MOST and math.isinf(bounds.most)
        raise ValueError("it must be a smaller number" if endless else f"it must be {bounds}")


def _whole_number(written: str) -> int:
    whole, point, rest = written.strip().partition(".")
    if rest.strip("0") or (point and not rest):
        raise ValueError
    return int(whole)


def _number(written: str) -> float:
    value = float(written)
    if not math.isfinite(value):
        raise ValueError
    return value


def _yes_or_no(written: str) -> bool:
    word = written.strip().lower()
    if word not in _YES | _NO:
        raise ValueError
    return word in _YES


def _secret(written: str) -> "SecretStr":
    from pydantic import SecretStr  # long to import, and few set a key

    return SecretStr(written)


_READERS: Final[Mapping[Kind, Callable[[str], Any]]] = {
    "whole number": _whole_number,
    "number": _number,
    "yes or no": _yes_or_no,
    "secret": _secret,
}
