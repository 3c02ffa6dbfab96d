"""The reranker over a chat model: one request, checked, asked again, remembered."""

import pickle
from collections.abc import Sequence

import pytest

from tests.support.reranking import PassingTime, ScriptedChat, candidates, judgement, reply_of
from webrag_desktop.errors import Cancelled, ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.reranking.chat import ChatMessage, ChatReply, JsonSchema, LateReplyError
from webrag_desktop.retrieval.reranking.llm import LlmReranker
from webrag_desktop.retrieval.reranking.options import RerankConfig
from webrag_desktop.retrieval.reranking.patience import Patience
from webrag_desktop.retrieval.reranking.prompt import SCHEMA

GOOD = reply_of(judgement(1, 40), judgement(2, 100, "Flow.", answers=True), judgement(3, 40))


def reranker(chat: ScriptedChat, config: RerankConfig | None = None) -> tuple[LlmReranker, PassingTime]:
    time = PassingTime()
    return LlmReranker(
        chat, config or RerankConfig("judge"), Patience(clock=time.clock, rest=time.rest)
    ), time


def test_results_come_by_falling_relevance_equals_as_they_were() -> None:
    judge, _ = reranker(ScriptedChat([GOOD]))
    results = judge.rerank("tide", candidates("Ebb.", "Flow.", "Moon."))
    assert [one.chunk_id.int for one in results] == [2, 1, 3]
    assert (results[0].relevance_score, results[0].answerability, results[0].key_evidence) == (
        100,
        True,
        "Flow.",
    )
    assert judge.model == "judge"


def test_nothing_to_judge_asks_nobody() -> None:
    chat = ScriptedChat([GOOD])
    assert reranker(chat)[0].rerank("tide", []) == []
    assert chat.asked == []


def test_no_more_are_sent_than_the_config_allows() -> None:
    chat = ScriptedChat([reply_of(judgement(1, 40), judgement(2, 70))])
    judge, _ = reranker(
        chat, RerankConfig("judge", max_candidates_to_rerank=2, max_text_chars_per_candidate=100)
    )
    results = judge.rerank("tide", candidates("Ebb. " * 100, "Flow.", "Moon."))
    assert [one.chunk_id.int for one in results] == [2, 1]
    assert [one["id"] for one in chat.asked[0]["passages"]] == [1, 2]
    assert len(chat.asked[0]["passages"][0]["text"]) <= 100


@pytest.mark.parametrize("strict", [True, False])
def test_a_schema_is_asked_for_where_json_has_to_be_strict(strict: bool) -> None:
    chat = ScriptedChat([GOOD])
    reranker(chat, RerankConfig("judge", strict_json_output=strict))[0].rerank("q", candidates("a", "b", "c"))
    assert chat.schemas == [SCHEMA if strict else None]


def test_a_reply_that_cannot_be_believed_is_asked_for_again() -> None:
    chat = ScriptedChat(["Sorry?", ChatReply(GOOD[:30], cut=True), GOOD])
    judge, time = reranker(chat)
    assert len(judge.rerank("tide", candidates("Ebb.", "Flow.", "Moon."))) == 3
    assert time.rests == [0.5, 1.0]


def test_four_such_replies_are_the_end() -> None:
    chat = ScriptedChat([reply_of(judgement(1, 40))])
    with pytest.raises(ChatError, match="exactly once"):
        reranker(chat)[0].rerank("tide", candidates("Ebb.", "Flow.", "Moon."))
    assert len(chat.asked) == 4


def test_a_server_that_read_only_a_part_is_not_believed_whatever_it_says() -> None:
    chat = ScriptedChat([ChatReply(GOOD, prompt_tokens=20)])
    with pytest.raises(ChatError, match="only a part of the passages"):
        reranker(chat)[0].rerank("tide", candidates("Ebb.", "Flow.", "Moon."))
    assert len(chat.asked) == 1  # it would read as little the next time


@pytest.mark.parametrize("tokens", [None, 0, 800])
def test_a_server_that_read_all_or_says_nothing_is(tokens: int | None) -> None:
    chat = ScriptedChat([ChatReply(GOOD, prompt_tokens=tokens)])
    assert reranker(chat)[0].rerank("tide", candidates("Ebb.", "Flow.", "Moon."))


class HangingChat:
    """Never answers in time."""

    name = "judge"

    def reply(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seconds: float,
        cancel: CancelToken | None = None,
    ) -> ChatReply:
        """Raises, whatever is asked."""
        raise LateReplyError("The chat server", seconds)


def test_a_server_that_hangs_is_told_with_the_time_that_was_set_not_that_of_the_last_attempt() -> None:
    time = PassingTime()
    judge = LlmReranker(HangingChat(), RerankConfig("judge"), Patience(4.0, clock=time.clock, rest=time.rest))
    with pytest.raises(ChatError, match=r"The chat server did not answer within 4 seconds\."):
        judge.rerank("tide", candidates("Ebb."))


def test_the_failure_keeps_its_words_between_processes() -> None:
    late = LateReplyError("The chat server", 4.0)
    again = pickle.loads(pickle.dumps(late))
    assert (again.message, again.hint, again.transient) == (late.message, late.hint, True)


def test_a_wish_to_stop_is_heard_before_and_between_attempts() -> None:
    cancel = CancelToken()
    chat = ScriptedChat(["Sorry?"], meanwhile=cancel.cancel)
    judge, _ = reranker(chat)
    with pytest.raises(Cancelled):
        judge.rerank("tide", candidates("Ebb."), cancel=cancel)
    with pytest.raises(Cancelled):
        judge.rerank("tide", candidates("Ebb."), cancel=cancel)
    assert len(chat.asked) == 1
