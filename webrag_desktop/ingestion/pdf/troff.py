"""PDFs that groff wrote, mended: blanks before a change of type, which the PDF library loses, kept in their place."""

import re
import zlib
from collections.abc import Iterator

_PRODUCER = b"gropdf"
_START = re.compile(rb"(?<!end)stream\r?\n")
_END = b"endstream"
_LARGEST = 40_000_000  # bytes that are unpacked of one file
_EMPTY_END = re.compile(rb"(?<=[\d\s]) ?\(\)(?=[\s\d.+-]*\]\s*TJ)")
_WHOLE_NUMBER = re.compile(rb"(?<=[^\\]\) )(-?\d+)\.0+(?= [(\]])")


def with_blanks_kept(body: bytes) -> bytes:
    """``body`` without the empty strings that end groff's lists of words; nothing else changes its place.

    The library drops the distance in front of such a string, so that a word and one in bold after it would touch,
    and what follows would be set too far left. A file whose streams do not get shorter stays as it is.
    """
    if _PRODUCER not in body:
        return body
    mended = bytearray(body)
    left = _LARGEST
    for start, end in _streams(body):
        content = _unpacked(body[start:end], left)
        left -= len(content)
        if left <= 0:
            break
        packed = _packed(content) if b"()" in content else b""
        if packed and len(packed) <= end - start:
            mended[start:end] = packed.ljust(end - start, b"\n")
    return bytes(mended)


def _streams(body: bytes) -> Iterator[tuple[int, int]]:
    """Where the streams of a file begin and end."""
    match = _START.search(body)
    while match and (end := body.find(_END, match.end())) >= 0:
        yield match.end(), end
        match = _START.search(body, end + len(_END))


def _unpacked(packed: bytes, most: int) -> bytes:
    """The content of a stream, at most so many bytes; none where it is cut off or packed in another way."""
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(packed, max(most, 1))
    except zlib.error:
        return b""
    return content if unpacker.eof or len(content) >= most else b""


def _packed(content: bytes) -> bytes:
    """The content mended and packed; distances lose the zeros after their point, so that it does not get longer."""
    return zlib.compress(_WHOLE_NUMBER.sub(rb"\1", _EMPTY_END.sub(b"", content)), 9)
