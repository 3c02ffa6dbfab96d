"""What the user may say about embedding; gathered from the settings and passed in."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from webrag_desktop.bounds import bounded, check_settings
from webrag_desktop.errors import ConfigurationError

if TYPE_CHECKING:  # every start would wait for it
    from pathlib import Path

    from pydantic import SecretStr

    from webrag_desktop.embedding.priority_lock import Locks

Backend = Literal["auto", "embedded", "ollama", "openai"]
DEFAULT_ADDRESSES: Final = {"ollama": "http://localhost:11434", "openai": "https://api.openai.com"}
DEFAULT_OLLAMA_MODEL: Final = "nomic-embed-text"
DEFAULT_OPENAI_MODEL: Final = "text-embedding-3-small"
DEFAULT_DIMENSIONS: Final = 768  # of Ollama's
# More would wait: beside the model, a chunk takes about 2 ms of work that is done one after the other, and a core
# embeds one in 12 ms.
MOST_CORES: Final = 8


@dataclass(frozen=True)
class EmbeddingOptions:
    """Choices for the embedding model; None means "not said", which leaves the model's own value.

    ``backend="auto"`` takes Ollama's ``nomic-embed-text`` if it answers and the embedded model otherwise.
    ``dimensions`` must be None unless the user set it: a value that contradicts the model is refused.
    ``batch_size`` texts go into one request, ``max_workers`` requests run at once, ``timeout`` is in seconds
    and holds for each wait for the server. ``tokenizer`` is a shipped one's name, the path of a ``tokenizer.json`` or
    of a folder as HuggingFace's, or the name of a model on its hub, which may be downloaded; ``tokenizer`` and
    ``max_tokens`` (the window) are needed only for models the program does not know.
    The embedded model embeds documents on so many ``cores`` of the processor at once; None: on all of them, at most
    :data:`MOST_CORES`.
    ``locks`` are shared with the other processes that use the same server, so that questions overtake bulk work.
    What is made of the embedded model is kept in ``model_folder``; without one it is made in memory.
    """

    backend: Backend = "auto"
    base_url: str | None = None
    model: str | None = None
    api_key: "SecretStr | None" = None
    dimensions: int | None = bounded(None, above=0)
    batch_size: int = bounded(256, above=0)
    max_workers: int = bounded(4, above=0)
    cores: int | None = bounded(None, above=0)
    timeout: float = bounded(120.0, above=0)
    document_prefix: str | None = None
    query_prefix: str | None = None
    tokenizer: str | None = None
    max_tokens: int | None = bounded(None, above=0)
    locks: "Locks | None" = field(default=None, repr=False, compare=False)
    model_folder: "Path | None" = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse numbers that cannot work, naming the setting."""
        check_settings(self, "EMBEDDING")
        if self.key and not (self.key.isascii() and self.key.isprintable()):
            raise ConfigurationError("EMBEDDING_API_KEY holds characters no key has.", "Copy the key again.")

    @property
    def key(self) -> str | None:
        """The API key in the clear, or None; only for the request's header."""
        return (self.api_key.get_secret_value().strip() or None) if self.api_key else None
