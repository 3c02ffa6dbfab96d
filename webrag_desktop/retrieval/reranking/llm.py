"""Reranking by a chat model: every passage judged by one rubric, in as few requests as its context allows."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankConfig, RerankResult
from webrag_desktop.retrieval.reranking.chat import (
    ChatMessage,
    ChatModel,
    ChatReply,
    ContextOverflowError,
    LateReplyError,
    UselessReplyError,
    reads_too_few,
)
from webrag_desktop.retrieval.reranking.prompt import ShownPassage, messages, schema_of, shown_passage
from webrag_desktop.retrieval.reranking.reply import read_reply
from webrag_desktop.servers.retries import MODEL_SERVERS, RetryPolicy

# Of a server that does not tell: what small models have, and what most servers can be given.
ASSUMED_CONTEXT = 8_192

# Of UTF-8; fewer than any script has with the tokenizers in use, so that what is left over is for the model's template.
_BYTES_PER_TOKEN = 3
_ANSWER_TOKENS = 170  # of one judgement whose evidence is as long as it may be


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """The ``tokens`` that a server reads and writes for one request.

    ``scale`` is by how much its own count exceeded ours, as far as it told.
    """

    tokens: int = ASSUMED_CONTEXT
    scale: float = 1.0

    def next_batch(self, query: str, passages: Sequence[ShownPassage], most: int) -> int:
        """How many of the leading passages to send, ``most`` at most; one at least, even where it does not fit.

        What is left is not sent in full batches with a small one behind, but in batches of about the same number.
        """
        fitting = min(self._fitting(query, passages), most)
        return math.ceil(len(passages) / math.ceil(len(passages) / fitting))

    def after(
        self, overflow: ContextOverflowError, query: str, passages: Sequence[ShownPassage]
    ) -> "ContextWindow":
        """What is known after the server did not take these passages."""
        tokens = min(overflow.context or self.tokens, self.tokens)
        if overflow.sent is None:
            return replace(self, tokens=tokens)
        return ContextWindow(tokens, max(self.scale, overflow.sent / _sent(query, passages)))

    def _fitting(self, query: str, passages: Sequence[ShownPassage]) -> int:
        taken, empty = _sent(query, []), _sent("", [])
        for count, passage in enumerate(passages):
            taken += _sent("", [passage]) - empty
            if taken * self.scale + (count + 1) * _ANSWER_TOKENS > self.tokens:
                return max(1, count)
        return max(1, len(passages))


def _sent(query: str, passages: Sequence[ShownPassage]) -> float:
    """About how many tokens a request has; where the schema is read, too, it counts."""
    said = sum(len(one.content.encode()) for one in messages(query, passages))
    return (said + len(json.dumps(schema_of(len(passages)).schema))) / _BYTES_PER_TOKEN


class LlmReranker:
    """A :class:`~webrag_desktop.retrieval.contracts.judgements.Reranker` over a chat model."""

    def __init__(self, chat: ChatModel, config: RerankConfig, retry: RetryPolicy | None = None) -> None:
        """``retry`` is how long the model is waited for, the config's seconds unless given."""
        self._chat = chat
        self._config = config
        self._retry = retry or replace(MODEL_SERVERS, seconds=config.seconds)
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
            results = self._all_judged(_Question(query, self._retry.deadline(), token), passages)
        except LateReplyError as late:  # knows only the time that the last attempt had
            raise LateReplyError(late.who, self._retry.seconds) from late
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

        return self._retry.run(attempt, question.cancel, question.ends)


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked, and until when."""

    query: str
    ends: float
    cancel: CancelToken


def _require_all_read(reply: ChatReply, asked: Sequence[ChatMessage]) -> None:
    """Raise ContextOverflowError where the server dropped a part of the messages, as Ollama does without a word."""
    if reads_too_few(reply.prompt_tokens, asked):
        who = "The chat server read only a part of what it was sent: it"
        raise ContextOverflowError(who, context=reply.prompt_tokens)
