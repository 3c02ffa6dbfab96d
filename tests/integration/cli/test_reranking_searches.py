"""``webrag search --rerank`` over a real library and a stand-in chat server, and the same from Python."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from tests.support.chat_server import ChatServer
from tests.support.command_line import Program, ProgramHere, program
from tests.support.embedding_server import Json, Reply, json_reply, status
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop import DataFolder
from webrag_desktop.config import Settings
from webrag_desktop.retrieval.contracts.packs import ContextPack
from webrag_desktop.storage.database import POOL_SIZE, Connection

QUESTION = "limpets low tide shells"
NOTES = {
    "tides": "# Tides\n\n## Low tide\n\nLimpets clamp their shells to the rock at low tide.",
    "gauges": "# Gauges\n\nLimpets sat on a gauge for the tide, and nobody knew how low the sea was.",
    "shells": "# Shells\n\nShells of limpets lie at the shore.",
}


@pytest.fixture(scope="module")
def webrag(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    folder = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    with program(ProgramHere) as started:
        started.answer("add", "--json", *(str(folder / f"{name}.md") for name in NOTES))
        yield started


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer("judge") as running:
        yield running


def judging(webrag: Program, server: ChatServer, **more: str) -> Program:
    """The program with that server as its judge."""
    return replace(webrag, extra={"RETRIEVAL_RERANK_MODEL": "judge", "CHAT_BASE_URL": server.url, **more})


def test_nobody_is_asked_unless_it_is_wanted(webrag: Program, server: ChatServer) -> None:
    result = judging(webrag, server).answer("search", "--json", QUESTION)
    assert (result["rerank"], server.received) == (None, [])
    assert {chunk["relevance_score"] for chunk in result["chunks"]} == {None}


def test_an_option_or_the_setting_has_the_passages_judged(webrag: Program, server: ChatServer) -> None:
    result = judging(webrag, server).answer("search", "--json", "--rerank", QUESTION)
    judged = len(result["chunks"])
    reported = {"model": "judge", "judged": judged, "evidence_dropped": 0, "fallback": None, "hint": None}
    assert result["rerank"] == reported
    best = max(result["chunks"], key=lambda chunk: chunk["rank_score"])
    assert (best["relevance_score"], best["answerability"]) == (100, True)
    assert best["key_evidence"] in best["chunk_text"]
    assert best["title"] == "Tides"
    asked, again = server.asked
    assert (asked["question"], len(asked["passages"])) == (QUESTION, judged)
    assert [one["text"] for one in again["passages"]] == [one["text"] for one in asked["passages"]][::-1]
    enabled = judging(webrag, server, RETRIEVAL_RERANK_ENABLED="true", RETRIEVAL_RERANK_RETURN_TOP_N="2")
    assert len(enabled.answer("search", "--json", QUESTION)["chunks"]) == 2
    assert len(server.received) == 4
    assert enabled.answer("search", "--json", "--no-rerank", QUESTION)["rerank"] is None
    assert len(server.received) == 4


def test_a_context_pack_has_the_order_of_the_judgement_and_tells_of_all_that_was_judged(
    webrag: Program, server: ChatServer
) -> None:
    enabled = judging(webrag, server, RETRIEVAL_RERANK_ENABLED="true", RETRIEVAL_RERANK_RETURN_TOP_N="1")
    pack = ContextPack.model_validate(enabled.answer("context", "--json", QUESTION))
    assert {chunk.hit for chunk in pack.chunks} == {1}
    assert (pack.chunks[0].title, pack.chunks[0].relevance_score) == ("Tides", 100)
    trace = pack.explanation
    others = len(trace.vector_candidates) - 1
    assert others > 1
    assert [one.left_out for one in trace.vector_candidates] == [None, *["return_top_n"] * others]
    judged = [one.chunk_id for one in trace.rerank_results]
    assert sorted(judged) == sorted(one.chunk_id for one in trace.vector_candidates)
    scores = [one.relevance_score for one in trace.rerank_results]
    assert scores == sorted(scores, reverse=True)
    reported = enabled.run("context", "--explain", QUESTION).out
    assert f"{others + 1} of them were judged again, which counts in their order." in reported
    assert (
        f"The search itself left out {others}, since a model judged enough others to be better." in reported
    )
    assert len(server.received) == 4  # both commands in both orders
    plain = enabled.answer("context", "--json", "--no-rerank", QUESTION)
    assert (plain["trace"]["rerank_results"], len(server.received)) == ([], 4)


def test_as_text_the_judgement_stands_with_the_passage(webrag: Program, server: ChatServer) -> None:
    done = judging(webrag, server).run("search", "--rerank", QUESTION)
    assert done.code == 0
    assert "judged 100 of 100" in done.out


def test_where_it_fails_the_order_stays_and_the_reason_is_reported(
    webrag: Program, server: ChatServer
) -> None:
    server.misbehave(status(401, "Incorrect API key provided"), times=2)
    usual = webrag.answer("search", "--json", QUESTION)
    result = judging(webrag, server).answer("search", "--json", "--rerank", QUESTION)
    assert result["chunks"] == usual["chunks"]
    assert result["rerank"]["judged"] == 0
    assert "did not accept the API key" in result["rerank"]["fallback"]
    done = judging(webrag, server).run("search", "--rerank", QUESTION)
    assert "The passages could not be reranked. The chat server at" in done.err
    assert done.code == 0


def test_without_a_model_the_setting_is_named(webrag: Program) -> None:
    done = webrag.run("search", "--rerank", QUESTION)
    assert (done.code, "RETRIEVAL_RERANK_MODEL" in done.err) == (0, True)


def test_documents_are_not_judged(webrag: Program) -> None:
    done = webrag.run("search", "--strategy", "precomputed", "--rerank", QUESTION)
    assert done.code == 2
    assert "leave --rerank out" in done.err


def test_what_was_judged_is_remembered_while_the_library_is_open(webrag: Program, server: ChatServer) -> None:
    settings = Settings.of(
        WEBRAG_HOME=webrag.home,
        EMBEDDING_BACKEND="embedded",
        EMBEDDING_MODEL=TESTED_MODEL,
        RETRIEVAL_RERANK_MODEL="judge",
        CHAT_BASE_URL=server.url,
    )
    with DataFolder(settings).open() as services:
        first = services.search(QUESTION, mode="chunk", rerank=True)
        second = services.search(QUESTION, mode="chunk", rerank=True)
        assert first.chunks == second.chunks
        assert len(server.received) == 2  # in both orders
        pack = services.context_pack(first, QUESTION)
        judged = pack.trace["rerank_results"]
        assert [one["relevance_score"] for one in judged] == [
            one.relevance_score for one in first.rerank_results
        ]


def test_while_a_model_judges_every_connection_is_there_for_others(
    webrag: Program, server: ChatServer
) -> None:
    settings = Settings.of(
        WEBRAG_HOME=webrag.home,
        EMBEDDING_BACKEND="embedded",
        EMBEDDING_MODEL=TESTED_MODEL,
        RETRIEVAL_RERANK_MODEL="judge",
        CHAT_BASE_URL=server.url,
    )
    lent: list[Connection] = []

    with DataFolder(settings).open() as services:

        def meanwhile(answer: Json) -> Reply:
            with ExitStack() as others:
                lent.extend(others.enter_context(services.database.connection()) for _ in range(POOL_SIZE))
            return json_reply(answer)

        server.misbehave(meanwhile)
        result = services.search(QUESTION, mode="chunk", rerank=True)
    assert len(lent) == POOL_SIZE
    assert result.rerank is not None
    assert result.rerank.fallback is None
