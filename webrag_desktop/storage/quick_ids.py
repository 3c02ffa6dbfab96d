"""Ids as the server sends them: every search reads hundreds, and the driver takes several times as long for each."""

from typing import Any
from uuid import UUID, SafeUUID

from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format

_FIELDS: Any = UUID  # its slots, which only its own checks would fill
_set_number, _set_safety = _FIELDS.int.__set__, _FIELDS.is_safe.__set__


def _of_number(number: int) -> UUID:
    """An id without the checks of what the server has checked."""
    made = object.__new__(UUID)
    _set_number(made, number)
    _set_safety(made, SafeUUID.unknown)
    return made


class _WrittenIds(Loader):
    format = Format.TEXT

    def load(self, data: Buffer) -> UUID:
        """Read 32 hexadecimal digits and four dashes."""
        return _of_number(int(bytes(data).replace(b"-", b""), 16))


class _BinaryIds(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> UUID:
        """Read sixteen bytes."""
        return _of_number(int.from_bytes(data, "big"))


def register_ids(context: AdaptContext) -> None:
    """Have every cursor of a connection read ids so."""
    for loader in (_WrittenIds, _BinaryIds):
        context.adapters.register_loader("uuid", loader)
