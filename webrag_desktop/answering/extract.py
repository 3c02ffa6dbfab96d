"""An answer without a model: the sentences that answer, each as it stands, in reading order."""

from collections.abc import Iterator, Sequence

from webrag_desktop.answering.citing import Citations
from webrag_desktop.answering.evidence import AnswerEvidence, PointedSentence
from webrag_desktop.retrieval.contracts.answer_events import AnswerClaim, ClaimPart
from webrag_desktop.text.printable import title_line

MOST_SENTENCES = 6
MOST_PASSED_OVER = 3  # beside an answer that a model wrote
LEAST_OF_BEST = 0.6  # of the best sentence's score: what is worth less answers something else
LEAST_SCORE = 0.25  # whatever a small library holds is evidence; what answers nothing has next to none


def extracted(
    evidence: AnswerEvidence,
    citations: Citations,
    *,
    most: int = MOST_SENTENCES,
    above: float = 0.0,
    first: int = 1,
) -> Iterator[AnswerClaim]:
    """The ``most`` best sentences as claims: documents with the better sentences first, each in its own order.

    A sentence that the stored text does not have at its offsets is left out. Only those whose score is ``above`` this
    are given, and their claims are numbered from ``first``.
    """
    chosen = _in_order(evidence, most, above)
    for number, (one, citation) in enumerate(_cited(chosen, citations), start=first):
        quote = ClaimPart(kind="verified_quote", text=f"“{title_line(one.reads)}”", citation=citation)
        yield AnswerClaim(
            number=number, by="search", parts=(quote,), citations=(citation,), support="supported"
        )


def passed_over(
    evidence: AnswerEvidence, citations: Citations, claims: Sequence[AnswerClaim]
) -> Iterator[AnswerClaim]:
    """What the search scores above every sentence that the model's claims cite, word for word."""
    scores = {(one.version_id, one.char_start): one.score for one in evidence.sentences}
    spans = [citations[number].span for claim in claims for number in claim.citations]
    cited = max((scores.get((span.version_id, span.char_start), 0.0) for span in spans), default=0.0)
    first = 1 + max((claim.number for claim in claims), default=0)
    return extracted(evidence, citations, most=MOST_PASSED_OVER, above=cited, first=first)


def _cited(sentences: list[PointedSentence], citations: Citations) -> Iterator[tuple[PointedSentence, int]]:
    for one in sentences:
        number = citations.of_sentence(one.id)
        if number is not None:
            citations.attribute(number)
            yield one, number


def _in_order(evidence: AnswerEvidence, most: int, above: float) -> list[PointedSentence]:
    ranked = sorted(evidence.sentences, key=lambda one: -one.score)
    least = max(LEAST_SCORE, LEAST_OF_BEST * ranked[0].score)
    best = [one for one in ranked if one.score >= least and one.score > above][:most]
    documents = list(dict.fromkeys(one.version_id for one in best))
    return sorted(best, key=lambda one: (documents.index(one.version_id), one.char_start, one.char_end))
