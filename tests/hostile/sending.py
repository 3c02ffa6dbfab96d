"""Sites that send badly: bombs, endless and slow bodies, lies about length, broken framing."""

import gzip
import zlib
from collections.abc import Callable

import brotli
import zstandard

from tests.hostile.cases import Case, Fails, Gives, Outcome, SiteCase, refused, site
from tests.support.pages import Page, RequestHandler
from webrag_desktop.errors import FetchError, TooLargeError

BOMB = b"\0" * 30_000_000
TOO_LARGE = Fails("larger than 200,000 bytes", TooLargeError)
DAMAGED = refused("The page arrived damaged")
BROKE_OFF = refused("The connection broke off before the whole page had arrived")
BROKEN = refused("does not keep to the rules of the web")
KEPT = Gives(("before", "after"))
HTML = b"<p>before and after</p>"


def _packed(name: str, what: str, coding: str, pack: Callable[[], bytes], outcome: Outcome) -> SiteCase:
    def serve() -> dict[str, Page]:
        return {"/a": Page(pack(), headers=(("Content-Type", "text/html"), ("Content-Encoding", coding)))}

    return SiteCase(name, what, serve, outcome)


def _raw(name: str, what: str, answer: bytes, outcome: Outcome) -> SiteCase:
    def send(handler: RequestHandler) -> None:
        handler.close_connection = True
        handler.wfile.write(answer)

    return site(name, what, send, outcome)


def _flowing(start: bytes, piece: bytes, pause: float = 0) -> Callable[[RequestHandler], None]:
    def send(handler: RequestHandler) -> None:
        handler.close_connection = True
        handler.wfile.write(start)
        while not handler.wait(pause):
            handler.wfile.write(piece)

    return send


def _silent(handler: RequestHandler) -> None:
    handler.wait(30)


OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

