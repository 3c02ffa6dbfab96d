"""The contracts of this package: what turns text into vectors, and what counts tokens."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from webrag_desktop.models.spaces import EmbeddingModel
    from webrag_desktop.progress import CancelToken


class Embedder(Protocol):
    """Turns texts into unit vectors of ``model.dimensions``; may be called from several threads at once."""

    @property
    def model(self) -> "EmbeddingModel":
        """The model the vectors belong to; vectors of different models are never compared."""

    def embed_texts(self, texts: list[str], *, cancel: "CancelToken | None" = None) -> list[list[float]]:
        """One unit vector per passage, in order, the document prefix applied here; all of them or none.

        Raises :class:`~webrag_desktop.errors.EmbeddingError`, also for a blank text and for one longer than
        the model's window: nothing is cut off silently. ``cancel`` is asked between units of work and ends
        waits for a server; :class:`~webrag_desktop.errors.Cancelled` is raised then.
        """

    def embed_query(self, text: str, *, cancel: "CancelToken | None" = None) -> list[float]:
        """The unit vector of a question, the query prefix applied here; raises as :meth:`embed_texts`."""

    def close(self) -> None:
        """Release connections and memory; the embedder must not be used afterwards."""


class Tokenizer(Protocol):
    """Counts tokens as the embedding model does. Texts hold no lone surrogates; any length is fine."""

    @property
    def name(self) -> str:
        """The name under which :func:`~webrag_desktop.embedding.factory.open_tokenizer` gives it again."""

    @property
    def special_tokens(self) -> int:
        """How many tokens the model adds around one input; they count towards its window."""

    def token_starts(self, text: str) -> Sequence[int]:
        """For every token of ``text``, the offset of its first code point: never descending, specials left out.

        Several tokens may start at one code point (a token can be a part of it).
        """

    def count(self, text: str) -> int:
        """``len(token_starts(text))``, cheaper."""
