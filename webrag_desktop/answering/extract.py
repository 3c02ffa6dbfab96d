"""An answer without a model: the sentences that answer, each as it stands, in reading order."""

from collections.abc import Iterator

from webrag_desktop.answering.citing import Citations
from webrag_desktop.answering.evidence import AnswerEvidence, PointedSentence
from webrag_desktop.retrieval.contracts.answer_events import AnswerClaim, ClaimPart
from webrag_desktop.text.printable import title_line

MOST_SENTENCES = 6
LEAST_OF_BEST = 0.6  # of the best sentence's score: what is worth less answers something else
LEAST_SCORE = 0.25  # whatever a small library holds is evidence; what answers nothing has next to none


def extracted(evidence: AnswerEvidence, citations: Citations) -> Iterator[AnswerClaim]:
    """The best sentences as claims: documents with the better sentences first, each in its own order.

    A sentence that the stored text does not have at its offsets is left out.
    """
    for number, (one, citation) in enumerate(_cited(_in_order(evidence), citations), start=1):
        quote = ClaimPart(kind="verified_quote", text=f"“{title_line(one.reads)}”", citation=citation)
        yield AnswerClaim(number=number, parts=(quote,), citations=(citation,), support="supported")


def _cited(sentences: list[PointedSentence], citations: Citations) -> Iterator[tuple[PointedSentence, int]]:
    for one in sentences:
        number = citations.of_sentence(one.id)
        if number is not None:
            citations.attribute(number)
            yield one, number


def _in_order(evidence: AnswerEvidence) -> list[PointedSentence]:
    ranked = sorted(evidence.sentences, key=lambda one: -one.score)
    least = max(LEAST_SCORE, LEAST_OF_BEST * ranked[0].score)
    best = [one for one in ranked if one.score >= least][:MOST_SENTENCES]
    documents = list(dict.fromkeys(one.version_id for one in best))
    return sorted(best, key=lambda one: (documents.index(one.version_id), one.char_start, one.char_end))
