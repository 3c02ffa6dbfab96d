"""Cursors: where the next part of a reply begins. They hold all of it themselves, so they outlive the server."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from webrag_desktop.errors import InputError

LONGEST: Final = 100  # characters
_CHECK = 4  # bytes
_ASKED, _PLACE = 6, 4  # bytes of a digest, and of each number; the state has the rest
_HINT = "Give a cursor exactly as a reply held it, or leave it out to begin at the beginning."


def digest(*parts: object) -> str:
    """Twelve hexadecimal digits that tell these values from others; they must be such as JSON knows."""
    written = json.dumps(parts, sort_keys=True, default=str).encode()
    return hashlib.blake2s(written, digest_size=6).hexdigest()


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where to go on: at character ``start`` of item ``item`` of a reply.

    ``asked`` is the digest of tool and arguments, ``state`` what tells whether the same is still there to go on with
    (an even number of hexadecimal digits, 64 at most). ``item`` and ``start`` are below 2^32.
    """

    asked: str
    state: str
    item: int
    start: int

    def __str__(self) -> str:
        """As it goes to the client, who cannot read it."""
        places = (number.to_bytes(_PLACE, "big") for number in (self.item, self.start))
        plain = b"".join((bytes.fromhex(self.asked), *places, bytes.fromhex(self.state)))
        return base64.urlsafe_b64encode(_check(plain) + plain).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a cursor.

        Raises:
            InputError: it is none, or was changed on the way.
        """
        bare = text.strip()
        if len(bare) > LONGEST:
            raise InputError(f"A cursor has at most {LONGEST} characters.", _HINT)
        try:
            raw = base64.b64decode(bare + "=" * (-len(bare) % 4), altchars=b"-_", validate=True)
        except ValueError:
            raw = b""
        plain = raw[_CHECK:]
        if len(plain) < _ASKED + 2 * _PLACE or _check(plain) != raw[:_CHECK]:
            raise InputError("This is no cursor of this library, or it was changed.", _HINT)
        item, start, state = _ASKED, _ASKED + _PLACE, _ASKED + 2 * _PLACE
        return cls(
            plain[:item].hex(),
            plain[state:].hex(),
            int.from_bytes(plain[item:start], "big"),
            int.from_bytes(plain[start:state], "big"),
        )


def _check(plain: bytes) -> bytes:
    return hashlib.blake2s(plain, digest_size=_CHECK, person=b"cursor").digest()


def begin(tool: str, arguments: Mapping[str, object], cursor: str | None) -> Cursor:
    """Where a reply to this call begins; ``arguments`` are those that decide what the whole reply is.

    Raises:
        InputError: the cursor is none, or belongs to another call.
    """
    asked = digest(tool, arguments)
    if cursor is None:
        return Cursor(asked, "", 0, 0)
    found = Cursor.parse(cursor)
    if found.asked != asked:
        raise InputError(
            "The cursor belongs to another call.",
            "Repeat the arguments of the call that gave it; only max_tokens may be another.",
        )
    return found
