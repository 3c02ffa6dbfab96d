"""The reranker over a chat model: as many requests as its context asks for, checked, and never the same twice."""

import json
import pickle
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.support.reranking import Asked, PassingTime, ScriptedChat, candidates, judgement, reply_of
from webrag_desktop.errors import Cancelled, ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.reranking.llm import LlmReranker
from webrag_desktop.retrieval.reranking.prompt import schema_of
from webrag_desktop.servers.chat import (
    ChatMessage,
    ChatReply,
    ContextOverflowError,
    JsonSchema,
    LateReplyError,
    UselessReplyError,
)
from webrag_desktop.servers.retries import RetryPolicy

GOOD = reply_of(judgement(40), judgement(100, "Flow.", answers=True), judgement(40))


def reranker(chat: ScriptedChat, config: RerankConfig | None = None) -> tuple[LlmReranker, PassingTime]:
    time = PassingTime()
    return LlmReranker(
        chat, config or RerankConfig("judge"), RetryPolicy(60.0, clock=time.clock, wait=time.rest)
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
    chat = ScriptedChat([reply_of(judgement(40), judgement(70))])
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
    assert chat.schemas == [schema_of(3) if strict else None]


ONE = reply_of(judgement(40))
TWO = reply_of(judgement(40), judgement(70))


@pytest.mark.parametrize(
    "useless", ["Sorry?", ChatReply(GOOD[:30], cut=True), ChatReply(GOOD, cut=True), TWO, "{}"]
)
def test_what_cannot_be_believed_is_asked_for_in_smaller_parts_and_never_the_same_again(
    useless: str | ChatReply,
) -> None:
    chat = ScriptedChat([useless, ONE, reply_of(judgement(100)), ONE])
    judge, time = reranker(chat)
    results = judge.rerank("tide", candidates("Ebb.", "Flow.", "Moon."))
    assert [one.chunk_id.int for one in results] == [2, 1, 3]
    assert [shown(one) for one in chat.asked] == [["Ebb.", "Flow.", "Moon."], ["Ebb."], ["Flow."], ["Moon."]]
    assert time.rests == []


def shown(asked: Asked) -> list[str]:
    return [one["text"] for one in asked["passages"]]


def test_one_passage_that_a_model_cannot_judge_is_the_end_after_few_requests() -> None:
    chat = ScriptedChat(["Sorry?"])
    with pytest.raises(UselessReplyError):
        reranker(chat)[0].rerank("tide", candidates(*"abcdefgh"))
    assert [len(one["passages"]) for one in chat.asked] == [8, 4, 2, 1]


def test_a_judgement_that_lacks_its_last_part_counts_for_nothing() -> None:
    chat = ScriptedChat(["Sorry?", ONE, ONE, "Sorry?"])
    with pytest.raises(UselessReplyError):
        reranker(chat)[0].rerank("tide", candidates("Ebb.", "Flow.", "Moon."))


LONG = "Tide tables tell when the water is high and when it is low. " * 20  # 1,200 characters


def judged_all(asked: Asked) -> ChatReply:
    return ChatReply(reply_of(*[judgement(40) for _ in asked["passages"]]))


@dataclass
class SmallChat(ScriptedChat):
    """Reads so many tokens of four characters, as a server does that refuses more; ``tells`` how many that are."""

    reads: int = 8_192
    tells: bool = True

    def reply(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seconds: float,
        cancel: CancelToken | None = None,
    ) -> ChatReply:
        """Judges what it can read."""
        sent = sum(len(one.content) for one in messages) // 4
        self.asked.append(json.loads(messages[-1].content))
        if sent > self.reads:
            reported = (self.reads, sent) if self.tells else (None, None)
            raise ContextOverflowError("The server", context=reported[0], sent=reported[1])
        answer = judged_all(self.asked[-1])
        return replace(answer, cut=sent + 100 * len(self.asked[-1]["passages"]) > self.reads)


def judged_by(chat: ScriptedChat, count: int = 50) -> list[int]:
    results = reranker(chat)[0].rerank("tide", candidates(*[LONG] * count))
    assert sorted(one.chunk_id.int for one in results) == list(range(1, count + 1))
    return [len(one["passages"]) for one in chat.asked]


def test_the_defaults_fit_a_server_of_8192_tokens_in_batches_of_about_the_same_size() -> None:
    sizes = judged_by(SmallChat([]))
    assert sum(sizes) == 50  # nothing was refused or asked for twice
    assert max(sizes) - min(sizes) <= 1


def test_a_server_that_tells_of_a_large_context_is_asked_once_and_of_a_small_one_in_parts() -> None:
    assert judged_by(SmallChat([], reads=65_536, context=65_536)) == [50]
    sizes = judged_by(SmallChat([], reads=2_048, context=2_048))
    assert sum(sizes) == 50


@pytest.mark.parametrize("tells", [True, False])
def test_a_refusal_teaches_how_much_may_be_sent_for_this_question_and_the_next(tells: bool) -> None:
    chat = SmallChat([], reads=3_000, tells=tells)
    judge, _ = reranker(chat)
    judge.rerank("tide", candidates(*[LONG] * 50))
    refused = sum(len(one["passages"]) for one in chat.asked) - 50
    assert refused <= len(chat.asked[0]["passages"]) * (1 if tells else 2)
    if tells:
        chat.asked.clear()
        judge.rerank("ebb", candidates(*[LONG] * 50))
        assert sum(len(one["passages"]) for one in chat.asked) == 50


def test_a_passage_that_fits_no_request_is_reported_with_what_helps() -> None:
    chat = SmallChat([], reads=400)
    with pytest.raises(ContextOverflowError, match="too small a context") as failure:
        judged_by(chat)
    for remedy in ("larger context", "MAX_CANDIDATES_TO_RERANK", "MAX_TEXT_CHARS_PER_CANDIDATE"):
        assert remedy in failure.value.hint
    assert len(chat.asked) <= 3


def test_writing_of_more_bytes_goes_in_smaller_batches() -> None:
    latin, chinese = SmallChat([], reads=10**9), SmallChat([], reads=10**9)
    reranker(latin)[0].rerank("tide", candidates(*["tide " * 240] * 50))
    reranker(chinese)[0].rerank("潮", candidates(*["潮水涨落" * 300] * 50))
    assert (
        len(chinese.asked) > len(latin.asked) * 1.5
    )  # three bytes a letter, and as much room for what is said


def test_all_parts_share_the_time_of_one_judgement() -> None:
    time = PassingTime()

    class Slow(SmallChat):
        def reply(self, messages: Sequence[ChatMessage], **options: Any) -> ChatReply:
            if options["seconds"] < 20.0:
                raise LateReplyError("The chat server", options["seconds"])
            time.now += 20.0
            return super().reply(messages, **options)

    chat = Slow([])
    judge = LlmReranker(chat, RerankConfig("judge"), RetryPolicy(60.0, clock=time.clock, wait=time.rest))
    with pytest.raises(LateReplyError, match="within 60 seconds"):
        judge.rerank("tide", candidates(*[LONG] * 50))
    assert len(chat.asked) == 3


@pytest.mark.parametrize(("limit", "judged"), [(4.0, True), (2.0, False)])
def test_a_request_may_take_all_of_the_time_and_is_not_sent_again_because_it_was_late(
    limit: float, judged: bool
) -> None:
    time = PassingTime()

    class ByThePassage(SmallChat):
        def reply(self, messages: Sequence[ChatMessage], **options: Any) -> ChatReply:
            reply = super().reply(messages, **options)
            wanted = 0.6 * len(self.asked[-1]["passages"])
            time.now += min(wanted, options["seconds"])
            if wanted > options["seconds"]:
                raise LateReplyError("The chat server", options["seconds"])
            return reply

    chat = ByThePassage([])
    judge = LlmReranker(chat, RerankConfig("judge"), RetryPolicy(limit, clock=time.clock, wait=time.rest))
    with nullcontext() if judged else pytest.raises(LateReplyError):
        assert len(judge.rerank("tide", candidates("Ebb.", "Flow.", "Moon.", "Surf."))) == 4
    assert len(chat.asked) == 1


def test_a_server_that_read_only_a_part_is_not_believed_whatever_it_says() -> None:
    chat = ScriptedChat([ChatReply(GOOD, prompt_tokens=20), ChatReply(ONE, prompt_tokens=20)])
    with pytest.raises(ContextOverflowError, match="read only a part of what it was sent"):
        reranker(chat)[0].rerank("tide", candidates("Ebb.", "Flow.", "Moon."))
    assert [len(one["passages"]) for one in chat.asked] == [3, 1]  # it would read as little of the same again


@pytest.mark.parametrize("tokens", [None, 0, 800])
def test_a_server_that_read_all_or_says_nothing_is(tokens: int | None) -> None:
    chat = ScriptedChat([ChatReply(GOOD, prompt_tokens=tokens)])
    assert reranker(chat)[0].rerank("tide", candidates("Ebb.", "Flow.", "Moon."))


class HangingChat:
    """Never answers in time."""

    name = "judge"

    def context_tokens(self, cancel: CancelToken | None = None) -> int | None:
        """Tells nothing."""
        return None

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


def test_a_server_that_hangs_is_reported_with_the_time_that_was_set_not_that_of_the_last_attempt() -> None:
    time = PassingTime()
    judge = LlmReranker(
        HangingChat(), RerankConfig("judge"), RetryPolicy(4.0, clock=time.clock, wait=time.rest)
    )
    with pytest.raises(ChatError, match=r"The chat server did not answer within 4 seconds\."):
        judge.rerank("tide", candidates("Ebb."))


def test_the_failure_keeps_its_words_between_processes() -> None:
    late = LateReplyError("The chat server", 4.0)
    again = pickle.loads(pickle.dumps(late))
    assert (again.message, again.hint, again.transient) == (late.message, late.hint, True)
    overflow = ContextOverflowError("The chat server", context=2048, sent=3031, words="It says no.")
    again = pickle.loads(pickle.dumps(overflow))
    assert (again.message, again.hint, again.transient) == (overflow.message, overflow.hint, False)
    assert (again.context, again.sent, again.words) == (2048, 3031, "It says no.")


def test_a_wish_to_stop_is_heard_before_and_between_attempts() -> None:
    cancel = CancelToken()
    chat = ScriptedChat([ChatError("Busy.", transient=True)], meanwhile=cancel.cancel)
    judge, _ = reranker(chat)
    with pytest.raises(Cancelled):
        judge.rerank("tide", candidates("Ebb."), cancel=cancel)
    with pytest.raises(Cancelled):
        judge.rerank("tide", candidates("Ebb."), cancel=cancel)
    assert len(chat.asked) == 1
