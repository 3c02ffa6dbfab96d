"""Without a model the sentences that answer are the answer: the best ones, document by document, in their order."""

from collections.abc import Sequence
from dataclasses import replace

from tests.support.evidence import evidence_of
from webrag_desktop.answering.citing import (
    LEAST_SCORE,
    MOST_PASSED_OVER,
    MOST_SENTENCES,
    Citations,
    extracted,
    passed_over,
)
from webrag_desktop.answering.evidence import AnswerEvidence
from webrag_desktop.retrieval.contracts.answer_events import AnswerClaim, ClaimPart, Support

LIMPETS = "Limpets: Limpets graze. Then they clamp. So they survive."
OTTERS = "Otters: Otters dive. Otters sleep."


def scored(evidence: AnswerEvidence, scores: Sequence[float]) -> AnswerEvidence:
    """The evidence with these scores of its sentences, the best one first."""
    given = [replace(one, score=score) for one, score in zip(evidence.sentences, scores, strict=True)]
    return replace(evidence, sentences=tuple(sorted(given, key=lambda one: -one.score)))


def reported(evidence: AnswerEvidence) -> list[str]:
    """What the extract says, after a look at how."""
    citations = Citations(evidence, lambda _words: None, lambda _version, _start, _end: None)
    claims = list(extracted(evidence, citations))
    assert [claim.number for claim in claims] == list(range(1, len(claims) + 1))
    for claim in claims:
        (part,), (number,) = claim.parts, claim.citations
        assert (part.kind, part.citation, claim.support) == ("verified_quote", number, "supported")
        assert part.text == f"“{citations[number].span.verbatim_text}”"
        assert citations[number].attribution_only
    return [claim.text.strip("“”") for claim in claims]


def test_the_document_of_the_best_sentence_comes_first_and_each_keeps_its_order() -> None:
    evidence = scored(evidence_of("?", LIMPETS, OTTERS), (0.7, 0.8, 0.75, 0.9, 0.85))
    assert reported(evidence) == [
        "Otters dive.",
        "Otters sleep.",
        "Limpets graze.",
        "Then they clamp.",
        "So they survive.",
    ]


def test_what_is_worth_far_less_than_the_best_is_left_out() -> None:
    assert reported(scored(evidence_of("?", LIMPETS), (0.9, 0.3, 0.6))) == [
        "Limpets graze.",
        "So they survive.",
    ]


def test_what_answers_next_to_nothing_is_no_answer() -> None:
    assert reported(scored(evidence_of("?", LIMPETS), (LEAST_SCORE - 0.01, 0.1, 0.0))) == []


def test_only_so_many_are_reported() -> None:
    text = "Limpets: " + " ".join(f"Limpet number {n} clamps." for n in range(MOST_SENTENCES + 3))
    assert len(reported(scored(evidence_of("?", text), [0.5] * (MOST_SENTENCES + 3)))) == MOST_SENTENCES


def test_what_the_text_does_not_say_at_its_offsets_is_left_out() -> None:
    evidence = evidence_of("?", OTTERS)
    first, second = (replace(one, score=0.5) for one in evidence.sentences)
    assert reported(replace(evidence, sentences=(replace(first, markdown="Otters fly."), second))) == [
        "Otters sleep."
    ]


def added(evidence: AnswerEvidence, *claims: tuple[Support, str]) -> list[str]:
    """What is added to claims that each point at the sentence that reads so."""
    citations = Citations(evidence, lambda _words: None, lambda _version, _start, _end: None)
    ids = {one.reads: one.id for one in evidence.sentences}
    standing = []
    for number, (support, reads) in enumerate(claims, start=1):
        cited = citations.of_sentence(ids[reads])
        assert cited is not None
        said = (ClaimPart(kind="text", text="It is so."),)
        standing.append(AnswerClaim(number=number, parts=said, citations=(cited,), support=support))
    found = list(passed_over(evidence, citations, standing))
    assert [claim.number for claim in found] == [len(claims) + 1 + place for place in range(len(found))]
    assert {claim.by for claim in found} <= {"search"}
    return [claim.text.strip("“”") for claim in found]


def test_what_the_search_scores_above_all_that_claims_cite_is_added() -> None:
    evidence = scored(evidence_of("?", LIMPETS, OTTERS), (0.7, 0.8, 0.75, 0.9, 0.85))
    assert added(evidence, ("supported", "Then they clamp."), ("supported", "Limpets graze.")) == [
        "Otters dive.",
        "Otters sleep.",
    ]
    assert added(evidence, ("supported", "Limpets graze."), ("supported", "Otters dive.")) == []


def test_doubtful_claims_cite_what_is_read_too() -> None:
    evidence = scored(evidence_of("?", OTTERS), (0.9, 0.8))
    assert added(evidence, ("doubtful", "Otters dive.")) == []
    assert added(evidence) == ["Otters dive.", "Otters sleep."]


def test_only_so_many_are_added() -> None:
    text = "Limpets: " + " ".join(f"Limpet number {n} clamps." for n in range(MOST_PASSED_OVER + 3))
    evidence = scored(evidence_of("?", text), [0.5] * (MOST_PASSED_OVER + 2) + [0.3])
    assert (
        len(added(evidence, ("supported", f"Limpet number {MOST_PASSED_OVER + 2} clamps.")))
        == MOST_PASSED_OVER
    )
