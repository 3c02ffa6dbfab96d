"""Which passages of a search are returned, after judging, folding and the budget."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.retrieval_rows import child_passage, id_of, parent_row
from webrag_desktop.errors import Cancelled, ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.choosing import SPARE_PARENTS, Choice, Chooser
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankResult
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.contracts.results import Folded
from webrag_desktop.storage.searching.search import ParentRow

TEXTS = ("Ebb comes first.", "Flow comes next.", "The moon pulls.", "Rocks are hard.")


@dataclass
class Judge:
    """Gives passages these scores by their text, 0 to all others; without scores it fails."""

    scores: dict[str, float] | None
    model: str = "judge"
    asked: list[Sequence[RerankCandidate]] = field(default_factory=list)

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        self.asked.append(candidates)
        if cancel is not None:
            cancel.raise_if_cancelled()
        if self.scores is None:
            raise ChatError("It is late.")
        return [
            RerankResult(
                chunk_id=one.chunk_id,
                relevance_score=self.scores.get(one.text, 0),
                answerability=True,
                key_evidence=one.text[:3],
            )
            for one in candidates
        ]


def library(texts: Sequence[str], tokens: int = 10) -> tuple[list[Passage], list[ParentRow]]:
    """Parents by falling rank, and their rows in another order; each has a child at its second character."""
    parents, rows = [], []
    for n, text in enumerate(texts):
        url = f"https://example.org/{n}"
        child = child_passage(id_of(("child", n)), text[1:], char_start=101, source_url=url)
        rank = 1 - n / (len(texts) + 1)
        parents.append(
            Passage(
                "",
                rank,
                chunk_id=id_of(n),
                char_start=100,
                tokens=tokens,
                found_by=("words",),
                source_url=url,
                score=rank,
                children=(child,),
            )
        )
        rows.append(
            parent_row(
                id=id_of(n),
                document_id=id_of(("d", n)),
                source_url=url,
                chunk_text=text,
                char_start=100,
                token_end=tokens,
                heading_path=["Sea", str(n)],
            )
        )
    return parents, rows[::-1]


def choose(
    texts: Sequence[str] = TEXTS,
    *,
    budget: int = 1000,
    judge: Judge | None = None,
    config: RerankConfig | None = None,
    cancel: CancelToken | None = None,
) -> Choice:
    parents, rows = library(texts)
    chooser = Chooser(budget, judge, config or RerankConfig())
    return chooser.choose("tide", parents, rows, cancel or CancelToken())


def texts_of(choice: Choice) -> list[str]:
    """The texts by falling rank."""
    return [one.text for one in sorted(choice.passages, key=lambda one: -one.rank_score)]


def folded_into(choice: Choice, number: int) -> list[Folded]:
    """What is folded into the passage of that number."""
    (passage,) = (one for one in choice.passages if one.id == id_of(number))
    return list(passage.folded)


def test_without_a_reranker_the_rank_decides_and_nothing_is_reported() -> None:
    choice = choose()
    assert texts_of(choice) == list(TEXTS)
    assert (choice.judged, choice.report) == ({}, None)
    assert not any(one.folded or one.judgement for one in choice.passages)
    assert [one.text for one in choice.passages] == list(TEXTS[::-1])  # rows keep the order they came in


def test_the_judgement_decides_what_the_budget_holds() -> None:
    choice = choose(judge=Judge({TEXTS[3]: 100, TEXTS[1]: 70}), budget=25)
    assert texts_of(choice) == [TEXTS[3], TEXTS[1]]
    assert choice.judged[id_of(3)].relevance_score == 100
    judged = {one.text: one.judgement for one in choice.passages}
    assert judged[TEXTS[3]] == choice.judged[id_of(3)]
    assert choice.report is not None
    assert choice.report.judged == 4


def test_no_more_are_returned_than_wanted_once_they_are_judged() -> None:
    config = RerankConfig(return_top_n=2, max_candidates_to_rerank=3)
    assert texts_of(choose(judge=Judge({TEXTS[2]: 100}), config=config)) == [TEXTS[2], TEXTS[0]]
    assert texts_of(choose(judge=Judge(None), config=config)) == list(TEXTS)


def test_a_reranker_that_fails_leaves_everything_as_it_was_but_for_the_report() -> None:
    choice, without = choose(judge=Judge(None)), choose()
    assert choice.passages == without.passages
    assert choice.report is not None
    assert choice.report.fallback == "It is late."


def left_out(choice: Choice) -> list[tuple[str, str]]:
    """The numbers of what is left out, and why."""
    return [(one.source_url.rpartition("/")[2], one.reason) for one in choice.left_out]


def test_what_is_left_out_is_reported_with_the_reason_best_first() -> None:
    texts = (*TEXTS[:3], TEXTS[0], TEXTS[3])
    assert left_out(choose(texts)) == [("3", "near_duplicate")]
    too_much = [("2", "context_budget"), ("3", "near_duplicate"), ("4", "context_budget")]
    assert left_out(choose(texts, budget=25)) == too_much
    config = RerankConfig(return_top_n=2, max_candidates_to_rerank=3)
    judged = choose(texts, judge=Judge({TEXTS[1]: 100, TEXTS[2]: 70}), config=config)
    assert texts_of(judged) == [TEXTS[1], TEXTS[2]]
    assert left_out(judged) == [("0", "return_top_n"), ("3", "near_duplicate"), ("4", "return_top_n")]
    assert [one.relevance_score for one in judged.judged.values()] == [100, 70, 0]
    ranks = [one.rank_score for one in judged.left_out]
    assert ranks == sorted(ranks, reverse=True)
    assert max(ranks) < min(one.rank_score for one in judged.passages)
    assert {one.document_id for one in judged.left_out} == {id_of(("d", n)) for n in (0, 3, 4)}


def test_what_was_not_even_read_is_left_out_too() -> None:
    parents, rows = library(TEXTS)
    for judge, reason in ((None, "context_budget"), (Judge({TEXTS[1]: 100}), "return_top_n")):
        chooser = Chooser(20, judge, RerankConfig(return_top_n=2, max_candidates_to_rerank=2))
        choice = chooser.choose("tide", parents, rows[2:], CancelToken())
        assert left_out(choice) == [("2", reason), ("3", reason)]
        assert [one.document_id for one in choice.left_out] == [None, None]
        ranks = [one.rank_score for one in choice.left_out]
        assert min(one.rank_score for one in choice.passages) > ranks[0] > ranks[1]
        reported = [(one.score, one.raw_similarity, one.scores, one.found_by) for one in choice.left_out]
        assert reported == [(one.score, one.similarity, one.scores, one.found_by) for one in parents[2:]]


def test_a_candidate_is_the_parent_around_its_best_child() -> None:
    judge = Judge({})
    choose(judge=judge)
    first = judge.asked[0][0]
    assert (first.chunk_id, first.text, first.title) == (id_of(0), TEXTS[0], "Title")
    assert (first.focus_start, first.focus_end) == (1, len(TEXTS[0]))
    assert first.heading_path == ("Sea", "0")


def test_what_says_the_same_is_folded_into_the_better_and_the_budget_filled() -> None:
    choice = choose((TEXTS[0], TEXTS[1], TEXTS[0], TEXTS[2]), budget=30)
    assert texts_of(choice) == [TEXTS[0], TEXTS[1], TEXTS[2]]
    (folded,) = folded_into(choice, 0)
    assert (folded.chunk_id, folded.document_id) == (str(id_of(2)), str(id_of(("d", 2))))
    assert (folded.source_url, folded.similarity) == ("https://example.org/2", 1.0)


def test_what_a_document_says_twice_is_shown_twice() -> None:
    parents, texts = library([TEXTS[0], TEXTS[0], TEXTS[1]])
    one_document = [row._replace(document_id=id_of("d")) for row in texts]
    choice = Chooser(100).choose("question", parents, one_document, CancelToken())
    assert texts_of(choice) == [TEXTS[0], TEXTS[0], TEXTS[1]]
    assert not any(one.folded for one in choice.passages)


def test_of_what_says_the_same_the_one_stays_that_was_judged_better() -> None:
    nearly = " ".join(f"word{n}" for n in range(100))
    other = nearly + " more"
    assert texts_of(choose((nearly, other))) == [nearly]
    assert texts_of(choose((nearly, other), judge=Judge({other: 100, nearly: 70}))) == [other]


def test_a_wish_to_stop_is_heard() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        choose(judge=Judge({}), cancel=cancel)


def test_a_few_more_are_read_than_the_budget_holds_and_all_that_are_judged() -> None:
    parents, _ = library([f"Text {n}." for n in range(60)])
    assert len(Chooser(50).to_read(parents)) == 5 + SPARE_PARENTS
    assert len(Chooser(50, Judge({})).to_read(parents)) == 50
    assert len(Chooser(550, Judge({})).to_read(parents)) == 60
    assert Chooser(1).to_read([]) == []


def test_the_budget_is_filled_however_many_copies_of_one_passage_come_first() -> None:
    texts = [TEXTS[0]] * 40 + [f"Text {n}." for n in range(30)]
    parents, rows = library(texts)
    chooser = Chooser(100)
    read = chooser.to_read(parents)
    assert len(read) == 40 + 9 + SPARE_PARENTS
    choice = chooser.choose("tide", read, rows, CancelToken())
    assert texts_of(choice) == [TEXTS[0], *texts[40:49]]
    assert len(folded_into(choice, 0)) == 39
    assert len(Chooser(100, near_duplicates=None).to_read(parents)) == 10 + SPARE_PARENTS


@given(st.lists(st.sampled_from(TEXTS), max_size=8), st.integers(1, 60), st.booleans())
def test_whatever_is_found_the_best_come_once_within_the_budget(
    texts: list[str], budget: int, judged: bool
) -> None:
    choice = choose(texts, budget=budget, judge=Judge({TEXTS[2]: 100}) if judged else None)
    found = texts_of(choice)
    assert len(set(found)) == len(found)
    assert 10 * len(found) <= budget or len(found) == 1
    assert bool(found) == bool(texts)
    shown = [one.id for one in choice.passages]
    if judged and TEXTS[2] in texts:
        assert found[0] == TEXTS[2]
    assert sorted([*shown, *(one.chunk_id for one in choice.left_out)]) == sorted(
        id_of(n) for n in range(len(texts))
    )
    assert not {str(one) for one in shown} & {
        one.chunk_id for passage in choice.passages for one in passage.folded
    }
