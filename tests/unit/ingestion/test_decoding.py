import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from webrag_desktop.errors import FetchError
from webrag_desktop.ingestion.fetching.decoding import decoded


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


PACK: dict[str, Callable[[bytes], bytes]] = {
    "identity": bytes,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


@given(
    st.binary(max_size=3000),
    st.integers(1, 500),
    st.lists(st.sampled_from(sorted(PACK)), min_size=1, max_size=3),
)
def test_any_split_of_any_body_is_decoded(body: bytes, size: int, codings: list[str]) -> None:
    packed = body
    for coding in codings:
        packed = PACK[coding](packed)
    assert b"".join(decoded(pieces(packed, size), ", ".join(codings))) == body


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_pieces_stay_small_however_dense_the_body(coding: str) -> None:
    bomb = PACK[coding](b"\0" * 20_000_000)
    assert max(len(piece) for piece in decoded([bomb], coding)) <= 64 * 1024


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_memory_stays_small_while_a_bomb_unfolds(coding: str) -> None:
    bomb = PACK[coding](b"\0" * 50_000_000)
    tracemalloc.start()
    try:
        assert sum(map(len, decoded([bomb], coding))) == 50_000_000
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_layers_that_unfold_to_nothing_are_looked_at_piece_by_piece() -> None:
    checked: list[None] = []
    packed = gzip.compress(gzip.compress(b"") * 20_000)
    assert list(decoded([packed], "gzip, gzip", lambda: checked.append(None))) == []
    assert len(checked) >= 400_000 // (64 * 1024)


def test_a_frame_that_wants_a_huge_window_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=25)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    with pytest.raises(FetchError, match="arrived damaged"):
        list(decoded([packer.compress(b"page") + packer.flush()], "zstd"))


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_a_body_that_breaks_off_is_damaged(coding: str) -> None:
    with pytest.raises(FetchError, match="arrived damaged"):
        list(decoded([PACK[coding](b"some text " * 50)[:-3]], coding))


def test_padding_after_the_end_is_ignored() -> None:
    assert b"".join(decoded([gzip.compress(b"page") + b"\r\n\r\n"], "gzip")) == b"page"


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_damaged_bodies_are_an_error(coding: str) -> None:
    with pytest.raises(FetchError, match="arrived damaged") as caught:
        list(decoded([b"no compressed data"], coding))
    assert caught.value.transient
    assert caught.value.hint


def test_unknown_codings_are_refused() -> None:
    with pytest.raises(FetchError, match="not asked for"):
        list(decoded([b"x"], "compress"))


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw deflate": raw_deflate,
}


@pytest.mark.parametrize("coding", PACKERS)
def test_no_length_around_a_piece_is_damaged(coding: str) -> None:
    for length in range(256 * 1024 - 300, 256 * 1024 + 300):
        packed = PACKERS[coding](b"\0" * length)
        assert sum(map(len, decoded([packed], coding.rsplit(maxsplit=1)[-1]))) == length


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=4), st.integers(1, 60))
@example([b"first", b"second"], 1)
def test_members_of_gzip_are_joined_however_they_are_cut(bodies: list[bytes], size: int) -> None:
    packed = b"".join(map(gzip.compress, bodies))
    assert b"".join(decoded(pieces(packed, size), "gzip")) == b"".join(bodies)


@given(st.binary(max_size=50), st.integers(0, 60))
def test_a_border_in_the_magic_of_a_member_loses_nothing(body: bytes, shift: int) -> None:
    first, second = gzip.compress(b"first"), gzip.compress(body)
    cut = len(first) + min(shift, len(second))
    packed = first + second
    assert b"".join(decoded([packed[:cut], packed[cut:]], "gzip")) == b"first" + body


@pytest.mark.parametrize("rest", [b"\x1f", b"\x1fx", b"\0\0", b"x"])
def test_what_only_begins_like_a_member_is_padding(rest: bytes) -> None:
    assert b"".join(decoded([gzip.compress(b"page") + rest[:1], rest[1:]], "gzip")) == b"page"
