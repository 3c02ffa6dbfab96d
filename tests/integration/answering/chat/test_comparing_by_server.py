"""Lists and pairs over HTTP: both orders, and every way in which a server was heard to fail."""

from collections.abc import Iterator

import pytest

from tests.integration.answering.chat.test_reranking_by_server import FINAL, PASSING
from tests.support.chat_server import ChatServer, cut_reply, says, with_prose
from tests.support.embedding_server import Fault
from tests.support.llama_server import loading, no_grammar, out_of_context
from tests.support.reranking import PassingTime, candidates
from webrag_desktop.answering.chat.client import chat_address
from webrag_desktop.answering.chat.models import OpenAiChatModel
from webrag_desktop.library.reranking import judging_by
from webrag_desktop.retrieval.contracts.rerank_options import Judging, RerankConfig
from webrag_desktop.retrieval.reranking.ordering import Reranked, reranked
from webrag_desktop.servers.retries import RetryPolicy

TEXTS = ("Rocks are hard.", "A tide comes twice a day.", "Low tide is at noon.")
FUSED, RELEVANT = [1, 2, 3], [3, 2, 1]
FORMS: tuple[Judging, ...] = ("rubric", "listwise", "pairwise")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer("judge") as running:
        yield running


def rerank(
    server: ChatServer, judging: Judging, *, seconds: float = 60.0, time: PassingTime | None = None
) -> Reranked:
    time = time or PassingTime()
    chat = OpenAiChatModel(chat_address(server.url), "judge")
    policy = RetryPolicy(seconds, clock=time.clock, wait=time.rest)
    reranker = judging_by(chat, RerankConfig("judge", judging=judging), policy)
    return reranked("low tide noon", candidates(*TEXTS), reranker, 50)


def numbers(found: Reranked) -> list[int]:
    return [one.int for one in found.order]


@pytest.mark.parametrize("judging", FORMS)
def test_a_server_that_behaves_decides_the_order_and_is_asked_in_both(
    server: ChatServer, judging: Judging
) -> None:
    found = rerank(server, judging)
    assert numbers(found)[0] == 3
    assert (found.report.judged, found.report.fallback) == (3, None)
    assert found.results[found.order[0]].answerability
    orders = [[one["text"] for one in asked["passages"]] for asked in server.asked]
    assert orders[1::2] == [order[::-1] for order in orders[::2]]


@pytest.mark.parametrize("judging", FORMS)
@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_what_may_pass_is_asked_for_again(server: ChatServer, fault: Fault, judging: Judging) -> None:
    server.misbehave(fault)
    assert numbers(rerank(server, judging))[0] == 3


@pytest.mark.parametrize("judging", FORMS)
def test_a_schema_that_the_server_cannot_use_is_left_out(server: ChatServer, judging: Judging) -> None:
    server.misbehave(no_grammar)
    assert numbers(rerank(server, judging))[0] == 3
    asked_for = [payload.get("response_format", {}).get("type") for payload in server.payloads]
    assert asked_for[0] == "json_schema"
    assert set(asked_for[1:]) == {"json_object"}


NEVER: dict[str, Fault] = {
    **PASSING,
    **FINAL,
    "no grammar": no_grammar,
    "cut": cut_reply,
    "out of context": out_of_context,
    "prose": says(with_prose),
}


@pytest.mark.parametrize("judging", FORMS)
@pytest.mark.parametrize("fault", NEVER.values(), ids=NEVER)
@pytest.mark.parametrize("after", [0, 1])
def test_what_never_can_be_used_leaves_the_fused_order_and_says_why(
    server: ChatServer, fault: Fault, judging: Judging, after: int
) -> None:
    """Also where only the second order fails: half a judgement is none."""
    server.misbehave(*([says(str)] * after), *([fault] * 99))
    found = rerank(server, judging, seconds=20.0)
    assert numbers(found) == FUSED
    assert (found.results, found.report.judged) == ({}, 0)
    assert found.report.fallback is not None
    assert found.report.fallback.endswith(".")
    assert found.report.hint


@pytest.mark.parametrize("judging", FORMS)
def test_a_server_that_loads_its_model_is_waited_for_while_there_is_time(
    server: ChatServer, judging: Judging
) -> None:
    server.misbehave(loading, times=5)
    time = PassingTime()
    assert numbers(rerank(server, judging, time=time))[0] == 3
    assert sum(time.rests) == 11.5


@pytest.mark.parametrize("judging", FORMS)
def test_a_context_that_does_not_hold_the_list_is_reported_with_the_servers_words(judging: Judging) -> None:
    with ChatServer("judge", context=20, lists=False) as server:
        found = rerank(server, judging)
    assert numbers(found) == FUSED
    assert "too small a context" in (found.report.fallback or "")
    assert "exceeds the available context size (20 tokens)" in (found.report.hint or "")
