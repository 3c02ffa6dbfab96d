"""Content decoding with a bound: a small compressed body cannot unfold without limit."""

import zlib
from collections.abc import Iterable, Iterator

from webrag_desktop.errors import FetchError

ACCEPT_ENCODING = (
    "gzip, deflate"  # what zlib unfolds piecewise; brotli and zstd have no bounded streaming here
)
_PIECE = 256 * 1024  # bytes unfolded at a time


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
    for chunk in chunks:
        pending = chunk
        while pending:
            if unpacker is None or unpacker.eof:
                if unpacker is not None and not pending.startswith(b"\x1f\x8b"):
                    return  # what follows the end is padding, unless another gzip member begins
                unpacker = zlib.decompressobj(_window_bits(coding, pending))
            try:
                piece = unpacker.decompress(pending, _PIECE)
            except zlib.error as error:
                raise _damaged() from error
            pending = unpacker.unconsumed_tail or unpacker.unused_data
            if piece:
                yield piece
    if unpacker is not None and not unpacker.eof:
        raise _damaged()


def _damaged() -> FetchError:
    return FetchError(
        "The page arrived damaged", "Try again later; nothing else is affected.", transient=True
    )


def _window_bits(coding: str, start: bytes) -> int:
    if coding != "deflate":
        return 16 + zlib.MAX_WBITS
    wrapped = start[0] & 0x0F == 8  # some servers send raw deflate without the zlib wrapper
    return zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS
