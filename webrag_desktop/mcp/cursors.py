"""Cursors: where the next part of a reply begins. They hold all of it themselves, so they outlive the server."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from webrag_desktop.errors import InputError

LONGEST: Final = 400  # characters
_CHECK = 6  # bytes
_PLAIN = re.compile(r"([0-9a-f]{12})\.([0-9a-f-]{0,64})\.(\d{1,10})\.(\d{1,10})", re.ASCII)
_HINT = "Give a cursor exactly as a reply held it, or leave it out to begin at the beginning."


def digest(*parts: object) -> str:
    """Twelve hexadecimal digits that tell these values from others; they must be such as JSON knows."""
    written = json.dumps(parts, sort_keys=True, default=str).encode()
    return hashlib.blake2s(written, digest_size=6).hexdigest()


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where to go on: at character ``start`` of item ``item`` of a reply.

    ``asked`` is the digest of tool and arguments, ``state`` what tells whether the same is still there to go on with
    (hexadecimal digits and hyphens).
    """

    asked: str
    state: str
    item: int
    start: int

    def __str__(self) -> str:
        """As it goes to the client, who cannot read it."""
        plain = f"{self.asked}.{self.state}.{self.item}.{self.start}".encode()
        return base64.urlsafe_b64encode(_check(plain) + plain).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a cursor.

        Raises:
            InputError: it is none, or was changed on the way.
        """
        if len(text) > LONGEST:
            raise InputError(f"A cursor has at most {LONGEST} characters.", _HINT)
        try:
            raw = base64.b64decode(
                text.strip() + "=" * (-len(text.strip()) % 4), altchars=b"-_", validate=True
            )
            plain = _PLAIN.fullmatch(raw[_CHECK:].decode("ascii"))
        except ValueError:
            plain, raw = None, b""
        if plain is None or _check(raw[_CHECK:]) != raw[:_CHECK]:
            raise InputError("This is no cursor of this library, or it was changed.", _HINT)
        return cls(plain[1], plain[2], int(plain[3]), int(plain[4]))


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
