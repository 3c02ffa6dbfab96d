import pytest

from tests.support.retrieval_rows import candidate, id_of
from webrag_desktop.retrieval.candidates import Known, depth_weight, judge
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import ArmScores

OPTIONS = RetrievalOptions()


def arms(floor: float = 0.3, **row: object) -> tuple[str, ...]:
    children = judge([candidate(**row)], floor, OPTIONS)
    return children[0].found_by if children else ()


def test_the_floor_keeps_weak_vector_evidence_out() -> None:
    assert arms(by_vector=True, similarity=0.30) == ("vector",)
    assert arms(by_vector=True, similarity=0.29) == ()


def test_the_questions_own_words_enter_below_the_floor_and_say_so() -> None:
    assert arms(by_words=True, all_words=True, text_rank=0.1, similarity=0.05) == ("words",)
    assert arms(by_words=True, identifier=True, text_rank=0.1, similarity=0.05) == ("words", "identifier")


def test_one_common_word_does_not_enter_below_the_floor() -> None:
    assert arms(by_words=True, text_rank=0.1, similarity=0.05) == ()
    assert arms(by_words=True, text_rank=0.1, similarity=0.5) == ("words",)


def test_words_that_carry_half_of_the_question_enter_below_the_floor() -> None:
    row = {"by_words": True, "text_rank": 0.1, "similarity": 0.05}
    assert arms(word_share=0.5, **row) == ("words",)
    assert arms(word_share=0.49, **row) == ()
    assert arms(word_share=0.9, **(row | {"by_words": False, "by_vector": True})) == ()


def test_more_counts_where_the_library_holds_all_words_and_less_where_it_lacks_some() -> None:
    def count(known: Known, **row: object) -> int:
        return len(judge([candidate(by_words=True, text_rank=0.1, **row)], 0.3, OPTIONS, known=known))

    for known, counts in (("all", 1), ("some", 0), ("unsure", 0)):
        assert count(known, similarity=0.05, word_count=0.6) == counts  # type: ignore[arg-type]
        assert count(known, similarity=0.26) == counts  # type: ignore[arg-type]
        assert count(known, similarity=0.24, word_count=0.59) == 0  # type: ignore[arg-type]
    for known, counts in (("all", 1), ("some", 0), ("unsure", 1)):
        assert count(known, similarity=0.34) == counts  # type: ignore[arg-type]
        assert count(known, similarity=0.35) == 1  # type: ignore[arg-type]
        assert count(known, similarity=0.34, word_share=0.3) == 1  # type: ignore[arg-type]
    far = [
        candidate(id=id_of(n), chunk_text=str(n), by_words=True, text_rank=float(n), similarity=0.0)
        for n in range(1, 6)
    ]
    assert judge(far, 0.3, OPTIONS, known="all") == []
    assert len(judge(far, 0.3, OPTIONS, known="all of few")) == 3
    anything = judge([candidate(by_vector=True, similarity=0.01)], 0.0, OPTIONS, known="some")
    assert len(anything) == 1  # no floor was asked for


@pytest.mark.parametrize(
    "evidence",
    [
        {"by_vector": True, "similarity": 0.4},
        {"by_words": True, "text_rank": 0.1, "similarity": 0.05, "word_share": 0.5},
        {"by_words": True, "text_rank": 0.1, "similarity": 0.05, "all_words": True},
    ],
)
def test_less_of_the_question_joins_where_something_counts(evidence: dict[str, object]) -> None:
    sure = candidate(id=id_of("sure"), **evidence)
    near = [candidate(id=id_of(n), by_words=True, text_rank=1.0, similarity=0.9) for n in range(3)]
    shares = {"joins": 0.3, "stays out": 0.29}
    weak = [
        candidate(id=id_of(name), by_words=True, text_rank=0.05, similarity=0.05, word_share=share)
        for name, share in shares.items()
    ]
    assert judge(weak, 0.3, OPTIONS) == []
    found = {child.id for child in judge([*weak, *near, sure], 0.3, OPTIONS)}
    assert found == {id_of("joins"), id_of("sure"), *(row.id for row in near)}


