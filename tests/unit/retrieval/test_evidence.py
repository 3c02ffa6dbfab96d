import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.retrieval_rows import child_passage, id_of
from webrag_desktop.embedding.catalog import GRANITE_FUSED
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.retrieval.contracts.results import ArmScores, MatchedSpan, SoughtTerms
from webrag_desktop.retrieval.evidence import CHILD_WEIGHT, CHILDREN_READ, Evidence
from webrag_desktop.storage.searching.search import ChildParts
from webrag_desktop.text.units.evidence_units import encode_units


def child(text: str, rank: float = 1.0, start: int = 0, name: str = "child", language: str = "en") -> Passage:
    return child_passage(id_of(name), text, rank, char_start=start, language=language)


def spans(
    children: list[Passage], stems: list[str], limit: int = 5, literals: tuple[str, ...] = ()
) -> list[MatchedSpan]:
    return Evidence(children, {"en": stems}, literals).spans(children, limit)


def test_the_sentence_with_the_most_of_the_question_comes_first() -> None:
    text = "Trees are grown. Gradient boosting adds trees. Boosting is slow."
    found = spans([child(text, start=100)], ["gradient", "boost"])
    assert [span.text for span in found] == [
        "Gradient boosting adds trees.",
        "Boosting is slow.",
        "Trees are grown.",
    ]
    assert found[0].char_start == 100 + text.index("Gradient")
    assert found[0].score > found[1].score


def test_a_better_child_outweighs_a_slightly_better_sentence() -> None:
    weak = child("Alpha beta.", rank=0.1, name="weak")
    strong = child("Alpha.", rank=1.0, start=50, name="strong")
    assert [span.text for span in spans([strong, weak], ["alpha", "beta"])] == ["Alpha.", "Alpha beta."]


def test_without_any_word_the_sentences_are_worth_what_their_child_is() -> None:
    found = Evidence([child("## Heading\n\nFirst. Second.", rank=0.5)], {"en": ["other"]}, (), coverage=1.0)
    spans = found.spans([child("## Heading\n\nFirst. Second.", rank=0.5)], 5)
    assert [(span.text, span.score) for span in spans] == [
        ("First.", CHILD_WEIGHT * 0.5),
        ("Second.", CHILD_WEIGHT * 0.5),
    ]


def test_words_that_nothing_holds_make_everything_worth_less_and_move_nothing() -> None:
    text = "Trees are grown. Gradient boosting adds trees."
    known = spans([child(text)], ["gradient", "boost"])
    partly = spans([child(text)], ["gradient", "boost", "flurbz", "qwxyz"])
    unknown = spans([child(text)], ["flurbz", "qwxyz"])
    assert [span.text for span in partly] == [span.text for span in known]
    assert known[0].score == 1.0
    assert 0.0 < partly[0].score < 0.5
    assert unknown[0].score == 0.0


def test_a_meaning_that_is_near_is_worth_something_whatever_the_words() -> None:
    near = child("Trees are grown.")._replace(scores=ArmScores(score_vec=0.6))
    (span,) = Evidence([near], {"en": ["flurbz"]}, ()).spans([near], 5)
    assert span.score == pytest.approx(0.6 * CHILD_WEIGHT)


def test_how_near_a_meaning_is_is_read_on_the_scale_of_its_model() -> None:
    near = child("Trees are grown.")._replace(scores=ArmScores(score_vec=0.81))
    granite = Evidence([near], {"en": ["flurbz"]}, (), nearness=GRANITE_FUSED.nearness)
    (span,) = granite.spans([near], 5)
    assert span.score == pytest.approx(0.65 * CHILD_WEIGHT)  # halfway between the floor and the same


def test_the_library_says_which_words_are_known() -> None:
    one = child("Trees are grown.")
    (span,) = Evidence([one], {"en": ["tree", "flurbz"]}, (), coverage=0.25).spans([one], 5)
    assert span.score == 0.25


def test_only_the_best_children_are_read_and_every_parent_has_a_sentence() -> None:
    children = [
        child(f"Alpha {n}. Beta {n}.", rank=1 - n / 100, start=100 * n, name=str(n))
        for n in range(CHILDREN_READ + 1)
    ]
    evidence = Evidence(children, {"en": ["beta"]}, ())
    last_read, not_read = evidence.spans(children[-2:-1], 5), evidence.spans(children[-1:], 5)
    assert len(last_read) == 2
    assert [span.text for span in not_read] == [f"Beta {CHILDREN_READ}."]
    both = evidence.spans([children[0], children[-1]], 5)
    assert [span.text for span in both] == ["Beta 0.", "Alpha 0."]


def test_a_heading_is_evidence_only_where_there_is_nothing_else() -> None:
    assert [s.text for s in spans([child("## Boosting\n\nBoosting helps.")], ["boost"])] == [
        "Boosting helps."
    ]
    assert [s.text for s in spans([child("## Boosting\n\n")], ["boost"])] == ["## Boosting"]


def test_words_count_in_the_language_of_the_text() -> None:
    german = child("Der Baum steht.", language="de")
    found = Evidence([german], {"de": ["baum"], "en": ["tree"]}, ()).spans([german], 5)
    assert found[0].score == 1.0


