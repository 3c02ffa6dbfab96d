"""The forms in which a chat model is asked to judge: what it is shown, what it has to reply, how that is read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankResult
from webrag_desktop.retrieval.reranking.prompt import (
    ShownPassage,
    messages,
    schema_of,
    shown_passage,
)
from webrag_desktop.retrieval.reranking.reply import read_reply
from webrag_desktop.servers.chat import ChatMessage, ChatReply, JsonSchema


@dataclass(frozen=True, slots=True)
class JudgementForm:
    """One form.

    ``shown`` cuts a candidate to at most so many characters; ``messages`` and ``schema`` are what is sent of a question
    and passages numbered from 1; ``read`` makes results of the reply, in the order of the passages, and raises
    UselessReplyError. ``reply_tokens`` is how many tokens a reply takes at most, for each passage.
    """

    shown: Callable[[RerankCandidate, int], ShownPassage]
    messages: Callable[[str, Sequence[ShownPassage]], list[ChatMessage]]
    schema: Callable[[int], JsonSchema]
    read: "Callable[[ChatReply, Sequence[ShownPassage], bool], list[RerankResult]]"
    reply_tokens: int


def _read(reply: ChatReply, passages: Sequence[ShownPassage], strict: bool) -> list[RerankResult]:
    return read_reply(reply, passages, strict=strict)


# Each passage by a rubric, with the sentence that speaks for it; 170 tokens are one judgement with a long sentence.
RUBRIC = JudgementForm(shown_passage, messages, schema_of, _read, 170)
