"""Reranking by a chat model: every passage judged by one rubric, in as few requests as its context allows."""

from collections.abc import Sequence
from dataclasses import dataclass

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.reranking.batches import ContextWindow
from webrag_desktop.retrieval.reranking.chat import (
    ChatMessage,
    ChatModel,
    ChatReply,
    ContextOverflowError,
    LateReplyError,
    UselessReplyError,
)
from webrag_desktop.retrieval.reranking.models import RerankCandidate, RerankResult
from webrag_desktop.retrieval.reranking.options import RerankConfig
from webrag_desktop.retrieval.reranking.patience import Patience
from webrag_desktop.retrieval.reranking.prompt import ShownPassage, messages, schema_of, shown_passage
from webrag_desktop.retrieval.reranking.reply import read_reply

# No tokenizer's tokens hold so many characters of text on average; a server that counts fewer did not read all.
_MOST_CHARS_PER_TOKEN = 10


class LlmReranker:
    """A :class:`~webrag_desktop.retrieval.reranking.models.Reranker` over a chat model."""

    def __init__(self, chat: ChatModel, config: RerankConfig, patience: Patience | None = None) -> None:
        """``patience`` is how long the model is waited for, the config's seconds unless given."""
        self._chat = chat
        self._config = config
        self._patience = patience or Patience(config.seconds)
        self._learned = ContextWindow()

    @property
    def model(self) -> str:
        """The chat model's name."""
        return self._chat.name

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        """Judgements of the leading candidates, as many as the config allows, by falling relevance.

        What the server cannot read at once, or the model cannot judge at once, is asked for in smaller parts, never the
        same again; the judgement counts where all parts of it came.

        Raises:
            ChatError: the model is away, late, or judged in a way that cannot be trusted.
            Cancelled: ``cancel`` was set.
        """
        token, limit = cancel or CancelToken(), self._config.max_text_chars_per_candidate
        token.raise_if_cancelled()
        judged = candidates[: self._config.max_candidates_to_rerank]
        if not judged:
            return []
        passages = [shown_passage(candidate, limit) for candidate in judged]
        try:
            results = self._all_judged(_Question(query, self._patience.ends(), token), passages)
        except LateReplyError as late:  # knows only the time that the last attempt had
            raise LateReplyError(late.who, self._patience.seconds) from late
        return sorted(results, key=lambda result: -result.relevance_score)

    def _all_judged(self, question: "_Question", passages: Sequence[ShownPassage]) -> list[RerankResult]:
        results: list[RerankResult] = []
        window, most = self._window(question.cancel), len(passages)
        while rest := passages[len(results) :]:
            batch = rest[: window.next_batch(question.query, rest, most)]
            try:
                results += self._judged(question, batch)
            except (ContextOverflowError, UselessReplyError) as error:
                if len(batch) == 1:
                    raise
                most = len(batch) // 2
                if isinstance(error, ContextOverflowError):
                    most = len(batch) - 1 if error.context and error.sent else most
                    window = self._learned = window.after(error, question.query, batch)
        return results

    def _window(self, cancel: CancelToken) -> ContextWindow:
        """What the server tells of its context by now, else what its refusals told before."""
        told = self._chat.context_tokens(cancel)
        return self._learned if told is None else ContextWindow(told, self._learned.scale)

    def _judged(self, question: "_Question", batch: Sequence[ShownPassage]) -> list[RerankResult]:
        asked, strict = messages(question.query, batch), self._config.strict_json_output
        schema = schema_of(len(batch)) if strict else None

        def attempt(seconds: float) -> list[RerankResult]:
            reply = self._chat.reply(asked, schema=schema, seconds=seconds, cancel=question.cancel)
            _require_all_read(reply, asked)
            return read_reply(reply, batch, strict=strict)

        return self._patience.ask(attempt, question.cancel, question.ends)


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked, and until when."""

    query: str
    ends: float
    cancel: CancelToken


def _require_all_read(reply: ChatReply, asked: Sequence[ChatMessage]) -> None:
    """Raise ContextOverflowError where the server dropped a part of the messages, as Ollama does without a word."""
    sent = sum(len(message.content) for message in asked)
    if reply.prompt_tokens is not None and 0 < reply.prompt_tokens * _MOST_CHARS_PER_TOKEN < sent:
        who = "The chat server read only a part of what it was sent: it"
        raise ContextOverflowError(who, context=reply.prompt_tokens)
