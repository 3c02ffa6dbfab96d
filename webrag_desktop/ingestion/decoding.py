"""Content decoding with a bound: a small compressed body cannot unfold without limit."""

import zlib
from collections.abc import Iterable, Iterator

from webrag_desktop.errors import FetchError

ACCEPT_ENCODING = (
    "gzip, deflate"  # what zlib unfolds piecewise; brotli and zstd have no bounded streaming here
)
_PIECE = 256 * 1024  # bytes unfolded at a time
_GZIP_START = b"\x1f\x8b"


def decoded(chunks: Iterable[bytes], encoding: str | None) -> Iterator[bytes]:
    """The decoded body in pieces of at most 256 KiB, so that the reader can count and stop in time.

    ``encoding`` is the Content-Encoding header. Raises :class:`~webrag_desktop.errors.FetchError` for an
    encoding that was not asked for and for data that cannot be decoded.
    """
    codings = [name.strip().lower() for name in (encoding or "").split(",")]
    wanted = [name for name in codings if name not in {"", "identity"}]
    if not wanted:
        yield from chunks
    elif len(wanted) == 1 and wanted[0] in {"gzip", "x-gzip", "deflate"}:
        yield from _inflated(chunks, wanted[0])
    else:
        raise FetchError(
            "The site packed the page in a way that was not asked for",
            "Open the page in a browser, save it, and add the saved file.",
        )


def _inflated(chunks: Iterable[bytes], coding: str) -> Iterator[bytes]:
    unpacker = None
    pending = b""
    for chunk in chunks:
        pending += chunk
        while pending:
            if unpacker is not None and unpacker.eof:
                if coding == "deflate" or not _GZIP_START.startswith(pending[:2]):
                    return  # what follows the end is padding, unless another gzip member begins
                if len(pending) < len(_GZIP_START):
                    break  # the next chunk tells
            if unpacker is None or unpacker.eof:
                unpacker = zlib.decompressobj(_window_bits(coding, pending))
            yield from _unfolded(unpacker, pending)
            pending = unpacker.unused_data
    if unpacker is not None and not unpacker.eof:
        raise _damaged()


def _unfolded(unpacker: "zlib._Decompress", pending: bytes) -> Iterator[bytes]:
    """All that ``pending`` unfolds to; a full piece may leave more inside zlib though nothing is pending."""
    more = True
    while more:
        try:
            piece = unpacker.decompress(pending, _PIECE)
        except zlib.error as error:
            raise _damaged() from error
        if piece:
            yield piece
        pending = unpacker.unconsumed_tail
        more = not unpacker.eof and (bool(pending) or len(piece) == _PIECE)


def _damaged() -> FetchError:
    return FetchError(
        "The page arrived damaged", "Try again later; nothing else is affected.", transient=True
    )


def _window_bits(coding: str, start: bytes) -> int:
    if coding != "deflate":
        return 16 + zlib.MAX_WBITS
    wrapped = start[0] & 0x0F == 8  # some servers send raw deflate without the zlib wrapper
    return zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS
