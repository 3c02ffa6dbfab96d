"""The data from which React makes a page in the browser ("flight" data): its rows, as a page's scripts carry them."""

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any

from turbohtml import Document

_PUSHED = re.compile(
    r"""\b__next_f\s*+(?:\|\|\s*+\[\]\s*+)?\)?\s*+\.\s*+push\(\s*+\[\s*+([13])\s*+,\s*+(?=")"""
)
_TEXT, _BYTES = "1", "3"  # how a part of the data is written
LARGEST = 5_000_000  # characters of all parts of a page
_ROW = re.compile(rb"([0-9a-f]{1,8}):")
_SIZED = re.compile(rb"([TAOoUSsLlGgMmVb])([0-9a-f]{1,8}),")  # rows that say how many bytes they have
_JSON = (b"[", b"{", b'"')


class FlightRows:
    """The rows of a page's flight data by their numbers; ``length`` is that of the data in bytes.

    Rows that are no data of elements (modules, hints, errors) are left out, and so is what is damaged.
    """

    def __init__(self, data: bytes) -> None:
        """Cut the data into its rows."""
        self.length = len(data)
        self._values: dict[str, Any] = {}
        for number, value in _rows(data):
            self._values.setdefault(number, value)

    def __bool__(self) -> bool:
        return bool(self._values)

    def roots(self) -> list[Any]:
        """Where the page begins: its first row, or all rows where that is absent."""
        return [self._values["0"]] if "0" in self._values else list(self._values.values())

    def at(self, reference: str) -> Any:
        """What ``1f`` or ``1f:props:children:0`` refers to; None where there is nothing."""
        number, *path = reference.split(":")
        value = self._values.get(number)
        for name in path:
            value = _inside(value, name)
        return value


def has_flight_data(document: Document) -> bool:
    """Whether a script of a page carries flight data."""
    return any("__next_f" in script.text for script in document.select("script:not([src])"))


def flight_rows(document: Document) -> FlightRows:
    """The rows in all ``self.__next_f.push([1,"…"])`` of a page; nothing runs."""
    parts: list[bytes] = []
    left = LARGEST
    for script in document.select("script:not([src])"):
        for part in _parts(script.text):
            left -= len(part)
            if left < 0:
                return FlightRows(b"".join(parts))
            parts.append(part)
    return FlightRows(b"".join(parts))


def _parts(script: str) -> Iterator[bytes]:
    """The strings that a script adds, in their order; what is no JSON string is passed over."""
    decoder, position = json.JSONDecoder(), 0
    while pushed := _PUSHED.search(script, position):
        position = pushed.end()
        try:
            text, position = decoder.raw_decode(script, position)
            yield text.encode("utf-8", "replace") if pushed[1] == _TEXT else base64.b64decode(text)
        except (json.JSONDecodeError, binascii.Error, ValueError):
            continue  # written as a script, or cut off


def _rows(data: bytes) -> Iterator[tuple[str, Any]]:
    """Number and value of each row: ``1f:["$","p",null,{…}]`` up to its line end, or ``1f:T4,text`` by its length."""
    position = 0
    while position < len(data):
        row = _ROW.match(data, position)
        if row is None:  # a hint to load something, or damage
            position = _line_end(data, position)
            continue
        number, start = row[1].decode(), row.end()
        sized = _SIZED.match(data, start)
        if sized:
            position = sized.end() + int(sized[2], 16)
            if sized[1] == b"T":
                yield number, escaped(data[sized.end() : position].decode("utf-8", "replace"))
            continue
        position = _line_end(data, start)
        if data[start : start + 1] in _JSON:
            value = _loaded(data[start:position])
            if value is not None:
                yield number, value


def _line_end(data: bytes, start: int) -> int:
    """Where the next line begins."""
    return (data.find(b"\n", start) + 1) or len(data)


def escaped(text: str) -> str:
    """A text as rows of JSON write it, where a dollar sign at the start is doubled."""
    return f"${text}" if text.startswith("$") else text


def _loaded(row: bytes) -> Any:
    try:
        return json.loads(row)
    except (ValueError, RecursionError):
        return None


def is_element(value: Any) -> bool:
    """Whether a value is an element: ``["$", type, key, {…}]``."""
    return (
        isinstance(value, list)
        and len(value) >= 4
        and value[0] == "$"
        and isinstance(value[1], str)
        and isinstance(value[3], dict)
    )


_OF_ELEMENT = {"type": 1, "key": 2, "props": 3}


def _inside(value: Any, name: str) -> Any:
    if is_element(value):
        return value[_OF_ELEMENT[name]] if name in _OF_ELEMENT else None
    if isinstance(value, dict):
        return value.get(name)
    if (
        isinstance(value, list)
        and name.isascii()
        and name.isdigit()
        and len(name) < 8
        and int(name) < len(value)
    ):
        return value[int(name)]
    return None
