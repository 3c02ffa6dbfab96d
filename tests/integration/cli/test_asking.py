"""``webrag ask`` and ``webrag answers`` over a real library and a stand-in chat server."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from tests.support.chat_streams import cut, silent, streamed
from tests.support.command_line import Program, ProgramHere, program
from tests.support.links import without_cite_ids
from tests.support.shore import CLAMP, QUESTION, Model, shore_notes
from webrag_desktop.cli.answer_text import PASSED_OVER
from webrag_desktop.retrieval.contracts.answer_events import AnswerEvent, Ended

GOOD = ("They clamp their shells to the rock at low tide.", ["Limpets clamp"])


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    teller = Model()
    with teller.server:
        yield teller


@pytest.fixture(scope="module")
def webrag(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with program(ProgramHere, CHAT_BASE_URL=model.server.url, CHAT_MODEL="teller") as started:
        started.answer("add", "--json", *shore_notes(tmp_path_factory.mktemp("notes")))
        yield started


def events_of(out: str) -> list[Any]:
    """One event a line."""
    return [
        TypeAdapter(AnswerEvent).validate_python(without_cite_ids(json.loads(line)))
        for line in out.splitlines()
    ]


def test_an_answer_is_printed_with_its_sources(webrag: Program, model: Model) -> None:
    model.claims(
        GOOD,
        ("The sea is “calm and grey”, they “fly to Mars”.", ["Otters swim"]),
        ("Penguins dance.", ["s99"]),
    )
    done = webrag.run("ask", QUESTION)
    assert done.code == 0, done.err
    claims, _, sources = done.out.partition("\n\n")
    assert claims.splitlines() == [
        "They clamp their shells to the rock at low tide. [1]",
        "The sea is “calm and grey”, they fly to Mars. [2] (doubtful; its sources lack the name Mars; quoted nowhere "
        "in the library: fly to Mars)",
        "Penguins dance. (unsupported: no sentence of the library supports it)",
    ]
    lines = sources.splitlines()
    assert lines[0] == f"[1] ✓ “{CLAMP}”"
    assert lines[1].strip() == "Tides — Tides › Low tide"
    assert lines[2].strip().endswith("tides.md#Low tide]")


def test_a_claim_behind_a_blank_line_begins_a_paragraph(webrag: Program, model: Model) -> None:
    model.claims(
        GOOD,
        ("\n\nOtters swim away.\n\nThey sleep at sea.", ["Otters swim"]),
        ("Penguins dance.", ["s99"]),
    )
    done = webrag.run("ask", "--json", QUESTION)
    answer = events_of(done.out)[-1].answer
    assert [claim.text for claim in answer.claims] == [
        GOOD[0], "\n\nOtters swim away.\n\nThey sleep at sea.", "Penguins dance."
    ]  # fmt: skip
    for reported in (webrag.run("ask", QUESTION).out, webrag.run("answers", "show", str(kept(done.out))).out):
        paragraphs = reported.partition("They clamp")[2].split("\n\n")
        assert [one.split()[0] for one in paragraphs[1:3]] == ["Otters", "They"]
        assert paragraphs[2].splitlines()[1].startswith("Penguins dance.")


def kept(out: str) -> object:
    """The id under which an answer was kept."""
    return events_of(out)[-1].kept_as


def test_what_a_check_changes_is_reported_once_more(webrag: Program, model: Model) -> None:
    model.claims((GOOD[0], ["sleep on their backs", "Limpets clamp"]))
    reported = webrag.run("ask", QUESTION).out
    assert f"{GOOD[0]} [1] [2]" in reported
    behind = reported.partition("After its sources were checked")[2]
    assert f"\n{GOOD[0]} [1]\n" in behind


def test_sentences_that_the_search_ranks_higher_come_below(webrag: Program, model: Model) -> None:
    model.claims(("The sea is “calm and grey”.", ["Otters swim"]))
    done = webrag.run("ask", QUESTION)
    assert done.code == 0, done.err
    first, added, sources = done.out.split("\n\n")
    assert first == "The sea is “calm and grey”. [1]"
    assert added.startswith(f"{PASSED_OVER}\n“{CLAMP}” [2]")
    assert "[2] ✓" in sources
    kept = webrag.answer("answers", "--json")[0]
    assert {claim["by"] for claim in kept["answer"]["claims"][1:]} == {"search"}
    assert f"\n{PASSED_OVER}\n“{CLAMP}” [2]" in webrag.run("answers", "show", kept["id"]).out


def test_events_come_one_a_line(webrag: Program, model: Model) -> None:
    model.claims(GOOD)
    done = webrag.run("ask", "--json", "--debug", QUESTION)
    events = events_of(done.out)
    assert [event.type for event in events[:3]] == ["rag.sources", "rag.debug", "answer.started"]
    assert isinstance(events[-1], Ended)
    assert events[-1].answer.claims[0].text == GOOD[0]
    assert "rag.debug" not in webrag.run("ask", "--json", QUESTION).out


def test_without_a_model_sentences_are_printed(webrag: Program, model: Model) -> None:
    asked = len(model.server.received)
    done = webrag.run("ask", "--no-model", QUESTION)
    assert (done.code, len(model.server.received)) == (0, asked)
    assert f"“{CLAMP}” [" in done.out
    assert "No model wrote this" in done.err
    nothing = webrag.run("ask", "--no-model", "how do I cook pasta")
    assert (nothing.code, nothing.out.strip()) == (
        1,
        "Nothing was found that bears on this question, so there is nothing to answer from.",
    )


def test_a_selected_text_answers_alone(webrag: Program, model: Model, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("They signed it at dawn. Nobody saw it.", encoding="utf-8")
    model.claims(("It was signed at dawn.", ["signed"]))
    done = webrag.run("ask", "who signed it?", "--selected-text", str(letter), "--source-path", str(letter))
    assert done.code == 0
    assert "[1] ✓ “They signed it at dawn.”" in done.out
    assert str(letter) in done.out
    assert webrag.run("ask", "x", "--selected-text", str(letter), "--tag", "sea").code == 2
    assert webrag.run("ask", "x", "--source-path", "p").code == 2


def test_a_model_that_breaks_off_is_reported(webrag: Program, model: Model) -> None:
    model.claims(GOOD, GOOD)
    model.server.misbehave(streamed(cut(after=12)))
    done = webrag.run("ask", QUESTION)
    assert done.code == 3
    assert "They clamp" in done.out
    assert done.err.strip()


def test_ctrl_c_keeps_what_was_written(webrag: Program, model: Model) -> None:
    model.claims(GOOD, ("Each shell is ground to fit one place.", ["has ground"]))
    model.server.misbehave(streamed(silent(after=32)))
    asking = Program(webrag.home, webrag.extra).start("ask", QUESTION)
    assert asking.stdout is not None
    first = asking.stdout.readline().decode()
    asking.send_signal(signal.SIGINT)
    out, err = asking.communicate(timeout=60)
    assert (first.strip(), asking.returncode) == (f"{GOOD[0]} [1]", 130)
    assert b"Stopped. What was written is above." in err
    assert CLAMP in out.decode()
    assert webrag.answer("answers", "--json")[0]["answer"]["outcome"] == "stopped"


def test_the_history_is_listed_shown_and_forgotten(webrag: Program, model: Model) -> None:
    webrag.run("answers", "remove", "--all")
    assert "Nothing was asked yet" in webrag.run("answers").err
    model.claims(GOOD)
    webrag.run("ask", QUESTION)
    webrag.run("ask", "--no-keep", "Is this kept?")
    (kept,) = webrag.answer("answers", "--json")
    assert QUESTION in webrag.run("answers").out
    shown = webrag.run("answers", "show", kept["id"][:8])
    assert GOOD[0] in shown.out
    assert webrag.answer("answers", "show", kept["id"], "--json") == kept
    assert webrag.run("answers", "show", "0000abcd").code == 2
    assert webrag.run("answers", "remove").code == 2
    assert webrag.run("answers", "remove", kept["id"][:8]).out.strip() == "One answer is forgotten."
    assert webrag.answer("answers", "--json") == []


def test_the_history_outlives_its_documents_and_a_restore(
    webrag: Program, model: Model, tmp_path: Path
) -> None:
    model.claims(GOOD)
    webrag.run("ask", QUESTION)
    backup = str(tmp_path / "saved.webrag")
    before = webrag.answer("answers", "--json")
    assert webrag.run("backup", backup).code == 0
    webrag.run("remove", "--yes", *(row["id"] for row in webrag.answer("list", "--json")))
    assert webrag.answer("answers", "--json") == before
    assert CLAMP in webrag.run("answers", "show", before[0]["id"]).out
    webrag.run("answers", "remove", "--all")
    assert webrag.run("restore", backup, "--replace", "--yes").code == 0
    assert webrag.answer("answers", "--json") == before
    assert json.dumps(before) != "[]"


def test_what_was_noted_as_it_began_is_not_noted_again(webrag: Program, model: Model) -> None:
    model.claims(GOOD)
    model.server.received.clear()
    webrag.run("ask", "--no-keep", QUESTION)
    words = sum(len(message["content"].split()) for message in model.server.payloads[0]["messages"])
    model.server.context, model.server.lists = words - 1, False
    try:
        done = webrag.run("ask", "--no-keep", QUESTION)
    finally:
        model.server.context, model.server.lists = None, True
    assert done.code == 0, done.err
    assert done.err.count("The model reads less than it was sent at first") == 1
