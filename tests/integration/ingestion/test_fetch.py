"""Fetching from a real HTTP server on loopback."""

import socket
import ssl
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import httpcore
import pytest

from tests.support.pages import PAGES_DIRECTORY, Page, PageServer, RequestHandler
from webrag_desktop.errors import Cancelled, FetchError, InputError, UnsafeAddressError
from webrag_desktop.ingestion.fetching.fetch import fetch, fetch_if_changed
from webrag_desktop.ingestion.fetching.network import Network
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.progress import CancelToken, Step

QUICK = FetchOptions(
    connect_seconds=2,
    read_seconds=0.4,
    total_seconds=20,
    max_bytes=200_000,
    max_redirects=3,
    retry_seconds=0,
)
TLS_FILE = Path(__file__).parents[2] / "data" / "tls" / "localhost.pem"


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer(directory=PAGES_DIRECTORY) as running:
        yield running


class RoutedSockets(httpcore.NetworkBackend):
    """Connects every address that is not loopback to one local port, and notes what it was asked for."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._real = httpcore.SyncBackend()
        self.asked: list[str] = []

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        self.asked.append(host)
        return self._real.connect_tcp("127.0.0.1", self._port, timeout, local_address, socket_options)


def public_network(server: PageServer, **names: Sequence[str]) -> tuple[Network, RoutedSockets]:
    """A network in which ``public.test`` lies at a public address that leads to the test server."""
    known = {
        "public.test": ["93.184.216.34"],
        **{name.replace("_", "."): found for name, found in names.items()},
    }

    def resolve(host: str, port: int) -> Sequence[str]:
        if host in known:
            return known[host]
        return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST)]

    sockets = RoutedSockets(server.port)
    return Network(resolve, sockets), sockets


def test_a_page_is_captured_as_it_was_sent(server: PageServer) -> None:
    capture = fetch(server.url("/python_glossary.html"), QUICK)
    assert capture.body == (PAGES_DIRECTORY / "python_glossary.html").read_bytes()
    assert capture.status_code == 200
    assert capture.header("content-type") == "text/html"
    assert capture.url == capture.final_url == server.url("/python_glossary.html")
    assert capture.redirects == ()


def test_requests_carry_no_cookie_no_referer_and_no_proxy(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    server.pages["/start"] = Page(status=302, headers=(("Location", "/end"), ("Set-Cookie", "a=b; Path=/")))
    server.pages["/end"] = "<p>here</p>"
    fetch(server.url("/start"), QUICK)
    sent = [set(request.headers) for request in server.requests]
    assert sent == [{"host", "user-agent", "accept", "accept-encoding", "connection"}] * 2


def test_redirects_are_followed_and_noted(server: PageServer) -> None:
    server.pages["/a"] = Page.redirect("b?x=1#part", 301)
    server.pages["/b?x=1"] = Page.redirect(server.url("/c", host="localhost"), 307)
    server.pages["/c"] = "<p>arrived</p>"
    capture = fetch(server.url("/a"), QUICK)
    assert capture.body == b"<p>arrived</p>"
    assert capture.redirects == (server.url("/b?x=1"), server.url("/c", host="localhost"))
    assert capture.final_url == capture.redirects[-1]


@pytest.mark.parametrize(
    ("location", "path"),
    [("/größe", "/gr%C3%B6%C3%9Fe"), ("/gr\udcf6\udcdfe", "/gr%C3%B6%C3%9Fe")],
    ids=["utf-8", "latin-1"],
)
def test_redirects_to_addresses_outside_ascii(server: PageServer, location: str, path: str) -> None:
    raw = location.encode("utf-8", "surrogateescape")
    server.pages["/a"] = Page.redirect(raw.decode("latin-1"))
    server.pages[path] = "<p>arrived</p>"
    assert fetch(server.url("/a"), QUICK).redirects == (server.url(path),)


def test_a_name_that_todays_rules_forbid_is_looked_up_all_the_same() -> None:
    def resolve(host: str, _port: int) -> Sequence[str]:
        assert host == "xn--a.example"
        raise socket.gaierror(socket.EAI_NONAME, "none")

    with pytest.raises(FetchError, match=r"No site named xn--a\.example was found"):
        fetch("http://xn--a.example/", QUICK, network=Network(resolve))


def test_endless_redirects_end(server: PageServer) -> None:
    server.pages["/loop"] = Page.redirect("/loop")
    with pytest.raises(FetchError, match="redirects more than 3 times"):
        fetch(server.url("/loop"), QUICK)
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    "target", ["ftp://127.0.0.1/x", "javascript:alert(1)", "file:///etc/passwd", "http://0177.0.0.1/"]
)
def test_redirects_to_other_kinds_of_addresses_are_refused(server: PageServer, target: str) -> None:
    server.pages["/a"] = Page.redirect(target)
    with pytest.raises(FetchError, match="redirects to an address that cannot be opened"):
        fetch(server.url("/a"), QUICK)


@pytest.mark.parametrize(
    ("status", "words", "transient"),
    [
        (401, "The site asks for a sign-in (401)", False),
        (403, "The site shows this page only in a browser, or after a sign-in (403)", False),
        (404, "The site has no page at this address (404)", False),
        (410, "The site has no page at this address (410)", False),
        (418, "The site refused to send the page (418)", False),
        (429, "The site asks to come back later (429)", True),
        (500, "The site has a fault of its own (500)", True),
        (503, "The site has a fault of its own (503)", True),
    ],
)
def test_refusals_are_reported_in_words(server: PageServer, status: int, words: str, transient: bool) -> None:
    server.pages["/x"] = Page("<p>no</p>", status=status)
    with pytest.raises(FetchError) as caught:
        fetch(server.url("/x"), QUICK)
    assert caught.value.message == words
    assert caught.value.transient is transient
    assert caught.value.hint


def test_a_silent_site_is_given_up(server: PageServer) -> None:
    def silent(handler: RequestHandler) -> None:
        handler.wait(30)

    server.pages["/x"] = silent
    with pytest.raises(FetchError, match=r"The site did not answer in 0\.4 s") as caught:
        fetch(server.url("/x"), QUICK)
    assert caught.value.transient


def drip(handler: RequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while not handler.wait(0.05):
        handler.wfile.write(b"x")


def test_a_slow_drip_meets_the_total_deadline(server: PageServer) -> None:
    server.pages["/x"] = drip
    options = FetchOptions(read_seconds=5, total_seconds=0.5)
    with pytest.raises(FetchError, match=r"did not arrive whole in 0\.5 s") as caught:
        fetch(server.url("/x"), options)
    assert caught.value.transient


def test_dripping_headers_meet_the_total_deadline(server: PageServer) -> None:
    def headers(handler: RequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
        while not handler.wait(0.05):
            handler.wfile.write(b"x")

    server.pages["/x"] = headers
    with pytest.raises(FetchError, match="did not arrive whole"):
        fetch(server.url("/x"), FetchOptions(read_seconds=5, total_seconds=0.5))


def test_a_cancelled_fetch_stops_even_while_the_site_is_silent(server: PageServer) -> None:
    cancel = CancelToken()

    def answer(handler: RequestHandler) -> None:
        cancel.cancel()
        handler.wait(30)

    server.pages["/x"] = answer
    with pytest.raises(Cancelled):
        fetch(server.url("/x"), FetchOptions(read_seconds=25), cancel=cancel)


def test_an_announced_size_above_the_limit_is_refused_unread(server: PageServer) -> None:
    server.pages["/x"] = Page(b"", headers=(("Content-Length", "999999999"),))
    with pytest.raises(FetchError, match="larger than 200,000 bytes"):
        fetch(server.url("/x"), QUICK)


def test_an_unannounced_endless_body_is_cut_off(server: PageServer) -> None:
    def endless(handler: RequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not handler.wait(0):
            handler.wfile.write(b"y" * 65536)

    server.pages["/x"] = endless
    with pytest.raises(FetchError, match="larger than"):
        fetch(server.url("/x"), QUICK)


def test_a_body_that_breaks_off_is_no_page(server: PageServer) -> None:
    server.pages["/x"] = Page(b"<p>half", headers=(("Content-Length", "5000"),))
    with pytest.raises(FetchError, match="broke off before the whole page") as caught:
        fetch(server.url("/x"), QUICK)
    assert caught.value.transient


def test_a_server_that_speaks_no_http() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def talk() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"SSH-2.0-OpenSSH\r\n")

        thread = threading.Thread(target=talk)
        thread.start()
        with pytest.raises(FetchError, match="broke off"):
            fetch(f"http://127.0.0.1:{listener.getsockname()[1]}/", QUICK)
        thread.join()


def test_a_closed_port_and_an_unknown_name(server: PageServer) -> None:
    url = server.url("/x")
    server.stop()
    with pytest.raises(FetchError, match="refused the connection") as caught:
        fetch(url, QUICK)
    assert caught.value.transient
    with pytest.raises(FetchError, match=r"No site named nowhere\.invalid was found") as caught:
        fetch("http://nowhere.invalid/", QUICK)
    assert caught.value.transient


def test_progress_counts_received_bytes(server: PageServer) -> None:
    steps: list[Step] = []
    server.pages["/x"] = b"z" * 150_000
    fetch(server.url("/x"), QUICK, progress=steps.append)
    assert steps[-1] == Step("fetching", 150_000, 150_000)
    assert [step.done for step in steps] == sorted(step.done for step in steps)


def test_addresses_that_are_none() -> None:
    for text in ("", "ftp://example.org/", "/etc/hosts", "http://user:secret@example.org/"):
        with pytest.raises(InputError):
            fetch(text, QUICK)


SPELLINGS = [
    "http://127.0.0.1/", "http://localhost/", "http://2130706433/", "http://0x7f.1/",
    "http://127.1/", "http://0.0.0.0/", "http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://10.0.0.8/",
    "http://172.16.1.1/", "http://192.168.0.1/", "http://169.254.169.254/latest/meta-data/", "http://100.64.1.1/",
    "http://[fe80::1]/", "http://[fc00::1]/", "http://[fec0::1]/", "http://224.0.0.1/", "http://255.255.255.255/",
    "http://rebound.test/",
]  # fmt: skip


@pytest.mark.parametrize("target", SPELLINGS)
def test_a_public_page_leads_nowhere_private(server: PageServer, target: str) -> None:
    network, sockets = public_network(server, rebound_test=["10.1.2.3"], localhost=["127.0.0.1", "::1"])
    server.pages["/a"] = Page.redirect(target)
    with pytest.raises(UnsafeAddressError, match="inside this computer or its network"):
        fetch("http://public.test/a", QUICK, network=network)
    assert sockets.asked == ["93.184.216.34"]
    assert [request.path for request in server.requests] == ["/a"]


def test_a_way_over_public_pages_does_not_lead_back_inside(server: PageServer) -> None:
    network, _ = public_network(server)
    server.pages["/a"] = Page.redirect("http://public.test/b")
    server.pages["/b"] = Page.redirect(server.url("/c"))
    with pytest.raises(UnsafeAddressError):
        fetch(server.url("/a"), QUICK, network=network)


def test_without_leave_not_even_the_first_address_may_be_private(server: PageServer) -> None:
    with pytest.raises(UnsafeAddressError):
        fetch(server.url("/python_glossary.html"), FetchOptions(allow_private=False))
    assert server.requests == []


def test_the_connection_is_pinned_to_the_checked_address(server: PageServer) -> None:
    network, sockets = public_network(server, mixed_test=["10.0.0.1", "93.184.216.34", "127.0.0.1"])
    server.pages["/a"] = "<p>ok</p>"
    fetch("http://mixed.test/a", FetchOptions(allow_private=False), network=network)
    assert sockets.asked == ["93.184.216.34"]
    assert server.requests[0].headers["host"] == "mixed.test"


def test_the_next_address_is_tried_when_one_does_not_answer(server: PageServer) -> None:
    network = Network(lambda _host, _port: ["::1", "127.0.0.1"])  # the server listens on IPv4 only
    server.pages["/a"] = "<p>ok</p>"
    assert fetch(f"http://both.test:{server.port}/a", QUICK, network=network).body == b"<p>ok</p>"


@pytest.fixture
def tls_server() -> Iterator[tuple[PageServer, list[str | None]]]:
    names: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS_FILE)
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    with PageServer({"/": "<p>secret</p>"}, tls=context) as running:
        yield running, names


def test_certificates_nobody_trusts_are_refused(tls_server: tuple[PageServer, list[str | None]]) -> None:
    server, _ = tls_server
    with pytest.raises(FetchError, match="The certificate of localhost could not be verified") as caught:
        fetch(server.url("/", host="localhost"), QUICK)
    assert not caught.value.transient


def test_tls_is_checked_for_the_name_not_for_the_pinned_address(
    tls_server: tuple[PageServer, list[str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, names = tls_server
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS_FILE))
    network = Network(lambda _host, _port: ["127.0.0.1"])
    capture = fetch(server.url("/", host="pages.test"), QUICK, network=network)
    assert capture.body == b"<p>secret</p>"
    assert names == ["pages.test"]
    with pytest.raises(FetchError, match="could not be verified"):
        fetch(server.url("/", host="other.test"), QUICK, network=network)


def test_a_proxy_the_user_set_is_used_and_numbers_are_still_checked(server: PageServer) -> None:
    server.pages["http://public.test/page"] = "<p>by proxy</p>"
    server.pages["http://public.test/inside"] = Page.redirect("http://2130706433/")
    options = FetchOptions(proxy=server.url(""), allow_private=True)
    assert fetch("http://public.test/page", options).body == b"<p>by proxy</p>"
    with pytest.raises(UnsafeAddressError):
        fetch("http://public.test/inside", options)


@pytest.mark.parametrize("target", ["http://nas/", "http://router.lan/", "http://wiki.home.arpa/x"])
def test_a_proxy_is_not_led_to_names_that_only_the_users_network_gives(
    server: PageServer, target: str
) -> None:
    server.pages["http://public.test/a"] = Page.redirect(target)
    server.pages["http://intern.lan/a"] = Page.redirect(target)
    server.pages["http://intern.lan/b"] = Page.redirect("http://intern.lan:81/c")
    server.pages["http://intern.lan:81/c"] = "<p>same computer</p>"
    options = FetchOptions(proxy=server.url(""), allow_private=True)
    with pytest.raises(UnsafeAddressError, match="inside this computer or its network"):
        fetch("http://public.test/a", options)
    with pytest.raises(UnsafeAddressError, match="another computer inside this network"):
        fetch("http://intern.lan/a", options)
    found = fetch("http://intern.lan/b", options)
    assert found.body == b"<p>same computer</p>"
    assert found.reached == ("private", "private")
    with pytest.raises(UnsafeAddressError, match="now leads to an address inside"):
        fetch_if_changed("http://intern.lan/b", options, None, within="public")


def test_asking_again_a_moment_later_leads_no_further_in(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webrag_desktop.servers.retries.wait", lambda _seconds, _cancel: None)
    server.pages["/x"] = Page("<p>busy</p>", status=503)
    network, sockets = public_network(server)
    leads_to = iter([["93.184.216.34"], ["10.1.2.3"]])
    turning = Network(lambda _host, _port: next(leads_to), network.sockets)
    arrived: list[str] = []
    with pytest.raises(UnsafeAddressError, match=r"public\.test now leads to an address inside"):
        fetch_if_changed(
            "http://public.test/x",
            replace(QUICK, retry_seconds=60),
            None,
            network=turning,
            arrived=arrived.append,
        )
    assert sockets.asked == ["93.184.216.34"]
    assert arrived == ["public"]
