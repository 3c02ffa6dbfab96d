"""Reranking by a chat model: passages judged in one form, in as few requests as its context allows."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankResult
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.reranking.forms import RUBRIC, JudgementForm
from webrag_desktop.retrieval.reranking.prompt import ShownPassage
from webrag_desktop.servers.chat import (
    ChatMessage,
    ChatModel,
    ChatReply,
    ContextOverflowError,
    LateReplyError,
    UselessReplyError,
    reads_too_few,
)
from webrag_desktop.servers.retries import MODEL_SERVERS, RetryPolicy

# Of a server that does not report its context: what small models have, and what most servers accept.
ASSUMED_CONTEXT = 8_192

# Of UTF-8; fewer than any script has with the tokenizers in use, so that what is left over is for the model's template.
_BYTES_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """The ``tokens`` that a server reads and writes for one request.

    ``scale`` is the ratio of its own token count to ours, as far as it reported one; ``form`` is what is asked.
    """

    form: JudgementForm
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
        return replace(
            self, tokens=tokens, scale=max(self.scale, overflow.sent / self._sent(query, passages))
        )

    def _fitting(self, query: str, passages: Sequence[ShownPassage]) -> int:
        taken, empty = self._sent(query, []), self._sent("", [])
        for count, passage in enumerate(passages):
            taken += self._sent("", [passage]) - empty
            if taken * self.scale + (count + 1) * self.form.reply_tokens > self.tokens:
                return max(1, count)
        return max(1, len(passages))

    def _sent(self, query: str, passages: Sequence[ShownPassage]) -> float:
        """About how many tokens a request has; where the schema is read, too, it counts."""
        said = sum(len(one.content.encode()) for one in self.form.messages(query, passages))
        return (said + len(json.dumps(self.form.schema(len(passages)).schema))) / _BYTES_PER_TOKEN


@dataclass(frozen=True, slots=True)
class Question:
    """The question, and the deadline for all judgements of it."""

    query: str
    ends: float
    cancel: CancelToken


class LlmReranker:
    """A :class:`~webrag_desktop.retrieval.contracts.judgements.Reranker` over a chat model."""

    def __init__(
        self,
        chat: ChatModel,
        config: RerankConfig,
        retry: RetryPolicy | None = None,
        form: JudgementForm = RUBRIC,
    ) -> None:
        """``retry`` is how long the model is waited for, the config's seconds unless given."""
        self._chat = chat
        self._config = config
        self._form = form
        self._retry = retry or replace(MODEL_SERVERS, seconds=config.seconds)
        self._learned = ContextWindow(form)

    @property
    def model(self) -> str:
        """The chat model's name."""
        return self._chat.name

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        """Judgements of the leading candidates, as many as the config allows, by falling relevance.

        What the server cannot read, or the model cannot judge, in one request is requested in smaller parts, never the
        same again; the judgement counts if all of its parts succeeded.

        Raises:
            ChatError: the model cannot be reached, is late, or gave an unusable judgement.
            Cancelled: ``cancel`` was set.
        """
        results = self.judge(self.question(query, cancel), self.leading(candidates))
        return sorted(results, key=lambda result: -result.relevance_score)

    def leading(self, candidates: Sequence[RerankCandidate]) -> Sequence[RerankCandidate]:
        """Those of the candidates that are judged."""
        return candidates[: self._config.max_candidates_to_rerank]

    def question(self, query: str, cancel: CancelToken | None = None) -> Question:
        """The question, for whose judgements the time runs from now on."""
        return Question(query, self._retry.deadline(), cancel or CancelToken())

    def judge(self, question: Question, candidates: Sequence[RerankCandidate]) -> list[RerankResult]:
        """One judgement of each candidate, in the order given; see :meth:`rerank`."""
        question.cancel.raise_if_cancelled()
        limit = self._config.max_text_chars_per_candidate
        passages = [self._form.shown(candidate, limit) for candidate in candidates]
        try:
            return self._all_judged(question, passages) if passages else []
        except LateReplyError as late:  # it has only the time that the last attempt had
            raise LateReplyError(late.who, self._retry.seconds) from late

    def _all_judged(self, question: Question, passages: Sequence[ShownPassage]) -> list[RerankResult]:
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
        """The context that the server reports by now, else the one that its refusals reported before."""
        reported = self._chat.context_tokens(cancel)
        return self._learned if reported is None else replace(self._learned, tokens=reported)

    def _judged(self, question: Question, batch: Sequence[ShownPassage]) -> list[RerankResult]:
        prompt, strict = self._form.messages(question.query, batch), self._config.strict_json_output
        schema = self._form.schema(len(batch)) if strict else None

        def attempt(seconds: float) -> list[RerankResult]:
            reply = self._chat.reply(prompt, schema=schema, seconds=seconds, cancel=question.cancel)
            _require_all_read(reply, prompt)
            return self._form.read(reply, batch, strict)

        return self._retry.run(attempt, question.cancel, question.ends)


def _require_all_read(reply: ChatReply, prompt: Sequence[ChatMessage]) -> None:
    """Raise ContextOverflowError where the server dropped a part of the messages, as Ollama does without a word."""
    if reads_too_few(reply.prompt_tokens, prompt):
        who = "The chat server read only a part of what it was sent: it"
        raise ContextOverflowError(who, context=reply.prompt_tokens)
