"""Judgements are remembered, and only of what is just the same."""

from dataclasses import replace
from uuid import UUID

import pytest

from tests.support.reranking import ScriptedChat, candidates, judgement, reply_of
from webrag_desktop.errors import ChatError
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.reranking.llm import LlmReranker
from webrag_desktop.retrieval.reranking.ordering import CachedReranker

REPLY = reply_of(judgement(40), judgement(70))
TWO = candidates("Ebb.", "Flow.")


def remembering(chat: ScriptedChat, most: int = 128) -> CachedReranker:
    return CachedReranker(LlmReranker(chat, RerankConfig(chat.name)), most)


def test_the_same_again_asks_nobody_and_says_the_same() -> None:
    chat = ScriptedChat([REPLY])
    judge = remembering(chat)
    first = judge.rerank("tide", TWO)
    first_as_it_was = list(first)
    first.clear()  # the caller's own list
    assert judge.rerank("tide", TWO) == first_as_it_was
    assert len(chat.asked) == 1
    assert judge.model == "judge"


@pytest.mark.parametrize(
    ("query", "changed"),
    [
        ("ebb", TWO),
        ("tide", TWO[::-1]),
        ("tide", [replace(TWO[0], chunk_id=UUID(int=9)), TWO[1]]),
        ("tide", [replace(TWO[0], text="Ebb!"), TWO[1]]),
        ("tide", [replace(TWO[0], focus_end=2), TWO[1]]),
        ("tide", [replace(TWO[0], title="Sea"), TWO[1]]),
        ("tide", [replace(TWO[0], heading_path=("Sea",)), TWO[1]]),
    ],
)
def test_whatever_a_model_is_shown_decides(query: str, changed: list) -> None:  # type: ignore[type-arg]
    chat = ScriptedChat([REPLY])
    judge = remembering(chat)
    judge.rerank("tide", TWO)
    judge.rerank(query, changed)
    assert len(chat.asked) == 2


def test_another_model_is_another_judge() -> None:
    chat = ScriptedChat([REPLY])
    judge = remembering(chat)
    judge.rerank("tide", TWO)
    chat.name = "other"
    judge.rerank("tide", TWO)
    assert len(chat.asked) == 2


def test_failures_are_not_remembered() -> None:
    chat = ScriptedChat([ChatError("Down."), REPLY])
    judge = remembering(chat)
    with pytest.raises(ChatError):
        judge.rerank("tide", TWO)
    assert len(judge.rerank("tide", TWO)) == 2


def test_what_was_not_used_for_longest_is_forgotten_first() -> None:
    chat = ScriptedChat([REPLY])
    judge = remembering(chat, most=2)
    for query in ("a", "b", "a", "c"):
        judge.rerank(query, TWO)
    assert len(chat.asked) == 3
    judge.rerank("a", TWO)
    assert len(chat.asked) == 3
    judge.rerank("b", TWO)
    assert len(chat.asked) == 4
