"""What somebody else than the user gives may lead to the internet alone."""

import socket
from collections.abc import Sequence

import pytest

from webrag_desktop import public_address
from webrag_desktop.errors import InputError
from webrag_desktop.ingestion.fetching import network

LOOKED_UP = {
    "example.org": ["93.184.215.14"],
    "both.example": ["93.184.215.14", "10.0.0.7"],
    "rebound.example": ["127.0.0.1"],
    "six.example": ["fd00::1"],
}


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(host: str, _port: int) -> Sequence[str]:
        if host not in LOOKED_UP:
            raise socket.gaierror("unknown")
        return LOOKED_UP[host]

    monkeypatch.setattr(network, "resolve_name", resolve)


def test_a_public_address_is_normalised() -> None:
    assert public_address("example.org/tides") == "https://example.org/tides"
    assert public_address("http://unknown.example/") == "http://unknown.example/"  # fetching tells of that


@pytest.mark.parametrize(
    "text",
    [
        "http://localhost/",
        "http://127.0.0.1:8080/",
        "http://0x7f.1/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://192.168.1.1/admin",
        "http://169.254.169.254/latest/meta-data",
        "http://100.64.0.1/",
        "http://printer/",
        "http://nas.local/",
        "http://wiki.corp/",
        "http://both.example/",
        "http://rebound.example/",
        "http://six.example/",
    ],
)
def test_what_leads_inside_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="only its user may add") as refused:
        public_address(text)
    assert "webrag add" in refused.value.hint


@pytest.mark.parametrize("text", ["/etc/passwd", "file:///etc/passwd", "~/.ssh/id_rsa", "notes.md"])
def test_files_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="not a web address"):
        public_address(text)
