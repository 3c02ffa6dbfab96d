"""JSON as chat models write it, read while it is still being written.

Small models forget commas' rules, put bare words where strings belong and quotation marks inside of strings; servers
without schemas put words and fences around it.
"""

import re
from typing import Any, Final

from pydantic_core import from_json

_CLOSES: Final = {"{": "}", "[": "]"}
_BEHIND_A_STRING = frozenset(",:]}")
_BEHIND_A_BRACE = frozenset("\"'}")
_BEHIND_A_BRACKET = frozenset("\"'{]")
_ESCAPES = frozenset('"\\/bfnrtu')
_PLAIN_VALUE = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
# What JSON reads as a control character is the beginning of one of LaTeX's commands where its letters follow.
_COMMAND = re.compile(
    r"(?:times|text\w*|theta|tau|tan|tilde|top|to|triangle|nu|nabla|neq|neg|ne|notin|not|rho|right\w*|rangle|rm)(?![a-z])"
)
_LONGEST_COMMAND = 16
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{4}")
_HIGH, _LOW = range(0xD800, 0xDC00), range(0xDC00, 0xE000)
_REPLACED = "\\ufffd"


class LooseJson:
    """One value of JSON that begins where it was found, mended as it comes; :attr:`value` is what it says so far."""

    def __init__(self) -> None:
        """Nothing is read yet; the first character has to open the value."""
        self.open: list[str] = []
        self.closed = False
        self.broken = False
        self._mended: list[str] = []
        self._string = _StringReader()
        self._bare = ""
        self._comma = False
        self._value: Any = None
        self._read = 0

    @property
    def value(self) -> Any:
        """The value as far as it was written; the last that could be read where it is :attr:`broken`."""
        if not self.broken and self._read < len(self._mended):
            self._mended = ["".join(self._mended)]
            self._read = 1
            try:
                self._value = from_json(
                    self._mended[0] + self._string.pending, allow_partial="trailing-strings"
                )
            except ValueError:
                self.broken = True
        return self._value

    def feed(self, char: str) -> None:
        """Read one more character of a value that is not :attr:`closed`."""
        if self._string.quote:
            self._in_string(char)
        elif char in "{}[],:\"'" or char.isspace():
            self._end_bare()
            self._structure(char)
        else:
            self._bare += char

    def _in_string(self, char: str) -> None:
        written, ended = self._string.feed(char)
        self._mended.append(written)
        if ended:
            self.feed(char)

    def _structure(self, char: str) -> None:
        if char.isspace():
            return
        if char == ",":
            self._comma = True
            return
        if char in "}]":
            self._close(char)
            return
        self._put_comma()
        if char in "\"'":
            self._string.begin(char)
            self._mended.append('"')
        else:
            self._mended.append(char)
            if char in _CLOSES:
                self.open.append(char)

    def _close(self, char: str) -> None:
        self._comma = False  # one behind the last element
        if not self.open or _CLOSES[self.open[-1]] != char:
            self.broken = True
            return
        self._mended.append(char)
        self.open.pop()
        self.closed = not self.open

    def _put_comma(self) -> None:
        if self._comma:
            self._mended.append(",")
            self._comma = False

    def _end_bare(self) -> None:
        if self._bare:
            self._put_comma()
            plain = _PLAIN_VALUE.fullmatch(self._bare)
            self._mended.append(self._bare if plain else f'"{_quotable(self._bare)}"')
            self._bare = ""


class _StringReader:
    """A string, to the quotation mark that something follows which only occurs behind strings."""

    def __init__(self) -> None:
        self.quote = ""
        self._escape = ""
        self._ending = ""
        self._high = ""

    @property
    def pending(self) -> str:
        """What closes the string for now."""
        return '"' if self._ending else ""

    def begin(self, quote: str) -> None:
        self.quote, self._escape, self._ending, self._high = quote, "", "", ""

    def feed(self, char: str) -> tuple[str, bool]:
        """What is written of it by now, and whether it ended before ``char``."""
        if self._ending:
            return self._behind_mark(char)
        if self._escape:
            return self._escaped(char), False
        if char == self.quote:
            self._ending = char
            return self._without_high(), False
        if char == "\\":
            self._escape = char
            return "", False
        return self._without_high() + _quotable(char), False

    def _behind_mark(self, char: str) -> tuple[str, bool]:
        if char.isspace():
            self._ending += char
            return "", False
        kept, self._ending = self._ending, ""
        if char in _BEHIND_A_STRING:
            self.quote = ""
            return '"', True
        inner, ended = self.feed(char)
        return _quotable(kept) + inner, ended

    def _escaped(self, char: str) -> str:
        self._escape += char
        kind = self._escape[1]
        if kind == "u":
            return self._code_point()
        if kind in "tnr" and _may_be_command(self._escape[1:]):
            return ""
        whole, self._escape = self._escape, ""
        if kind in "tnr":
            return self._without_high() + self._control_or_command(whole)
        if kind in "bf" or kind not in _ESCAPES:  # of LaTeX, or none that JSON knows
            kept = "" if kind in "'\n" else "\\\\"
            return self._without_high() + kept + _quotable(kind)
        return self._without_high() + whole

    def _control_or_command(self, whole: str) -> str:
        """Letters behind a backslash, and the character that showed where they end, which is read again."""
        head = f"\\\\{whole[1:-1]}" if _COMMAND.match(whole, 1) else whole[:-1]
        return head + self.feed(whole[-1])[0]

    def _code_point(self) -> str:
        if len(self._escape) < 6:
            return ""
        whole, self._escape = self._escape, ""
        if not _HEXADECIMAL.fullmatch(whole, 2):
            return self._without_high() + _REPLACED
        digits = whole[2:]
        code = int(digits, base=16)
        if code in _HIGH:
            before, self._high = self._without_high(), whole
            return before
        if code in _LOW:
            high, self._high = self._high, ""
            return high + whole if high else _REPLACED
        return self._without_high() + whole

    def _without_high(self) -> str:
        """A mark in place of half a character that waits for its other half in vain."""
        lost, self._high = self._high, ""
        return _REPLACED if lost else ""


def _may_be_command(letters: str) -> bool:
    return letters.isalpha() and letters.isascii() and len(letters) < _LONGEST_COMMAND


def _quotable(text: str) -> str:
    """The text as a string of JSON holds it."""
    return "".join(_quotable_char(char) for char in text)


def _quotable_char(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    code = ord(char)
    if code in _HIGH or code in _LOW:
        return _REPLACED
    return f"\\u{code:04x}" if code < 0x20 else char


def begins_value(opening: str, following: str) -> bool:
    """Whether a bracket begins JSON, by what follows it, ignoring spaces: in prose there are others."""
    return following in (_BEHIND_A_BRACE if opening == "{" else _BEHIND_A_BRACKET)
