"""What an answer needs of a chat model: a reply that comes piece by piece."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.reranking.chat import ChatMessage, JsonSchema
from webrag_desktop.servers.listing import Sight


@dataclass(frozen=True, slots=True)
class ChatImage:
    """A picture for a model that sees; ``media_type`` is like ``image/png``."""

    content: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is asked of a model. ``schema`` is what the reply is to keep to, where the server can.

    ``images`` go with the last message. ``most_tokens`` is how much it may write, ``temperature`` how freely, None as
    the server does by itself.
    """

    messages: Sequence[ChatMessage]
    schema: JsonSchema | None = None
    images: Sequence[ChatImage] = field(default=())
    most_tokens: int | None = None
    temperature: float | None = 0.0


@dataclass(frozen=True, slots=True)
class ChatText:
    """More of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class ChatEnd:
    """The reply is whole, or was ``cut`` at the most it may write; token counts where the server reported them."""

    cut: bool = False
    prompt_tokens: int | None = None
    reply_tokens: int | None = None


ChatPiece = ChatText | ChatEnd


class StreamingChatModel(Protocol):
    """A chat model whose reply comes piece by piece; may be used from several threads."""

    @property
    def name(self) -> str:
        """The model's name."""

    def context_tokens(self, cancel: CancelToken | None = None) -> int | None:
        """How many tokens the server reads and writes for one request; None where it does not report that.

        Raises:
            Cancelled: ``cancel`` was set.
        """

    def sight(self, cancel: CancelToken | None = None) -> Sight:
        """Whether the model takes pictures, as far as the server reports it.

        Raises:
            Cancelled: ``cancel`` was set.
        """

    def stream(
        self, request: ChatRequest, *, seconds: float, cancel: CancelToken | None = None
    ) -> Iterator[ChatPiece]:
        """The reply as it comes, one :class:`ChatEnd` last; closing the iterator ends the request.

        ``seconds`` is the longest silence: until the first piece, and between two.

        Raises:
            ChatError: there is no (whole) reply; what was yielded before is valid.
            ContextOverflowError: of these, that the messages are too long, or a part of them was not read.
            Cancelled: ``cancel`` was set.
        """
