"""What the user may say about answers."""

import pytest

from webrag_desktop.answering.options import AnswerOptions
from webrag_desktop.config import Settings
from webrag_desktop.errors import ConfigurationError


def test_the_settings_are_what_answering_is_given() -> None:
    assert Settings().answer_options() == AnswerOptions()
    given = Settings.of(
        CHAT_CONTEXT_TOKENS=8192,
        CHAT_REPLY_TOKENS=300,
        CHAT_TEMPERATURE=0.5,
        CHAT_TIMEOUT=7.5,
        CHAT_CHECK_AGAIN=False,
        CHAT_IMAGES=True,
        CHAT_SENTENCES=12,
    )
    assert given.answer_options() == AnswerOptions(
        8192, 300, 0.5, 7.5, check_again=False, images=True, sentences=12
    )


@pytest.mark.parametrize(
    ("name", "value", "setting"),
    [
        ("context_tokens", 100, "CHAT_CONTEXT_TOKENS"),
        ("reply_tokens", 0, "CHAT_REPLY_TOKENS"),
        ("temperature", -0.1, "CHAT_TEMPERATURE"),
        ("temperature", float("nan"), "CHAT_TEMPERATURE"),
        ("seconds", 0, "CHAT_TIMEOUT"),
        ("sentences", 0, "CHAT_SENTENCES"),
    ],
)
def test_what_cannot_work_is_refused_by_the_name_of_its_setting(
    name: str, value: float, setting: str
) -> None:
    with pytest.raises(ConfigurationError, match=f"^{setting} is"):
        AnswerOptions(**{name: value})  # type: ignore[arg-type]
