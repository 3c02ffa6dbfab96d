"""What is written to the log of something that was given: never what may be a secret."""

import logging

import pytest

from webrag_desktop.errors import InputError
from webrag_desktop.library.intake import _log_refused
from webrag_desktop.models.intake import Refused


@pytest.mark.parametrize(
    "given",
    [
        "https://example.org/x?token=s3cret",
        "example.org/x?token=s3cret",
        "https://example.org/#access_token=s3cret",
        "https://user:s3cret@example.org/x",
        "https://user:s3/cret@example.org/x",
        "//user:s3cret@example.org/x",
        "user:s3cret@example.org",
        "https://user:s3@cret@example.org/x?y=s3cret",
    ],
)
def test_names_passwords_and_parameters_stay_out(given: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        _log_refused([Refused(given, InputError("It is no address.", "Look at it."))])
    assert "example.org" in caplog.text
    assert "cret" not in caplog.text
