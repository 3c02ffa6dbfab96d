"""What is written is read as pydantic reads text, and refused with what it must be."""

from typing import Any

import pytest
from pydantic import ConfigDict, TypeAdapter, ValidationError

from webrag_desktop.config import Setting, Settings, declared_settings
from webrag_desktop.config.reading import read_value
from webrag_desktop.errors import ConfigurationError

WRITTEN = (
    *("", " ", "5", " 5 ", "+5", "-5", "05", "5.0", "5.", "5.5", ".5", "5e0", "1e2", "1_0", "1__0", "_1", "5,0"),
    *("inf", "nan", "-inf", "1e400", "0x10", "five", "true", "TRUE", " True ", "yes", "y", "on", "1", "0", "off"),
    *("f", "F", "no", "maybe", "2", "None", "true false", "6 0", "1.000", "1.0.0"),
)  # fmt: skip
_TYPES = {"whole number": int, "number": float, "yes or no": bool}
_FINITE = ConfigDict(allow_inf_nan=False)


def _unbounded(kind: str) -> Setting:
    return next(one for one in declared_settings() if one.kind == kind and not one.own)


@pytest.mark.parametrize("kind", _TYPES)
@pytest.mark.parametrize("written", WRITTEN)
def test_numbers_and_answers_are_read_as_pydantic_reads_them(kind: str, written: str) -> None:
    one = _unbounded(kind)
    adapter: TypeAdapter[Any] = TypeAdapter(_TYPES[kind], config=_FINITE if kind == "number" else None)
    try:
        expected = adapter.validate_python(written.strip() if kind == "yes or no" else written)
    except ValidationError:
        with pytest.raises(ValueError, match=f"it must be {one.wanted}"):
            read_value(one, written)
        return
    if kind != "yes or no" and not one.bounds.hold(expected):
        with pytest.raises(ValueError, match=f"it must be {one.bounds}"):
            read_value(one, written)
    else:
        assert read_value(one, written) == expected


def test_settings_are_frozen_compared_by_their_values_and_tell_no_secret() -> None:
    settings = Settings.of(CHAT_API_KEY="hunter2", CHUNK_CHILD_TOKENS=64)
    assert settings == Settings.of(CHAT_API_KEY="hunter2", CHUNK_CHILD_TOKENS=64)
    assert hash(settings) == hash(Settings.of(CHAT_API_KEY="hunter2", CHUNK_CHILD_TOKENS=64))
    assert settings != Settings.of(CHUNK_CHILD_TOKENS=64)
    assert "hunter2" not in repr(settings)
    assert "chunk_child_tokens=64" in repr(settings)
    with pytest.raises(AttributeError):
        settings.chunk_child_tokens = 65
    assert settings.secrets() == {"CHAT_API_KEY": "hunter2"}


def test_a_default_that_was_chosen_is_given() -> None:
    assert Settings.of(CHUNK_CHILD_TOKENS=Settings().chunk_child_tokens).given == {"chunk_child_tokens"}


def test_a_choice_is_one_of_its_words() -> None:
    with pytest.raises(ConfigurationError, match="it must be one of auto, embedded, compose, external"):
        Settings.of(WEBRAG_STACK="Embedded")
