"""Which sentences of the excerpts a model can point at: retrieval's best, whole, each said once."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from webrag_desktop.answering.excerpts import Excerpt, TextRange, united
from webrag_desktop.retrieval.assembly import wording
from webrag_desktop.retrieval.contracts.question_terms import QuestionTerms, inverse_frequencies, share
from webrag_desktop.retrieval.contracts.results import MatchedSpan
from webrag_desktop.text.plain_text import PlainText, project
from webrag_desktop.text.sentences import Sentence, split_sentences

# What a sentence of a span may begin before it, or end behind it, in characters; more is not put beside it.
LONGEST_REST = 600
# Characters of a wording that identifies a sentence anywhere; shorter ones, such as rows of "yes", do not.
_TELLING = 20
_FORMULA = re.compile(r"\s*(?:\$|\\\(|\\\[)|[^\[]*[=<>≤≥≈∈→^]")
_CELL = re.compile(r"(?:\\.|[^|\\])+")
_MOST_REPEATED = 4  # cells at the beginning of a row that may go over several rows
_LEAST_LETTERS = 4  # of what is left of a row, to know it by
_ENDINGS = 2  # letters that words may differ by at their ends


@dataclass(frozen=True, slots=True)
class Pointable:
    """A sentence that can be pointed at: ``[start, end)`` of its text, ``source`` the number of its excerpt from 1.

    ``copies`` are the other places where it is shown, as source and start.
    """

    source: int
    start: int
    end: int
    markdown: str
    reads: str
    score: float
    copies: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    """A span of a text that is known without gaps, with its sentences; offsets are the text's own."""

    text_range: TextRange
    sentences: tuple[Sentence, ...]
    plain: PlainText

    def cut_at(self, place: int) -> tuple[int, int] | None:
        """The sentence that begins before a place and ends behind it, if any."""
        at = place - self.text_range.start
        index = bisect_right(self.sentences, at, key=lambda one: one.start) - 1
        if index < 0 or not self.sentences[index].start < at < self.sentences[index].end:
            return None
        one = self.sentences[index]
        return self.text_range.start + one.start, self.text_range.start + one.end

    def readings(self, sentence: Sentence) -> list[str]:
        """How a sentence reads; of a row also without cells that repeat the one before, or those of the row above."""
        reads = self.plain.reading(sentence.start, sentence.end)
        if sentence.kind != "table":
            return [reads]
        row = self.text_range.text[sentence.start : sentence.end]
        spans = [(sentence.start + cell.start(), sentence.start + cell.end()) for cell in _CELL.finditer(row)]
        cells = [cell for cell, _ in groupby(self.plain.reading(*span).strip() for span in spans)]
        fewer = [" ".join(cells[place:]) for place in range(min(len(cells), _MOST_REPEATED))]
        return [reads, *(one for one in fewer if sum(map(str.isalnum, one)) >= _LEAST_LETTERS)]


class KnownTexts:
    """All that is known of the texts of some excerpts, and the sentences in it.

    Adjacent ranges are read as one, so that a sentence over the border of two passages is whole.
    """

    def __init__(self, excerpts: Sequence[Excerpt]) -> None:
        known: dict[UUID | None, list[TextRange]] = defaultdict(list)
        for excerpt in excerpts:
            known[excerpt.version_id] += excerpt.ranges
            if (chunk := excerpt.found) is not None:
                known[excerpt.version_id].append(
                    TextRange(chunk.char_start, chunk.char_end, chunk.chunk_text)
                )
        self._runs = {version: list(map(_run, united(those))) for version, those in known.items()}

    def run_at(self, version: UUID | None, place: int) -> _Run | None:
        """What is known around a place of a text."""
        for run in self._runs.get(version, []):
            if run.text_range.start <= place <= run.text_range.end:
                return run
        return None

    def sentences_in(self, excerpt: Excerpt) -> list[tuple[int, list[str]]]:
        """All that begin in an excerpt, whether they can be pointed at or not: where, and as what they may read.

        Where a cell of a table goes over several columns or rows, the markdown repeats it, and HTML does not.
        """
        found = []
        for text_range in excerpt.ranges:
            run = self.run_at(excerpt.version_id, text_range.start)
            for one in run.sentences if run else ():
                assert run is not None
                start = run.text_range.start + one.start
                if text_range.start <= start < text_range.end:
                    found.append((start, run.readings(one)))
        return found


def _run(text_range: TextRange) -> _Run:
    return _Run(text_range, tuple(split_sentences(text_range.text)), project(text_range.text))


def whole_sentences(excerpts: Sequence[Excerpt], known: KnownTexts) -> list[Excerpt]:
    """The excerpts with the rest of the sentences that they begin or end within, unless another one shows it."""
    shown: dict[UUID | None, list[tuple[int, int]]] = defaultdict(list)
    for one in excerpts:
        shown[one.version_id] += [(text_range.start, text_range.end) for text_range in one.ranges]
    return [one.with_ranges(united(_completed(one, known, shown[one.version_id]))) for one in excerpts]


