"""What the environment says of proxies and certificates is for the internet only, and is reported where useless."""

from collections.abc import Iterator

import httpx
import pytest

from webrag_desktop.embedding.client import EmbeddingClient
from webrag_desktop.embedding.server_errors import EmbeddingFailures
from webrag_desktop.errors import ConfigurationError, EmbeddingError
from webrag_desktop.servers.address import parse_address
from webrag_desktop.servers.faults import transport_fault

UNUSABLE = {
    "ALL_PROXY": "socks5://localhost:1080",  # needs a library that is not there
    "HTTPS_PROXY": "strange://localhost",
    "SSL_CERT_FILE": "/nowhere/certificates.pem",
}


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_environment_that_cannot_be_used_is_reported(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, UNUSABLE[name])
    with pytest.raises(ConfigurationError, match="proxy or the certificates") as reported:
        EmbeddingClient(parse_address("https://api.openai.com"), key=None, timeout=1)
    assert name in reported.value.hint


def test_a_server_in_the_house_needs_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in UNUSABLE.items():
        monkeypatch.setenv(name, value)
    EmbeddingClient(parse_address("http://localhost:11434"), key=None, timeout=1).close()


def test_a_server_in_the_house_is_known_by_the_certificates_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", UNUSABLE["SSL_CERT_FILE"])
    with pytest.raises(ConfigurationError, match="certificates"):
        EmbeddingClient(parse_address("https://nas.local"), key=None, timeout=1)


def test_a_certificate_that_proves_nothing_is_reported_and_not_waited_for() -> None:
    error = httpx.ConnectError(
        "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate"
    )
    fault = transport_fault(error, reached=False)
    reported = EmbeddingFailures(parse_address("https://nas.local")).transport(fault, error, 1)
    assert "certificate" in reported.message
    assert not reported.transient


def test_an_answer_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webrag_desktop.embedding.client.MOST_ANSWER_BYTES", 3 * 1024 * 1024)
    sent: list[int] = []

    def endless() -> Iterator[bytes]:
        while True:
            sent.append(1024 * 1024)
            yield b" " * 1024 * 1024

    endless_answer = httpx.MockTransport(lambda _request: httpx.Response(200, content=endless()))
    client = EmbeddingClient(
        parse_address("http://localhost:11434"), key=None, timeout=5, transport=endless_answer
    )
    with pytest.raises(EmbeddingError, match="more than 3 MB") as reported:
        client.get("http://localhost:11434/api/tags")
    assert not reported.value.transient
    assert sum(sent) <= 5 * 1024 * 1024
    client.close()
