"""Counting the tokens of a reply, for a client whose tokenizer nobody knows."""

from typing import TYPE_CHECKING

from webrag_desktop.errors import ConfigurationError
from webrag_desktop.mcp.replies import Count

if TYPE_CHECKING:
    from webrag_desktop import Library

_CHAT, _PLAIN = "cl100k_base", "bert-base-uncased"


def counter_of(library: "Library") -> Count:
    """Counts a text as a chat model's tokenizer does and as the library's own does; the larger number holds."""
    from webrag_desktop import open_tokenizer  # long to import; the list of tools needs none

    model = library.embedding_model()
    try:
        own = open_tokenizer(model.tokenizer if model else _PLAIN)
    except ConfigurationError:  # its file is not here; searching tells of that
        own = open_tokenizer(_PLAIN)
    chat = open_tokenizer(_CHAT)
    return lambda text: max(chat.count(text), own.count(text))
