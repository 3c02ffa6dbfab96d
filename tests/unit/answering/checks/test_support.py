"""Whether sentences bear a claim, and which one stands in where they do not."""

from collections.abc import Sequence

import pytest

from tests.support.evidence import evidence_of
from webrag_desktop.answering.checks.support import Judgement, Pointing

TIDES = "Tides: Limpets clamp their shells to the rock. Otters swim away at low tide. The sea is calm. Crabs hide."
EVIDENCE = evidence_of("What do they do?", TIDES)


def judged(claim: str, *ids: str, agreed: bool = False) -> Judgement:
    return Pointing(EVIDENCE).judge(claim, ids, agreed=agreed)


def test_sentences_that_hold_a_claims_words_bear_it() -> None:
    assert judged("They clamp the shells onto rocks.", "s1") == Judgement(("s1",), "supported")


def test_a_claim_without_a_sentence_is_unsupported() -> None:
    assert judged("Penguins dance on Mars.") == Judgement((), "unsupported")


def test_sentences_that_say_something_else_leave_a_claim_doubtful() -> None:
    assert judged("The weather stays pleasant for tourists.", "s3").support == "doubtful"


def test_the_best_sentence_stands_in_for_a_wrong_one_and_for_none() -> None:
    assert judged("Otters swim away.", "s4") == Judgement(("s2",), "supported")
    assert judged("Otters swim away.") == Judgement(("s2",), "supported")


def test_a_choice_that_says_nearly_as_much_stays() -> None:
    assert judged("Otters swim in the calm sea.", "s3").ids == ("s3",)


def test_an_answer_in_another_language_is_borne_where_the_pointing_held() -> None:
    claim = "Die Napfschnecken klammern sich mit ihren Schalen an den Felsen."
    assert judged(claim, "s1").support == "doubtful"
    assert judged(claim, "s1", agreed=True).support == "supported"


def test_nearness_in_meaning_bears_a_claim_in_other_words() -> None:
    def similarity(_claim: str, texts: Sequence[str]) -> list[float]:
        return [0.9 if "clamp" in text else 0.1 for text in texts]

    claim = "Molluscs grip stone."
    assert judged(claim, "s1").support == "doubtful"
    assert Pointing(EVIDENCE, similarity).judge(claim, ["s1"]).support == "supported"


@pytest.mark.parametrize("usual", [0.1, 0.75])  # some models call any two texts near
def test_near_is_what_is_nearer_than_the_other_sentences_are(usual: float) -> None:
    def similarity(_claim: str, texts: Sequence[str]) -> list[float]:
        near = {"clamp": usual + 0.6 * (1 - usual), "Otters": usual + 0.3 * (1 - usual)}
        return [next((value for word, value in near.items() if word in text), usual) for text in texts]

    pointing = Pointing(EVIDENCE, similarity)
    assert pointing.judge("Molluscs grip stone.", ["s1"]).support == "supported"
    assert pointing.judge("Molluscs grip stone.", ["s2"]).support == "doubtful"