def test_the_three_best_by_words_join_what_counts_whatever_they_hold() -> None:
    weak = [
        candidate(id=id_of(n), chunk_text=f"Text {n}.", by_words=True, text_rank=rank, similarity=0.05)
        for n, rank in enumerate((4.0, 9.0, 2.0, 1.0, 3.0))
    ]
    heading = candidate(id=id_of("#"), chunk_text="# Head", by_words=True, text_rank=9.9, similarity=0.05)
    wordless = candidate(id=id_of("none"), by_vector=True, similarity=0.05)
    sure = candidate(id=id_of("sure"), by_vector=True, similarity=0.4)
    assert judge([*weak, heading, wordless], 0.3, OPTIONS) == []
    found = judge([*weak, heading, wordless, sure], 0.3, OPTIONS)
    assert [child.id for child in found] == [id_of(0), id_of(1), id_of(4), id_of("sure")]
    assert [child.found_by for child in found] == [("words",)] * 3 + [("vector",)]
    strict = judge([*weak, sure], 0.3, RetrievalOptions(min_rank=5.0))
    assert [child.id for child in strict] == [id_of(1), id_of("sure")]


def test_nothing_but_headings_is_no_evidence_by_some_of_the_words() -> None:
    text = candidate(id=id_of("text"), by_words=True, text_rank=1.0, similarity=0.5)
    some = {"by_words": True, "text_rank": 9.9, "word_share": 0.9, "chunk_text": "# Tides\n\n## Gauges"}
    for similarity in (0.05, None):
        heading = candidate(id=id_of("#"), similarity=similarity, **some)
        assert [child.id for child in judge([text, heading], 0.3, OPTIONS)] == [id_of("text")]
        whole = heading._replace(all_words=True)
        assert [child.found_by for child in judge([text, whole], 0.3, OPTIONS)] == [("words",), ("words",)]
    near = candidate(id=id_of("#"), similarity=0.31, **some)
    assert [child.found_by for child in judge([text, near], 0.3, OPTIONS)] == [("words",), ("words",)]


def test_copies_are_one_of_the_three_best_by_words() -> None:
    ranks = {"Copied.": (9.0, 8.0, 9.0, 9.0), "Other.": (2.0,), "Third.": (1.5,), "Fourth.": (1.0,)}
    rows = [
        candidate(id=id_of((text, n)), chunk_text=text, by_words=True, text_rank=rank, similarity=0.05)
        for text, several in ranks.items()
        for n, rank in enumerate(several)
    ]
    sure = candidate(id=id_of("sure"), chunk_text="Sure.", by_vector=True, similarity=0.4)
    found = [child.text for child in judge([*rows, sure], 0.3, OPTIONS)]
    assert found == ["Copied."] * 4 + ["Other.", "Third.", "Sure."]


@pytest.mark.parametrize("holding", [{"all_words": True}, {"identifier": True}])
def test_where_something_holds_all_words_the_best_of_the_rest_stay_out(holding: dict[str, bool]) -> None:
    weak = candidate(id=id_of("weak"), by_words=True, text_rank=9.0, similarity=0.05)
    whole = candidate(id=id_of("whole"), by_words=True, text_rank=1.0, similarity=0.05, **holding)
    assert [child.id for child in judge([weak, whole], 0.3, OPTIONS)] == [id_of("whole")]


def test_shares_of_words_below_the_least_rank_are_no_evidence() -> None:
    row = candidate(by_words=True, text_rank=0.1, similarity=0.05, word_share=0.9)
    assert judge([row], 0.3, RetrievalOptions(min_rank=0.2)) == []


def test_without_a_vector_any_word_counts() -> None:
    assert arms(by_words=True, text_rank=0.1, similarity=None) == ("words",)


