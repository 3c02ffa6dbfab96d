"""The best of a list by one short reply, over passages that were cut to what matters."""

import json
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from tests.support.reranking import ScriptedChat, candidates
from webrag_desktop.errors import ChatError
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankResult
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.reranking.listwise import LISTWISE
from webrag_desktop.retrieval.reranking.llm import LlmReranker
from webrag_desktop.retrieval.reranking.prompt import MOST_EXCERPT_CHARS, excerpted_passage
from webrag_desktop.servers.chat import ChatReply

TEXTS = ("Ebb.", "Flow.", "Moon.", "Rocks.")


def said(first: object, second: object = 0, third: object = 0, *, answers: object = False) -> str:
    return json.dumps({"first": first, "second": second, "third": third, "answers": answers})


def judged(
    *replies: str | ChatReply, strict: bool = True, context: int | None = None
) -> tuple[list[RerankResult], ScriptedChat]:
    chat = ScriptedChat(replies, context=context)
    config = RerankConfig("judge", strict_json_output=strict, judging="listwise")
    return LlmReranker(chat, config, form=LISTWISE).rerank("tide", candidates(*TEXTS)), chat


def scores(results: list[RerankResult]) -> dict[int, float]:
    return {one.chunk_id.int: one.relevance_score for one in results}


def test_the_named_come_first_and_the_first_may_answer() -> None:
    results, chat = judged(said(3, 1, 4, answers=True))
    assert [one.chunk_id.int for one in results] == [3, 1, 4, 2]
    assert scores(results) == {3: 100, 1: 55, 4: 40, 2: 0}
    assert [one.answerability for one in results] == [True, False, False, False]
    assert {one.key_evidence for one in results} == {""}
    assert len(chat.asked) == 1


def test_what_answers_a_part_scores_less() -> None:
    assert scores(judged(said(2))[0]) == {2: 70, 1: 0, 3: 0, 4: 0}
    assert scores(judged(said(0, answers=True))[0]) == {1: 0, 2: 0, 3: 0, 4: 0}


def test_a_passage_that_is_named_twice_has_its_better_place() -> None:
    assert scores(judged(said(2, 2, 1))[0]) == {2: 70, 1: 55, 3: 0, 4: 0}


@pytest.mark.parametrize(
    "useless",
    [
        "Sorry?",
        "[]",
        "{}",
        said(9),
        said(-1),
        said(True),
        said("1"),
        said(1.0),
        said(1, answers=1),
        said(1, answers=None),
        '{"first": 1, "answers": true}',
        ChatReply(said(1), cut=True),
        ChatReply(said(1)[:9]),
    ],
)
def test_what_is_no_such_list_is_not_believed(useless: str | ChatReply) -> None:
    with pytest.raises(ChatError, match="judgement"):
        judged(useless)


def test_words_around_the_list_are_ignored_where_that_is_allowed() -> None:
    around = f"I think {said(1)} is a draft. {said(4, 2)} is better."
    assert scores(judged(around, strict=False)[0]) == {4: 70, 2: 55, 1: 0, 3: 0}
    with pytest.raises(ChatError):
        judged(around)


def test_the_schema_allows_just_that() -> None:
    schema: Any = LISTWISE.schema(2).schema
    assert schema["required"] == ["first", "second", "third", "answers"]
    assert schema["properties"]["third"] == {"type": "integer", "enum": [0, 1, 2]}
    assert schema["additionalProperties"] is False


def test_a_list_that_does_not_fit_is_asked_for_in_parts() -> None:
    results, chat = judged(said(1), said(2), context=500)
    assert [len(one["passages"]) for one in chat.asked] == [2, 2]
    assert scores(results) == {1: 70, 2: 0, 3: 0, 4: 70}


LONG = "The harbour is old. " * 10 + "Low tide is at noon. " + "Boats wait. " * 40 + "Then comes the flow."


def candidate(*sentences: str, **more: Any) -> RerankCandidate:
    spans = tuple((LONG.index(one), LONG.index(one) + len(one)) for one in sentences)
    return replace(RerankCandidate(UUID(int=1), LONG, 0, len(LONG)), sentences=spans, **more)


def test_a_passage_is_cut_to_the_sentences_that_matter_in_their_order() -> None:
    shown = excerpted_passage(candidate("Then comes the flow.", "Low tide is at noon."), 1200)
    assert shown.text == "Low tide is at noon. … Then comes the flow."


def test_the_best_sentences_are_taken_first_and_the_limit_holds() -> None:
    best = candidate("Then comes the flow.", "Low tide is at noon.", LONG[:199], "Boats wait.")
    assert excerpted_passage(best, 1200).text == "Low tide is at noon. Boats wait. … Then comes the flow."
    assert excerpted_passage(best, 30).text == "Then comes the flow."
    for limit in (100, 150, 1200):
        assert len(excerpted_passage(best, limit).text) <= min(limit, MOST_EXCERPT_CHARS)


def test_without_such_sentences_the_place_that_was_found_is_shown() -> None:
    shown = excerpted_passage(RerankCandidate(UUID(int=1), LONG, 200, 260), 1200)
    assert "Low tide is at noon." in shown.text
    assert shown.text in LONG
    assert len(shown.text) <= MOST_EXCERPT_CHARS


def test_a_sentence_that_is_too_long_is_shown_from_its_beginning() -> None:
    long = "Low tide " * 100
    shown = excerpted_passage(RerankCandidate(UUID(int=1), long, sentences=((0, 899),)), 1200)
    assert long.startswith(shown.text)
    assert len(shown.text) <= MOST_EXCERPT_CHARS


def test_the_nearest_heading_is_shown_else_the_title() -> None:
    headed = candidate("Boats wait.", title="Pilot", heading_path=("Coast", "Tides"))
    assert (excerpted_passage(headed, 1200).title, excerpted_passage(headed, 1200).section) == ("", "Tides")
    assert excerpted_passage(candidate("Boats wait.", title="Pilot"), 1200).section == "Pilot"
