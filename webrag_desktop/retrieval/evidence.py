"""The sentences that carry the evidence: measured the largest gain of all, without a model."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from webrag_desktop.models import Place
from webrag_desktop.retrieval.candidates import Child
from webrag_desktop.retrieval.models import MatchedSpan, SoughtTerms
from webrag_desktop.retrieval.question_terms import QuestionTerms, inverse_frequencies, share
from webrag_desktop.retrieval.sentences import Sentence, split_sentences

# Measured best (docs/decisions/0017-evidence.md): what the sentence's child is worth, and the share of the question's
# words in the sentence; of how many children the sentences are read.
CHILD_WEIGHT = 0.7
CHILDREN_READ = 20


class Evidence:
    """Finds the best sentences of parents. ``children`` are all that count for the question.

    ``stems`` are the question's words by text search language, ``literals`` its identifiers and bigrams. ``known``
    is how much of what they are worth the library holds at all; without it, how much of it the children hold.
    """

    def __init__(
        self,
        children: Sequence[Child],
        stems: Mapping[str, Sequence[str]],
        literals: Sequence[str],
        known: float | None = None,
    ) -> None:
        self._terms = {language: QuestionTerms(words, literals) for language, words in stems.items()}
        self._literals = QuestionTerms((), literals)
        self._read = {child.row.id for child in sorted(children, key=_best_first)[:CHILDREN_READ]}
        self._occurrences = {
            child.row.id: self._terms_for(child).occurrences(child.row.chunk_text) for child in children
        }
        found = [[term for _, term in occurrences] for occurrences in self._occurrences.values()]
        self._worth = inverse_frequencies(found)
        if known is None:
            known = max((self._held([*words, *literals], found) for words in stems.values()), default=0.0)
        nearest = max((child.row.similarity or 0.0 for child in children), default=0.0)
        self._certainty = min(1.0, max(known, nearest))

    def _held(self, asked: Sequence[str], found: Sequence[Sequence[str]]) -> float:
        """How much of what these words are worth the children hold."""
        return share(self._worth, inverse_frequencies(found, dict.fromkeys(asked)))

    def spans(self, children: Sequence[Child], limit: int) -> list[MatchedSpan]:
        """The best sentences of one parent's children (given best first), best first, at least one.

        Of the best children of the question all sentences count; where none of these is a child of the parent, the
        best child's best sentence stands for it. What is worth most comes first: a good child, many rare words of
        the question. All are worth less where neither the library holds the question's words nor the meaning is near.
        """
        read = [child for child in children if child.row.id in self._read]
        found = [span for child in read or children[:1] for span in self._scored(child)]
        return sorted(found, key=lambda span: (-span.score, span.char_start))[: limit if read else 1]

    def _terms_for(self, child: Child) -> QuestionTerms:
        return self._terms.get(child.row.search_language, self._literals)

    def sought(self, child: Child) -> SoughtTerms:
        """The question's words as they are looked for in a child and its parent."""
        terms = self._terms_for(child)
        return SoughtTerms(terms.stems, terms.literals)

    def _scored(self, child: Child) -> Iterator[MatchedSpan]:
        occurrences = self._occurrences[child.row.id]
        offsets = [at for at, _ in occurrences]
        for sentence in _readable(child):
            first, beyond = bisect_left(offsets, sentence.start), bisect_left(offsets, sentence.end)
            found = share((term for _, term in occurrences[first:beyond]), self._worth)
            score = CHILD_WEIGHT * child.rank_score + (1 - CHILD_WEIGHT) * found
            yield _span(child, sentence, self._certainty * score)


def _best_first(child: Child) -> tuple[float, str, int, str]:
    row = child.row
    return -child.rank_score, row.source_url, row.char_start, str(row.id)


def _readable(child: Child) -> list[Sentence]:
    """A child's sentences without its headings, which name evidence but are none, unless there is nothing else."""
    sentences = split_sentences(child.row.chunk_text)
    wordy = [sentence for sentence in sentences if sentence.kind != "mark"]
    body = [sentence for sentence in wordy if sentence.kind != "heading"]
    return body or wordy or sentences or [Sentence(0, len(child.row.chunk_text), "prose")]


def _span(child: Child, sentence: Sentence, score: float) -> MatchedSpan:
    row = child.row
    start = row.char_start + sentence.start
    index = bisect_right([place[0] for place in row.places], start) - 1
    place = Place(*row.places[index]) if index >= 0 else Place(start, None, None)
    return MatchedSpan(
        char_start=start,
        char_end=row.char_start + sentence.end,
        text=row.chunk_text[sentence.start : sentence.end],
        score=score,
        anchor=place.anchor,
        heading=place.heading,
        page=place.page,
    )
