import gzip
import zlib

import pytest
from hypothesis import given
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
