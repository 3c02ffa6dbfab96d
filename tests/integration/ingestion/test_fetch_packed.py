"""Packed pages from a real server: unpacked, stopped at the limit, or refused."""

import gzip
import zlib
from collections.abc import Iterator

import brotli
import pytest
import zstandard

from tests.support.pages import Page, PageServer
from webrag_desktop.errors import FetchError
from webrag_desktop.ingestion.fetching.fetch import fetch
from webrag_desktop.ingestion.fetching.options import FetchOptions

QUICK = FetchOptions(connect_seconds=2, read_seconds=2, total_seconds=20, max_bytes=200_000, retry_seconds=0)


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as running:
        yield running


@pytest.mark.parametrize("coding", ["gzip", "deflate", "raw deflate", "br", "zstd", "br, gzip", "gzip, zstd"])
def test_compressed_pages_are_unpacked(server: PageServer, coding: str) -> None:
    html = b"<p>" + b"text " * 5000 + b"</p>"
    raw = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(html[:9000]) + gzip.compress(html[9000:]),
        "deflate": zlib.compress(html),
        "raw deflate": raw.compress(html) + raw.flush(),
        "br": brotli.compress(html),
        "zstd": zstandard.compress(html),
        "br, gzip": gzip.compress(brotli.compress(html)),
        "gzip, zstd": zstandard.compress(gzip.compress(html)),
    }[coding]
    server.pages["/x"] = Page(packed, headers=(("Content-Encoding", coding.removeprefix("raw ")),))
    assert fetch(server.url("/x"), QUICK).body == html


BOMBS = {
    "gzip": gzip.compress(b"\0" * 30_000_000),
    "br": brotli.compress(b"\0" * 30_000_000),
    "zstd": zstandard.compress(b"\0" * 30_000_000),
    "gzip, gzip": gzip.compress(gzip.compress(b"\0" * 30_000_000)),
    "zstd, br": brotli.compress(zstandard.compress(b"\0" * 30_000_000)),
}


@pytest.mark.parametrize("coding", BOMBS)
def test_a_decompression_bomb_is_stopped_at_the_limit(server: PageServer, coding: str) -> None:
    server.pages["/x"] = Page(BOMBS[coding], headers=(("Content-Encoding", coding),))
    with pytest.raises(FetchError, match="larger than 200,000 bytes"):
        fetch(server.url("/x"), QUICK)


@pytest.mark.parametrize(
    ("body", "coding", "words"),
    [
        (b"not gzip at all", "gzip", "arrived damaged"),
        (gzip.compress(b"x" * 1000)[:-12], "gzip", "arrived damaged"),
        (b"\x28\xb5\x2f\xfd", "zstd", "arrived damaged"),
        (brotli.compress(b"x" * 1000)[:-1], "br", "arrived damaged"),
        (b"x", "compress", "not asked for"),
        (b"x", "gzip, gzip, gzip, gzip", "not asked for"),
    ],
    ids=[
        "no gzip",
        "cut short",
        "no zstd",
        "br cut short",
        "compress",
        "packed four times",
    ],  # the time is in gzip
)
def test_bodies_that_cannot_be_unpacked(server: PageServer, body: bytes, coding: str, words: str) -> None:
    server.pages["/x"] = Page(body, headers=(("Content-Encoding", coding),))
    with pytest.raises(FetchError, match=words):
        fetch(server.url("/x"), QUICK)


def test_codings_named_in_several_headers_are_undone_in_turn(server: PageServer) -> None:
    headers = (("Content-Encoding", "br"), ("Content-Encoding", "gzip"))
    server.pages["/x"] = Page(gzip.compress(brotli.compress(b"<p>text</p>")), headers=headers)
    assert fetch(server.url("/x"), QUICK).body == b"<p>text</p>"
