"""The chat model that answers, as the settings name it; none is contacted before its first question."""

from webrag_desktop.answering.chat.client import chat_address, check_chat
from webrag_desktop.answering.chat.errors import ANSWERING
from webrag_desktop.answering.chat.models import ServedChatModel
from webrag_desktop.config import Settings
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.models.stack import ChatStatus
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.chat import StreamingChatModel


def open_chat_model(settings: Settings) -> StreamingChatModel | None:
    """The model of ``CHAT_MODEL`` on its server, which alone is given ``CHAT_API_KEY``; None where none is named.

    Raises:
        ConfigurationError: the server's address, or the key, is none.
    """
    if settings.chat_model is None:
        return None
    return ServedChatModel(
        chat_address(settings.chat_base_url, ANSWERING),
        settings.chat_model,
        _key(settings),
        settings.answer_options().context_tokens,
    )


def chat_status(settings: Settings, model: str, cancel: CancelToken | None = None) -> ChatStatus:
    """How the ``model`` does. Nothing is asked of it; takes a few seconds at most, and raises for none that is away.

    Raises Cancelled where ``cancel`` was set.
    """
    try:
        address = chat_address(settings.chat_base_url, ANSWERING)
        return check_chat(address, model, _key(settings), cancel)
    except ConfigurationError as error:
        return ChatStatus("failing", error.message, error.hint, model=model)


def _key(settings: Settings) -> str | None:
    return settings.chat_api_key.get_secret_value() if settings.chat_api_key else None