CASES: tuple[Case, ...] = (
    _packed("gzip-bomb", "30 MB of zeros in 30 kB of gzip", "gzip", lambda: gzip.compress(BOMB), TOO_LARGE),
    _packed("deflate-bomb", "30 MB of zeros in deflate", "deflate", lambda: zlib.compress(BOMB), TOO_LARGE),
    _packed(
        "brotli-bomb",
        "30 MB of zeros in a few bytes of brotli",
        "br",
        lambda: brotli.compress(BOMB, quality=5),
        TOO_LARGE,
    ),
    _packed("zstd-bomb", "30 MB of zeros in zstd", "zstd", lambda: zstandard.compress(BOMB), TOO_LARGE),
    _packed(
        "gzip-in-gzip-bomb",
        "a bomb packed twice",
        "gzip, gzip",
        lambda: gzip.compress(gzip.compress(BOMB)),
        TOO_LARGE,
    ),
    _packed(
        "packed-four-times",
        "a page packed four times",
        "gzip, br, gzip, br",
        lambda: HTML,
        refused("packed the page in a way that was not asked for"),
    ),
    _packed(
        "packed-unknown",
        "a packing nobody asked for",
        "lzma",
        lambda: HTML,
        refused("packed the page in a way that was not asked for"),
    ),
    _packed(
        "gzip-of-many-members",
        "5,000 empty gzip members around a page",
        "gzip",
        lambda: gzip.compress(b"", mtime=0) * 5_000 + gzip.compress(HTML),
        KEPT,
    ),
    _packed("gzip-that-is-none", "a page that is not packed as it says", "gzip", lambda: HTML, DAMAGED),
    _packed(
        "gzip-cut-short", "a packed page that ends early", "gzip", lambda: gzip.compress(HTML)[:-9], DAMAGED
    ),
    _packed(
        "gzip-wrong-sum",
        "a packed page whose checksum is wrong",
        "gzip",
        lambda: gzip.compress(HTML)[:-8] + b"\0" * 8,
        DAMAGED,
    ),
    _packed("brotli-broken", "brotli that is none", "br", lambda: b"\xff" * 100, DAMAGED),
    _packed(
        "zstd-large-window",
        "zstd that asks for 2 GB of memory",
        "zstd",
        lambda: b"\x28\xb5\x2f\xfd\x00\xa8" + b"\x01\0\0",
        DAMAGED,
    ),
    site("endless-body", "a body without end", _flowing(OK + b"\r\n", b"y" * 65536), TOO_LARGE),
    site(
        "slow-drip",
        "one byte every 50 ms, for ever",
        _flowing(OK + b"\r\n", b"y", 0.05),
        refused("did not arrive whole in 1 s"),
    ),
    site("silence", "no answer at all", _silent, refused("The site did not answer in 0.4 s")),
    site(
        "endless-header",
        "one header without end",
        _flowing(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 65536),
        BROKEN,
    ),
    site(
        "endless-headers",
        "headers without end",
        _flowing(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 1000),
        BROKEN,
    ),
    site(
        "dripping-headers",
        "headers that come byte by byte",
        _flowing(b"HTTP/1.1 200 OK\r\nX: ", b"y", 0.05),
        refused("did not arrive whole in 1 s"),
    ),
    site(
        "endless-chunks",
        "chunks of one byte without end",
        _flowing(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 1000),
        refused("did not arrive whole in 1 s"),
    ),
    site(
        "endless-chunk-extension",
        "a chunk whose length line never ends",
        _flowing(OK + b"Transfer-Encoding: chunked\r\n\r\n1;", b"x" * 65536),
        BROKEN,
    ),
    site(
        "endless-interim-answers",
        "“100 Continue” without end",
        _flowing(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
        Fails("The page did not arrive whole in 1 s", FetchError),
    ),
    site(
        "announced-gigabyte",
        "an announced length of a gigabyte",
        Page(b"", headers=(("Content-Length", "1000000000"),)),
        TOO_LARGE,
    ),
    _raw(
        "length-too-long",
        "fewer bytes than announced",
        OK + b"Content-Length: 5000\r\n\r\n" + HTML,
        BROKE_OFF,
    ),
    _raw(
        "length-too-short",
        "more bytes than announced: what follows is nobody's",
        OK + b"Content-Length: 23\r\n\r\n" + HTML + b"<p>smuggled",
        Gives(("before", "after"), without=("smuggled",)),
    ),
    _raw(
        "length-twice",
        "two announced lengths that differ",
        OK + b"Content-Length: 5\r\nContent-Length: 23\r\n\r\n" + HTML,
        BROKEN,
    ),
    _raw(
        "length-negative",
        "a negative length",
        OK + b"Content-Length: -1\r\n\r\n" + HTML,
        BROKEN,
    ),
    _raw(
        "length-and-chunks",
        "a length and chunks at once",
        OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n17\r\n" + HTML + b"\r\n0\r\n\r\n",
        KEPT,
    ),
    _raw(
        "chunks-broken",
        "chunks of lengths that are none",
        OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + HTML,
        BROKEN,
    ),
    _raw(
        "chunk-of-exabytes",
        "a chunk of 16 exabytes",
        OK + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n" + HTML,
        BROKE_OFF,
    ),
    _raw(
        "transfer-encoding-unknown",
        "a framing nobody knows",
        OK + b"Transfer-Encoding: evil\r\n\r\n" + HTML,
        BROKEN,
    ),
    _raw(
        "headers-of-nul",
        "NUL and line feeds in headers",
        b"HTTP/1.1 200 OK\r\nX: a\0b\nSet-Cookie: c\r\n\r\n" + HTML,
        BROKEN,
    ),
    _raw(
        "no-http",
        "a server that greets like a mail server",
        b"220 mail.test ESMTP\r\n",
        BROKE_OFF,
    ),
    _raw(
        "http-09",
        "a page without any headers",
        HTML,
        BROKE_OFF,
    ),
    _raw(
        "status-zero",
        "a status that is none",
        b"HTTP/1.1 000 \r\n\r\n" + HTML,
        BROKEN,
    ),
    _raw(
        "status-switching",
        "a switch of protocols nobody asked for",
        b"HTTP/1.1 101 Switching\r\nUpgrade: evil\r\n\r\n" + HTML,
        BROKEN,
    ),
    _raw(
        "rest-of-many-digits",
        "a busy site that wants to be left alone until a year of 20 digits",
        b"HTTP/1.1 503 Busy\r\nRetry-After: Sat, 03 Oct 99999999999999999999 14:02:00 GMT\r\n\r\n",
        Fails("The site has a fault of its own (503)", FetchError),
    ),
    _raw(
        "status-no-content",
        "no content at all",
        b"HTTP/1.1 204 No Content\r\n\r\n",
        Fails("No text was found in the file"),
    ),
    _raw(
        "redirect-without-target",
        "a redirect that leads nowhere",
        b"HTTP/1.1 302 Found\r\n\r\n",
        Fails("The site refused to send the page (302)", FetchError),
    ),
    _raw(
        "redirect-of-a-megabyte",
        "a redirect to an address of 60,000 characters",
        b"HTTP/1.1 302 Found\r\nLocation: http://public.test/" + b"a" * 60_000 + b"\r\n\r\n",
        Fails("The site redirects to an address that cannot be opened", FetchError),
    ),
)
