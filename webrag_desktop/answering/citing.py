"""The citations and quotations of an answer, each cut from a stored text by its offsets; answers without a model."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from webrag_desktop.answering.checks.support import heading_path_of
from webrag_desktop.answering.claims.wording import Quoted
from webrag_desktop.answering.evidence import AnswerEvidence, PointedSentence
from webrag_desktop.citations.spans import CitableChunk, CitationSpan, extract_citation
from webrag_desktop.retrieval.contracts.answer_events import AnswerCitation, AnswerClaim, ClaimPart
from webrag_desktop.text.plain_text import project
from webrag_desktop.text.printable import title_line


@dataclass(frozen=True, slots=True)
class QuotedAt:
    """The place of a quotation: ``[char_start, char_end)`` of a version, or of the selected text (None).

    ``parts`` are the texts of its parts where it leaves something out. ``heading_path`` and ``page``
    are those of the place, as far as they are known.
    """

    document_id: UUID | None
    version_id: UUID | None
    char_start: int
    char_end: int
    parts: tuple[tuple[int, int], ...] = ()
    heading_path: tuple[str, ...] = ()
    page: int | None = None


# The place of a quotation word for word, as it is read; None where there is none.
Verify = Callable[[str], QuotedAt | None]
# The quote at offsets of a version, cut from the stored text; None where that is not there (any more).
Resolve = Callable[[UUID, int, int], CitationSpan | None]

_LEFT_OUT = " […] "
# Each is searched for in every document of the evidence; a text with more quotations is no answer.
MOST_LOOKED_UP = 60


class Citations:
    """The citations of one answer, numbered from 1 by first use. What cannot be cut from a stored text gets none."""

    def __init__(
        self,
        evidence: AnswerEvidence,
        verify: Verify,
        resolve: Resolve,
        selection: CitableChunk | None = None,
    ) -> None:
        """``selection`` is the selected text where that, and nothing of the library, is the evidence."""
        self._evidence = evidence
        self._verify = verify
        self._resolve = resolve
        self._selection = selection
        self._sentences = {one.id: one for one in evidence.sentences}
        self._numbers: dict[tuple[UUID | None, int, int], int] = {}
        self._listed: dict[int, AnswerCitation] = {}
        self._looked_up: set[str] = set()

    def __getitem__(self, number: int) -> AnswerCitation:
        """The citation of that number."""
        return self._listed[number]

    def of_sentence(self, id_: str) -> int | None:
        """The number of a sentence; None where the stored text does not say it at its offsets."""
        one = self._sentences[id_]
        place = QuotedAt(
            one.document_id,
            one.version_id,
            one.char_start,
            one.char_end,
            heading_path=heading_path_of(self._evidence, one),
            page=self._page_of(one),
        )
        return self._numbered(place, one.markdown)

    def quoted(self, words: str) -> Quoted | None:
        """Words in quotation marks as the stored text has them, and the number of their citation.

        Those that are in a sentence of the evidence are cited by that. Of :data:`MOST_LOOKED_UP` different ones the
        others count as found nowhere.
        """
        self._looked_up |= {words} if len(self._looked_up) < MOST_LOOKED_UP else set()
        place = self._verify(words) if words in self._looked_up else None
        if place is None:
            return None
        around = self._sentence_around(place)
        number = self._numbered(place, None) if around is None else self.of_sentence(around.id)
        span = self._cut(place)
        if number is None or span is None:
            return None
        text = _as_read(span, place.parts)
        if around is None or title_line(around.reads) == text:
            self.attribute(number)
        return Quoted(text, number)

    def note_prose(self, text: str, cited: Mapping[str, int]) -> None:
        """Whatever of these sentences, by id, the text says word for word is attributed, and not quoted again."""
        said = title_line(text).casefold()
        for id_, number in cited.items():
            if title_line(self._sentences[id_].reads).rstrip(".!?。").casefold() in said:
                self.attribute(number)

    def attribute(self, number: int) -> None:
        """The prose quotes it already."""
        self._listed[number] = self._listed[number].model_copy(update={"attribution_only": True})

    def _sentence_around(self, place: QuotedAt) -> PointedSentence | None:
        return next(
            (
                one
                for one in self._evidence.sentences
                if one.version_id == place.version_id
                and one.char_start <= place.char_start
                and place.char_end <= one.char_end
            ),
            None,
        )

    def _numbered(self, place: QuotedAt, stored: str | None) -> int | None:
        key = (place.version_id, place.char_start, place.char_end)
        if key in self._numbers:
            return self._numbers[key]
        span = self._cut(place)
        if span is None or (stored is not None and span.verbatim_text != stored):
            return None
        number = len(self._numbers) + 1
        self._numbers[key] = number
        self._listed[number] = AnswerCitation(
            number=number,
            document_id=place.document_id,
            span=span,
            heading_path=place.heading_path,
            page=place.page,
        )
        return number

    def _cut(self, place: QuotedAt) -> CitationSpan | None:
        """The text there: in a passage of the evidence, else in the text that it is of."""
        start, end = place.char_start, place.char_end
        if place.version_id is None:
            return extract_citation(self._selection, start, end) if self._selection else None
        for chunk in self._evidence.chunks:
            if chunk.version_id == place.version_id and (span := extract_citation(chunk, start, end)):
                return span
        return self._resolve(place.version_id, start, end)

    def _page_of(self, one: PointedSentence) -> int | None:
        place = one.source - 1
        chunk = self._evidence.chunks[place] if place < len(self._evidence.chunks) else None
        if chunk is not None and chunk.char_start <= one.char_start < chunk.char_end:
            spans = [
                span for span in chunk.matched_spans if span.char_start <= one.char_start < span.char_end
            ]
            return next((span.page for span in spans if span.page), chunk.page)
        citations = self._evidence.grounded.citations
        return citations[place].page if place < len(citations) else None


def _as_read(span: CitationSpan, parts: Sequence[tuple[int, int]]) -> str:
    quoted = [span.verbatim_text[start - span.char_start : end - span.char_start] for start, end in parts]
    read = [title_line(project(one).text) or title_line(one) for one in quoted]
    return (
        _LEFT_OUT.join(read) if read else title_line(project(span.verbatim_text).text) or span.verbatim_text
    )


def renumbered(used: Iterable[int], citations: Mapping[int, AnswerCitation]) -> dict[int, AnswerCitation]:
    """Those citations that are used, numbered again from 1 by first use; by the number that they had."""
    numbers = {old: new for new, old in enumerate(dict.fromkeys(used), start=1)}
    return {old: citations[old].model_copy(update={"number": new}) for old, new in numbers.items()}


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
