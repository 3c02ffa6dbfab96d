"""What the benchmark of rerankers counts: places of hits, kept replies with their time, and who was given up."""

from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from benchmarks.answers_parts.kept_replies import KeptJudgements
from benchmarks.reranking import WAYS, Outcome, outcome, row
from benchmarks.reranking_parts.judged import Judged
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece, Question
from tests.support.reranking import ScriptedChat, candidates, judgement, reply_of
from webrag_desktop.servers.chat import ChatMessage

FOUND = tuple(
    replace(one, fused=score) for one, score in zip(candidates("a", "b", "c"), (1, 0.9, 0.8), strict=True)
)
PIECES = (Piece("x", 0, 50), Piece("y", 0, 50), Piece("z", 0, 50))


def asked(*answers: Piece, relevant: frozenset[str] = frozenset()) -> Judged:
    return Judged(Question("q", answers, relevant), FOUND, PIECES)


def ids(*numbers: int) -> list[UUID]:
    return [UUID(int=number) for number in numbers]


def test_the_first_passage_that_holds_half_of_the_answer_counts_by_its_rank() -> None:
    one = asked(Piece("y", 25, 75))
    assert one.score(ids(1, 2, 3), "spans") == 50
    assert one.score(ids(2, 1, 3), "spans") == 100
    assert asked(Piece("y", 26, 76)).score(ids(2, 1, 3), "spans") == 0


def test_documents_count_by_their_first_passage() -> None:
    one = asked(relevant=frozenset(("x", "z")))
    best, worst = (one.score(order, "documents") for order in (ids(1, 3, 2), ids(2, 1, 3)))
    assert best == 100
    assert 0 < worst < 100


def test_a_reply_is_asked_for_once_and_counts_as_long_as_it_took(tmp_path: Path) -> None:
    chat, file = ScriptedChat(["yes", "no"]), tmp_path / "kept.jsonl"
    messages = [ChatMessage("user", '{"question": "q"}')]
    first = KeptJudgements(chat, file, 4096)
    assert [first.reply(messages, seconds=1).text for _ in range(2)] == ["yes", "yes"]
    again = KeptJudgements(ScriptedChat([]), file, 4096)
    assert again.reply(messages, seconds=1).text == "yes"
    assert again.seconds == pytest.approx(first.seconds / 2)
    assert (len(chat.asked), again.name, again.context_tokens()) == (1, "judge", 4096)


def test_a_row_tells_what_a_model_brings_and_whether_it_is_believed(tmp_path: Path) -> None:
    upside_down = reply_of(judgement(0), judgement(50), judgement(100))
    chat = KeptJudgements(ScriptedChat([upside_down]), tmp_path / "kept.jsonl", 4096)
    questions = [asked(Piece("z", 0, 50))] * 2
    alone = outcome(questions, "spans", WAYS["rubric, alone"](chat), chat)
    assert list(alone.scores) == [100, 100]
    data = EvaluationSet("set", {}, tuple(one.question for one in questions))
    cells = row(data, questions, "model", "rubric, alone", alone)
    assert cells[:4] == ("set, MRR, 2 questions", "model, rubric, alone", "33.3", "100.0")
    assert cells[5] == "2 of 2"


def test_what_the_order_decides_changes_nothing_where_it_is_checked(tmp_path: Path) -> None:
    by_place = reply_of(judgement(0), judgement(50), judgement(100))  # whatever stands there
    chat = KeptJudgements(ScriptedChat([by_place]), tmp_path / "kept.jsonl", 4096)
    questions = [asked(Piece("x", 0, 50))] * 6
    found = outcome(questions, "spans", WAYS["rubric, checked"](chat), chat)
    assert list(found.scores) == [100] * 6
    data = EvaluationSet("set", {}, tuple(one.question for one in questions))
    cells = row(data, questions, "model", "rubric, checked", found)
    assert cells[4] == "+0.0 (+0.0 to +0.0, within noise)"
    assert cells[5] == "0 of 4"  # two were not asked any more


def test_without_any_time_nothing_is_said_of_its_worth() -> None:
    data = EvaluationSet("set", {}, (Question("q", (Piece("x", 0, 50),)),))
    cells = row(data, [asked(Piece("x", 0, 50))], "model", "way", Outcome([100], [0], [0], ["Late."]))
    assert cells[-1] == ""
    assert cells[5] == "0 of 1"
