"""Which reranker the settings ask for, where questions go then, and with which key."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.chat_server import ChatServer
from tests.support.reranking import candidates
from tests.support.tiny_cross_encoder import write_cross_encoder
from webrag_desktop.config import Settings
from webrag_desktop.library.reranking import open_reranker
from webrag_desktop.retrieval.reranking.ordering import Reranked, reranked

TEXTS = ("Rocks.", "A low tide.")


def rerank(**settings: object) -> Reranked:
    given = Settings.of(**settings)
    most = given.rerank_config().max_candidates_to_rerank
    return reranked("low tide", candidates(*TEXTS), open_reranker(given), most)


def test_without_a_model_the_order_stays_and_the_setting_is_named() -> None:
    found = rerank()
    assert [one.int for one in found.order] == [1, 2]
    assert found.report.model is None
    assert found.report.fallback == "Reranking needs a model, and none is named."
    assert "RETRIEVAL_RERANK_MODEL" in (found.report.hint or "")


def test_the_chat_server_is_asked_unless_another_is_named() -> None:
    with ChatServer("judge") as chat, ChatServer("judge") as other:
        both = {"RETRIEVAL_RERANK_MODEL": "judge", "CHAT_BASE_URL": chat.url}
        assert [one.int for one in rerank(**both).order] == [2, 1]
        assert [one.int for one in rerank(**both, RETRIEVAL_RERANK_BASE_URL=other.url).order] == [2, 1]
        assert (len(chat.received), len(other.received)) == (2, 2)  # in both orders


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({}, None),
        ({"CHAT_API_KEY": "for answers"}, "for answers"),
        ({"CHAT_API_KEY": " for answers\n"}, "for answers"),
        ({"CHAT_API_KEY": "for answers", "RETRIEVAL_RERANK_API_KEY": "for us"}, "for us"),
        ({"CHAT_API_KEY": "for answers", "RETRIEVAL_RERANK_BASE_URL": True}, None),
        ({"RETRIEVAL_RERANK_API_KEY": "for us", "RETRIEVAL_RERANK_BASE_URL": True}, "for us"),
    ],
)
def test_a_key_goes_only_to_the_server_that_it_is_for(given: dict[str, object], sent: str | None) -> None:
    with ChatServer("judge") as server:
        named = "RETRIEVAL_RERANK_BASE_URL" if "RETRIEVAL_RERANK_BASE_URL" in given else "CHAT_BASE_URL"
        rerank(**{**given, "RETRIEVAL_RERANK_MODEL": "judge", named: server.url})
        assert server.received[0].headers.get("authorization") == (f"Bearer {sent}" if sent else None)


@pytest.mark.parametrize("key", ["sk-s\u00e9cret", "\u201csk-secret\u201d", "sk-secret\nX"])
def test_a_key_that_none_can_be_is_reported_without_it_and_nobody_is_asked(key: str) -> None:
    with ChatServer("judge") as server:
        found = rerank(RETRIEVAL_RERANK_MODEL="judge", CHAT_BASE_URL=server.url, RETRIEVAL_RERANK_API_KEY=key)
        assert found.report.fallback == "The chat server's API key holds characters no key has."
        assert "RETRIEVAL_RERANK_API_KEY" in (found.report.hint or "")
        assert server.received == []


def test_what_the_settings_say_of_the_request_reaches_it() -> None:
    with ChatServer("judge") as server:
        found = rerank(
            RETRIEVAL_RERANK_MODEL="judge",
            CHAT_BASE_URL=server.url,
            RETRIEVAL_RERANK_STRICT_JSON_OUTPUT="false",
            RETRIEVAL_RERANK_MAX_CANDIDATES_TO_RERANK="1",
        )
        assert "response_format" not in server.payloads[0]
        assert len(server.asked[0]["passages"]) == 1
        assert (found.report.judged, found.report.fallback) == (1, None)


def test_the_same_question_is_asked_once() -> None:
    with ChatServer("judge") as server:
        reranker = open_reranker(Settings.of(RETRIEVAL_RERANK_MODEL="judge", CHAT_BASE_URL=server.url))
        first, second = (reranked("low tide", candidates(*TEXTS), reranker, 50) for _ in range(2))
        assert first == second
        assert len(server.received) == 2  # in both orders


@pytest.mark.parametrize(
    ("judging", "reply", "requests"),
    [
        ("rubric", None, 2),
        ("listwise", {"first": "A low tide.", "second": None, "third": None, "answers": True}, 2),
        ("pairwise", {"better": "A low tide.", "answers": True}, 2),
    ],
)
def test_a_chat_model_is_asked_as_the_settings_say(
    judging: str, reply: dict[str, object] | None, requests: int
) -> None:
    def answers(payload: dict[str, Any]) -> str:
        """The reply with the passages that it names by their numbers in this request, 0 for none."""
        asked = json.loads(payload["messages"][-1]["content"])
        ids = {one["text"]: one["id"] for one in asked["passages"]}
        named = (reply or {}).items()
        return json.dumps({n: one if isinstance(one, bool) else ids.get(one, 0) for n, one in named})

    with ChatServer("judge", answers=answers if reply else None) as server:
        found = rerank(
            RETRIEVAL_RERANK_MODEL="judge", RETRIEVAL_RERANK_JUDGING=judging, CHAT_BASE_URL=server.url
        )
        assert [one.int for one in found.order] == [2, 1]
        assert (found.report.judged, found.report.fallback) == (2, None)
        assert found.results[found.order[0]].answerability
        assert len(server.received) == requests
        orders = [[one["text"] for one in asked["passages"]] for asked in server.asked]
        assert orders == [list(TEXTS), list(TEXTS[::-1])]


def test_a_model_file_goes_before_a_chat_model(tmp_path: Path) -> None:
    file = write_cross_encoder(tmp_path)
    found = rerank(RETRIEVAL_RERANK_MODEL_FILE=file, RETRIEVAL_RERANK_MODEL="judge")
    assert (found.report.model, found.report.judged) == ("tiny.onnx", 2)


def test_an_address_that_is_none_leaves_the_order_and_is_reported() -> None:
    found = rerank(RETRIEVAL_RERANK_MODEL="judge", RETRIEVAL_RERANK_BASE_URL="http://me:secret@host")
    assert [one.int for one in found.order] == [1, 2]
    assert "address" in (found.report.fallback or "")
    assert "secret" not in (found.report.fallback or "") + (found.report.hint or "")
