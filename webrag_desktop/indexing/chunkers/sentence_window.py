"""Cuts around every sentence: with so many sentences before and after it, under the same heading."""

from collections.abc import Iterator, Sequence
from typing import Final

from webrag_desktop.indexing.chunkers.source_text import Sizes, SourceText
from webrag_desktop.models.documents import ChunkSpan
from webrag_desktop.text.sentence_cache import RULES as SENTENCES
from webrag_desktop.text.sentences import Sentence, split_sentences
from webrag_desktop.text.spans import Span

NEIGHBOURS: Final = 1
# Raise the first number whenever the same text would be cut differently.
ALGORITHM: Final = f"sentence-window-1/{NEIGHBOURS}/sentences-{SENTENCES}"


def cut_around_sentences(source: SourceText, sizes: Sizes) -> Sequence[ChunkSpan]:
    """A chunk for every sentence, with its neighbours as far as ``sizes.most`` tokens hold them."""
    windows = (window for run in _runs(source.markdown) for window in _windows(source, run, sizes.most))
    return list(source.chunks(dict.fromkeys(windows), sizes.most))


def _runs(markdown: str) -> Iterator[list[Span]]:
    """Sentences under one heading, each with the headings and marks that lead into it."""
    run: list[Span] = []
    leads: list[Sentence] = []
    for sentence in split_sentences(markdown):
        if sentence.kind == "heading" and run and (not leads or leads[-1].kind != "heading"):
            yield _completed(run, leads)
            run, leads = [], []
        leads.append(sentence)
        if sentence.kind not in {"heading", "mark"}:
            run.append((leads[0].start, sentence.end))
            leads = []
    if run or leads:
        yield _completed(run, leads)


def _completed(run: list[Span], trailing: list[Sentence]) -> list[Span]:
    """With the marks that nothing follows."""
    if not trailing:
        return run
    if not run:
        return [(trailing[0].start, trailing[-1].end)]
    return [*run[:-1], (run[-1][0], trailing[-1].end)]


def _windows(source: SourceText, run: Sequence[Span], most: int) -> Iterator[Span]:
    fits = [source.count(*sentence) <= most for sentence in run]
    for index in range(len(run)):
        first = last = index
        for distance in range(1, NEIGHBOURS + 1) if fits[index] else ():
            before, after = index - distance, index + distance
            if after < len(run) and fits[after] and source.count(run[first][0], run[after][1]) <= most:
                last = after
            if before >= 0 and fits[before] and source.count(run[before][0], run[last][1]) <= most:
                first = before
        yield run[first][0], run[last][1]
