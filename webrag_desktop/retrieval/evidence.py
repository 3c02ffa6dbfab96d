"""The sentences that carry the evidence: measured the largest gain of all, without a model."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from webrag_desktop.models import Place
from webrag_desktop.retrieval.candidates import Child
from webrag_desktop.retrieval.models import MatchedSpan, TermSpan
from webrag_desktop.retrieval.question_terms import QuestionTerms, inverse_frequencies, share
from webrag_desktop.retrieval.sentences import Sentence, split_sentences

# Measured best: what the sentence's child is worth, and the share of the question's words in the sentence.
CHILD_WEIGHT = 0.7
CHILDREN_PER_PARENT = 3


class Evidence:
    """Finds the best sentences of parents. ``children`` are all that count for the question.

    ``stems`` are the question's words by text search language, ``literals`` its identifiers and bigrams.
    """

    def __init__(
        self, children: Sequence[Child], stems: Mapping[str, Sequence[str]], literals: Sequence[str]
    ) -> None:
        self._terms = {language: QuestionTerms(words, literals) for language, words in stems.items()}
        self._literals = QuestionTerms((), literals)
        self._occurrences = {
            child.row.id: self._terms_for(child).occurrences(child.row.chunk_text) for child in children
        }
        self._worth = inverse_frequencies(
            [[term for _, term in found] for found in self._occurrences.values()]
        )

    def spans(self, children: Sequence[Child], limit: int) -> list[MatchedSpan]:
        """The best sentences of one parent's children (given best first), best first, at least one.

        Where no sentence holds a word of the question, the first of the best child stands for it.
        """
        found = [span for child in children[:CHILDREN_PER_PARENT] for span in self._matching(child)]
        if not found:
            return [_span(children[0], _readable(children[0])[0], 0.0)]
        return sorted(found, key=lambda span: (-span.score, span.char_start))[:limit]

    def _terms_for(self, child: Child) -> QuestionTerms:
        return self._terms.get(child.row.search_language, self._literals)

    def terms(self, children: Sequence[Child], text: str, offset: int) -> list[TermSpan]:
        """The question's words in the text of a parent of these children, which begins at ``offset``."""
        return [
            TermSpan(offset + start, offset + end, term)
            for start, end, term in self._terms_for(children[0]).words(text)
        ]

    def _matching(self, child: Child) -> Iterator[MatchedSpan]:
        occurrences = self._occurrences[child.row.id]
        if not occurrences:
            return
        offsets = [at for at, _ in occurrences]
        for sentence in _readable(child):
            first, beyond = bisect_left(offsets, sentence.start), bisect_left(offsets, sentence.end)
            if first < beyond:
                yield _span(
                    child, sentence, share((term for _, term in occurrences[first:beyond]), self._worth)
                )


def _readable(child: Child) -> list[Sentence]:
    """A child's sentences without its headings, which name evidence but are none, unless there is nothing else."""
    sentences = split_sentences(child.row.chunk_text)
    wordy = [sentence for sentence in sentences if sentence.kind != "mark"]
    body = [sentence for sentence in wordy if sentence.kind != "heading"]
    return body or wordy or sentences or [Sentence(0, len(child.row.chunk_text), "prose")]


def _span(child: Child, sentence: Sentence, found: float) -> MatchedSpan:
    row = child.row
    start = row.char_start + sentence.start
    index = bisect_right([place[0] for place in row.places], start) - 1
    place = Place(*row.places[index]) if index >= 0 else Place(start, None, None)
    return MatchedSpan(
        char_start=start,
        char_end=row.char_start + sentence.end,
        text=row.chunk_text[sentence.start : sentence.end],
        score=CHILD_WEIGHT * child.rank_score + (1 - CHILD_WEIGHT) * found,
        anchor=place.anchor,
        heading=place.heading,
        page=place.page,
    )
