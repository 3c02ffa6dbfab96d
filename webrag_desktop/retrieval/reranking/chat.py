"""What a reranker needs of a chat model: one answer to a few messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from webrag_desktop.errors import ChatError
from webrag_desktop.progress import CancelToken


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a conversation."""

    role: Literal["system", "user"]
    content: str


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """A JSON schema that an answer has to meet, and its name."""

    name: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a model said; ``cut`` tells that it was stopped before its end.

    ``prompt_tokens`` is how much of the messages the server says that it read, None where it says nothing.
    """

    text: str
    cut: bool = False
    prompt_tokens: int | None = None


class LateReplyError(ChatError):
    """``who`` did not answer within so many seconds; asking again may help."""

    def __init__(self, who: str, seconds: float) -> None:
        super().__init__(
            f"{who} did not answer within {seconds:.3g} seconds.",
            "Raise RETRIEVAL_RERANK_TIMEOUT, or lower RETRIEVAL_RERANK_MAX_CANDIDATES_TO_RERANK.",
            transient=True,
        )
        self.who = who
        self.seconds = seconds

    def __reduce__(self) -> tuple[type["LateReplyError"], tuple[str, float]]:  # type: ignore[override]
        return type(self), (self.who, self.seconds)


class ChatModel(Protocol):
    """A chat model; may be used from several threads."""

    @property
    def name(self) -> str:
        """The model's name."""

    def reply(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seconds: float,
        cancel: CancelToken | None = None,
    ) -> ChatReply:
        """The answer to the messages, asked for once, within so many ``seconds``.

        A ``schema`` is what the server is asked to keep to; it may not be able to, so the answer is to be checked.

        Raises:
            ChatError: there is none; ``transient`` where asking again may help, ``retry_after`` seconds if it says so.
            LateReplyError: of these, that the seconds were up.
            Cancelled: ``cancel`` was set.
        """
