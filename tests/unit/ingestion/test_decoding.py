import gzip
import zlib
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webrag_desktop.errors import FetchError
from webrag_desktop.ingestion.decoding import decoded


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@given(
    st.binary(max_size=3000), st.integers(1, 500), st.sampled_from(["gzip", "deflate", "identity", "x-gzip"])
)
def test_any_split_of_any_body_is_decoded(body: bytes, size: int, coding: str) -> None:
    packed = body
    if coding != "identity":
        packed = zlib.compress(body) if coding == "deflate" else gzip.compress(body)
    assert b"".join(decoded(pieces(packed, size), coding)) == body


def test_pieces_stay_small_however_dense_the_body() -> None:
    bomb = gzip.compress(b"\0" * 20_000_000)
    assert max(len(piece) for piece in decoded([bomb], "gzip")) <= 256 * 1024


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
        list(decoded([b"x"], "br"))


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
