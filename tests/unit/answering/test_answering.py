"""The course of an answer, with a model that says what a test wants, piece by piece."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tests.support.evidence import evidence_of
from webrag_desktop.answering.answering import CUT, Surroundings, answer_events
from webrag_desktop.answering.evidence import AnswerEvidence
from webrag_desktop.answering.options import AnswerOptions
from webrag_desktop.errors import ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.answer_events import (
    Answer,
    AnswerEvent,
    ClaimText,
    ClaimWritten,
    Ended,
    Started,
)
from webrag_desktop.servers.chat import ChatEnd, ChatPiece, ChatRequest, ChatText
from webrag_desktop.servers.listing import Sight

CLAMP = "Limpets clamp their shells to the rock."
EVIDENCE = evidence_of("What do they do?", f"Tides: {CLAMP} Otters swim away at low tide.")
ONCE = AnswerOptions(check_again=False)


class Says:
    """A model that says these pieces; an error among them is raised."""

    name = "teller\x1b[31m"

    def __init__(self, *pieces: str | ChatEnd | Exception) -> None:
        self.pieces = pieces

    def context_tokens(self, cancel: CancelToken | None = None) -> int | None:
        return None

    def sight(self, cancel: CancelToken | None = None) -> Sight:
        return "unknown"

    def stream(
        self, request: ChatRequest, *, seconds: float, cancel: CancelToken | None = None
    ) -> Iterator[ChatPiece]:
        for piece in self.pieces:
            if isinstance(piece, Exception):
                raise piece
            yield ChatText(piece) if isinstance(piece, str) else piece


def claims(*reported: tuple[str, Sequence[str]]) -> str:
    return json.dumps({"claims": [{"text": text, "ids": list(ids)} for text, ids in reported]})


def events(model: Says, evidence: AnswerEvidence = EVIDENCE) -> list[AnswerEvent]:
    nothing = Surroundings(verify=lambda _words: None, resolve=lambda _version, _start, _end: None)
    return list(answer_events(evidence, model, ONCE, nothing))


def answer(model: Says, evidence: AnswerEvidence = EVIDENCE) -> Answer:
    last = events(model, evidence)[-1]
    assert isinstance(last, Ended)
    return last.answer


def test_what_the_text_does_not_say_at_its_offsets_is_not_cited() -> None:
    moved = replace(EVIDENCE.sentences[0], char_start=1, char_end=len(CLAMP) + 1)
    beyond = replace(EVIDENCE.sentences[0], char_end=999)
    for wrong in (moved, beyond):
        shifted = replace(EVIDENCE, sentences=(wrong, EVIDENCE.sentences[1]))
        reported = answer(Says(claims((CLAMP, ["s1"]))), shifted)
        assert [(claim.citations, claim.support) for claim in reported.claims] == [((), "unsupported")]
        assert reported.citations == []


def test_what_was_shown_of_a_claim_stays_when_the_model_breaks_off() -> None:
    reply = claims((CLAMP, ["s1"]), ("Otters swim away at low", ["s2"]))
    at = reply.index(" at low")
    reported = answer(Says(reply[:at], " at ", ChatError("It broke off.", "Try again.")))
    assert (reported.outcome, reported.error, reported.hint) == ("failed", "It broke off.", "Try again.")
    assert [(claim.text, claim.support) for claim in reported.claims] == [
        (CLAMP, "supported"),
        ("Otters swim away at", "doubtful"),
    ]


def test_a_reply_that_was_cut_is_reported_and_its_last_claim_doubtful() -> None:
    reply = claims((CLAMP, ["s1"]), ("Otters swim away", ["s2"]))
    reported = answer(Says(reply[: reply.index(" away")], ChatEnd(cut=True)))
    assert reported.outcome == "complete"
    assert CUT in reported.notices
    assert [(claim.text, claim.support) for claim in reported.claims] == [
        (CLAMP, "supported"),
        ("Otters swim", "doubtful"),
    ]


def test_citations_are_numbered_by_first_use() -> None:
    reported = answer(
        Says(claims(("Otters swim away.", ["s2"]), (CLAMP, ["s1"]), ("Otters swim at low tide.", ["s2"])))
    )
    assert [claim.citations for claim in reported.claims] == [(1,), (2,), (1,)]
    assert [one.number for one in reported.citations] == [1, 2]
    assert reported.citations[1].attribution_only


def test_the_answer_starts_with_the_first_words_of_the_model() -> None:
    seen = events(Says(claims((CLAMP, ["s1"]))))
    assert isinstance(seen[0], Started)
    assert seen[0].model == "teller[31m"
    assert [event.type for event in seen].count("answer.started") == 1
    assert any(isinstance(event, ClaimWritten) for event in seen)


def test_sentences_that_the_search_ranks_above_what_claims_rest_on_come_last() -> None:
    seen = events(Says(claims(("Otters swim away.", ["s2"]))))
    last = seen[-1]
    assert isinstance(last, Ended)
    assert [(claim.by, claim.text, claim.support) for claim in last.answer.claims] == [
        ("model", "Otters swim away.", "supported"),
        ("search", f"“{CLAMP}”", "supported"),
    ]
    assert [one.span.verbatim_text for one in last.answer.citations][1:] == [CLAMP]
    reported = [(event.by, event.text) for event in seen if isinstance(event, ClaimText)]
    assert reported[-1] == ("search", f"“{CLAMP}”")


def test_to_a_model_that_declines_nothing_is_added() -> None:
    reported = answer(Says(claims(("The passages do not say.", ["none"]))))
    assert (reported.outcome, reported.claims) == ("refused", [])
