"""What a reranker needs of a chat model: one answer to a few messages, and how long they may be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from webrag_desktop.errors import ChatError
from webrag_desktop.progress import CancelToken

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
    """``who`` said nothing for so many seconds: at first, or where it had ``begun``; asking again may help."""

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

    Asking for less at once may help, asking for the same again does not.
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
        """How many tokens the server reads and writes for one request; None where it does not tell.

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
        """The answer to the messages, asked for once, within so many ``seconds``.

        A ``schema`` is what the server is asked to keep to; it may not be able to, so the answer is to be checked.

        Raises:
            ChatError: there is none; ``transient`` where asking again may help, ``retry_after`` seconds if it says so.
            LateReplyError: of these, that the seconds were up.
            ContextOverflowError: of these, that the messages are too long for the server.
            Cancelled: ``cancel`` was set.
        """
