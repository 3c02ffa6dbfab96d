"""The chat model that answers, as the settings name it; none is contacted before its first question."""

from webrag_desktop.answering.chat_errors import ANSWERING
from webrag_desktop.answering.chat_http import chat_address
from webrag_desktop.answering.streaming import StreamingChatModel
from webrag_desktop.answering.streaming_model import ServedChatModel
from webrag_desktop.config import Settings


def open_chat_model(settings: Settings) -> StreamingChatModel | None:
    """The model of ``CHAT_MODEL`` on its server, which alone is given ``CHAT_API_KEY``; None where none is named.

    Raises:
        ConfigurationError: the server's address, or the key, is none.
    """
    if settings.chat_model is None:
        return None
    key = settings.chat_api_key
    return ServedChatModel(
        chat_address(settings.chat_base_url, ANSWERING),
        settings.chat_model,
        key.get_secret_value() if key else None,
        settings.answer_options().context_tokens,
    )
