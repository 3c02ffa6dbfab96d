"""The contracts of chat models: a reply at once or in pieces, requests, and the errors that callers distinguish."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from webrag_desktop.errors import ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.listing import Sight

LARGER_CONTEXT = (
    "Give the model a larger context (llama.cpp: -c, Ollama: OLLAMA_CONTEXT_LENGTH), or send less: lower "
    "RETRIEVAL_RERANK_MAX_CANDIDATES_TO_RERANK or RETRIEVAL_RERANK_MAX_TEXT_CHARS_PER_CANDIDATE."
)


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
    """What a model said; ``cut``: it was stopped before its end.

    ``prompt_tokens`` is how much of the messages the server says that it read, None where it says nothing.
    """

    text: str
    cut: bool = False
    prompt_tokens: int | None = None


class LateReplyError(ChatError):
    """``who`` sent nothing for so many seconds: at first, or where it had ``begun``; a retry may help."""

    def __init__(self, who: str, seconds: float, hint: str | None = None, *, begun: bool = False) -> None:
        happened = "fell silent in the middle of its answer, for" if begun else "did not answer within"
        super().__init__(
            f"{who} {happened} {seconds:.3g} seconds.",
            "Raise RETRIEVAL_RERANK_TIMEOUT, or lower RETRIEVAL_RERANK_MAX_CANDIDATES_TO_RERANK."
            if hint is None
            else hint,
            transient=True,
        )
        self.retryable = False  # all the time was spent
        self.who = who
        self.seconds = seconds

    def __reduce__(self) -> tuple[type["LateReplyError"], tuple[str, float, str], dict[str, object]]:  # type: ignore[override]
        return type(self), (self.who, self.seconds, self.hint), {"message": self.message}


class ModelLoadingError(ChatError):
    """The server is there, and will answer once it has loaded its model."""

    retries_until_deadline = True


class ContextOverflowError(ChatError):
    """``who`` reads fewer tokens than it was sent: ``context`` and ``sent``, if reported; ``words`` are its own.

    A shorter request may succeed, the same one does not.
    """

    def __init__(
        self,
        who: str,
        *,
        context: int | None = None,
        sent: int | None = None,
        words: str = "",
        remedy: str = LARGER_CONTEXT,
    ) -> None:
        super().__init__(
            f"{who} has too small a context for what it is to read.", " ".join(filter(None, (words, remedy)))
        )
        self.who, self.context, self.sent, self.words = who, context, sent, words

    def __reduce__(self) -> tuple[type["ContextOverflowError"], tuple[str], dict[str, object]]:  # type: ignore[override]
        state: dict[str, object] = {"context": self.context, "sent": self.sent, "hint": self.hint}
        return type(self), (self.who,), state | {"words": self.words}


class UselessReplyError(ChatError):
    """A whole answer that cannot be believed; the model would say the same to the same."""


# No tokenizer's tokens hold so many characters of text on average; a server that counts fewer did not read all.
MOST_CHARS_PER_TOKEN = 10


def reads_too_few(prompt_tokens: int | None, messages: Sequence[ChatMessage]) -> bool:
    """Whether a server counts fewer tokens than the messages can have; False where it counts none."""
    sent = sum(len(message.content) for message in messages)
    return prompt_tokens is not None and 0 < prompt_tokens * MOST_CHARS_PER_TOKEN < sent


class ChatModel(Protocol):
    """A chat model; may be used from several threads."""

    @property
    def name(self) -> str:
        """The model's name."""

    def context_tokens(self, cancel: CancelToken | None = None) -> int | None:
        """How many tokens the server reads and writes for one request; None where it does not report that.

        Raises:
            Cancelled: ``cancel`` was set.
        """

    def reply(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seconds: float,
        cancel: CancelToken | None = None,
    ) -> ChatReply:
        """The answer to the messages, by one request, within so many ``seconds``.

        A ``schema`` is what the answer should conform to; servers may not support it, so callers check the answer.

        Raises:
            ChatError: there is none; ``transient`` where a retry may help, ``retry_after`` seconds if it says so.
            LateReplyError: of these, that the seconds were up.
            ContextOverflowError: of these, that the messages are too long for the server.
            Cancelled: ``cancel`` was set.
        """


@dataclass(frozen=True, slots=True)
class ChatImage:
    """A picture for a model that sees; ``media_type`` is like ``image/png``."""

    content: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request to a model. ``schema`` is what the reply should conform to, where the server supports it.

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