def test_rows_below_the_floor_still_set_the_scale() -> None:
    rows = [
        candidate(id=id_of(similarity), by_vector=True, similarity=similarity)
        for similarity in (0.8, 0.7, 0.2)
    ]
    scores = [child.rank_score for child in judge(rows, 0.3, OPTIONS)]
    assert scores == pytest.approx([1.0, 5 / 6])


def test_words_below_the_least_rank_are_no_evidence() -> None:
    options = RetrievalOptions(min_rank=0.5)
    row = candidate(by_words=True, all_words=True, identifier=True, text_rank=0.4, similarity=0.1)
    assert judge([row], 0.3, options) == []
    assert judge([row._replace(text_rank=0.5)], 0.3, options)[0].found_by == ("words", "identifier")
    assert judge([row._replace(by_vector=True, similarity=0.9)], 0.3, options)[0].found_by == ("vector",)


def test_a_child_says_what_each_arm_says_of_it() -> None:
    rows = [
        candidate(id=id_of(n), by_vector=True, by_words=True, similarity=similarity, text_rank=text_rank)
        for n, (similarity, text_rank) in enumerate([(0.5, 0.0), (None, 2.0), (0.9, 2.0), (0.5, 7.0)])
    ]
    assert [child.scores for child in judge(rows, 0.0, OPTIONS)] == [
        ArmScores(None, 0.5, None, 2),
        ArmScores(2.0, None, 2, None),
        ArmScores(2.0, 0.9, 2, 1),
        ArmScores(7.0, 0.5, 1, 2),
    ]


@pytest.mark.parametrize(("depth", "weight"), [(0, 1.0), (1, 0.95), (2, 0.9), (3, 0.85), (4, 0.8), (50, 0.8)])
def test_depth_decays_linearly_to_its_floor(depth: int, weight: float) -> None:
    assert depth_weight(depth, OPTIONS) == pytest.approx(weight)
    deep = judge([candidate(by_vector=True, similarity=0.9, depth=depth)], 0.3, OPTIONS)
    assert deep[0].rank_score == pytest.approx(weight)


def test_headings_alone_do_not_beat_the_text_that_answers() -> None:
    heading = candidate(
        id=id_of("heading"),
        chunk_text="## Gradient boosting\n\n",
        by_words=True,
        text_rank=9.0,
        similarity=0.5,
    )
    answer = candidate(
        id=id_of("answer"), chunk_text="Boosting adds trees.", by_words=True, text_rank=4.0, similarity=0.55
    )
    other = candidate(id=id_of("other"), chunk_text="Else.", by_vector=True, similarity=0.3)
    found = judge([heading, answer, other], 0.3, OPTIONS)
    assert max(found, key=lambda child: child.rank_score).id == answer.id
    assert found[0].found_by == ("words",)
    assert found[0].rank_score > found[2].rank_score


def test_headings_alone_are_found_where_nothing_else_is() -> None:
    assert judge([candidate(chunk_text="# Boosting", by_words=True, text_rank=1.0)], 0.3, OPTIONS)[
        0
    ].found_by == ("words",)


def test_words_only_read_as_others_do_not_carry_what_the_meaning_refutes() -> None:
    read = {"by_words": True, "all_words": True, "text_rank": 0.1, "similarity": 0.05}
    wrong, meant = (
        candidate(id=id_of("wrong"), **read),
        candidate(id=id_of("m"), by_vector=True, similarity=0.9),
    )
    plain, weighed = (judge([wrong, meant], 0.3, OPTIONS, only_read=read_only) for read_only in (False, True))
    assert plain[0].rank_score == plain[1].rank_score
    assert weighed[0].rank_score == pytest.approx(weighed[1].rank_score / 2)
    better = [candidate(id=id_of(n), **(read | {"text_rank": 0.2 + n})) for n in range(3)]
    judged = judge([wrong, meant, *better], 0.3, OPTIONS, only_read=True)
    assert id_of("wrong") not in {child.id for child in judged}
    assert [child.id for child in judge([wrong], 0.3, OPTIONS, only_read=True)] == [id_of("wrong")]
