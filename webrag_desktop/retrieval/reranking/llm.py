"""Reranking by a chat model: every passage judged by one rubric, in one request."""

from collections.abc import Sequence

from webrag_desktop.errors import ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.reranking.chat import ChatMessage, ChatModel, ChatReply, LateReplyError
from webrag_desktop.retrieval.reranking.models import RerankCandidate, RerankResult
from webrag_desktop.retrieval.reranking.options import RerankConfig
from webrag_desktop.retrieval.reranking.patience import Patience
from webrag_desktop.retrieval.reranking.prompt import SCHEMA, ShownPassage, messages, shown_passage
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

    @property
    def model(self) -> str:
        """The chat model's name."""
        return self._chat.name

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        """Judgements of the leading candidates, as many as the config allows, by falling relevance.

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
        asked = messages(query, passages)
        try:
            results = self._patience.ask(lambda seconds: self._judged(asked, passages, seconds, token), token)
        except LateReplyError as late:  # knows only the time that the last attempt had
            raise LateReplyError(late.who, self._patience.seconds) from late
        return sorted(results, key=lambda result: -result.relevance_score)

    def _judged(
        self,
        asked: Sequence[ChatMessage],
        passages: Sequence[ShownPassage],
        seconds: float,
        cancel: CancelToken,
    ) -> list[RerankResult]:
        strict = self._config.strict_json_output
        reply = self._chat.reply(asked, schema=SCHEMA if strict else None, seconds=seconds, cancel=cancel)
        _require_all_read(reply, asked)
        return read_reply(reply, passages, strict=strict)


def _require_all_read(reply: ChatReply, asked: Sequence[ChatMessage]) -> None:
    """Raise ChatError where the server dropped a part of the messages, as Ollama does without a word."""
    sent = sum(len(message.content) for message in asked)
    if reply.prompt_tokens is not None and 0 < reply.prompt_tokens * _MOST_CHARS_PER_TOKEN < sent:
        raise ChatError(
            "The chat server read only a part of the passages: they are longer than its context.",
            "Lower RETRIEVAL_RERANK_MAX_CANDIDATES_TO_RERANK, or give the model a larger context (with Ollama by "
            "OLLAMA_CONTEXT_LENGTH).",
        )
