import pytest
from pydantic import SecretStr

from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.errors import ConfigurationError


def test_key_shows_nowhere() -> None:
    options = EmbeddingOptions(api_key=SecretStr("sk-verysecret"))
    assert "verysecret" not in repr(options) + str(options)
    assert options.key == "sk-verysecret"


@pytest.mark.parametrize("key", ["", "  ", "\n"])
def test_blank_key_is_no_key(key: str) -> None:
    assert EmbeddingOptions(api_key=SecretStr(key)).key is None


@pytest.mark.parametrize("key", ["sk-a\nX-Evil: 1", "schlüssel"])
def test_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        EmbeddingOptions(api_key=SecretStr(key))
    assert key not in caught.value.message + caught.value.hint


@pytest.mark.parametrize("name", ["batch_size", "max_workers", "timeout", "dimensions", "max_tokens"])
def test_numbers_must_be_above_zero(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"EMBEDDING_{name.upper()} is 0"):
        EmbeddingOptions(**{name: 0})  # type: ignore[arg-type]
