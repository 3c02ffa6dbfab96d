"""What tests of reranking share: candidates, and chat models that answer without a network."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from webrag_desktop.errors import WebragError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate
from webrag_desktop.servers.chat import ChatMessage, ChatReply, JsonSchema

Asked = dict[str, Any]


def candidates(*texts: str) -> list[RerankCandidate]:
    """Candidates with these texts; ids count from 1."""
    return [RerankCandidate(UUID(int=number), text) for number, text in enumerate(texts, start=1)]


def judgement(score: float, evidence: str = "", *, answers: bool = False) -> Asked:
    """One judgement as a model gives it."""
    return {"relevance_score": score, "answerability": answers, "key_evidence": evidence}


def reply_of(*judgements: Asked) -> str:
    """A whole reply: these judgements of the passages 1, 2 and so on."""
    return json.dumps({"results": {str(number): one for number, one in enumerate(judgements, start=1)}})


@dataclass
class ScriptedChat:
    """Says what it is told to, in order, and the last for ever; an error is raised. Remembers what it was asked."""

    answers: Sequence[str | ChatReply | WebragError]
    name: str = "judge"
    asked: list[Asked] = field(default_factory=list)
    schemas: list[JsonSchema | None] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None
    context: int | None = None

    def context_tokens(self, cancel: CancelToken | None = None) -> int | None:
        return self.context

    def reply(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seconds: float,
        cancel: CancelToken | None = None,
    ) -> ChatReply:
        answer = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append(json.loads(messages[-1].content))
        self.schemas.append(schema)
        self.seconds.append(seconds)
        self.meanwhile()
        if isinstance(answer, WebragError):
            raise answer
        return answer if isinstance(answer, ChatReply) else ChatReply(answer)


@dataclass
class PassingTime:
    """Time that passes only while somebody rests."""

    now: float = 0.0
    rests: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def rest(self, seconds: float, cancel: CancelToken) -> None:
        cancel.raise_if_cancelled()
        self.rests.append(seconds)
        self.now += seconds
