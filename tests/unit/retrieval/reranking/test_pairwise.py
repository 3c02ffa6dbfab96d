"""The best few passages compared by twos: each comparison in both orders, only what holds moves a passage."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from tests.support.reranking import Asked, candidates
from webrag_desktop.errors import ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.reranking.consistency import (
    ENOUGH_QUESTIONS,
    MOST_WEIGHT,
    ConsistentReranker,
    UnsteadyModelError,
)
from webrag_desktop.retrieval.reranking.llm import LlmReranker
from webrag_desktop.retrieval.reranking.ordering import reranked
from webrag_desktop.retrieval.reranking.pairwise import COMPARED, PAIRWISE, by_pairs
from webrag_desktop.servers.chat import ChatMessage, ChatReply, JsonSchema

TEXTS = ("Ebb.", "Flow.", "Moon.", "Rocks.", "Sand.", "Wind.")


@dataclass
class ComparingChat:
    """Says which of two texts is better, 0 for neither; remembers which it was shown."""

    better: Callable[[str, str], int]
    name: str = "judge"
    asked: list[tuple[str, str]] = field(default_factory=list)
    schemas: list[JsonSchema | None] = field(default_factory=list)

    def context_tokens(self, cancel: CancelToken | None = None) -> int | None:
        return None

    def reply(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seconds: float,
        cancel: CancelToken | None = None,
    ) -> ChatReply:
        asked: Asked = json.loads(messages[-1].content)
        one, two = (passage["text"] for passage in asked["passages"])
        self.asked.append((one, two))
        self.schemas.append(schema)
        return ChatReply(json.dumps({"better": self.better(one, two), "answers": True}))


def prefers(*texts: str) -> Callable[[str, str], int]:
    """The one that is named first, wherever it stands; neither where none is named."""

    def better(one: str, two: str) -> int:
        named = [text for text in texts if text in (one, two)]
        return (one, two).index(named[0]) + 1 if named else 0

    return better


def reranker(chat: ComparingChat, most: int = 50) -> ConsistentReranker:
    config = RerankConfig("judge", most, judging="pairwise")
    return ConsistentReranker(LlmReranker(chat, config, form=PAIRWISE), by_pairs)


def near(*texts: str) -> list[RerankCandidate]:
    return [replace(one, fused=1 - at / 100) for at, one in enumerate(candidates(*texts))]


def test_the_better_one_moves_up_as_far_as_it_wins() -> None:
    chat = ComparingChat(prefers("Rocks.", "Ebb.", "Flow.", "Moon."))
    found = reranked("tide", near(*TEXTS), reranker(chat), 50)
    assert [one.int for one in found.order] == [4, 1, 2, 3, 5, 6]
    assert chat.asked == [
        ("Moon.", "Rocks."),
        ("Rocks.", "Moon."),
        ("Flow.", "Rocks."),
        ("Rocks.", "Flow."),
        ("Ebb.", "Rocks."),
        ("Rocks.", "Ebb."),
    ]
    best = found.results[found.order[0]]
    assert (best.relevance_score, best.answerability, best.key_evidence) == (100, True, "")
    assert best.weight == MOST_WEIGHT
    assert found.report.judged == len(TEXTS)


def test_what_the_order_decides_moves_nothing_and_such_a_model_is_given_up() -> None:
    chat = ComparingChat(lambda _one, _two: 1)
    judge = reranker(chat)
    for _ in range(ENOUGH_QUESTIONS):
        found = reranked("tide", near(*TEXTS), judge, 50)
        assert [one.int for one in found.order] == [1, 2, 3, 4, 5, 6]
        assert "turned round 3 of 3 comparisons" in (found.report.fallback or "")
    with pytest.raises(UnsteadyModelError, match="not asked to judge any more"):
        judge.rerank("tide", near(*TEXTS))
    assert len(chat.asked) == 2 * (COMPARED - 1) * ENOUGH_QUESTIONS


def test_neither_is_no_contradiction_and_moves_nothing() -> None:
    chat = ComparingChat(prefers("Ebb."))
    found = reranked("tide", near(*TEXTS), reranker(chat), 50)
    assert [one.int for one in found.order] == [1, 2, 3, 4, 5, 6]
    assert found.report.fallback is None


def test_a_passage_that_the_search_put_far_behind_does_not_lead() -> None:
    chat = ComparingChat(prefers("Flow."))
    far = [
        replace(one, fused=score) for one, score in zip(candidates("Ebb.", "Flow."), (1, 0.2), strict=True)
    ]
    said = reranker(chat).rerank("tide", far)
    assert [(one.chunk_id.int, one.relevance_score) for one in said] == [(2, 100), (1, 75)]
    assert reranked("tide", far, reranker(chat), 50).order[0].int == 1


def test_one_passage_is_compared_with_none() -> None:
    chat = ComparingChat(prefers("Ebb."))
    (one,) = reranker(chat).rerank("tide", candidates("Ebb."))
    assert one.weight == 0
    assert reranker(chat).rerank("tide", []) == []
    assert chat.asked == []


def test_no_more_are_judged_than_the_config_allows() -> None:
    chat = ComparingChat(prefers("Flow.", "Ebb."))
    assert len(reranker(chat, 2).rerank("tide", candidates(*TEXTS))) == 2
    assert len(chat.asked) == 2


@pytest.mark.parametrize(
    "said",
    [
        "Sorry?",
        "{}",
        '{"better": 1}',
        '{"better": 3, "answers": true}',
        '{"better": true, "answers": true}',
        '{"better": -1, "answers": false}',
        '{"better": "1", "answers": false}',
        '{"better": 1, "answers": 1}',
        "[1]",
    ],
)
def test_what_is_no_comparison_is_not_believed(said: str) -> None:
    @dataclass
    class Babbling(ComparingChat):
        def reply(
            self,
            messages: Sequence[ChatMessage],
            *,
            schema: JsonSchema | None = None,
            seconds: float,
            cancel: CancelToken | None = None,
        ) -> ChatReply:
            return ChatReply(said)

    with pytest.raises(ChatError, match="not the requested JSON"):
        reranker(Babbling(prefers())).rerank("tide", near("Ebb.", "Flow."))


def test_what_is_asked_for_is_one_of_the_two_or_neither() -> None:
    chat = ComparingChat(prefers("Ebb."))
    reranker(chat).rerank("tide", near("Ebb.", "Flow."))
    schema = chat.schemas[0]
    assert schema is not None
    properties = schema.schema["properties"]
    assert isinstance(properties, dict)
    assert properties["better"] == {"type": "integer", "enum": [0, 1, 2]}
