"""What a client is message_of of failures: message and hint, and nothing of the program's inside."""

import logging

import pytest
from pydantic import BaseModel, ValidationError

from webrag_desktop.errors import InputError
from webrag_desktop.mcp.failures import explained, failed, message_of


class Arguments(BaseModel):
    query: str
    max_tokens: int


def test_an_error_of_the_family_is_reported_as_it_is() -> None:
    error = InputError("There is no such\x1b thing.", "Give another one.")
    assert explained(error) is error
    assert message_of(error) == "There is no such\N{REPLACEMENT CHARACTER} thing.\nGive another one."
    assert failed(error).is_error


def test_wrong_arguments_are_named_and_not_repeated() -> None:
    with pytest.raises(ValidationError) as wrong:
        Arguments.model_validate({"query": 5, "max_tokens": "a secret"})
    text = message_of(explained(wrong.value))
    assert "query: Input should be a valid string" in text
    assert "max_tokens: " in text
    assert "secret" not in text
    assert "pydantic" not in text


def test_a_fault_of_the_program_goes_to_the_log_and_not_to_the_client(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR):
        text = message_of(explained(ZeroDivisionError("inside /home/somebody")))
    assert "fault of WebRAG" in text
    assert "somebody" not in text
    assert "ZeroDivisionError" in caplog.text


def test_what_the_computer_lacks_is_reported_as_such() -> None:
    assert "memory" in message_of(explained(MemoryError()))


def test_a_long_message_is_cut_and_its_hint_stays() -> None:
    text = message_of(InputError("x" * 100_000, "Give less."))
    assert len(text) < 2000
    assert text.endswith("…\nGive less.")
