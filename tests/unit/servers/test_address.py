import pytest

from webrag_desktop.errors import ConfigurationError
from webrag_desktop.servers.address import parse_address


@pytest.mark.parametrize(
    ("written", "endpoint"),
    [
        ("api.openai.com", "https://api.openai.com/v1/embeddings"),
        ("https://api.openai.com/v1", "https://api.openai.com/v1/embeddings"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1/embeddings"),
        ("https://api.openai.com/v1/embeddings", "https://api.openai.com/v1/embeddings"),
        ("localhost:11434", "http://localhost:11434/v1/embeddings"),
        (" http://localhost:11434/ ", "http://localhost:11434/v1/embeddings"),
        ("127.0.0.1:1234/v1", "http://127.0.0.1:1234/v1/embeddings"),
        ("[::1]:8080", "http://[::1]:8080/v1/embeddings"),
        ("ollama:11434", "http://ollama:11434/v1/embeddings"),
        ("192.168.1.20:11434", "http://192.168.1.20:11434/v1/embeddings"),
        ("8.8.8.8", "https://8.8.8.8/v1/embeddings"),
        ("gpu.example.org:8443", "https://gpu.example.org:8443/v1/embeddings"),
        ("HTTP://GPU.example.org", "http://gpu.example.org/v1/embeddings"),
        ("https://example.org/proxy/openai/v1", "https://example.org/proxy/openai/v1/embeddings"),
        ("https://example.org/proxy", "https://example.org/proxy/v1/embeddings"),
        ("https://example.org/v1beta/openai", "https://example.org/v1beta/openai/embeddings"),
    ],
)
def test_addresses_are_read_as_people_write_them(written: str, endpoint: str) -> None:
    assert parse_address(written).openai("embeddings") == endpoint


@pytest.mark.parametrize("written", ["localhost:11434", "http://localhost:11434/v1", "localhost:11434/"])
def test_ollamas_own_interface_is_beside_v1(written: str) -> None:
    assert parse_address(written).ollama("tags") == "http://localhost:11434/api/tags"


@pytest.mark.parametrize(
    "written",
    [
        "",
        "   ",
        "http://",
        "ftp://example.org",
        "file:///etc/passwd",
        "https://example.org/v1?key=1",
        "https://example.org/#x",
        "host:port",
        "host:99999",
        "a b",
        "http://[::1",
        "http://-é.org",
    ],
)
def test_anything_else_is_refused_with_an_example(written: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_address(written)
    assert "http://localhost:11434" in caught.value.hint


def test_credentials_in_the_address_are_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_address("https://me:hunter2@example.org")
    assert "hunter2" not in caught.value.message + caught.value.hint
    assert "EMBEDDING_API_KEY" in caught.value.hint


@pytest.mark.parametrize(
    ("written", "private"),
    [
        ("localhost", True),
        ("10.0.0.5", True),
        ("nas.local", True),
        ("api.openai.com", False),
        ("1.1.1.1", False),
    ],
)
def test_private_hosts_are_known(written: str, private: bool) -> None:
    assert parse_address(written).is_private is private