def _completed(excerpt: Excerpt, known: KnownTexts, shown: Sequence[tuple[int, int]]) -> Iterator[TextRange]:
    for text_range in excerpt.ranges:
        run = known.run_at(excerpt.version_id, text_range.start)
        if run is None:
            yield text_range
            continue
        start, end = text_range.start, text_range.end
        if (cut := run.cut_at(start)) and start - cut[0] <= LONGEST_REST and not _met(shown, cut[0], start):
            start = cut[0]
        if (cut := run.cut_at(end)) and cut[1] - end <= LONGEST_REST and not _met(shown, end, cut[1]):
            end = cut[1]
        base = run.text_range.start
        yield TextRange(start, end, run.text_range.text[start - base : end - base])


def _met(shown: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    return any(first < end and start < last for first, last in shown)


def pointable(excerpts: Sequence[Excerpt], known: KnownTexts, question: str, most: int) -> list[Pointable]:
    """The ``most`` best sentences that are shown, best first; each excerpt has one of them.

    Where there are more excerpts than that, half of the sentences are the best of as many excerpts.

    Their scores are those of what retrieval matched; of a selected text, which nothing was searched in, the share of
    the question's words. Headings are none. What several places say in the same words is there once, where it is
    worth most.
    """
    found = [
        one for source, excerpt in enumerate(excerpts, start=1) for one in _shown(source, excerpt, known)
    ]
    if all(excerpt.found is None for excerpt in excerpts):
        found = _by_words(found, question)
    ranked = _said_once(sorted(found, key=lambda one: (-one.score, one.source, one.start)))
    ranks = {source: excerpt.rank for source, excerpt in enumerate(excerpts, start=1)}
    best: dict[int, Pointable] = {}
    for one in ranked:
        best.setdefault(one.source, one)
    reserved = len(best) if len(best) <= most else most // 2
    leading = sorted(best.values(), key=lambda one: (-one.score, -ranks[one.source], one.source))[:reserved]
    taken = {(one.source, one.start) for one in leading}
    others = [one for one in ranked if (one.source, one.start) not in taken]
    return sorted(
        [*leading, *others[: most - len(leading)]], key=lambda one: (-one.score, one.source, one.start)
    )


def _shown(source: int, excerpt: Excerpt, known: KnownTexts) -> Iterator[Pointable]:
    """The sentences that begin in an excerpt."""
    spans = sorted(excerpt.spans, key=lambda span: span.char_start)
    for text_range in excerpt.ranges:
        run = known.run_at(excerpt.version_id, text_range.start)
        for one in run.sentences if run else ():
            assert run is not None
            start, end = run.text_range.start + one.start, run.text_range.start + one.end
            text = run.text_range.text[one.start : one.end]
            if text_range.start <= start < text_range.end and _can_be_pointed_at(one, text):
                reads = " ".join(run.plain.reading(one.start, one.end).split())
                if reads:
                    yield Pointable(source, start, end, text, reads, _score(spans, start, end))


def _can_be_pointed_at(sentence: Sentence, text: str) -> bool:
    """Whether it says something: no heading, and of what has no words only formulas."""
    if sentence.kind == "mark":
        return any(map(str.isalnum, text)) and _FORMULA.match(text) is not None
    return sentence.kind != "heading"


def _score(spans: Sequence[MatchedSpan], start: int, end: int) -> float:
    """That of the best match that is mostly in the sentence, or holds most of it."""
    best = 0.0
    for span in spans[: bisect_right(spans, end, key=lambda one: one.char_start)]:
        shared = min(end, span.char_end) - max(start, span.char_start)
        if 2 * shared >= min(end - start, span.char_end - span.char_start):
            best = max(best, span.score)
    return min(1.0, best)


def _by_words(found: Sequence[Pointable], question: str) -> list[Pointable]:
    """The sentences with the share of the question's words that they hold, rare ones counting more."""
    words = {word for word in re.findall(r"[^\W_]+", question.lower()) if len(word) > _ENDINGS}
    terms = QuestionTerms(sorted({word[: max(len(word) - _ENDINGS, _ENDINGS + 1)] for word in words}), ())
    held = [{term for _, term in one} for one in terms.occurrences_in([one.reads for one in found])]
    worth = inverse_frequencies(held)
    return [
        Pointable(one.source, one.start, one.end, one.markdown, one.reads, share(terms_of_it, worth))
        for one, terms_of_it in zip(found, held, strict=True)
    ]


def _said_once(ranked: Iterable[Pointable]) -> list[Pointable]:
    """Without those that say what a better one says, with known places."""
    kept: dict[object, Pointable] = {}
    copies: Mapping[object, list[tuple[int, int]]] = defaultdict(list)
    for one in ranked:
        said = wording(one.markdown)
        name = said if len(said) >= _TELLING else (one.source, one.start)
        if name in kept:
            copies[name].append((one.source, one.start))
        else:
            kept[name] = one
    return [
        Pointable(one.source, one.start, one.end, one.markdown, one.reads, one.score, tuple(copies[name]))
        for name, one in kept.items()
    ]