def test_the_words_of_a_passage_are_those_of_its_own_language() -> None:
    german = child("Der Baum steht.", language="de")
    evidence = Evidence([german], {"de": ["baum"], "en": ["tree"]}, ["max_depth"])
    assert evidence.sought(german) == SoughtTerms(("baum",), ("max_depth",))
    assert evidence.sought(child("Nichts.", language="fr")) == SoughtTerms((), ("max_depth",))


def test_identifiers_count_in_any_language() -> None:
    unknown = child("Nichts. Setze max_depth hier.", language="simple")
    assert spans([unknown], [], literals=("max_depth",))[0].text == "Setze max_depth hier."


def test_sentences_are_those_that_were_noted() -> None:
    children = [child("Alpha one. Beta two.")]
    id_ = children[0].id
    parts = {id_: ChildParts(id_, [], encode_units("Alpha one, Beta two."))}
    found = Evidence(children, {"en": ["alpha"]}, (), parts=parts).spans(children, 5)
    assert [span.text for span in found] == ["Alpha one. Beta two."]


def test_what_children_hold_may_be_looked_for_before_their_parts_are_there() -> None:
    children = [child("Alpha one. Beta two.")]
    id_ = children[0].id
    parts = {id_: ChildParts(id_, [], encode_units("Alpha one, Beta two."))}
    before = Evidence(children, {"en": ["alpha"]}, ())
    assert [span.text for span in before.with_parts(parts).spans(children, 5)] == ["Alpha one. Beta two."]
    assert [span.text for span in before.spans(children, 5)] == ["Alpha one.", "Beta two."]


def test_a_sentence_knows_the_page_it_begins_on() -> None:
    text = "Alpha one. Beta two. Gamma three."
    pages = [
        [100, None, None, 4],
        [100 + text.index("Beta"), "b", "B", 5],
        [100 + text.index("Gamma"), "b", "B"],
    ]
    children = [child(text, start=100)]
    id_ = children[0].id
    parts = {id_: ChildParts(id_, pages, None)}  # type: ignore[arg-type]
    found = Evidence(children, {"en": ["alpha", "beta", "gamma"]}, (), parts=parts).spans(children, 5)
    places = {span.text: (span.anchor, span.heading, span.page) for span in found}
    assert places == {
        "Alpha one.": (None, None, 4),
        "Beta two.": ("b", "B", 5),
        "Gamma three.": ("b", "B", None),  # as it was stored before pages were
    }


def below_headings(text: str, *headings: tuple[str, str | None], path: tuple[str, ...] = ()) -> list[str]:
    """The best sentences for "gradient boosting" of a child whose parts begin with the given words, below headings."""
    children = [child(text, start=100)]
    id_ = children[0].id
    places = [[100 + text.index(begins), None, heading] for begins, heading in headings]
    parts = {id_: ChildParts(id_, places, None, heading_path=path)}  # type: ignore[arg-type]
    found = Evidence(children, {"en": ["gradient", "boost"]}, (), parts=parts).spans(children, 5)
    return [span.text for span in found]


def test_a_sentence_answers_by_the_heading_right_above_it() -> None:
    text = "Boosting is slow. Each tree corrects the last. It is fast. Gradient descent is older."
    assert below_headings(text, ("Boosting", "Speed"), ("Each", "Gradient boosting"), ("It", "Bagging")) == [
        "Each tree corrects the last.",
        *["Boosting is slow.", "Gradient descent is older."],
        "It is fast.",  # what is above one section is not above the next
    ]


def test_a_child_without_a_heading_of_its_own_is_below_the_last_of_its_path() -> None:
    text = "Each tree corrects the last. Gradient descent is older."
    path = ("Trees", "Gradient boosting")
    assert below_headings(text, path=path) == ["Each tree corrects the last.", "Gradient descent is older."]
    only_right_above = below_headings(text, path=("Ensembles", *path[::-1]))
    assert only_right_above[0] == "Gradient descent is older."


def test_the_heading_of_a_whole_document_tells_none_of_its_sentences_from_others() -> None:
    text = "Each tree corrects the last. Gradient descent is older."
    named = ("Each", "Gradient boosting"), ("Gradient", "Bagging")
    outermost = below_headings(text, *named, path=("Gradient boosting",))
    assert outermost == ["Gradient descent is older.", "Each tree corrects the last."]
    assert below_headings(text, *named, path=("Trees",))[0] == "Each tree corrects the last."


@given(
    st.lists(
        st.tuples(st.text(alphabet="ab. \n#|`-A日", min_size=1, max_size=60), st.floats(0, 1)),
        min_size=1,
        max_size=5,
    ),
    st.integers(1, 6),
)
def test_spans_are_verbatim_ordered_and_at_least_one(texts: list[tuple[str, float]], limit: int) -> None:
    children, position, document = [], 0, ""
    for number, (text, rank) in enumerate(texts):
        children.append(child(text, rank, position, f"child {number}"))
        position += len(text)
        document += text
    found = spans(children, ["a", "b"], limit)
    assert 1 <= len(found) <= limit
    assert [span.score for span in found] == sorted((span.score for span in found), reverse=True)
    for span in found:
        assert document[span.char_start : span.char_end] == span.text
        assert 0 <= span.score <= 1
