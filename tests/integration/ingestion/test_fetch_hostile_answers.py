"""Answers that lie about themselves, never end, or are larger than they look."""

import gzip
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from tests.support.pages import Page, PageServer, RequestHandler
from webrag_desktop.errors import FetchError
from webrag_desktop.ingestion.fetching.fetch import MOST_HEADERS, fetch, fetch_beginning
from webrag_desktop.ingestion.fetching.options import FetchOptions

QUICK = FetchOptions(
    connect_seconds=2, read_seconds=2, total_seconds=10, max_bytes=200_000, max_redirects=3, retry_seconds=0
)


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as running:
        yield running


@contextmanager
def answering(raw: bytes) -> Iterator[str]:
    """A server that gives one answer byte by byte as reported."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def talk() -> None:
            connection, _ = listener.accept()
            with connection, suppress(OSError):  # a client may have seen enough, and hung up
                connection.recv(10_000)
                connection.sendall(raw)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(10_000)  # until the client hangs up, so that nothing it has not read is lost

        thread = threading.Thread(target=talk)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        thread.join()


OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "raw",
    [
        OK + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\nhello\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello world\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 25 + b"\r\nhello\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        OK + b"Content-Length: 10\r\nContent-Length: 5\r\n\r\nhello",
        OK + b"Content-Length: -5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nX: \0\r\n\r\n",
        OK + b"X-Folded: " + b"x" * 200_000,
    ],
    ids=[
        "no chunk size", "chunk longer than told", "endless chunk size", "coded twice",
        "two lengths", "negative length", "NUL in a header", "one endless header",
    ],
)  # fmt: skip
def test_broken_framing_is_no_page(raw: bytes) -> None:
    with answering(raw) as url, pytest.raises(FetchError, match="rules of the web") as caught:
        fetch(url, QUICK)
    assert caught.value.transient
    assert not caught.value.retryable


@pytest.mark.parametrize(
    "raw",
    [
        OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
        OK + b"Content-Length: 10\r\n\r\nhello",
        OK + b"Content-Ty",
        b"",
    ],
    ids=["chunk cut short", "length too large", "header cut short", "nothing at all"],
)
def test_an_answer_that_ends_early_is_no_page(raw: bytes) -> None:
    with answering(raw) as url, pytest.raises(FetchError, match="broke off") as caught:
        fetch(url, QUICK)
    assert caught.value.retryable


def test_a_broken_header_is_not_repeated_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "webrag_desktop")
    with answering(OK + b"Set-Cookie: sid=secret\0\r\n\r\n") as url, pytest.raises(FetchError):
        fetch(url, QUICK)
    assert "ProtocolError" in caplog.text
    assert "secret" not in caplog.text


def test_what_follows_the_announced_length_is_not_read() -> None:
    with answering(OK + b"Content-Length: 5\r\n\r\nhello, and more") as url:
        assert fetch(url, QUICK).body == b"hello"


def test_chunks_win_over_a_length() -> None:
    with answering(
        OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    ) as url:
        assert fetch(url, QUICK).body == b"hello"


def test_too_many_headers_are_refused() -> None:
    with (
        answering(OK + b"X-A: b\r\n" * (MOST_HEADERS + 1) + b"\r\nhello") as url,
        pytest.raises(FetchError, match=f"more than {MOST_HEADERS} header fields"),
    ):
        fetch(url, QUICK)


def test_endless_preliminary_answers_meet_the_deadline(server: PageServer) -> None:
    def answer(handler: RequestHandler) -> None:
        while not handler.wait(0.01):
            handler.wfile.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")

    server.pages["/x"] = answer
    with pytest.raises(FetchError, match="did not arrive whole"):
        fetch(server.url("/x"), FetchOptions(total_seconds=0.5, retry_seconds=0))


def test_packed_bytes_that_unfold_to_nothing_are_counted_too(server: PageServer) -> None:
    def answer(handler: RequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.end_headers()
        while not handler.wait(0):
            handler.wfile.write(gzip.compress(b"") * 1000)

    server.pages["/x"] = answer
    with pytest.raises(FetchError, match="larger than 200,000 bytes"):
        fetch(server.url("/x"), QUICK)


def test_a_name_and_password_in_a_redirect_go_nowhere(server: PageServer) -> None:
    target = server.url("/b").replace("://", "://user:secret@")
    server.pages |= {"/a": Page.redirect(target), "/b": "<p>arrived</p>"}
    capture = fetch(server.url("/a"), QUICK)
    assert capture.final_url == server.url("/b")
    assert "secret" not in repr(capture)
    assert not server.requests[-1].headers.keys() & {"authorization", "proxy-authorization"}


def test_of_a_large_answer_only_the_beginning_may_be_wanted(server: PageServer) -> None:
    server.pages["/x"] = b"y" * 500_000
    assert fetch_beginning(server.url("/x"), QUICK).body == b"y" * 200_000
    answer = fetch_beginning(server.url("/missing"), QUICK)
    assert (answer.status_code, answer.body) == (404, b"")
