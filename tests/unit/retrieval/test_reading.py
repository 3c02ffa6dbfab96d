"""In which order a result is read: sentences that answer first, passages that answer as a whole as a whole."""

import math
from itertools import pairwise

from webrag_desktop.retrieval.contracts.reading import LONGEST_GAP, extents, reading_order
from webrag_desktop.retrieval.contracts.results import MatchedSpan, RetrievedChunk


def passage(
    start: int, end: int, rank: float, *spans: tuple[int, int, float], relevance: float | None = None
) -> RetrievedChunk:
    return RetrievedChunk.model_construct(  # type: ignore[call-arg]  # no more is read
        char_start=start,
        char_end=end,
        rank_score=rank,
        relevance_score=relevance,
        matched_spans=[MatchedSpan(char_start=a, char_end=b, text="", score=score) for a, b, score in spans],
    )


def read(*chunks: RetrievedChunk) -> list[tuple[int, int]]:
    return [(one.char_start, one.char_end) for one in reading_order(chunks)]


def test_a_sentence_that_answers_comes_before_what_stands_beside_a_better_one() -> None:
    best = passage(0, 90, 1.0, (30, 60, 0.9))
    other = passage(500, 600, 0.8, (500, 540, 0.8))
    assert read(best, other)[:3] == [(30, 60), (500, 540), (0, 30)]


def test_a_strong_passage_is_read_as_a_whole_before_single_sentences_of_weak_ones() -> None:
    section = passage(0, 400, 1.0, (0, 100, 0.9), (150, 250, 0.5))
    weak = [passage(1000 * n, 1000 * n + 300, 0.5, (1000 * n, 1000 * n + 100, 0.55)) for n in (1, 2, 3)]
    order = read(section, *weak)
    assert order[:4] == [(0, 100), (150, 250), (100, 150), (250, 400)]
    assert order[4:7] == [(1000, 1100), (2000, 2100), (3000, 3100)]


def test_what_is_long_and_holds_no_evidence_is_read_behind_all_that_does() -> None:
    long = passage(0, 200 + LONGEST_GAP + 1, 1.0, (0, 100, 0.9), (100, 200, 0.3))
    weak = passage(5000, 5100, 0.4, (5000, 5100, 0.45))
    assert read(long, weak) == [(0, 100), (100, 200), (5000, 5100), (200, 200 + LONGEST_GAP + 1)]


def test_every_character_is_read_once() -> None:
    chunks = [
        passage(0, 100, 0.9, (20, 40, 0.8), (60, 100, 0.7)),
        passage(100, 2000, 0.5),
        passage(2000, 2050, 0.1),
    ]
    spans = sorted(read(*chunks))
    assert spans[0][0] == 0
    assert spans[-1][1] == 2050
    assert all(before[1] == after[0] for before, after in pairwise(spans))


def test_of_equals_the_better_passage_comes_first_then_what_is_ahead() -> None:
    first, second = (
        passage(0, 100, 0.9, (0, 50, 0.6), (50, 100, 0.6)),
        passage(200, 250, 0.95, (200, 250, 0.6)),
    )
    assert read(first, second) == [(200, 250), (0, 50), (50, 100)]


def test_a_judged_passage_is_worth_its_rank_and_its_evidence_more_than_its_gaps() -> None:
    judged = passage(0, 100, 0.95, (40, 60, 0.2), relevance=80)
    before, matched, behind = sorted(extents(judged), key=lambda one: one.char_start)
    assert before.worth == behind.worth < matched.worth
    assert math.isclose(matched.worth, 0.4 * 0.95 + 0.6 * 0.2)
    unjudged = passage(500, 600, 0.9, (500, 600, 0.45))
    assert read(judged, unjudged)[0] == (40, 60)
