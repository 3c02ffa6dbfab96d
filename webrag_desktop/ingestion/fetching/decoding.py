"""Content decoding with a bound: a small compressed body cannot unfold without limit."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol

import brotli
import zstandard

from webrag_desktop.errors import FetchError

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
MOST_LAYERS = 3  # what is packed more often was made to be a burden
_PIECE = 256 * 1024  # bytes unfolded at a time
_SLICE = 64 * 1024  # bytes handed on at a time
_GZIP_START = b"\x1f\x8b"
# zstd unfolds whatever it is given at once: 128 KiB from as little as four bytes, so it is given little.
_ZSTD_SLICE = 128
_LARGEST_WINDOW = 8 * 1024 * 1024  # bytes of memory a zstd frame may ask for in HTTP, RFC 9659

Check = Callable[[], object]
Layer = Callable[[Iterable[bytes]], Iterator[bytes]]


def _unchecked() -> None:
    """Let everything pass."""


def decoded(chunks: Iterable[bytes], encoding: str | None, check: Check = _unchecked) -> Iterator[bytes]:
    """The decoded body in pieces of at most 64 KiB, so that the reader can count and stop in time.

    ``encoding`` is the Content-Encoding header; several codings are undone in turn, up to three. ``check`` is called
    for every piece of every layer, also where nothing comes out of the last one, and may raise. Raises
    :class:`~webrag_desktop.errors.FetchError` for an encoding that was not asked for and for data that cannot be
    decoded.
    """
    names = [name.strip().lower() for name in (encoding or "").split(",")]
    wanted = [name for name in names if name not in {"", "identity"}]
    if len(wanted) > MOST_LAYERS or not all(name in _LAYERS for name in wanted):
        raise FetchError(
            "The site packed the page in a way that was not asked for",
            "Open the page in a browser, save it, and add the saved file.",
        )
    body = _checked(chunks, check)
    for name in reversed(wanted):
        body = _checked(_LAYERS[name](body), check)
    return body


def _checked(pieces: Iterable[bytes], check: Check) -> Iterator[bytes]:
    """The pieces cut small: what a layer keeps of one is copied for every little member that is packed in it."""
    for piece in pieces:
        for start in range(0, len(piece), _SLICE):
            check()
            yield piece[start : start + _SLICE]


# -- gzip and deflate -----------------------------------------------------------------------------------------


def _ungzipped(chunks: Iterable[bytes]) -> Iterator[bytes]:
    return _inflated(chunks, "gzip")


def _undeflated(chunks: Iterable[bytes]) -> Iterator[bytes]:
    return _inflated(chunks, "deflate")


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
                    break  # the next chunk shows it
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


def _window_bits(coding: str, start: bytes) -> int:
    if coding != "deflate":
        return 16 + zlib.MAX_WBITS
    wrapped = start[0] & 0x0F == 8  # some servers send raw deflate without the zlib wrapper
    return zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS


# -- br and zstd ----------------------------------------------------------------------------------------------


class _BrotliDecoder(Protocol):
    """What is used of the library's decoder, which has no types."""

    def process(self, data: bytes, output_buffer_limit: int) -> bytes: ...

    def can_accept_more_data(self) -> bool: ...

    def is_finished(self) -> bool: ...


def _unbrotlied(chunks: Iterable[bytes]) -> Iterator[bytes]:
    unpacker: _BrotliDecoder = brotli.Decompressor()
    begun = False
    for chunk in chunks:
        begun = begun or bool(chunk)
        yield from _brotli_pieces(unpacker, chunk)
        if unpacker.is_finished():
            return  # what follows the end is padding
    if begun:
        raise _damaged()


def _brotli_pieces(unpacker: _BrotliDecoder, chunk: bytes) -> Iterator[bytes]:
    more = True
    while more:
        try:
            piece = unpacker.process(chunk, _PIECE)
        except brotli.error as error:
            raise _damaged() from error
        if piece:
            yield piece
        chunk = b""
        # A full piece may leave more inside though nothing of the input is left.
        more = not unpacker.is_finished() and (bool(piece) or not unpacker.can_accept_more_data())


def _unzstd(chunks: Iterable[bytes]) -> Iterator[bytes]:
    unpacker = None
    for chunk in chunks:
        pending = chunk
        while pending:
            if unpacker is None or unpacker.eof:
                unpacker = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).decompressobj()
            taken, pending = pending[:_ZSTD_SLICE], pending[_ZSTD_SLICE:]
            try:
                piece = unpacker.decompress(taken)
            except zstandard.ZstdError as error:
                raise _damaged() from error
            if piece:
                yield piece
            if unpacker.eof:  # one frame may follow another
                pending = unpacker.unused_data + pending
    if unpacker is not None and not unpacker.eof:
        raise _damaged()


_LAYERS: Final[dict[str, Layer]] = {
    "gzip": _ungzipped,
    "x-gzip": _ungzipped,
    "deflate": _undeflated,
    "br": _unbrotlied,
    "zstd": _unzstd,
}


def _damaged() -> FetchError:
    return FetchError(
        "The page arrived damaged",
        "Try again later; nothing else is affected.",
        transient=True,
        retryable=True,
    )
